"""Parameters from data: least squares with exact derivatives."""

import math

import numpy as np

from .derive import names_of
from .result import run


class Fit:
    """The result of a fit.

    values       the fitted values by their names
    deviations   their standard deviations; infinite: the data do not determine the value
    intervals    confidence intervals, {name: (low, high)}
    covariance   of the values, in the order of `names`
    residuals    data minus model, times the weights: an array (times, columns); NaN: no data
    cost         half the sum of the losses
    iterations   of the search from the best start
    converged    False: max_iterations were not enough
    bounded      names whose values are at a bound: their deviations are 0
    run          the solution at the times of the data
    """

    def __init__(self, names, found, residuals, solution):
        def vector(key):
            return np.frombuffer(found[key]).tolist()

        self.names = names
        self.values = dict(zip(names, vector("values")))
        self.deviations = dict(zip(names, vector("deviations")))
        self.intervals = dict(zip(names, zip(vector("low"), vector("high"))))
        self.covariance = np.frombuffer(found["covariance"]).reshape(len(names), len(names)).copy()
        self.bounded = [name for name, bounded in zip(names, found["bounded"]) if bounded]
        self.cost, self.iterations, self.converged = found["cost"], found["iterations"], bool(found["converged"])
        self.residuals, self.run = residuals, solution

    def __repr__(self):
        shown = ", ".join(f"{name} = {self.values[name]:.6g} +- {self.deviations[name]:.2g}" for name in self.names)
        return f"<ritt.Fit {shown}>"


def fit(model, data, vary, *, bounds=None, weights=None, loss="linear", scale=1.0, starts=1, seed=0, confidence=0.95, set=None,
        start=None, tol=1e-9, max_iterations=100, **options):
    """Finds the parameters and start values for which the solution of a model is nearest to data.

    data       columns by their names, {"t": [...], "x": [...]}; NaN: a gap. The independent variable must be there
    vary       names of parameters, and of variables or derivatives whose start values are unknown; a dictionary
               gives where to begin, {"k": 3, "x": 1}; else the search begins at the values of the model
    bounds     {"k": (0, 10)}; None: no bound
    weights    {"x": 1/sigma} by columns; 1 if not given
    loss       "linear": least squares; "soft", "huber", "cauchy": outliers count less, beyond `scale`
    starts     searches begin at the given values, and at starts - 1 further points drawn from the bounds
    confidence of the intervals, which hold for normal errors of unknown size that are equal after weighting
    set, start, tol, options   as in model.solve
    """
    begin = dict(vary) if isinstance(vary, dict) else {name: None for name in names_of(vary) if name}
    names, columns = list(begin), list(data)
    table = np.array([np.asarray(data[c], float).ravel() for c in columns]).T.copy()
    limits = [(bounds or {}).get(name, (None, None)) for name in names]
    numbers = [[math.nan if value is None else float(value) for value in row]
               for row in ([begin[name] for name in names], [low for low, _ in limits], [high for _, high in limits])]
    weight = np.array([float((weights or {}).get(c, 1)) for c in columns])
    prepared = model._prepared(set, start)
    found = prepared._at.fit(columns, table.tobytes(), names, np.array(numbers).tobytes(), weight.tobytes(), loss, float(scale),
                             int(starts), int(seed), float(confidence), int(max_iterations),
                             model._options(None, tol, options.pop("method", None), options))
    times = np.unique(table[:, columns.index(model.independent)])
    residuals = np.frombuffer(found["residuals"]).reshape(table.shape)
    residuals = residuals[:, [i for i, c in enumerate(columns) if c != model.independent]].copy()
    solution = run(prepared._at, model._options(times[-1], tol, None, dict(options)), times, model.title)
    return Fit(names, found, residuals, solution)


__all__ = ["Fit", "fit"]
