"""Answers for models/users: integrate at two tolerances, quote the digits on which both agree."""
import csv
import sys

import numpy as np
from scipy.integrate import solve_ivp

writer = csv.writer(sys.stdout, lineterminator="\n")
TOLERANCES = {"DOP853": (1e-10, 1e-13), "Radau": (1e-9, 3e-12)}


def begin():
    writer.writerow(["model", "column", "t", "value", "digits", "how"])


def agreed(a, b):
    """Number of significant digits on which a and b agree, 12 at most."""
    if a == b:
        return 12
    return int(min(12, np.floor(-np.log10(abs(a - b) / max(abs(a), abs(b))))))


def write(model, column, t, value, digits, how, other=None):
    """One answer; `other` is the same value from a coarser computation."""
    known = 12 if other is None else agreed(value, other)
    if known < digits:
        sys.exit(f"{model} {column} at {t}: {value} and {other} agree on {known} digits only")
    t = t if isinstance(t, str) else f"{t:.12g}"
    writer.writerow([model, column, t, f"{value:.{max(known, 1)}g}", digits, how])


def integrate(f, y0, times, method="DOP853", t0=0.0, breaks=(), scale=None, tolerances=None,
              max_step=np.inf):
    """The solution of y' = f(t, y) at `times`, at two tolerances: [coarse, fine], each of the
    shape (times, y). Steps end at every time, so that nothing is interpolated, and at `breaks`,
    where f is not smooth: inside a piece t is kept away from its ends by 1e-14 of its length."""
    result = []
    y0 = np.asarray(y0, float)
    scale = np.ones(len(y0)) if scale is None else np.asarray(scale, float)
    ends = sorted({t0, *times, *[b for b in breaks if t0 < b < max(times)]})
    for tolerance in tolerances or TOLERANCES[method]:
        y = y0
        rows = {t0: y0}
        for a, b in zip(ends, ends[1:]):
            margin = 1e-14 * (b - a) if breaks else 0

            def clipped(t, y, a=a, b=b, margin=margin):
                return f(min(max(t, a + margin), b - margin), y)

            s = solve_ivp(clipped, (a, b), y, method=method, rtol=tolerance, atol=tolerance * scale,
                          max_step=max_step)
            if not s.success:
                sys.exit(s.message)
            y = s.y[:, -1]
            rows[b] = y
        result.append(np.array([rows[t] for t in times]))
    return result


def newton(f, x, steps=12):
    """A root of f near x, by Newton's method with central differences."""
    x = np.asarray(x, float)
    for _ in range(steps):
        columns = []
        for j in range(len(x)):
            h = 1e-6 * max(1e-3, abs(x[j])) * (np.arange(len(x)) == j)
            columns.append((f(x + h) - f(x - h)) / (2 * h[j]))
        x = x - np.linalg.solve(np.array(columns).T, f(x))
    return x


def write_ode(model, columns, times, results, digits, how="solve_ivp"):
    """Answers for columns = {name: function of (t, y)} at all times."""
    coarse, fine = results
    for k, t in enumerate(times):
        for name, value in columns.items():
            write(model, name, t, float(value(t, fine[k])), digits, how,
                  float(value(t, coarse[k])))


def integrate_hybrid(modes, mode, y0, times, method="DOP853", scale=None, tolerances=None,
                     max_step=np.inf):
    """A system with modes. modes[mode] = (f, [(event, direction, next mode, jump)]): where
    event(t, y) passes through 0 in that direction, y becomes jump(t, y) (None: stays) and the
    next mode begins; next mode None ends the run. Returns [coarse, fine] at `times`, where a time
    after the end gets the last point, and for both the list of the times of the events. An event
    is found if its sign differs at the ends of a step: max_step must be shorter than a mode."""
    result, switches = [], []
    for tolerance in tolerances or TOLERANCES[method]:
        t, y, now = 0.0, np.asarray(y0, float), mode
        rows, met = {0.0: y}, []
        atol = tolerance * (np.ones(len(y)) if scale is None else np.asarray(scale, float))

        def follow(f, a, b, y, tests=None):
            s = solve_ivp(f, (a, b), y, method=method, rtol=tolerance, atol=atol, events=tests,
                          max_step=max_step)
            if s.status < 0:
                sys.exit(s.message)
            return s

        while now is not None and t < max(times):
            f, events = modes[now]
            tests = []
            for event, direction, _, _ in events:
                def test(u, y, event=event, direction=direction, begin=t):
                    # an event that is 0 where the mode begins has not happened yet
                    return event(u, y) if u > begin else event(u, y) - direction * 1e-12
                test.direction, test.terminal = direction, True
                tests.append(test)
            end = min(u for u in times if u > t)
            s = follow(f, t, end, y, tests)
            if s.status == 0:
                t, y = end, s.y[:, -1]
                rows[t] = y
                continue

            # the event was found on an interpolant: correct its time by Newton's method
            which = next(i for i, e in enumerate(s.t_events) if len(e))
            event, _, now, jump = events[which]
            at = s.t[-1]
            for _ in range(3):
                there = follow(f, t, at, y).y[:, -1]
                h = 1e-6 * (at - t)
                slope = (event(at + h, there + h * np.asarray(f(at, there))) - event(at, there)) / h
                at -= event(at, there) / slope
            t, y = at, follow(f, t, at, y).y[:, -1]
            met.append(t)
            if jump:
                y = np.asarray(jump(t, y), float)
        result.append(np.array([rows.get(u, y) for u in times]))
        switches.append(met)
    return result, switches
