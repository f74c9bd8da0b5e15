"""Models from functions of Python: a function is called once with symbols, and its formulas become the equations."""

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
        raise TypeError("the function needs the number of a value, as those of the module math do")

    __lt__ = __le__ = __gt__ = __ge__ = __ne__ = __eq__


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
    t, y = Symbol("t"), np.array([Symbol(name) for name in names] + [None], dtype=object)[:-1]
    kept = _formulas("constraints", constraints, t, y.copy(), *args) if constraints else []
    start, guess = dict(zip(names, y0)), {}
    if yp0 is None:
        right = _formulas("fun", fun, t, y, *args)
        if len(right) != n:
            raise ValueError(f"fun gave {len(right)} numbers where {n} are wanted")
        equations, invariants = [f"{name}' = {formula}" for name, formula in zip(names, right)], [f"{g} = 0" for g in kept]
    else:
        yp = np.array([Symbol(name + "'") for name in names] + [None], dtype=object)[:-1]
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
