"""What a model declares: parameters, variables, equations, events."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np


def shape_of(elements):
    """The shape of an array from the names of its elements: ["p[1,1]", ..., "p[2,3]"] gives (2, 3); [] for one number."""
    if not elements or not elements[0].endswith("]"):
        return ()
    indices = np.array([[int(i) for i in e[e.rindex("[") + 1:-1].split(",")] for e in elements])
    return tuple(int(n) for n in indices.max(0) - indices.min(0) + 1)


@dataclass(frozen=True, eq=False)
class Parameter:
    """A parameter: a number, or an array of numbers."""

    name: str
    value: "float | np.ndarray"
    unit: "str | None" = None
    doc: "str | None" = None
    elements: "tuple[str, ...]" = field(default=(), repr=False)

    @property
    def shape(self):
        return np.shape(self.value)


@dataclass(frozen=True, eq=False)
class Variable:
    """An unknown function: one, or an array of them."""

    name: str
    unit: "str | None" = None
    doc: "str | None" = None
    shape: "tuple[int, ...]" = ()
    elements: "tuple[str, ...]" = field(default=(), repr=False)


class Equation(str):
    """An equation as text, with its `name` (or None), its `line`, and its `latex`."""

    name = None
    latex = ""
    line = 0

    def __new__(cls, name=None, text="", latex="", line=0):
        self = super().__new__(cls, text)
        self.name, self.latex, self.line = name, latex, line
        return self

    def __getnewargs__(self):
        return self.name, str(self), self.latex, self.line

    def _repr_latex_(self):
        return f"$${self.latex}$$"


class Names(Mapping):
    """Declared names, in the order of the model; names["g"], and names.g for short."""

    def __init__(self, entries):
        self._entries = entries if isinstance(entries, dict) else {entry.name: entry for entry in entries}

    def __getitem__(self, name):
        return self._entries[name]

    def __getattr__(self, name):
        if not name.startswith("_") and name in self._entries:
            return self._entries[name]
        raise AttributeError(f"there is no {name!r}; there are {', '.join(self._entries) or 'no names'}")

    def __dir__(self):
        return [*super().__dir__(), *self._entries]

    def __iter__(self):
        return iter(self._entries)

    def __len__(self):
        return len(self._entries)

    def __repr__(self):
        return "\n".join(repr(entry) for entry in self._entries.values()) or "nothing"


@dataclass(frozen=True, eq=False)
class Part:
    """A part of a model, or a port of one: its parameters, variables and own parts, by their names within it."""

    name: str
    parameters: Names
    variables: Names
    parts: Names

    def __repr__(self):
        words = [", ".join(names) for names in (self.parameters, self.variables, self.parts) if names]
        return f"<part {self.name}: {'; '.join(words)}>"


def parts_of(parameters, variables, above=""):
    """The parts of a model: names with a dot belong to them. The arguments are dictionaries of names within the part above."""
    inside = {}
    for which, names in enumerate((parameters, variables)):
        for name, entry in names.items():
            part, dot, rest = name.partition(".")
            if dot:
                inside.setdefault(part, ({}, {}))[which][rest] = entry
    return Names({part: Part(above + part, *(Names({n: e for n, e in names.items() if "." not in n}) for names in mine),
                             parts_of(*mine, f"{above}{part}.")) for part, mine in inside.items()})


def parameters_of(described):
    def value_of(p):
        shape = shape_of(p["elements"])
        return np.array(p["values"], dtype=float).reshape(shape) if shape else float(p["values"][0])

    return Names(Parameter(p["name"], value_of(p), p["unit"], p["doc"], tuple(p["elements"])) for p in described["parameters"])


def variables_of(described):
    return Names(Variable(v["name"], v["unit"], v["doc"], shape_of(v["elements"]), tuple(v["elements"]))
                 for v in described["variables"])


def equations_of(described):
    return [Equation(**e) for e in described["equations"]]


def spread(name, value, elements_of):
    """The pairs (element, number) that name = value stands for. A number for an array is that of all its elements; a name
    of a derivative ("p'") has primes."""
    primes = re.search(r"'*$", name).group()
    elements = elements_of(name[:len(name) - len(primes)])
    if not elements or not elements[0].endswith("]"):
        if isinstance(value, (list, tuple, np.ndarray)) and np.ndim(value) > 0:
            raise TypeError(f"{name} is one number, not an array of shape {np.shape(value)}")
        return [(name, value)]
    shape = shape_of(elements)
    if isinstance(value, (list, tuple)):
        value = np.asarray(value, dtype=object)
    if np.ndim(value) and np.shape(value) != shape:
        raise ValueError(f"{name} has the shape {shape}, not {np.shape(value)}")
    values = np.broadcast_to(np.asarray(value, dtype=None if isinstance(value, np.ndarray) else object), shape).ravel()
    return [(element + primes, one) for element, one in zip(elements, values)]
