"""What a run gives."""

import re
from base64 import b64encode
from dataclasses import dataclass
from html import escape

import numpy as np

from . import _ritt
from .errors import hint_of
from .html import result_html


_ROWS = {"rows", "points", "row-step", "step", "every"}  # options that say where rows stand


@dataclass(frozen=True, eq=False)
class Event:
    """A point of an event: its name, the columns there, and after its jump (None: it has none)."""

    name: str
    before: np.ndarray
    after: "np.ndarray | None"

    @property
    def t(self):
        return float(self.before[0])


class Moving:
    """A page or an animation: `data` holds its bytes, `path` the file in which it is (None: in none)."""

    def __init__(self, data, path=None):
        self.data, self.path = data, path
        if path is not None:
            with open(path, "wb") as file:
                file.write(data)

    def _repr_html_(self):
        if self.data.startswith(b"<svg"):
            return self.data.decode()
        if self.data.startswith(b"GIF"):
            return f'<img src="data:image/gif;base64,{b64encode(self.data).decode()}">'
        if not self.data.startswith(b"<!DOCTYPE"):
            return f"<p>A film in {escape(str(self.path))}</p>"
        return f'<iframe srcdoc="{escape(self.data.decode())}" style="width:100%;height:520px;border:0"></iframe>'

    def __repr__(self):
        return f"<ritt.Moving: {len(self.data)} bytes{'' if self.path is None else f' in {self.path}'}>"


