"""Models from functions of Python: a function is called once with symbols, and its formulas become the equations."""

import math
import re

import numpy as np

from .build import Expression, write_model
from .model import Model, text_of


class Symbol(Expression):
    """A symbol, or a formula of symbols. It has no value, so that a function cannot branch on it."""

    __slots__ = ()
    __hash__ = object.__hash__

    def _new(self, text, binds=3):
        return Symbol(text, binds)

    def __eq__(self, other):
        raise TypeError("the function compares a value")

    def __float__(self):
        raise TypeError("the function needs a value as a number, as the functions of the module math do")

    __lt__ = __le__ = __gt__ = __ge__ = __ne__ = __eq__


def _symbols(names):
    return np.array([Symbol(name) for name in names] + [None], dtype=object)[:-1]


def _formulas(what, function, *arguments):
    try:
        values = function(*arguments)
        return [value.text if isinstance(value, Expression) else text_of(value) for value in np.ravel(np.asarray(values, object))]
    except (TypeError, AttributeError, ValueError) as error:
        raise TypeError(f"symbolic=True: {what} must consist of arithmetic and functions of NumPy: {error}") from error


def model_of(fun, begin, y0, yp0, constraints, args):
    """The model of y' = fun(t, y), or of fun(t, y, y') = 0 if yp0 is not None, with the columns y1, y2, ..."""
    n = y0.size
    names = [f"y{i + 1}" for i in range(n)]
    t, y = Symbol("t"), _symbols(names)
    kept = _formulas("constraints", constraints, t, y.copy(), *args) if constraints else []
    start, guess = dict(zip(names, y0)), {}
    if yp0 is None:
        right = _formulas("fun", fun, t, y, *args)
        if len(right) != n:
            raise ValueError(f"fun returned {len(right)} numbers instead of {n}")
        equations, invariants = [f"{name}' = {formula}" for name, formula in zip(names, right)], [f"{g} = 0" for g in kept]
    else:
        yp = _symbols([name + "'" for name in names])
        left = _formulas("fun", fun, t, y, yp, *args)
        apart = len(left) + len(kept) == n
        if len(left) != n and not apart:
            raise ValueError(f"fun and constraints give {len(left)} and {len(kept)} equations for {n} unknowns")
        equations = [f"{formula} = 0" for formula in left + (kept if apart else [])]
        invariants = [] if apart else [f"{g} = 0" for g in kept]

        # without a derivative in the equations a value is solved for
        found = "\n".join(equations)
        algebraic = [name for name in names if name + "'" not in found]
        guess = {name: start.pop(name) for name in algebraic}
        guess.update({name + "'": value for name, value in zip(names, yp0) if name not in algebraic})
    if constraints:
        guess, start = {**start, **guess}, {}
    text = write_model("problem", getattr(fun, "__name__", "problem"), {}, names, equations, start, guess, begin, None,
                       names, invariants, "t")
    return Model.from_text(text)


# ---- does a function give what its formulas give ----

_LONGEST_TRIED = 20000  # characters of formulas: longer ones take longer to complete than they save
_MOST_TRIED = 100  # unknowns
_MATH = {name: getattr(math, name) for name in "sqrt exp log log2 log10 sin cos tan asin acos atan sinh cosh tanh erf erfc".split()}


class Differs(Exception):
    """A function does not give what its formulas give."""


class Replay:
    """Compares residuals fun(t, y, y') with the formulas that fun gave for symbols: fun may depend on something that its
    arguments do not show, such as a global variable, a clock or the type of a number."""

    def __init__(self, fun, n, args):
        if n > _MOST_TRIED:
            raise Differs("too many unknowns")
        self.fun, self.n, self.args = fun, n, args
        formulas = _formulas("fun", fun, Symbol("t"), _symbols([f"y[{i}]" for i in range(n)]),
                             _symbols([f"yp[{i}]" for i in range(n)]), *args)
        text = ", ".join(formulas).replace("^", "**")
        if len(text) > _LONGEST_TRIED or re.search(r"\b(sign|floor|ceil|round|cbrt)\(", text):
            raise Differs("formulas that are not tried")
        self.formulas = eval(f"lambda t, y, yp: [{text}]", {"__builtins__": {}, "abs": abs, **_MATH})
        self.yp = 1 + 0.1 * np.arange(n)  # any value will do: the equations need not hold
        self.numbers = self.yp.tolist()

    def compare(self, t, y):
        given, found = self.fun(t, y.copy(), self.yp.copy(), *self.args), self.formulas(t, y.tolist(), self.numbers)
        if not isinstance(given, (list, tuple)):
            given = np.ravel(given).tolist()
        if len(given) != len(found):
            raise Differs("another number of values")
        for a, b in zip(given, found):
            if not abs(a - b) <= 1e-10 * abs(b):
                raise Differs("other values")


class Compared:
    """Watches a run: compares at the end of every step, then hands the step on to `watch`, if there is one."""

    def __init__(self, replay, watch):
        self.replay, self.watch = replay, watch

    def begin(self, solver):
        row, n, compare = np.empty(len(solver.columns())), self.replay.n, self.replay.compare
        then = self.watch.begin(solver) if self.watch else lambda before, now: False

        def watch(before, now):
            solver.values(now, row)
            compare(now, row[1:1 + n])
            return then(before, now)

        return watch

    @property
    def ended(self):
        return self.watch.ended if self.watch else None

    def __getattr__(self, name):
        return getattr(self.watch, name)
