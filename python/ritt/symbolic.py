"""Models from SymPy: equations of functions of time, and the objects of sympy.physics.mechanics."""

import re

import numpy as np

from .build import write_model
from .model import Model

_RENAMED = {"Abs": "abs", "ln": "log", "Max": "max", "Min": "min", "ceiling": "ceil", "Mod": "mod"}
_KNOWN = set("sqrt cbrt exp log sin cos tan asin acos atan sinh cosh tanh erf erfc abs sign floor ceil atan2 max min mod".split())


class _Writer:
    """Expressions of SymPy as the language writes them."""

    def __init__(self, time):
        import sympy
        from sympy.printing.str import StrPrinter

        self.sympy, self.time, self.variables, self.parameters, self._taken = sympy, time, {}, {}, {}
        writer = self

        class Printer(StrPrinter):
            def _print_Pow(self, e, rational=False):
                if e.exp == sympy.S.Half:
                    return f"sqrt({self._print(e.base)})"
                if e.exp == -sympy.S.Half:
                    return f"1/sqrt({self._print(e.base)})"
                return super()._print_Pow(e, rational=rational).replace("**", "^")

            def _print_Symbol(self, e):
                return writer.symbol(e)

            def _print_Derivative(self, e):
                return writer.derivative(e)

            def _print_AppliedUndef(self, e):
                return writer.function(e)

            def _print_Function(self, e):
                name = _RENAMED.get(type(e).__name__, type(e).__name__)
                if name not in _KNOWN:
                    raise ValueError(f"the function {type(e).__name__} in {e} is not one of the model language")
                return f"{name}({', '.join(self._print(a) for a in e.args)})"

            _print_Abs = _print_Max = _print_Min = _print_Mod = _print_ceiling = _print_floor = _print_Function

            def _print_Float(self, e):
                return repr(float(e)) if e._prec <= 53 else sympy.printing.str.sstr(e, full_prec=False)

            def _print_Exp1(self, e):
                return "exp(1)"

            def _print_Piecewise(self, e):
                text = None
                for value, condition in reversed(e.args):
                    if condition == True:  # noqa: E712, an object of SymPy
                        text = self._print(value)
                    elif text is None:
                        raise ValueError(f"{e} has no value for some arguments: end it with (value, True)")
                    else:
                        text = f"if {self._print(condition)} then {self._print(value)} else {text}"
                return f"({text})"

            def _print_And(self, e):
                return "(" + " and ".join(self._print(a) for a in e.args) + ")"

            def _print_Or(self, e):
                return "(" + " or ".join(self._print(a) for a in e.args) + ")"

        self._printer = Printer()

    def write(self, expression):
        text = self._printer.doprint(self.sympy.sympify(expression))
        if re.search(r"\b(I|zoo|nan|oo)\b", text):
            raise ValueError(f"{expression} is not a real number")
        return text.replace("**", "^")

    def _named(self, kind, key, name):
        """A name of the language for an object of SymPy, each its own."""
        if key in kind:
            return kind[key]
        plain = re.sub(r"[^A-Za-z0-9_]", "_", name.replace("\\", ""))
        plain = plain if re.match(r"[A-Za-z_]", plain) else "v" + plain
        while plain in self._taken or plain == str(self.time):
            plain += "_"
        self._taken[plain] = key
        kind[key] = plain
        return plain

    def symbol(self, e):
        if e == self.time:
            return str(e)
        return self._named(self.parameters, e, e.name)

    def function(self, e):
        if e.args != (self.time,):
            raise ValueError(f"{e} is not a function of {self.time} alone")
        return self._named(self.variables, e, type(e).__name__)

    def derivative(self, e):
        if any(variable != self.time for variable, _ in e.variable_count):
            raise ValueError(f"{e} is not a derivative by {self.time} alone")
        e = e.doit()
        if not isinstance(e, self.sympy.Derivative):
            return self._printer.doprint(e)
        if not isinstance(e.expr, self.sympy.core.function.AppliedUndef):
            raise ValueError(f"{e} is a derivative of something that is not an unknown")
        order = sum(count for _, count in e.variable_count)
        name = self.function(e.expr)
        return name + "'" * order if order < 4 else f"der({name}, {order})"


# ---- systems of sympy.physics.mechanics ----


def _of_kane(system, sympy):
    """The equations of a KanesMethod: kinematic, dynamic, constraints; and constraints that the others imply."""
    if getattr(system, "_k_d", None) is None or not system._k_d:
        raise ValueError("call kanes_equations(...) of the KanesMethod first")
    time = sympy.physics.vector.dynamicsymbols._t
    q, u = sympy.Matrix(system.q), sympy.Matrix(system.u)
    full, forcing = system.mass_matrix_full, system.forcing_full
    n, free = len(q), len(u) - len(system._udep)
    kinematic = full[:n, :n] * q.diff(time) - forcing[:n, :]
    dynamic = full[n:n + free, :] * sympy.Matrix([*q.diff(time), *u.diff(time)]) - forcing[n:n + free, :]
    holonomic = list(system._f_h)
    velocity = list(system._k_nh * u + system._f_nh) if len(system._udep) else []
    if len(holonomic) == len(velocity):
        return [*kinematic, *dynamic, *holonomic], []
    return [*kinematic, *dynamic, *velocity], holonomic


