"""Models: texts of Ritt's language."""

import json
import numbers
import os
import threading
import zipfile
from fractions import Fraction
from functools import cached_property, partial

import numpy as np

from . import _ritt
from .derive import Linearization, Steady, names_of
from .html import check_html, model_html
from .names import equations_of, parameters_of, parts_of, spread, variables_of
from .result import Result, run
from .stepper import Stepper


class Check(dict):
    """What kind of system a model is: a dictionary whose entries are attributes too."""

    def __getattr__(self, name):
        try:
            return self[name]
        except KeyError:
            raise AttributeError(f"a check has no {name!r}; it has {', '.join(self)}") from None

    def __str__(self):
        return (self["text"] or "").rstrip("\n")  # the library's words, which are the program's

    __repr__ = __str__

    def _repr_html_(self):
        return check_html(self)


class Completed(str):
    """The completed system as text; notebooks show `latex`."""

    latex = ""

    def _repr_latex_(self):
        return "$$\n" + self.latex.strip().strip("$") + "\n$$"


def text_of(value):
    """A value as the language writes it: a float becomes its shortest decimal, which is exact there."""
    if isinstance(value, str):
        return value
    if isinstance(value, np.ndarray) and value.ndim == 0:
        value = value[()]
    if isinstance(value, bool) or not isinstance(value, numbers.Real):
        raise TypeError(f"expected a number or a string, not {type(value).__name__}")
    if isinstance(value, numbers.Rational):
        return f"{value.numerator}/{value.denominator}" if value.denominator != 1 else str(value.numerator)
    if not np.isfinite(value):
        raise ValueError("the value is not finite")
    return str(value) if isinstance(value, np.floating) else repr(float(value))  # NumPy's: shortest in its own precision


def number_of(value):
    """A start value as a double: a text or a fraction rounded once, float32 by its shortest decimal."""
    if isinstance(value, str):
        return float(Fraction(value))
    return float(Fraction(text_of(value)))


