"""Problems given as Python functions, with the look of SciPy's solve_ivp."""

import inspect
import warnings

import numpy as np

from . import _ritt
from .errors import Error
from .model import text_of
from .result import run
from .trace import Compared, Differs, Replay, model_of


def _numbers(values, count, what):
    if values is None:
        raise TypeError(f"{what} returned None: does it end with 'return'?")
    if np.iscomplexobj(values):
        raise TypeError(f"{what} returned complex numbers, but real ones are needed")
    a = np.ascontiguousarray(values, dtype=float).ravel()
    if count is not None and a.size != count:
        raise ValueError(f"{what} returned {a.size} numbers instead of {count}")
    return a


def _numbers_of(what):
    return lambda values, count: _numbers(values, count, what)


# ---- are constraints kept ----


def _by_complex_step(g, t, y, yp):
    h = 1e-30
    return np.asarray(g(t + 1j * h, y + 1j * h * yp)).imag / h


def _by_differences(g, t, y, yp):
    h = 7e-4 * max(1.0, float(np.max(np.abs(y), initial=0.0))) / max(1.0, float(np.max(np.abs(yp), initial=0.0)))
    far, near = (np.asarray(g(t + k * h, y + k * h * yp), float) - np.asarray(g(t - k * h, y - k * h * yp), float)
                 for k in (2, 1))
    return (8 * near - far) / (12 * h)


def _rate_of(g, t, y):
    """How the derivative of g along (1, y') is found: by a complex step if g allows it (abs, norms and functions of the module
    math do not), as a comparison at the start shows; else by differences."""
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
    """Raises if y' = fun(t, y) does not keep the constraints, as far as the start shows it."""
    yp = np.asarray(fun(t, y, *args), dtype=float).ravel()
    if yp.size != y.size or not np.isfinite(yp).all():
        return
    rate_of = _rate_of(g, t, y)
    rate, size = rate_of(g, t, y, yp), np.abs(rate_of(g, t, y, 0 * yp))
    for j in np.flatnonzero(yp):
        size = size + np.abs(rate_of(g, t, y, np.where(np.arange(y.size) == j, yp, 0.0)))
    for i in np.flatnonzero(np.abs(rate) > 1e-3 * size + 1e-6):
        raise ValueError(f"constraint {i + 1} is not kept by fun: along y' it changes at the rate {rate[i]:.6g} at t = {t:.6g}")


# ---- events, as those of solve_ivp ----


class Events:
    """Finds zeros of functions event(t, y) along a run. `terminal` (True, or the number of zeros that end the run) and
    `direction` are attributes of the functions, as for solve_ivp."""

    def __init__(self, events, args):
        self.events = [events] if callable(events) else list(events)
        self.left = [float(getattr(e, "terminal", False)) or np.inf for e in self.events]
        self.direction = [float(getattr(e, "direction", 0)) for e in self.events]
        self.t = [[] for _ in self.events]
        self.y = [[] for _ in self.events]
        self.args, self.ended, self.ended_by, self.values, self.along = args, None, None, None, 1

    def begin(self, solver):
        self.row = np.empty(len(solver.columns()))

        def at(s):
            solver.values(s, self.row)
            return self.row[1:].copy()

        def watch(before, now):
            if self.values is None:
                self.values = [float(e(before, at(before), *self.args)) for e in self.events]
            y = at(now)
            values = [float(e(now, y, *self.args)) for e in self.events]
            found = [(self._zero(i, before, now, values[i], at), i) for i in range(len(values))
                     if self._crosses(i, self.values[i], values[i])]
            self.values = values
            return self._keep(sorted(found, key=lambda f: f[0] * (1 if now > before else -1)), at, now > before)

        return watch

    def _crosses(self, i, a, b):
        rising, falling = a <= 0 <= b and a != b, a >= 0 >= b and a != b
        if a == 0:  # counted when the step ended there
            return False
        return (rising and self.direction[i] >= 0) or (falling and self.direction[i] <= 0)

    def _zero(self, i, a, b, end, at):
        """A zero between a and b, by the method of Illinois."""
        def f(s):
            return float(self.events[i](s, at(s), *self.args))

        fa, fb = self.values[i], end
        if fb == 0:
            return b
        for _ in range(100):
            s = (a * fb - b * fa) / (fb - fa)
            if not min(a, b) < s < max(a, b) or abs(b - a) <= 4e-16 * max(abs(a), abs(b)):
                break
            fs = f(s)
            if fs == 0:
                return s
            if (fs > 0) == (fb > 0):
                fa /= 2
            else:
                a, fa = b, fb
            if abs(b - s) <= 4e-16 * max(abs(b), abs(s)):
                return s
            b, fb = s, fs
        return b

    def _keep(self, found, at, forward):
        for t, i in found:
            y = at(t)
            self.t[i].append(t)
            self.y[i].append(y)
            self.left[i] -= 1
            if self.left[i] <= 0:
                self.ended, self.along = (t, y), 1 if forward else -1
                self.ended_by = getattr(self.events[i], "__name__", f"event {i}")
                return True
        return False

    def cut(self, rows, add):
        """The rows up to the end, and one there if it is needed."""
        t, y = self.ended
        rows = rows[self.along * rows[:, 0] <= self.along * t]
        if add and (len(rows) == 0 or rows[-1, 0] != t):
            rows = np.vstack([rows, [t, *y]])
        return rows


