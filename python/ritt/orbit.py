"""Periodic orbits by multiple shooting on the manifold."""

import numpy as np

from .result import run


class Orbit:
    """A periodic orbit.

    period        its period
    start         the start values by their names
    multipliers   Floquet multipliers, the largest first; one is 1 if the period was unknown
    monodromy     the derivative of the start values after one period by those before
    residual      largest misfit of the segments at their ends
    iterations    of Newton's method
    """

    def __init__(self, names, start, period, monodromy, residual, iterations):
        self.names, self.period, self.monodromy = names, float(period), monodromy
        self.start = dict(zip(names, start.tolist()))
        values = np.linalg.eigvals(monodromy)
        self.multipliers = values[np.argsort(-np.abs(values))]
        self.residual, self.iterations = float(residual), iterations

    @property
    def stable(self):
        """Whether all multipliers except one that belongs to the motion along the orbit lie inside the unit circle."""
        sizes = np.sort(np.abs(np.delete(self.multipliers, np.argmin(np.abs(self.multipliers - 1)))))
        return bool(len(sizes) == 0 or sizes[-1] < 1)

    def __repr__(self):
        return f"<ritt.Orbit of period {self.period:.10g}>"


class _Shooting:
    """The segments of an orbit: each begins at values of its own."""

    def __init__(self, model, names, begin, set, tol, options):
        self.model, self.names, self.begin, self.set, self.tol, self.options = model, names, begin, set, tol, options
        missing = [name for name in names if name not in model.columns]
        if missing:
            raise ValueError(f"the outputs of the model need a column {missing[0]!r}")

    def follow(self, x, begin, length, guesses):
        """End, its derivative by the length, that by x, the speed at the beginning, guesses for the next segment."""
        model = self.model._prepared(self.set, None, begin)
        for name, value in guesses.items():
            if name not in self.names and model._at.meaning(name) == "variable":
                model._at.start_value(name, value, False)
        for name, value in zip(self.names, x.tolist()):
            model._at.start_value(name, value, True)
        model._at.sensitivity(self.names)
        h = 1e-5 * length
        times = np.array([begin, begin + h, begin + length - h, begin + length, begin + length + h])
        found = _run(model, times, self.tol, self.options)
        rows = np.array([found[name] for name in self.names]).T
        slope = np.array([[found[f"d({a})/d({b})"][3] for b in self.names] for a in self.names])
        last = {name: float(found[name][3]) for name in self.model.columns[1:]}
        return rows[3], (rows[4] - rows[2]) / (2 * h), slope, (rows[1] - rows[0]) / h, last


def _run(model, times, tol, options):
    found = run(model._at, model._options(times[-1], tol, None, dict(options)), times, model.title)
    if not found.success or len(found.t) < len(times):
        raise ValueError(f"a segment of the orbit stopped: {found.message}")
    return found


def orbit(model, start, period, *, fixed_period=False, segments=4, set=None, begin=0.0, tol=1e-11, max_iterations=30, **options):
    """Finds a periodic orbit near a guess, with its period and Floquet multipliers.

    start          a guess of the start values, {"x": 2, "v": 0}: as many as the model has free initial values. The orbit begins there
    period         a guess of the period; with fixed_period the period itself, as of a system that is driven
    segments       parts of the orbit that are followed one by one; more of them help if orbits are unstable
    begin          where the independent variable begins
    set, tol, options   as in model.solve
    """
    names, x0 = list(start), np.array([float(v) for v in start.values()])
    shooting, n = _Shooting(model, names, begin, set, tol, options), len(names)
    free = model._prepared(set).check().degrees_of_freedom
    if n != free:
        raise ValueError(f"the model has {free} free initial values, not {n}")
    if not period > 0 or segments < 1:
        raise ValueError("the period and the number of segments must be positive")
    period, guesses, points = float(period), {}, [x0]
    for i in range(segments - 1):
        end, *_, guesses = shooting.follow(points[-1], begin + i * period / segments, period / segments, guesses)
        points.append(end)
    points = np.array(points)

    for iteration in range(1, max_iterations + 1):
        size, guesses, slopes = n * segments, {}, []
        matrix, right = np.zeros((size + 1, size + 1)), np.zeros(size + 1)
        for i in range(segments):
            end, speed, slope, first, guesses = shooting.follow(points[i], begin + i * period / segments, period / segments, guesses)
            rows, following = slice(n * i, n * i + n), (i + 1) % segments
            matrix[rows, n * i:n * i + n] += slope
            matrix[rows, n * following:n * following + n] -= np.eye(n)
            matrix[rows, size] = speed / segments
            right[rows] = points[following] - end
            slopes.append(slope)
            if i == 0:
                matrix[size, :n] = first  # the new start lies across the orbit
        if fixed_period:
            matrix[size], matrix[:, size] = 0, 0
        step = np.linalg.lstsq(matrix, right, rcond=1e-9)[0]
        points = points + step[:size].reshape(points.shape)
        period += step[size]
        residual, change = np.abs(right).max(), np.abs(step).max() / (1 + np.abs(points).max() + period)
        if period <= 0:
            break
        if change < 1e3 * tol and residual < 1e3 * tol * (1 + np.abs(points).max()):
            monodromy = np.eye(n)
            for slope in slopes:
                monodromy = slope @ monodromy
            return Orbit(names, points[0], period, monodromy, residual, iteration)
    raise ValueError(f"no periodic orbit was found near the guess: the ends of the segments differ by {residual:.3g}")


__all__ = ["Orbit", "orbit"]
