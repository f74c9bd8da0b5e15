"""Ritt: ordinary differential systems as they are written.

    import ritt
    model = ritt.Model.from_file("pendulum.ritt")
    run = model.solve(50, tol=1e-10)
    run.t, run["x"], run.sol(2.5), run.stats["accepted"]

Models are texts of Ritt's language; `solve_dae` solves problems given as Python functions.
"""

from . import _ritt
from .errors import Error, ModelError, Retry, UndecidedError
from .derive import Linearization, Steady
from .fit import Fit, fit
from .gradient import Function, function
from .model import Check, Completed, Model
from .orbit import Orbit, orbit
from .result import Event, Result
from .stepper import Stepper
from .functions import solve_dae

from .build import Builder
from .symbolic import from_sympy
from .sweep import Ensemble, normal, show_progress, sweep, uniform
from .names import Equation, Parameter, Part, Variable

__version__ = _ritt.version


def methods():
    """Every method: its name, order, stages, embedded order, whether it is implicit, and its source."""
    return _ritt.methods()


def options():
    """Every option of a run: its name, what its value is, and a line of help."""
    return [{**o, "name": o["name"].replace("-", "_")} for o in _ritt.options()]


def load_ipython_extension(shell):
    """Cells that hold a model: %load_ext ritt, then %%ritt."""
    from .jupyter import load_ipython_extension as load

    load(shell)


__all__ = ["Builder", "Check", "Completed", "Ensemble", "Equation", "Error", "Event", "Fit", "Function", "Linearization", "Model", "ModelError", "Orbit",
           "Parameter", "Part", "Result", "Retry", "Steady", "Stepper", "UndecidedError", "Variable", "fit", "from_sympy", "function", "methods", "normal", "options",
           "orbit", "show_progress", "solve_dae", "sweep", "uniform"]