# ---- residual form ----


def _both(jac, n):
    """The function jac(t, y, yp) with its two matrices in one array."""
    def both(*arguments):
        matrices = [np.atleast_2d(np.asarray(m, dtype=float)) for m in jac(*arguments)]
        if [m.shape for m in matrices] != 2 * [(n, n)]:
            raise ValueError(f"jac gives two matrices of the shape {(n, n)}: dF/dy and dF/dy'")
        return np.array(matrices)

    return both


def _derivatives(fun, t, y, yp, args, jac):
    """F, dF/dy and dF/dy' at a point."""
    F = _numbers(fun(t, y, yp, *args), None, "fun")
    if jac is not None:
        return F, *jac(t, y, yp, *args)
    matrices = []
    for which in (0, 1):
        columns = np.empty((F.size, y.size))
        for j in range(y.size):
            point = [y.copy(), yp.copy()]
            h = 6e-6 * max(1e-2, abs(point[which][j]))
            point[which][j] += h
            above = _numbers(fun(t, *point, *args), F.size, "fun")
            point[which][j] -= 2 * h
            columns[:, j] = (above - _numbers(fun(t, *point, *args), F.size, "fun")) / (2 * h)
        matrices.append(columns)
    return F, *matrices


def _basis(by_yp):
    """(R | N) with dF/dy' N = 0, and the number of columns of R: unit vectors if they suffice."""
    n = by_yp.shape[1]
    size = np.abs(by_yp).max(initial=0.0)
    _, sigma, right = np.linalg.svd(by_yp)
    rank = int(np.sum(sigma > 1e-7 * max(size, 1e-300) * n)) if size else 0
    free = np.abs(by_yp).max(axis=0, initial=0.0) <= 1e-7 * size
    if np.sum(free) == n - rank:
        return np.eye(n)[:, np.argsort(free, kind="stable")], rank
    return right.T, rank


def _residual(fun, g, n, args, t, y0, yp0, jac):
    """The problem of F(t, y, y') = 0, and its coordinates at the start."""
    jac = _both(jac, n) if jac is not None else None
    F, by_y, by_yp = _derivatives(fun, t, y0, yp0, args, jac)
    k = _numbers(g(t, y0), None, "constraints").size if g else 0
    kept = None
    if F.size < n and F.size + k == n:  # the algebraic equations are given apart
        own, alone, jac = fun, F.size, None

        def fun(t, y, yp, *args):
            return np.concatenate([_numbers(own(t, y, yp, *args), alone, "fun"), _numbers(g(t, y), k, "constraints")])

        F, by_y, by_yp = _derivatives(fun, t, y0, yp0, args, None)
    elif F.size == n and k:
        kept = g
    if F.size != n:
        raise ValueError(f"fun and constraints give {F.size} and {k} equations for {n} unknowns")
    basis, rank = _basis(by_yp)
    matrix = np.hstack([by_yp @ basis[:, :rank], by_y @ basis[:, rank:]])
    scaled = matrix / np.maximum(np.abs(matrix).max(axis=1, keepdims=True), 1e-300)
    scaled = scaled / np.maximum(np.abs(scaled).max(axis=0, keepdims=True), 1e-300)
    if n and np.linalg.svd(scaled, compute_uv=False)[-1] < 1e-7:
        raise ValueError(f"the index is above 1 at the start: dF/dy' has rank {rank}, and the other {n - rank} equations do not "
                         "determine the other unknowns; give symbolic=True, or write the equations as a model: Ritt finds its hidden "
                         "constraints")
    x0, w0 = np.split(basis.T @ y0, [rank])
    guess = np.concatenate([(basis.T @ yp0)[:rank], w0])
    problem = _ritt.Problem(size=n, rows=k if kept else 0, arrays=(np.empty(n), np.empty(n)), convert=_numbers_of("fun"),
                            args=args, formula=fun, f=kept, basis=np.ascontiguousarray(basis), guess=guess, coordinates=rank,
                            jac=jac)
    return problem, np.concatenate([[t], x0])


# ---- solve_dae ----


def _required(fun):
    """The number of arguments that a function needs: optional ones are left alone."""
    try:
        parameters = inspect.signature(fun).parameters.values()
    except (TypeError, ValueError):
        return 0
    return sum(p.default is p.empty and p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD) for p in parameters)


def _columnwise(fun):
    """A function of vectors from one of columns."""
    def of_vectors(t, y, *rest):
        return np.asarray(fun(t, y[:, None], *(r[:, None] if isinstance(r, np.ndarray) else r for r in rest)))[:, 0]

    of_vectors.__name__ = getattr(fun, "__name__", "problem")
    return of_vectors


