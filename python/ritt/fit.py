"""Parameters from data: least squares with exact derivatives."""

import math

import numpy as np

from .derive import names_of
from .errors import Error


class Fit:
    """The result of a fit.

    values       the fitted values by their names
    deviations   their standard deviations
    intervals    confidence intervals, {name: (low, high)}
    covariance   of the values, in the order of `names`
    residuals    data minus model, times the weights: an array (times, columns); NaN: no data
    cost         half the sum of the losses
    iterations   of the search from the best start
    bounded      names whose values are at a bound: their deviations are 0
    """

    def __init__(self, names, values, covariance, residuals, cost, iterations, bounded, factor, run):
        self.names = names
        self.values = dict(zip(names, values.tolist()))
        self.covariance = covariance
        deviation = np.sqrt(np.diag(covariance))
        self.deviations = dict(zip(names, deviation.tolist()))
        self.intervals = {name: (value - factor * d, value + factor * d)
                          for name, value, d in zip(names, values.tolist(), deviation.tolist())}
        self.residuals, self.cost, self.iterations, self.bounded, self.run = residuals, cost, iterations, bounded, run

    def __repr__(self):
        shown = ", ".join(f"{name} = {self.values[name]:.6g} +- {self.deviations[name]:.2g}" for name in self.names)
        return f"<ritt.Fit {shown}>"


# ---- losses: rho(s) of the squared residual s, its first derivative ----

def _linear(s):
    return s, np.ones_like(s)


def _soft(s):
    root = np.sqrt(1 + s)
    return 2 * (root - 1), 1 / root


def _huber(s):
    root = np.sqrt(np.maximum(s, 1))
    return np.where(s <= 1, s, 2 * root - 1), np.where(s <= 1, 1, 1 / root)


def _cauchy(s):
    return np.log1p(s), 1 / (1 + s)


LOSSES = {"linear": _linear, "soft": _soft, "huber": _huber, "cauchy": _cauchy}


class _Problem:
    """Residuals and their derivatives as a function of the unknowns."""

    def __init__(self, model, data, unknowns, weights, loss, scale, set, start, tol, options):
        self.model, self.names, self.tol, self.options = model, list(unknowns), tol, options
        self.set, self.start = dict(set or {}), dict(start or {})
        self.kinds = [model._at.meaning(name) for name in self.names]
        for name, kind in zip(self.names, self.kinds):
            if kind not in ("parameter", "variable"):
                raise ValueError(f"{name!r} is neither a parameter nor a start value")
        data = dict(data)
        if model.independent not in data:
            raise ValueError(f"the data have no column {model.independent!r}")
        times = np.asarray(data.pop(model.independent), float)
        order = np.argsort(times, kind="stable")
        self.times, self.inverse = np.unique(times[order], return_inverse=True)
        self.columns = list(data)
        if not self.columns:
            raise ValueError("the data have no column besides the independent variable")
        self.data = np.array([np.asarray(data[c], float)[order] for c in self.columns]).T
        unknown = [c for c in self.columns if c not in model.columns]
        if unknown:
            raise ValueError(f"the model has no column {unknown[0]!r}; it has {', '.join(model.columns)}")
        if not np.isfinite(times).all():
            raise ValueError("a time in the data is not a finite number")
        self.present = np.isfinite(self.data)
        self.weights = np.array([float((weights or {}).get(c, 1)) for c in self.columns])
        self.loss, self.scale = LOSSES[loss], float(scale)

    def solve(self, x, sensitivity):
        values = {n: v for n, v, k in zip(self.names, x.tolist(), self.kinds) if k == "parameter"}
        starts = {n: v for n, v, k in zip(self.names, x.tolist(), self.kinds) if k == "variable"}
        return self.model.solve(self.times[-1], set={**self.set, **values}, start={**self.start, **starts}, tol=self.tol,
                                t_eval=self.times, sensitivity=self.names if sensitivity else (), **self.options)

    def __call__(self, x):
        """cost, weighted residuals (data minus model) of all data, robust residuals and their Jacobian; None: no solution."""
        try:
            run = self.solve(x, True)
        except Error:
            return None
        if not run.success or len(run.t) < len(self.times):
            return None
        rows = np.searchsorted(run.t, self.times)[self.inverse]
        residual = (self.data - np.array([run[c][rows] for c in self.columns]).T) * self.weights
        slope = np.array([[-run[f"d({c})/d({n})"][rows] for n in self.names] for c in self.columns])
        slope = np.moveaxis(slope, 2, 0) * self.weights[None, :, None]  # time, column, unknown
        r, J = residual[self.present], slope[self.present]
        if not (np.isfinite(r).all() and np.isfinite(J).all()):
            return None
        value, first = self.loss((r / self.scale) ** 2)
        root = np.sqrt(first)
        return 0.5 * self.scale ** 2 * value.sum(), residual, r * root, J * root[:, None]


