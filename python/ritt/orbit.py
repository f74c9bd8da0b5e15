"""Periodic orbits by multiple shooting on the manifold."""

import numpy as np

from .derive import names_of


class Orbit:
    """A periodic orbit.

    period        its period
    start         the start values by their names
    multipliers   Floquet multipliers, the largest first; one is 1 if the period was unknown
    monodromy     the derivative of the start values after one period by those before
    stable        True: all multipliers except one that belongs to the motion along the orbit lie inside the unit circle;
                  None: one lies too near to it to decide
    residual      largest misfit of the segments at their ends, relative to the values
    iterations    of Newton's method
    """

    def __init__(self, found):
        self.names, self.period = found["states"], found["period"]
        n = len(self.names)
        self.start = dict(zip(self.names, np.frombuffer(found["start"]).tolist()))
        self.monodromy = np.frombuffer(found["monodromy"]).reshape(n, n).copy()
        self.multipliers = np.frombuffer(found["multiplier_real"]) + 1j * np.frombuffer(found["multiplier_imaginary"])
        self.stable = {1: True, -1: False, 0: None}[found["stable"]]
        self.residual, self.iterations = found["residual"], found["iterations"]

    def __repr__(self):
        return f"<ritt.Orbit of period {self.period:.10g}>"


def orbit(model, start, period, *, fixed_period=False, segments=4, hold=(), set=None, begin=None, tol=1e-11, max_iterations=30,
          **options):
    """Finds a periodic orbit near a guess, with its period and Floquet multipliers.

    start          a guess of the start values, {"x": 2, "v": 0}: as many as the model has free initial values. The orbit begins there
    period         a guess of the period; with fixed_period the period itself, as of a system that is driven
    segments       parts of the orbit that are followed one by one; more of them help if orbits are unstable
    hold           names of start values that stay as they are: they choose an orbit of a family
    begin          where the independent variable begins
    set, tol, options   as in model.solve
    """
    prepared = model._prepared(set, None, begin, options.pop("kind", None))
    for name, value in start.items():
        prepared._at.start_value(name, float(value), True)
    texts = model._options(None, tol, options.pop("method", None), options)
    return Orbit(prepared._at.orbit(float(period), fixed_period, int(segments), int(max_iterations), list(start),
                                    [name for name in names_of(hold) if name], texts))


__all__ = ["Orbit", "orbit"]
