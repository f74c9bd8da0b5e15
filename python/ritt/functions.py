"""Problems given as Python functions, with the look of SciPy's solve_ivp."""

import inspect
import warnings

import numpy as np

from . import _ritt
from .model import text_of
from .result import run

_GENERAL, _EXPLICIT = 0, 3  # places in RITT_KINDS of ritt.h


def _numbers(values, count, what):
    if values is None:
        raise TypeError(f"{what} gave None: does it return its values?")
    if np.iscomplexobj(values):
        raise TypeError(f"{what} gave complex numbers where real ones are wanted")
    a = np.ascontiguousarray(values, dtype=float).ravel()
    if count is not None and a.size != count:
        raise ValueError(f"{what} gave {a.size} numbers where {count} are wanted")
    return a


def _numbers_of(what):
    return lambda values, count: _numbers(values, count, what)


def _by_complex_step(g, t, y, yp):
    h = 1e-30
    return np.asarray(g(t + 1j * h, y + 1j * h * yp)).imag / h


def _by_differences(g, t, y, yp):
    h = 7e-4 * max(1.0, float(np.max(np.abs(y), initial=0.0))) / max(1.0, float(np.max(np.abs(yp), initial=0.0)))
    far, near = (np.asarray(g(t + k * h, y + k * h * yp), float) - np.asarray(g(t - k * h, y - k * h * yp), float)
                 for k in (2, 1))
    return (8 * near - far) / (12 * h)


def _rate_of(g, t, y):
    """How the derivative of g along (1, y') is found: by a complex step where g goes along with it (abs, norms and functions
    of the module math do not), as a comparison at the start shows; else by differences."""
    yp = 1 + 0.1 * np.arange(y.size) / max(y.size, 1)
    expected = _by_differences(g, t, y, yp)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            if np.allclose(_by_complex_step(g, t, y, yp), expected, rtol=1e-6, atol=1e-6):
                return _by_complex_step
    except (TypeError, ValueError, AttributeError, Warning):
        pass
    return _by_differences


def _check_invariant(fun, g, t, y, args):
    """Raises where constraints are not kept by y' = fun(t, y), as far as the start shows it."""
    yp = np.asarray(fun(t, y, *args), dtype=float).ravel()
    if yp.size != y.size or not np.isfinite(yp).all():
        return
    rate_of = _rate_of(g, t, y)
    rate, size = rate_of(g, t, y, yp), np.abs(rate_of(g, t, y, 0 * yp))
    for j in np.flatnonzero(yp):
        size = size + np.abs(rate_of(g, t, y, np.where(np.arange(y.size) == j, yp, 0.0)))
    for i in np.flatnonzero(np.abs(rate) > 1e-3 * size + 1e-6):
        raise ValueError(f"constraint {i + 1} is not kept by fun: along y' it changes at the rate {rate[i]:.6g} at t = {t:.6g}")


def solve_dae(fun, t_span, y0, yp0=None, *, constraints=None, t_eval=None, method=None, tol=None, args=(), **options):
    """Solves y' = fun(t, y), or fun(t, y, y') = 0 where yp0 is given, with constraints(t, y) = 0 kept.

    fun          without yp0: gives y', as for solve_ivp. With yp0: gives residuals; together with the constraints and
                 their derivatives they must determine y' (an implicit ODE, or a DAE of index 1 whose algebraic
                 equations are given as constraints)
    constraints  gives what is 0 along the solution: invariants of an ODE, or the algebraic equations of a DAE. The
                 solution is kept on them to rounding
    y0, yp0      start values; moved onto the constraints as little as possible
    t_eval       where values are wanted; None: at every step
    tol          relative tolerance; `rtol` and `atol` (absolute) are understood as well
    args         further arguments of fun and constraints

    Gives a Result with columns t, y1, y2, ... Hidden constraints are not found here, since Ritt does not see the
    equations: write a model for that.
    """
    begin, end = (float(t) for t in t_span)
    y0 = np.atleast_1d(np.asarray(y0, dtype=float))
    if y0.ndim != 1 or not np.isfinite(y0).all():
        raise ValueError("y0 is a list of finite numbers")
    n = y0.size
    args = tuple(args)
    g = (lambda t, y, *further: np.atleast_1d(constraints(t, y, *args))) if constraints else None
    k = _numbers(g(begin, y0), None, "constraints").size if g else 0
    tol, options["absolute"] = options.pop("rtol", tol), options.pop("atol", options.get("absolute"))
    texts = [(key.replace("_", "-"), text_of(v))
             for key, v in (("tolerance", tol), ("method", method), ("to", end), *options.items()) if v is not None]
    if yp0 is None:
        problem, z = _explicit(fun, g, n, k, args), np.concatenate([[begin], y0])
    else:
        yp0 = np.atleast_1d(np.asarray(yp0, dtype=float))
        if yp0.size != n:
            raise ValueError(f"yp0 has {yp0.size} entries and y0 has {n}")
        problem, z = _implicit(fun, g, n, k, args, begin, y0, yp0), np.concatenate([[begin], y0, yp0])
    problem.project(z, np.zeros(z.size, dtype=np.intc))
    if g and yp0 is None:
        _check_invariant(fun, g, begin, z[1:].copy(), args)
    return run(problem, texts, t_eval, getattr(fun, "__name__", "problem"), z)


def _explicit(fun, g, n, k, args):
    if len(inspect.signature(fun).parameters) >= 3 + len(args) and not args:
        raise TypeError("fun(t, y, yp) gives residuals: it needs yp0")
    return _ritt.Problem(kind=_EXPLICIT, unknowns=n, rows=k, arrays=(np.empty(n),), convert=_numbers_of("fun"), args=args,
                         formula=fun, f=g)


def _implicit(fun, g, n, k, args, begin, y0, yp0):
    r = np.atleast_1d(fun(begin, y0, yp0, *args)).size
    rate_of = _rate_of(g, begin, y0) if k else None
    if r + k < n:
        raise ValueError(f"fun and constraints give {r} and {k} equations for {n} unknowns")

    def f(t, y, yp, *args):
        parts = [_numbers(fun(t, y, yp, *args), r, "fun")]
        if k:
            parts += [_numbers(g(t, y), k, "constraints"), _numbers(rate_of(g, t, y, yp), k, "constraints")]
        return np.concatenate(parts)

    return _ritt.Problem(kind=_GENERAL, unknowns=n, rows=r + 2 * k, arrays=(np.empty(n), np.empty(n)),
                         convert=_numbers_of("fun"), args=args, f=f)