class Result:
    """A trajectory: `t`, `y` (a row for each column after the first), `names`; result["x"] is the column x.

    `success` and `message` say how the run ended, `stats` what it took, `events` what happened on the way. `sol(t)` gives
    the columns at any t, on the manifold; the step that holds t is made again. Where an event jumps there are two rows, before
    and after; `sol` gives the one after.
    """

    def __init__(self, owner, options, title, names, units, rows, knots, status, messages, stats, events):
        self._owner, self._options, self._knots = owner, options, knots
        self._fresh = None  # makes the model again, for its view
        self.title, self.names, self.rows, self.stats, self.events = title, names, rows, stats, events
        self.units = units
        self.status, self._end = status, stats["x"]
        self.messages = [{**m, "hint": hint_of(m["hint"])} for m in messages]
        self.success = status == 0
        ended = f"ended by event {stats['ended_by']}" if stats["ended_by"] else "done"
        self.message = messages[0]["text"] if messages else ended

    def __getstate__(self):
        """A pickle holds the rows; the model or functions, and with them `sol`, stay behind."""
        return {**self.__dict__, "_owner": None, "_knots": None, "_fresh": None}

    @property
    def t(self):
        return self.rows[:, 0]

    @property
    def y(self):
        return self.rows[:, 1:].T

    def __getitem__(self, name):
        """A column; of an array "p" all its elements, with the shape (n, rows)."""
        if name in self.names:
            return self.rows[:, self.names.index(name)]
        found = self._elements().get(name)
        if found is None:
            raise KeyError(f"there is no column {name!r}; there are {', '.join(self.names)}")
        numbers, shape = found
        first, last = numbers[0], numbers[-1]
        whole = slice(first, last + 1) if numbers == list(range(first, last + 1)) else numbers  # a view if possible
        return self.rows[:, whole].T.reshape(shape + (len(self.rows),))

    def _elements(self):
        """The arrays of which all elements are columns: {"p": ([2, 3, 4], (3,)), "p'": ...}."""
        found = {}
        for number, name in enumerate(self.names):
            element = re.fullmatch(r"(.+)\[([0-9, ]+)\]('*)", name)
            if element:
                indices = tuple(int(i) for i in element[2].split(","))
                found.setdefault(element[1] + element[3], {})[indices] = number
        arrays = {}
        for name, places in found.items():
            indices = np.array(sorted(places))
            shape = tuple(int(n) for n in indices.max(0) - indices.min(0) + 1)
            if len(places) == np.prod(shape):
                arrays[name] = ([places[tuple(int(k) for k in i)] for i in indices], shape)
        return arrays

    def to_frame(self):
        """The rows as a DataFrame of pandas, with the first column as its index; units are in its `attrs`."""
        import pandas

        frame = pandas.DataFrame(self.rows[:, 1:], columns=self.names[1:], index=pandas.Index(self.t, name=self.names[0]))
        frame.attrs.update(title=self.title, units=dict(self.units))
        return frame

    def to_xarray(self):
        """The rows as a Dataset of xarray over the first column. Arrays keep their indices; units are attributes."""
        import xarray

        over, arrays, data = self.names[0], self._elements(), {}
        single = set(self.names[1:]) - {self.names[i] for numbers, _ in arrays.values() for i in numbers}
        for name in [n for n in self.names if n in single] + list(arrays):
            values = self[name]
            dims = [f"{name}_{i + 1}" for i in range(values.ndim - 1)] + [over]
            unit = self.units.get(name) or self.units.get(self.names[arrays[name][0][0]] if name in arrays else name)
            data[name] = (dims, values, {"units": unit} if unit else {})
        unit = self.units.get(over)
        return xarray.Dataset(data, coords={over: (over, self.t, {"units": unit} if unit else {})}, attrs={"title": self.title})

    def __len__(self):
        return len(self.rows)

    def sol(self, t):
        """The columns after the first at t, a number or an array of them."""
        if self._owner is None:
            raise ValueError("a result that was pickled has only its rows: solve again, with t_eval")
        places = np.asarray(t, dtype=float)
        flat = places.ravel()
        s = self._knots[:, 0]
        outside = flat[~((flat >= min(s[0], self._end)) & (flat <= max(s[0], self._end)))]
        if outside.size:
            raise ValueError(f"{float(outside[0])!r} lies outside the run from {float(s[0])!r} to {self._end!r}")
        along = -1 if self._end < s[0] else 1
        steps = np.maximum(np.searchsorted(along * s, along * flat, side="right") - 1, 0)
        order = np.argsort(steps, kind="stable")
        out = np.empty((flat.size, len(self.names) - 1))
        for mine in np.split(order, np.flatnonzero(np.diff(steps[order])) + 1):
            if mine.size:
                out[mine] = self._again(steps[mine[0]], flat[mine], along)
        return out.T.reshape((-1,) + places.shape)

    def _again(self, k, places, along):
        """Rows at places of step k: the step is made again from its start."""
        begin, end = self._knots[k, 0], self._knots[k + 1, 0] if k + 1 < len(self._knots) else self._end
        where, back = np.unique(along * places, return_inverse=True)
        where = np.ascontiguousarray(along * where)
        # a problem of functions begins to count its arc length again
        shift = begin if self.names[0] == "arc" and isinstance(self._owner, _ritt.Problem) else 0.0
        options = [(name, value) for name, value in self._options if name not in _ROWS]
        solver = _ritt.Solver(self._owner, options, where - shift, end - shift, begin, self._knots[k, 1:])
        rows, _, _, messages = solver.run()
        rows = np.asarray(rows)
        if len(rows) != len(where):
            raise ValueError(f"no value at {float(where[len(rows)])!r}: {messages[0]['text']}")
        return rows[back, 1:len(self.names)]

    def _label(self, name):
        unit = self.units.get(name)
        return f"{name} [{unit}]" if unit else name

    def _lines(self, name):
        """The columns that a name stands for: itself, or the elements of an array."""
        if name in self.names:
            return [name]
        if name in self._elements():
            return [self.names[i] for i in self._elements()[name][0]]
        self[name]  # raises KeyError with the names that there are
        return []

    def plot(self, *names, x=None, ax=None, **style):
        """Draws columns over the first, or over `x`, with matplotlib; without names all of them. Columns with different units
        are drawn in panels below each other, unless `ax` is given. Gives the axes, or an array of them."""
        import matplotlib.pyplot as plt

        lines = [line for name in names or self.names[1:] for line in self._lines(name)]
        over, panels = x or self.names[0], {}
        for line in lines:
            panels.setdefault(self.units.get(line), []).append(line)
        if ax is not None:
            panels = {None: lines}
            axes = [ax]
        else:
            axes = plt.subplots(len(panels), sharex=True, squeeze=False)[1][:, 0]
        for one, (unit, mine) in zip(axes, panels.items()):
            for line in mine:
                one.plot(self[over], self[line], label=line, **style)
            one.set_ylabel(self._label(mine[0]) if len(mine) == 1 else f"[{unit}]" if unit else "")
            if len(mine) > 1:
                one.legend()
        axes[-1].set_xlabel(self._label(over))
        axes[0].set_title(self.title)
        return axes[0] if len(axes) == 1 else axes

    def phase(self, x, y, z=None, ax=None, **style):
        """Draws the orbit in the plane of two columns, or in the space of three, with a dot at the start. Gives the axes."""
        import matplotlib.pyplot as plt

        names = [x, y] if z is None else [x, y, z]
        ax = ax or plt.figure().add_subplot(projection="3d" if z else None)
        columns = [self[name] for name in names]
        line = ax.plot(*columns, **style)[0]
        ax.plot(*[c[:1] for c in columns], "o", color=line.get_color())
        for axis, name in zip("xyz", names):
            getattr(ax, f"set_{axis}label")(self._label(name))
        ax.set_title(self.title)
        return ax

    def section(self, event, x, y, ax=None, **style):
        """Draws the points of an event or section in the plane of two columns. Gives the axes."""
        import matplotlib.pyplot as plt

        points = np.array([e.before for e in self.events if e.name == event]).reshape(-1, len(self.names))
        if not len(points):
            known = ", ".join(sorted({e.name for e in self.events})) or "none"
            raise ValueError(f"there are no points of {event!r}; points there are of: {known}")
        ax = ax or plt.subplots()[1]
        ax.plot(points[:, self.names.index(x)], points[:, self.names.index(y)], ".", **{"markersize": 3, **style})
        ax.set_xlabel(self._label(x))
        ax.set_ylabel(self._label(y))
        ax.set_title(f"{self.title}: {event}")
        return ax

    def _moving(self, path):
        """The page of the run, or the animation that the ending of `path` names, as bytes. The run is made again."""
        if self._fresh is None:
            raise ValueError("only the result of a model's run that was not pickled has a view: solve again")
        s = self.stats
        summary = f"{self.title}\nmethod {s['method']}, {s['accepted']} steps accepted, {s['rejected']} rejected\n{self.message}\n"
        options = [(name, value) for name, value in self._options if name not in _ROWS]
        return self._fresh()._at.view(path, options, summary)

    def view(self, path=None):
        """A page with the moving scene of the model and its plots. With `path` it is written there (.html); without, it is
        shown in a notebook."""
        if path is not None and not str(path).endswith(".html"):
            raise ValueError(f"the name of a page must end in .html, not {str(path)!r}")
        return Moving(self._moving("page.html"), path)

    def animate(self, path=None):
        """The scene of the model as an animation. With `path` it is written there; its ending .svg, .gif or .mp4 chooses the
        format. Without, an SVG is shown in a notebook."""
        if path is not None and not str(path).endswith((".svg", ".gif", ".mp4")):
            raise ValueError(f"the name of an animation must end in .svg, .gif or .mp4, not {str(path)!r}")
        return Moving(self._moving("film.svg" if path is None else str(path)), path)

    def _repr_html_(self):
        return result_html(self)

    def __repr__(self):
        ended = "" if self.success else f", stopped: {self.message}"
        return f"<ritt.Result {', '.join(self.names)}: {len(self.rows)} rows, {self.names[0]} to {self._end!r}{ended}>"


