"""Ritt: ordinary differential systems as they are written.

    import ritt
    model = ritt.Model.from_file("pendulum.ritt")
    run = model.solve(50, tol=1e-10)
    run.t, run["x"], run.sol(2.5), run.stats["accepted"]

Models are texts of Ritt's language; `solve_dae` solves problems given as Python functions.
"""

from . import _ritt
from .errors import Error, ModelError, Retry, UndecidedError
from .model import Check, Completed, Model
from .result import Event, Result
from .functions import solve_dae

__version__ = _ritt.version


def methods():
    """Every method: its name, order, stages, embedded order, whether it is implicit, and its source."""
    return _ritt.methods()


__all__ = ["Check", "Completed", "Error", "Event", "Model", "ModelError", "Result", "Retry", "UndecidedError", "methods",
           "solve_dae"]