class Model:
    """A model. Make it with Model.from_text or Model.from_file."""

    def __init__(self, text=None, *, name="model", path=None, _set=None):
        if path is not None:
            with open(path, "rb") as file:  # raises FileNotFoundError and its like
                file.read(0)
        elif not isinstance(text, str):
            raise TypeError(f"expected the text of a model, not {type(text).__name__}")
        elif "\n" not in text and text.endswith(".ritt"):
            raise ValueError(f"{text!r} is the name of a file, not the text of a model; write Model.from_file({text!r})")
        self._origin = {"path": path} if path is not None else {"text": text, "name": name}
        self._set = dict(_set or {})
        self._at = self._again()
        self._elements, self._known = None, False  # _known: it is completed

    def _again(self):
        """The model of the library, read from the text."""
        at = _ritt.Model(**self._origin)
        if self._set:
            at.set_all(list(self._set.items()))
        return at

    @classmethod
    def from_text(cls, text, name="model"):
        """The model that a text says; `name` is used in messages."""
        return cls(text, name=name)

    @classmethod
    def from_file(cls, path):
        """The model in a file."""
        return cls(path=os.fsdecode(path))

    @property
    def name(self):
        return self._at.name

    @property
    def title(self):
        return self._at.title

    @property
    def independent(self):
        """The name of the independent variable."""
        return self._at.independent

    @property
    def columns(self):
        """The names of a result's columns, the independent variable first."""
        return self._at.columns()[0]

    @property
    def text(self):
        """The text of the model."""
        return self._at.text

    @cached_property
    def _described(self):
        return json.loads(self._at.describe())

    @property
    def doc(self):
        """The model's own text in its section `doc`, or None."""
        return self._described["doc"]

    @cached_property
    def parameters(self):
        """The parameters by their names: value, doc. An array is one entry."""
        return parameters_of(self._described)

    @cached_property
    def variables(self):
        """The unknowns by their names: unit, doc, shape. An array is one entry."""
        return variables_of(self._described)

    @cached_property
    def parts(self):
        """The parts by their names: their parameters, variables, and own parts and ports."""
        return parts_of(self.parameters, self.variables)

    @cached_property
    def equations(self):
        """The equations, in order: texts with name, line and latex."""
        return equations_of(self._described)

    @property
    def invariants(self):
        """The quantities that the model declares as conserved, as texts."""
        return [v["text"] for v in self._described["invariants"]]

    @property
    def events(self):
        """The names of events and sections."""
        return [e["name"] for e in self._described["events"]]

    @property
    def outputs(self):
        """The columns of a run and their units: {"t": "s", "x": "m"}; None: no unit."""
        names, units = self._at.columns()
        return {name: (units[i] or None) if units else None for i, name in enumerate(names)}

    def _elements_of(self, name):
        if self._elements is None:
            described = self._described
            self._elements = {entry["name"]: entry["elements"] for entry in described["parameters"] + described["variables"]}
        return self._elements.get(name)

    def _texts(self, values):
        """Parameter values as the language writes them, one pair for each number."""
        return {name: text_of(one) for key, value in (values or {}).items()
                for name, one in spread(key, value, self._elements_of)}

    def with_set(self, values=None, **more):
        """The same model with other parameter values."""
        return self._with(self._texts({**(values or {}), **more}))

    def _with(self, values):
        if not values:
            return self
        return self._copy(values)

    def _copy(self, values):
        return Model(self._origin.get("text"), name=self._origin.get("name", "model"), path=self._origin.get("path"),
                     _set={**self._set, **values})

    def _prepared(self, set=None, start=None, begin=None, kind=None, sensitivity=()):
        """A copy with these values, beginning, kind and derivatives."""
        model = self._copy(self._texts(set))
        if kind:
            model._at.kind(kind)
        if begin is not None:
            model._at.start_at(float(begin))
        for key, value in (start or {}).items():
            for name, one in spread(key, value, self._elements_of):
                model._at.start_value(name, number_of(one), True)
        if sensitivity:
            model._at.sensitivity(names_of(sensitivity))
        return model

    @staticmethod
    def _options(end, tol, method, options):
        """The options of a run as pairs of texts; rtol and atol are SciPy's names of the tolerances."""
        tol, options = options.get("rtol", tol), {k: v for k, v in options.items() if k != "rtol"}
        options = {"absolute" if key == "atol" else key: value for key, value in options.items()}
        given = [("tolerance", tol), ("method", method), ("to", end), *options.items()]
        return [(key.replace("_", "-"), text_of(value)) for key, value in given if value is not None]

    def __reduce__(self):
        return _made, (self._origin, self._set)

    def _completed(self, call):
        """call(self._at), which may complete the model. The completion runs on a thread of its own, so that Ctrl-C takes effect at
        once; what it was to find is then forgotten, and the model is as it was before."""
        if self._known or threading.current_thread() is not threading.main_thread():
            return call(self._at)
        done = []

        def work(at=self._at):
            try:
                done.append((call(at), None))
            except BaseException as error:  # raised again by the calling thread
                done.append((None, error))

        thread = threading.Thread(target=work, daemon=True)
        thread.start()
        try:
            thread.join()
        except BaseException:
            self._at = self._again()  # the thread still works with the old one
            raise
        result, error = done[0]
        if error is not None:
            raise error
        self._known = True
        return result

    def check(self):
        """What kind of system this is, as `ritt check` says; also where it is not determined."""
        return Check(self._completed(lambda at: at.check()))

    def complete(self, involutive=False):
        """The completed system: what is integrated, or the classical involutive form."""
        shown, latex = self._completed(lambda at: (at.complete(int(involutive), 0), at.complete(int(involutive), 2)))
        text = Completed(shown)
        text.latex = latex
        return text

    def gradient(self, by, of=None, **options):
        """Derivatives of columns at the end of the run by parameters and start values: {column: {name: derivative}}. The cost is that
        of a few runs, however many names there are. set, start, tol, method and options are as in solve."""
        from .gradient import gradient

        return gradient(self, by, of, **options)

    def sweep(self, span=None, **options):
        """Runs the model with many values: ritt.sweep(self, span, vary={"g": [1, 2, 3]}, ...), which explains the options."""
        from .sweep import sweep

        return sweep(self, span, **options)

    def solve(self, span=None, *, set=None, start=None, tol=None, method=None, t_eval=None, **options):
        """Runs the model and gives a Result.

        span     where to end, or (start, end); None: as the model says
        set      parameter values, {"g": 9.81, "m": [1, 2]}; a float counts as its shortest decimal
        start    start values that are kept, {"x": 1, "x'": 0, "p": [0, 1]}
        tol      relative tolerance; `rtol` and `atol` (absolute) are understood as well
        method   "dopri54", "dop853", ...; None: the one of the model, else "auto"
        t_eval   where values are requested, in the direction of the run; None: as the model says, else at every step
        options  every other option of `ritt run` by its name: metric="weighted", projection="newton", ...;
                 sensitivity="g, L": further columns d(x)/d(g), d(x)/d(L), ..., the derivatives of all columns
        """
        begin, end = span if np.ndim(span) == 1 else (None, span)
        kind, sensitivity = options.pop("kind", None), options.pop("sensitivity", ())
        model = self
        if set or start or begin is not None or kind or sensitivity:
            model = self._prepared(set, start, begin, kind, sensitivity)
        texts = self._options(end, tol, method, options)
        model._completed(lambda at: at.columns())
        result = run(model._at, texts, t_eval, model.title)
        result._fresh = partial(self._prepared, set, start, begin, kind)
        return result

    def stepper(self, *, set=None, start=None, begin=None, tol=None, method=None, **options):
        """A Stepper at the start of the model: the caller moves it and may set inputs on the way. The arguments are
        those of `solve`; `begin` is the value of the independent variable at the start."""
        model = self._prepared(set, start, begin, options.pop("kind", None))
        model._completed(lambda at: at.columns())
        return Stepper(model._at, self._options(None, tol, method, options), model.independent)

    def export_fmu(self, path=None, *, fmi=3, kind="both", set=None, start=None, tol=None, method=None, **options):
        """Writes the model as a functional mock-up unit and gives the path of the file.

        path     the file; None: the name of the model with the ending .fmu
        fmi      the version of the standard, 2 or 3
        kind     "cs": co-simulation, "me": model exchange, "both"
        set, start, tol, method, options   as in solve
        """
        model = self._prepared(set, start, None, None) if set or start else self
        files = model._at.export_fmu(int(fmi), kind, self._options(None, tol, method, options))
        path = os.fspath(path) if path is not None else f"{self.name}.fmu"
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, content in files:
                archive.writestr(name, content)
        return path

    def linearize(self, at=None, *, inputs=(), moving=(), hold=(), set=None, start=None, **options):
        """The system near a point of its manifold, x' = A x + B u, y = C x + D u, with eigenvalues and modes.

        at       None: the start point; a number: where the solution is then; "steady": an equilibrium
        inputs   names of parameters: B and D are derivatives by them
        moving   "steady": variables that may grow steadily
        hold     "steady": variables or derivatives that keep their start values
        """
        steady = isinstance(at, str)
        if steady and at != "steady":
            raise ValueError(f"at is a number, None or 'steady', not {at!r}")
        model = self._prepared(set, start, None, options.pop("kind", None))
        texts = self._options(None, options.pop("tol", None), options.pop("method", None), options)
        found = model._at.linearize(None if steady or at is None else float(at), steady, names_of(inputs), names_of(moving),
                                    names_of(hold), texts)
        return Linearization(found["linear"])

    def steady(self, *, moving=(), hold=(), set=None, start=None):
        """An equilibrium near the start point, or near where the solution goes, with its linearisation.

        moving   variables that may grow steadily, as in a relative equilibrium
        hold     variables or derivatives that keep their start values
        """
        model = self._prepared(set, start)
        return Steady(model._at.linearize(None, True, [], names_of(moving), names_of(hold), []))

    def _repr_html_(self):
        return model_html(self)

    def __repr__(self):
        return f"<ritt.Model {self.name}: {self.title}>"


def _made(origin, values):
    """A model that was pickled."""
    return Model(**origin, _set=values)


__all__ = ["Check", "Completed", "Model", "Result"]