def _search(problem, x, low, high, most):
    """Levenberg and Marquardt's method with bounds. Gives x, the last evaluation and the iterations; None: no solution at x."""
    here = problem(x)
    if here is None:
        return None
    damping, count = 1e-3, 0
    while count < most:
        count += 1
        cost, _, r, J = here
        gradient = J.T @ r
        free = ~(((x <= low) & (gradient > 0)) | ((x >= high) & (gradient < 0)))
        if not free.any():
            break
        size = np.sqrt((J[:, free] ** 2).sum(axis=0))
        size[size == 0] = 1
        scaled, moved = J[:, free] / size, False
        for _ in range(30):
            system = np.vstack([scaled, math.sqrt(damping) * np.eye(free.sum())])
            step = np.zeros_like(x)
            step[free] = np.linalg.lstsq(system, np.concatenate([-r, np.zeros(free.sum())]), rcond=None)[0] / size
            new = np.clip(x + step, low, high)
            there = problem(new)
            if there is not None and there[0] < cost:
                moved = True
                break
            if np.all(np.abs(new - x) <= 1e-14 * (np.abs(x) + 1e-300)):
                break
            damping = max(10 * damping, 1e-8)
        if not moved:
            break
        change = np.abs(new - x) / (np.abs(x) + 1e-300)
        gain = (cost - there[0]) / (cost + 1e-300)
        x, here, damping = new, there, damping / 10
        if gain < 1e-14 or change.max() < 1e-12:
            break
    return x, here, count


def fit(model, data, vary, *, bounds=None, weights=None, loss="linear", scale=1.0, starts=1, seed=0, confidence=0.95, set=None,
        start=None, tol=1e-9, max_iterations=100, **options):
    """Finds the parameters and start values for which the solution of a model is nearest to data.

    data       columns by their names, {"t": [...], "x": [...]}; NaN: a gap. The independent variable must be there
    vary       names of parameters, and of variables or derivatives whose start values are unknown; a dictionary
               gives where to begin, {"k": 3, "x": 1}; else the search begins at the values of the parameters
    bounds     {"k": (0, 10)}; None: no bound
    weights    {"x": 1/sigma} by columns; 1 if not given
    loss       "linear": least squares; "soft", "huber", "cauchy": outliers count less, beyond `scale`
    starts     searches begin at the given values, and at starts - 1 further points drawn from the bounds
    confidence of the intervals, which hold for normal errors of unknown size that are equal after weighting
    set, start, tol, options   as in model.solve
    """
    begin = dict(vary) if isinstance(vary, dict) else {name: None for name in names_of(vary)}
    names = list(begin)
    if not names:
        raise ValueError("nothing varies")
    if loss not in LOSSES:
        raise ValueError(f"the loss is one of {', '.join(LOSSES)}, not {loss!r}")
    problem = _Problem(model, data, names, weights, loss, scale, set, start, tol, options)
    first = np.array([_value_of(model, name, begin[name], set, start) for name in names])
    limits = [(bounds or {}).get(name, (None, None)) for name in names]
    low = np.array([-math.inf if a is None else float(a) for a, _ in limits])
    high = np.array([math.inf if b is None else float(b) for _, b in limits])
    if not (low < high).all():
        raise ValueError("a lower bound is not below the upper one")
    if starts > 1 and not (np.isfinite(low).all() and np.isfinite(high).all()):
        raise ValueError("several starts need bounds for all that varies")

    random = np.random.default_rng(seed)
    points = [np.clip(first, low, high)] + [random.uniform(low, high) for _ in range(starts - 1)]
    found = [result for result in (_search(problem, x, low, high, max_iterations) for x in points) if result]
    if not found:
        raise ValueError("the model cannot be solved at any of the starts")
    x, (cost, residuals, r, J), count = min(found, key=lambda result: result[1][0])

    # the covariance: (J^T J)^-1 times the variance of the residuals, of what is not at a bound
    at_bound = (x <= low) | (x >= high)
    free, covariance = ~at_bound, np.zeros((len(x), len(x)))
    degrees = max(1, len(r) - int(free.sum()))
    if free.any():
        inverse = np.linalg.pinv(J[:, free].T @ J[:, free])
        covariance[np.ix_(free, free)] = inverse * (r @ r) / degrees
    bounded = [name for name, bound in zip(names, at_bound) if bound]
    return Fit(names, x, covariance, residuals, cost, count, bounded, student(confidence, degrees), problem.solve(x, False))


def _value_of(model, name, given, set, start):
    """Where the search begins."""
    for source in ({name: given} if given is not None else {}, set or {}, start or {}):
        if name in source:
            return float(source[name])
    if model._at.meaning(name) == "parameter":
        return float(model.parameters[name].value)
    raise ValueError(f"give where the search for the start value of {name!r} begins: vary={{{name!r}: 1}}")


def student(confidence, degrees):
    """The factor of a two-sided interval of Student's distribution: P(|t| < factor) = confidence."""
    def inside(t):  # A&S 26.7.3 and 26.7.4
        angle = math.atan(t / math.sqrt(degrees))
        s, c = math.sin(angle), math.cos(angle)
        if degrees % 2:
            term, total = c, 0.0
            for k in range(3, degrees + 1, 2):
                total += term
                term *= c * c * (k - 1) / k
            return 2 / math.pi * (angle + s * total)
        term, total = 1.0, 0.0
        for k in range(2, degrees + 1, 2):
            total += term
            term *= c * c * (k - 1) / k
        return s * total

    low, high = 0.0, 1.0
    while inside(high) < confidence:
        high *= 2
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if inside(middle) < confidence else (low, middle)
    return (low + high) / 2


__all__ = ["Fit", "fit"]
