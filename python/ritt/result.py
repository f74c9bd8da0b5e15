"""What a run gives."""

import bisect
from dataclasses import dataclass

import numpy as np

from . import _ritt


@dataclass(frozen=True)
class Event:
    """A point of an event: its name, the columns there, and after its jump (None: it has none)."""

    name: str
    before: np.ndarray
    after: "np.ndarray | None"

    @property
    def t(self):
        return float(self.before[0])


class Result:
    """A trajectory: `t`, `y` (a row for each column after the first), `names`; result["x"] is the column x.

    `success` and `message` say how the run ended, `stats` what it took, `events` what happened on the way. `sol(t)` gives
    the columns at any t, on the manifold; it steps anew from the nearest point before t.
    """

    def __init__(self, owner, options, title, names, rows, knots, status, messages, stats, events):
        self._owner, self._options, self._knots = owner, options, knots
        self.title, self.names, self.rows, self.stats, self.events = title, names, rows, stats, events
        self.status, self.messages = status, messages
        self.success = status == 0
        ended = f"ended by event {stats['ended_by']}" if stats["ended_by"] else "done"
        self.message = messages[0]["text"] if messages else ended

    @property
    def t(self):
        return self.rows[:, 0]

    @property
    def y(self):
        return self.rows[:, 1:].T

    def __getitem__(self, name):
        if name not in self.names:
            raise KeyError(f"there is no column {name!r}; there are {', '.join(self.names)}")
        return self.rows[:, self.names.index(name)]

    def __len__(self):
        return len(self.rows)

    def sol(self, t):
        """The columns after the first at t, a number or an array of them."""
        places = np.atleast_1d(np.asarray(t, dtype=float))
        s = self._knots[:, 0]
        backward = len(s) > 1 and s[-1] < s[0]
        keys = list(-s if backward else s)
        out = np.empty((len(self.names) - 1, places.size))
        for i, place in enumerate(places.ravel()):
            if not min(s[0], s[-1]) <= place <= max(s[0], s[-1]):
                raise ValueError(f"{place!r} lies outside the run from {s[0]!r} to {s[-1]!r}")
            k = max(bisect.bisect_right(keys, -place if backward else place) - 1, 0)
            solver = _ritt.Solver(self._owner, self._options, np.ascontiguousarray(self._knots[k, 1:]))
            rows, _, status, messages = solver.run(float(place), np.array([place]))
            if status != 0:
                raise ValueError(f"no value at {place!r}: {messages[0]['text']}")
            out[:, i] = np.asarray(rows)[-1, 1:len(self.names)]
        return out[:, 0] if np.ndim(t) == 0 else out

    def plot(self, *names, x=None, ax=None):
        """Draws columns over the first, or over `x`, with matplotlib; without names all of them. Gives the axes."""
        import matplotlib.pyplot as plt

        ax = ax or plt.subplots()[1]
        over = x or self.names[0]
        for name in names or self.names[1:]:
            ax.plot(self[over], self[name], label=name)
        ax.set_xlabel(over)
        ax.set_title(self.title)
        if len(names) == 1:
            ax.set_ylabel(names[0])
        else:
            ax.legend()
        return ax

    def __repr__(self):
        ended = "" if self.success else f", stopped: {self.message}"
        return f"<ritt.Result {', '.join(self.names)}: {len(self.rows)} rows, {self.names[0]} to {self.t[-1]!r}{ended}>"


def events_of(solver, columns):
    names, points = solver.events()
    rows = np.asarray(points)
    if rows.size == 0:
        return []
    width = (rows.shape[1] - 1) // 2
    after = rows[:, 1 + width:1 + width + columns]
    return [Event(names[int(r[0])], r[1:1 + columns], None if np.isnan(a).all() else a) for r, a in zip(rows, after)]


def run(owner, options, end, t_eval, title, z=None):
    """A run of a model or problem from its start (or z), as a Result."""
    solver = _ritt.Solver(owner, options) if z is None else _ritt.Solver(owner, options, z)
    end = solver.statistics()["end"] if end is None else float(end)
    places = None if t_eval is None else np.ascontiguousarray(t_eval, dtype=float).ravel()
    rows, knots, status, messages = solver.run(end, places)
    # behind the columns of the table stand those of the model's plots
    names = owner.columns() if hasattr(owner, "columns") else solver.columns()
    rows = np.asarray(rows)[:, :len(names)]
    return Result(owner, options, title, names, rows, np.asarray(knots), status, messages, solver.statistics(),
                  events_of(solver, len(names)))