def _of_lagrange(system, sympy):
    """The equations of a LagrangesMethod with its multipliers and constraints."""
    if system.eom is None:
        system.form_lagranges_equations()
    holonomic = list(system._hol_coneqs)
    return [*system.eom, *holonomic, *list(system.coneqs)[len(holonomic):]], []


def _listed(equations, sympy):
    """The equations as pairs (left, right), the invariants, and time if the object knows it."""
    kind = type(equations).__name__
    if kind in ("KanesMethod", "LagrangesMethod"):
        rows, kept = (_of_kane if kind == "KanesMethod" else _of_lagrange)(equations, sympy)
        return [(row, 0) for row in rows], [(row, 0) for row in kept], sympy.physics.vector.dynamicsymbols._t
    if isinstance(equations, (sympy.Eq, sympy.Expr)):
        equations = [equations]
    pairs = []
    for e in equations:
        if isinstance(e, sympy.MatrixBase):
            pairs += [(row, 0) for row in e]
        elif isinstance(e, sympy.Eq):
            pairs.append((e.lhs, e.rhs))
        elif e in (True, False):
            raise ValueError(f"an equation is {e}: SymPy has decided it already; write the difference of its sides instead")
        else:
            pairs.append((e, 0))
    return pairs, [], None


def _time_of(pairs, sympy):
    times = {f.args[0] for pair in pairs for side in pair for f in sympy.sympify(side).atoms(sympy.core.function.AppliedUndef)}
    if len(times) != 1:
        found = ", ".join(sorted(map(str, times))) or "none"
        raise ValueError(f"unknowns are functions of one variable, x(t); found: {found}")
    return times.pop()


def from_sympy(equations, parameters=None, start=None, guess=None, *, begin=0, end=None, outputs=None, invariants=(),
               name="model", title=None):
    """A Model from equations of SymPy.

    equations   Eq(left, right), or expressions that are 0, of functions x(t) and their derivatives; or a KanesMethod or
                LagrangesMethod
    parameters  values of the symbols, {g: 9.81}
    start       start values that are kept, {x(t): 1, x(t).diff(t): 0}; guess: those that may be moved
    begin, end  where runs begin and end
    outputs     columns: functions, or {"E": expression}; None: all unknowns
    invariants  quantities that the motion keeps, Eq(E, 1) or E (its value at the start)
    """
    import sympy
    import sympy.physics.mechanics  # noqa: F401, for its objects

    pairs, kept, time = _listed(equations, sympy)
    writer = _Writer(time or _time_of(pairs, sympy))
    lines = [f"{writer.write(left)} = {writer.write(right)}" for left, right in pairs]
    keeps = [f"{writer.write(left)} = {writer.write(right)}" for left, right in kept]
    for e in invariants:
        keeps.append(f"{writer.write(e.lhs)} = {writer.write(e.rhs)}" if isinstance(e, sympy.Eq) else writer.write(e))
    named = outputs.items() if isinstance(outputs, dict) else ((None, o) for o in outputs or ())
    columns = [f"{key} = {writer.write(o)}" if key else writer.write(o) for key, o in named]
    values = {writer.write(sympy.sympify(key)): value for key, value in (parameters or {}).items()}
    missing = [str(symbol) for symbol, text in writer.parameters.items() if text not in values]
    if missing:
        raise ValueError(f"{', '.join(missing)} {'has' if len(missing) == 1 else 'have'} no value: "
                         f"give parameters={{{missing[0]}: ...}}")

    def numbers(given):
        return {writer.write(sympy.sympify(key)) if not isinstance(key, str) else key: _number(value, sympy)
                for key, value in (given or {}).items()}

    used = {text: _number(value, sympy) for text, value in values.items() if text in writer.parameters.values()}
    text = write_model(name, title, {key: str(value) for key, value in used.items()}, writer.variables.values(), lines,
                       numbers(start), numbers(guess), _number(begin, sympy), None if end is None else _number(end, sympy),
                       columns, keeps, str(writer.time))
    return Model.from_text(text, name=name)


def _number(value, sympy):
    """A number of SymPy as one that the language has."""
    if isinstance(value, sympy.Rational):
        return f"{value.p}/{value.q}" if value.q != 1 else str(value.p)
    if isinstance(value, sympy.Basic):
        if not value.is_number or not value.is_real:
            raise ValueError(f"{value} is not a real number")
        return repr(float(value))
    return value if isinstance(value, str) else repr(float(value)) if isinstance(value, (float, np.floating)) else str(value)