def events_of(solver, columns):
    names, points = solver.events()
    rows = np.asarray(points)
    if rows.size == 0:
        return []
    width = (rows.shape[1] - 1) // 2
    after = rows[:, 1 + width:1 + width + columns]
    return [Event(names[int(r[0])], r[1:1 + columns], None if np.isnan(a).all() else a) for r, a in zip(rows, after)]


def run(owner, options, t_eval, title, z=None, watch=None):
    """A run of a model or problem from its start (or z), as a Result. `watch` sees every step and may end the run."""
    places = None if t_eval is None else np.ascontiguousarray(t_eval, dtype=float).ravel()
    solver = _ritt.Solver(owner, options, places) if z is None else _ritt.Solver(owner, options, places, z=z)
    stats = solver.statistics()
    if places is not None and not (np.diff(places) * (stats["end"] - stats["x"]) > 0).all():
        raise ValueError("t_eval must be sorted in the direction of the run, without duplicates")
    if watch is not None:
        solver.monitor(watch.begin(solver))
    rows, knots, status, messages = solver.run()
    # after the columns of the table come those of the model's plots
    names, units = owner.columns() if isinstance(owner, _ritt.Model) else (solver.columns(), None)
    units = {name: unit for name, unit in zip(names, units or ()) if unit}
    rows, knots, stats = np.asarray(rows)[:, :len(names)], np.asarray(knots), solver.statistics()
    if watch is not None and watch.ended is not None:
        rows, knots, status, messages = watch.cut(rows, t_eval is None), watch.cut(knots, False), 0, []
        stats["x"], stats["ended_by"] = watch.ended[0], watch.ended_by
    return Result(owner, options, title, names, units, rows, knots, status, messages, stats, events_of(solver, len(names)))
