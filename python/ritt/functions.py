"""Problems given as Python functions, with the look of SciPy's solve_ivp."""

import inspect

import numpy as np

from . import _ritt
from .model import text_of
from .result import run

_GENERAL, _EXPLICIT = 0, 3  # places in RITT_KINDS of ritt.h


def _numbers(values, count, what):
    a = np.ascontiguousarray(values, dtype=float).ravel()
    if a.size != count:
        raise ValueError(f"{what} gave {a.size} numbers where {count} are wanted")
    return a


def _rate(g, t, y, yp):
    """The derivative of g along (1, yp): by a complex step where g goes along with it, else by central differences."""
    h = 1e-30
    try:
        v = np.asarray(g(t + 1j * h, y + 1j * h * yp))
        if np.iscomplexobj(v):
            return v.imag / h
    except (TypeError, ValueError):
        pass
    h = 6e-6 * max(1.0, float(np.max(np.abs(y), initial=0.0)))
    ahead, behind = np.asarray(g(t + h, y + h * yp), float), np.asarray(g(t - h, y - h * yp), float)
    return (ahead - behind) / (2 * h)


def solve_dae(fun, t_span, y0, yp0=None, *, constraints=None, t_eval=None, method=None, tol=None, args=(), **options):
    """Solves y' = fun(t, y), or fun(t, y, y') = 0 where yp0 is given, with constraints(t, y) = 0 kept.

    fun          without yp0: gives y', as for solve_ivp. With yp0: gives residuals; together with the constraints and
                 their derivatives they must determine y' (an implicit ODE, or a DAE of index 1 whose algebraic
                 equations are given as constraints)
    constraints  gives what is 0 along the solution: invariants of an ODE, or the algebraic equations of a DAE. The
                 solution is kept on them to rounding
    y0, yp0      start values; moved onto the constraints as little as possible
    t_eval       where values are wanted; None: at every step
    args         further arguments of fun and constraints

    Gives a Result with columns t, y1, y2, ... Hidden constraints are not found here, since Ritt does not see the
    equations: write a model for that.
    """
    begin, end = (float(t) for t in t_span)
    y0 = np.atleast_1d(np.asarray(y0, dtype=float))
    n = y0.size
    g = (lambda t, y: np.atleast_1d(constraints(t, y, *args))) if constraints else None
    k = len(g(begin, y0)) if g else 0
    texts = [(key.replace("_", "-"), text_of(v))
             for key, v in (("tolerance", tol), ("method", method), *options.items()) if v is not None]
    if yp0 is None:
        problem, z = _explicit(fun, g, n, k, args), np.concatenate([[begin], y0])
    else:
        yp0 = np.atleast_1d(np.asarray(yp0, dtype=float))
        if yp0.size != n:
            raise ValueError(f"yp0 has {yp0.size} entries and y0 has {n}")
        problem, z = _implicit(fun, g, n, k, args, begin, y0, yp0), np.concatenate([[begin], y0, yp0])
    problem.project(z, np.zeros(z.size, dtype=np.intc))
    return run(problem, texts, end, t_eval, getattr(fun, "__name__", "problem"), z)


def _explicit(fun, g, n, k, args):
    if len(inspect.signature(fun).parameters) >= 3 + len(args) and not args:
        raise TypeError("fun(t, y, yp) gives residuals: it needs yp0")

    def formula(view):
        z = np.frombuffer(view)
        return _numbers(fun(z[0], z[1:], *args), n, "fun")

    def f(view):
        z = np.frombuffer(view)
        return _numbers(g(z[0], z[1:]), k, "constraints")

    return _ritt.Problem(kind=_EXPLICIT, unknowns=n, order=1, rows=k, constraints=0, formula=formula,
                         f=f if k else None)


def _implicit(fun, g, n, k, args, begin, y0, yp0):
    r = np.atleast_1d(fun(begin, y0, yp0, *args)).size
    rows = r + 2 * k
    if r + k < n:
        raise ValueError(f"fun and constraints give {r} and {k} equations for {n} unknowns")

    def f(view):
        z = np.frombuffer(view)
        t, y, yp = z[0], z[1:1 + n], z[1 + n:]
        parts = [_numbers(fun(t, y, yp, *args), r, "fun")]
        if k:
            parts += [_numbers(g(t, y), k, "constraints"), _numbers(_rate(g, t, y, yp), k, "constraints")]
        return np.concatenate(parts)

    return _ritt.Problem(kind=_GENERAL, unknowns=n, order=2, rows=rows, constraints=0, f=f)
