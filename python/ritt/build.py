"""Models from Python, without a text: a small builder of expressions.

    b = ritt.Builder("pendulum")
    g, L = b.parameters(g=9.81, L=1)
    x, y, tension = b.variables("x y tension")
    b.equation(x.d(2) + tension*x, 0)
    b.equation(y.d(2) + tension*y == -g)
    b.equation(x**2 + y**2 == L**2)
    b.start({x: 1, y: 0}, guess={x.d(): 0, y.d(): 0})
    model = b.model(end=10)

The builder writes the text of a model (`b.text()`); what it gives is the same Model as that text.
"""

import re

from .model import Model, text_of

_FUNCTIONS = ("sqrt cbrt exp log log2 log10 sin cos tan asin acos atan sinh cosh tanh erf erfc abs sign floor ceil "
              "round").split()
_NUMPY = {"arcsin": "asin", "arccos": "acos", "arctan": "atan", "absolute": "abs", "fabs": "abs", "rint": "round"}
_LONGEST = 1000000
_SUM, _PRODUCT, _POWER, _ATOM = range(4)  # how tightly an expression binds


def checked_name(name):
    """A name that the language has."""
    if not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", name):
        raise ValueError(f"{name!r} is not a valid name: use letters, digits and _, beginning with a letter")
    return name


class Expression:
    """A formula: numbers, parameters, variables, and what + - * / ** and functions make of them."""

    __slots__ = ("text", "_binds")
    __hash__ = object.__hash__

    def __init__(self, text, binds=_ATOM):
        if len(text) > _LONGEST:
            raise ValueError(f"the formula has more than {_LONGEST} characters: give parts of it names, as variables")
        self.text, self._binds = text, binds

    def _new(self, text, binds=_ATOM):
        """A formula made from this one."""
        return Expression(text, binds)

    def _in(self, least):
        return self.text if self._binds >= least else f"({self.text})"

    def _join(self, sign, other, binds, left=None, right=None):
        other = as_expression(other)
        if other is NotImplemented:
            return NotImplemented
        least = binds if right is None else right
        return self._new(self._in(binds if left is None else left) + sign + other._in(least), binds)

    def __add__(self, other):
        return self._join(" + ", other, _SUM, right=_PRODUCT)

    def __sub__(self, other):
        return self._join(" - ", other, _SUM, right=_PRODUCT)

    def __mul__(self, other):
        return self._join("*", other, _PRODUCT)

    def __truediv__(self, other):
        return self._join("/", other, _PRODUCT, right=_POWER)

    def __pow__(self, other):
        return self._join("^", other, _POWER, left=_ATOM, right=_ATOM)

    def __neg__(self):
        return self._new("-" + self._in(_PRODUCT), _SUM)

    def __pos__(self):
        return self

    def __abs__(self):
        return call("abs", self)

    def _swapped(self, operation, other):
        other = as_expression(other)
        return NotImplemented if other is NotImplemented else getattr(self._new(other.text, other._binds), operation)(self)

    def __radd__(self, other):
        return self._swapped("__add__", other)

    def __rsub__(self, other):
        return self._swapped("__sub__", other)

    def __rmul__(self, other):
        return self._swapped("__mul__", other)

    def __rtruediv__(self, other):
        return self._swapped("__truediv__", other)

    def __rpow__(self, other):
        return self._swapped("__pow__", other)

    def __eq__(self, other):
        other = as_expression(other)
        return NotImplemented if other is NotImplemented else Equality(self, other)

    def __getattr__(self, name):
        """The functions of NumPy call these: np.sin(x) gives sin(x)."""
        name = _NUMPY.get(name, name)
        if name in _FUNCTIONS:
            return lambda: call(name, self)
        raise AttributeError(f"an expression has no {name!r}")

    def __bool__(self):
        raise TypeError("an expression is neither true nor false")

    def __repr__(self):
        return self.text


class Unknown(Expression):
    """A variable, or one of its derivatives: x.d() is x', x.d(2) is x''."""

    __slots__ = ("name", "order")

    def __init__(self, name, order=0):
        self.name, self.order = name, order
        super().__init__(name + "'" * order if order < 4 else f"der({name}, {order})")

    def d(self, order=1):
        return Unknown(self.name, self.order + order)


class Equality:
    """left == right."""

    def __init__(self, left, right):
        self.left, self.right = left, right

    def __bool__(self):  # for dictionaries, which compare their keys
        return self.left.text == self.right.text

    def __repr__(self):
        return f"{self.left} = {self.right}"