def _try_formulas(fun, begin, y0, args, solve):
    """The run of the formulas of fun, or None if fun has none, does not give what they give, or they cannot be completed."""
    try:
        replay = Replay(fun, y0.size, args)
        replay.compare(begin, y0)
    except Exception:  # fun is called again without symbols: what is wrong with it will be raised there
        return None
    try:
        return solve(replay)
    except (Differs, Error):
        return None


def solve_dae(fun, t_span, y0, yp0=None, *, constraints=None, events=None, jac=None, t_eval=None, method=None, tol=None, args=(),
              vectorized=False, dense_output=True, symbolic=None, **options):
    """Solves y' = fun(t, y), or fun(t, y, y') = 0 if yp0 is given, with constraints(t, y) = 0 kept.

    fun          without yp0: gives y', as for solve_ivp. With yp0: gives residuals, as many as there are unknowns. Algebraic
                 equations may be among them; they are found by the rank of dF/dy'. The index must be at most 1
    constraints  gives what is 0 along the solution: invariants of an ODE, or the algebraic equations of a DAE if fun gives
                 fewer residuals. The solution is kept on them to rounding
    y0, yp0      start values. Constraints move y0 as little as possible; yp0 and the algebraic part of y0 are guesses
    events       functions event(t, y), with the attributes `terminal` and `direction`, as for solve_ivp
    jac          residual form: jac(t, y, yp) gives (dF/dy, dF/dy'); else they are found by differences
    t_eval       where values are requested; None: at every step
    tol          relative tolerance; `rtol` and `atol` (absolute) are understood as well
    args         further arguments of all functions
    vectorized   fun takes y of shape (n, k), as for solve_ivp
    symbolic     True: fun and constraints are called once, with symbols, and their formulas become a model: the run has the
                 speed of a model, and hidden constraints are found, so that the index may be any. They must consist of
                 arithmetic and functions of NumPy, without branches. None: residuals are tried this way if they allow it, and
                 fun is compared with its formulas after every step. False: fun is called for every value

    Gives a Result with columns t, y1, y2, ... and, with events, t_events and y_events. If fun is called for every value, Ritt
    does not see the equations and finds no hidden constraints.
    """
    begin, end = (float(t) for t in t_span)
    y0 = np.atleast_1d(np.asarray(y0, dtype=float))
    if y0.ndim != 1 or not np.isfinite(y0).all():
        raise ValueError("y0 must be a list of finite numbers")
    n, args = y0.size, tuple(args) if isinstance(args, (tuple, list)) else (args,)
    g = (lambda t, y, *further: np.atleast_1d(constraints(t, y, *args))) if constraints else None
    if vectorized:
        fun = _columnwise(fun)
    tol, options["absolute"] = options.pop("rtol", tol), options.pop("atol", options.get("absolute"))
    texts = [(key.replace("_", "-"), text_of(v))
             for key, v in (("tolerance", tol), ("method", method), ("to", end), *options.items()) if v is not None]
    if yp0 is None and _required(fun) == 3 + len(args):
        raise TypeError("fun(t, y, yp) gives residuals: it needs yp0")
    if yp0 is not None:
        yp0 = np.atleast_1d(np.asarray(yp0, dtype=float))
        if yp0.size != n:
            raise ValueError(f"yp0 has {yp0.size} entries and y0 has {n}")
    title = getattr(fun, "__name__", "problem")

    def watching():
        return Events(events, args) if events is not None else None

    def solve_formulas(replay=None):
        model = model_of(fun, begin, y0, yp0, constraints, args)
        model._completed(lambda at: at.columns())
        watch = watching()
        return run(model._at, texts, t_eval, title, None, Compared(replay, watch) if replay else watch), watch

    def solve_function():
        if yp0 is None:
            k = _numbers(g(begin, y0), None, "constraints").size if g else 0
            problem, z = _ritt.Problem(size=n, rows=k, arrays=(np.empty(n),), convert=_numbers_of("fun"), args=args, formula=fun,
                                       f=g), np.concatenate([[begin], y0])
        else:
            problem, z = _residual(fun, g, n, args, begin, y0, yp0, jac)
        problem.project(z, np.zeros(z.size, dtype=np.intc))
        if g and yp0 is None:
            _check_invariant(fun, g, begin, z[1:].copy(), args)
        watch = watching()
        return run(problem, texts, t_eval, title, z, watch), watch

    found = None
    if symbolic:
        found = solve_formulas()
    elif symbolic is None and yp0 is not None and not constraints and jac is None:
        found = _try_formulas(fun, begin, y0, args, solve_formulas)
    result, watch = found or solve_function()
    if watch is not None:
        result.t_events = [np.array(t) for t in watch.t]
        result.y_events = [np.array(y) if y else np.empty((0, n)) for y in watch.y]
    return result
