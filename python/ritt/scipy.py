"""Ritt's methods inside scipy.integrate.solve_ivp: solve_ivp(fun, span, y0, method=ritt.scipy.Projected, constraints=g)."""

import numpy as np
from scipy.integrate import DenseOutput, OdeSolver

from . import _ritt
from .functions import _numbers, _numbers_of
from .model import text_of

_NODES = np.cos(np.pi * np.arange(9) / 8)  # of Chebyshev, on [-1, 1]


class Projected(OdeSolver):
    """A projected Runge-Kutta method. Constraints(t, y) = 0 that fun keeps are kept to rounding.

    constraints  a function of (t, y), or None
    rtol, atol   relative and absolute tolerance (one number)
    rule         Ritt's method: "dopri54", "dop853", "radau5", ...; ritt.methods() lists them
    """

    def __init__(self, fun, t0, y0, t_bound, constraints=None, rtol=1e-3, atol=1e-6, rule="dopri54", first_step=None,
                 max_step=np.inf, vectorized=False, **extraneous):
        if extraneous:
            import warnings

            warnings.warn(f"these options have no effect on Projected: {', '.join(extraneous)}", stacklevel=3)
        if np.isfinite(max_step):
            raise ValueError("Projected has no max_step")
        super().__init__(fun, t0, y0, t_bound, vectorized)
        g = (lambda t, y: np.atleast_1d(constraints(t, y))) if constraints else None
        k = _numbers(g(t0, self.y), None, "constraints").size if g else 0
        problem = _ritt.Problem(size=self.n, rows=k, arrays=(np.empty(self.n),), convert=_numbers_of("fun"), args=(),
                                formula=self.fun, f=g)
        z = np.concatenate([[t0], self.y])
        problem.project(z, np.zeros(z.size, dtype=np.intc))
        self.y = z[1:].copy()
        options = {"tolerance": rtol, "absolute": atol, "method": rule, "to": t_bound, "first-step": first_step}
        texts = [(key, text_of(value)) for key, value in options.items() if value is not None]
        self._solver = _ritt.Solver(problem, texts, z=z)
        self._row = np.empty(1 + self.n)

    def _at(self, t):
        self._solver.values(t, self._row)
        return self._row[1:].copy()

    def _step_impl(self):
        t, message = self._solver.step(self.t_bound)
        if message is not None:
            return False, message
        self.t, self.y = t, self._at(t)
        return True, None

    def _dense_output_impl(self):
        middle, half = (self.t + self.t_old) / 2, (self.t - self.t_old) / 2
        return _Interpolant(self.t_old, self.t, np.array([self._at(t) for t in np.clip(middle + half * _NODES,
                            min(self.t, self.t_old), max(self.t, self.t_old))]))


class _Interpolant(DenseOutput):
    """A polynomial through values of the step at Chebyshev's nodes."""

    def __init__(self, t_old, t, values):
        super().__init__(t_old, t)
        self._values = values

    def _call_impl(self, t):
        s = np.atleast_1d((2 * t - self.t - self.t_old) / (self.t - self.t_old))
        weights = (-1.0)**np.arange(_NODES.size)
        weights[[0, -1]] /= 2
        distance = s[:, None] - _NODES
        exact = np.abs(distance) < 1e-14
        parts = weights / np.where(exact, 1.0, distance)
        parts = np.where(exact.any(axis=1, keepdims=True), exact, parts)
        y = (parts @ self._values) / parts.sum(axis=1, keepdims=True)
        return y[0] if np.ndim(t) == 0 else y.T