def as_expression(value):
    if isinstance(value, Expression):
        return value
    try:
        text = text_of(value)
    except TypeError:
        return NotImplemented
    if isinstance(value, str):
        return NotImplemented
    binds = _PRODUCT if "/" in text else _ATOM
    return Expression(text, _SUM if text.startswith("-") else binds)


def call(name, *arguments):
    expressions = [as_expression(a) for a in arguments]
    return expressions[0]._new(f"{name}({', '.join(e.text for e in expressions)})")


def _function(name):
    def function(*arguments):
        return call(name, *arguments)

    function.__name__ = name
    function.__doc__ = f"{name} of expressions"
    return function


globals().update({name: _function(name) for name in [*_FUNCTIONS, "atan2", "hypot", "min", "max"]})


def write_model(name, title, parameters, variables, equations, start, guess, begin, end, outputs, invariants, independent):
    """The text of a model from texts."""
    lines = [f"model {checked_name(name)}" + (f' "{title}"' if title else "")]
    lines += [f"independent {independent}"] if independent != "t" else []
    lines += [f"parameter {key} = {value}" for key, value in parameters.items()]
    lines += [f"variable {key}" for key in variables]
    lines += ["equation", *(f"  {e}" for e in equations)]
    lines += [f"invariant {e}" for e in invariants]
    if start or guess:
        lines += [f"start {independent} = {text_of(begin)}"]
        lines += [f"  {key} = {text_of(value)}" for key, value in start.items()]
        lines += [f"  {key} ~ {text_of(value)}" for key, value in guess.items()]
    elif begin:
        lines += [f"start {independent} = {text_of(begin)}"]
    if end is not None:
        lines += [f"solve {independent} = {text_of(begin)} .. {text_of(end)}"]
    if outputs:
        lines += ["output", *(f"  {o}" for o in outputs)]
    return "\n".join(lines) + "\n"


class Builder:
    """A model that grows: see the module."""

    def __init__(self, name="model", title=None, independent="t"):
        self.name, self.title, self.independent = name, title, checked_name(independent)
        self._parameters, self._variables, self._equations, self._invariants, self._outputs = {}, [], [], [], []
        self._start, self._guess, self._begin = {}, {}, 0

    @property
    def t(self):
        """The independent variable."""
        return Expression(self.independent)

    def parameter(self, name, value):
        self._parameters[checked_name(name)] = as_expression(value).text
        return Expression(name)

    def parameters(self, **values):
        return [self.parameter(name, value) for name, value in values.items()]

    def variable(self, name):
        self._variables.append(checked_name(name))
        return Unknown(name)

    def variables(self, names):
        return [self.variable(name) for name in names.replace(",", " ").split()]

    def equation(self, left, right=None):
        """An equation: equation(left == right), or equation(left, right)."""
        self._equations.append(self._equality(left, right))

    def invariant(self, left, right=None):
        """A quantity that the motion keeps, with its value, or with the value at the start."""
        alone = right is None and not isinstance(left, Equality)
        self._invariants.append(as_expression(left).text if alone else self._equality(left, right))

    def output(self, *expressions, **named):
        """Columns of the result; without any they are the variables and their derivatives."""
        self._outputs += [as_expression(e).text for e in expressions]
        self._outputs += [f"{checked_name(name)} = {as_expression(e).text}" for name, e in named.items()]

    def start(self, values=None, guess=None, at=0):
        """Start values that are kept, and guesses that may be moved: {x: 1, x.d(): 0}."""
        self._start.update({as_name(key): value for key, value in (values or {}).items()})
        self._guess.update({as_name(key): value for key, value in (guess or {}).items()})
        self._begin = at

    @staticmethod
    def _equality(left, right):
        if isinstance(left, Equality) and right is None:
            return repr(left)
        if right is None or isinstance(left, (bool, Equality)):
            raise TypeError("an equation has two sides: equation(left == right) or equation(left, right)")
        return f"{as_expression(left)} = {as_expression(right)}"

    def text(self, end=None):
        """The text of the model."""
        return write_model(self.name, self.title, self._parameters, self._variables, self._equations, self._start, self._guess,
                           self._begin, end, self._outputs, self._invariants, self.independent)

    def model(self, end=None):
        """The model; `end` is where its runs end."""
        return Model.from_text(self.text(end), name=self.name)


def as_name(key):
    return key.text if isinstance(key, Expression) else str(key)
