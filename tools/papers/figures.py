"""The figures of the papers. Each function draws one, from runs of Ritt, and returns its panels and what is to be said
about it: what it shows, and how far it is what the paper has. (The papers' own pictures are not at hand, only what
their texts say of them.) figures_bit.py, figures_ima.py and figures_lin.py have those of one paper each."""
import os

from draw import picture
from tables import ORTHOGONAL, as_length, bit_options

FIGURES = {}
PAPERS = ["--control", "papers", *ORTHOGONAL]
SAME, ALIKE, NOT = "reproduced", "reproduced in what the text says of it", "not reproduced"


def figure(name):
    def keep(function):
        FIGURES[name] = function
        return function
    return keep


def draw(runs, folder, names=()):
    """Draws all, or those named; {name: (file name, caption, verdict)}"""
    unknown = [name for name in names if name not in FIGURES]
    if unknown:
        raise SystemExit(f"papers: there is no figure '{unknown[0]}'; there are {', '.join(FIGURES)}")
    os.makedirs(folder, exist_ok=True)
    said = {}
    for name, function in FIGURES.items():
        if names and name not in names:
            continue
        panels, caption, verdict, *layout = function(runs)
        file = name.replace(".", "_") + ".svg"
        picture(os.path.join(folder, file), panels, **(layout[0] if layout else {}))
        said[name] = (file, caption, verdict)
    return said


def plain(method, tolerance, coordinates):
    """Steps whose error, as a length, is below the tolerance: what the paper on jets did."""
    return ["--method", method, *as_length(tolerance, coordinates), *PAPERS]


def zipped(table, *names):
    return list(zip(*(table[name] for name in names)))


def slope(pairs):
    """Of the least squares line."""
    n, sx, sy = len(pairs), sum(x for x, _ in pairs), sum(y for _, y in pairs)
    sxx, sxy = sum(x * x for x, _ in pairs), sum(x * y for x, y in pairs)
    return (n * sxy - sx * sy) / (n * sxx - sx * sx)


def number(value, digits=3):
    return f"{value:.{digits}g}"


def wires(surface, us, vs):
    """A net on a surface, for a panel in space."""
    out = []
    for u in us:
        out += [surface(u, v) for v in vs] + [None]
    for v in vs:
        out += [surface(u, v) for u in us] + [None]
    return out


def spread(low, high, count):
    return [low + (high - low) * i / (count - 1) for i in range(count)]


def flat(points):
    return [p and p[:2] for p in points]


def section(runs, method, tolerance, end=1100, options=None):
    summary, _ = runs.table("henon_heiles_section", options or bit_options(method, tolerance, False, 5), arc=end)
    t = runs.events("cut")
    return summary["accepted"] - 1, zipped(t, "y2", "y2'")
