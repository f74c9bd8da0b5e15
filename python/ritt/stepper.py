"""A run that the caller moves: inputs are set between its pieces."""

import numpy as np

from . import _ritt
from .errors import Error

_STOPPED = 2  # place in RITT_STATUSES of ritt.h


class Stepper:
    """A point that moves along the solution of a model. `Model.stepper` makes it."""

    def __init__(self, owner, options, independent):
        self._solver = _ritt.Solver(owner, options, None)
        self._independent = independent
        self.names = list(self._solver.columns())

    @property
    def t(self):
        """The independent variable at the present point."""
        return self[self._independent]

    def input(self, name, u, *derivatives):
        """Sets an input from here on: u, and u', u'' if the model needs them. Until the next call it is
        u + u' s + u'' s^2/2, with s measured from here."""
        self._solver.input(name, tuple(float(value) for value in (u, *derivatives)))

    def run_to(self, t):
        """Goes on to t, or to an event that ends the run. Gives the row there."""
        _, message = self._solver.run_to(float(t))
        if message is not None:
            raise Error(_STOPPED, message, [])
        return self.row()

    def row(self):
        """All columns at the present point."""
        return np.array([self[name] for name in self.names])

    def __getitem__(self, name):
        return self._solver.value(name)

    @property
    def stats(self):
        """Counts of the run so far."""
        return self._solver.statistics()
