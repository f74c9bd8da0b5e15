"""Pictures by gnuplot: panels of curves, in the plane and in space, as SVG files that stay small."""
import math
import re
import subprocess

COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00", "#4d4d4d")
GREY = "#b8b8b8"


def lines(points, title="", colour=0, width=1.4, dash=""):
    return (points, title, colour, f"lines linewidth {width}" + (f" dashtype {dash}" if dash else ""))


def marks(points, title="", colour=0, size=0.35):
    return (points, title, colour, f"points pointtype 7 pointsize {size}")


def path(points, title="", colour=0, width=1.2):
    return (points, title, colour, f"linespoints linewidth {width} pointtype 7 pointsize 0.4")


def thin(points, part):
    """Points that are nearer than a part of the ranges to the last one are left out; breaks (None) stay."""
    kept = [p for p in points if p is not None]
    if not kept:
        return points
    scale = [part * ((max(c) - min(c)) or 1) for c in zip(*kept)]
    out, last = [], None
    for i, p in enumerate(points):
        end = p is None or last is None or i + 1 == len(points) or points[i + 1] is None
        if end or sum(((a - b) / s) ** 2 for a, b, s in zip(p, last, scale)) >= 1:
            out.append(p)
            last = p
    return out


def step(values, most):
    """Between tics: 1, 2 or 5 times a power of ten, so that their number stays below a limit."""
    width = (max(values) - min(values)) or 1
    size = 10 ** math.floor(math.log10(width / most))
    return next(size * f for f in (1, 2, 5, 10) if width / (size * f) <= most)


class Panel:
    """z: a panel in space. bare: no axes. log: axes with logarithms. fine: how near points of lines may be to each other."""

    def __init__(self, curves, x="", y="", z=None, title="", equal=False, log="", key="", more=(), fine=0.004, bare=False):
        self.curves, self.labels, self.space = curves, (x, y, z), z is not None
        self.title, self.equal, self.log, self.key, self.more, self.fine = title, equal, log, key, more, fine
        self.bare = bare

    def tics(self):
        if self.bare:
            return ["unset tics", "unset border", "unset grid"]
        out = ["set border 31" if self.space else "set border 3", "set tics nomirror out scale 0.5",
               "set grid linetype 1 linewidth 0.5 linecolor rgb '#e2e2e2'"]
        points = [p for curve in self.curves for p in curve[0] if p is not None]
        for i, axis in enumerate("xyz" if self.space else "xy"):
            if axis not in self.log:
                out.append(f"set {axis}tics {step([p[i] for p in points], 4 if self.space else 5):g}")
        return out

    def script(self, number):
        out = ["unset label", "unset key", "unset logscale", "set autoscale", "set size noratio", "set view noequal",
               f"set title {quote(self.title)} font ',12'" if self.title else "unset title"]
        for axis, label in zip("xyz", self.labels):
            out.append(f"set {axis}label {quote(label or '')}")
        if self.equal:
            out.append("set view equal xyz" if self.space else "set size ratio -1")
        if self.log:
            out.append(f"set logscale {self.log}")
        if self.key:
            out.append(f"set key {self.key} reverse Left samplen 1.5 noautotitle")
        out += self.tics()
        out += self.more
        plots = []
        for i, (points, title, colour, style) in enumerate(self.curves):
            name = f"$D{number}_{i}"
            out.append(f"{name} << EOD")
            if style.startswith("lines ") and self.fine:
                points = thin(points, self.fine)
            # one empty line would join the parts of a curve in space to a net
            gap = "\n" if self.space else ""
            out += [gap if p is None else " ".join(f"{c:.6g}" for c in p) for p in points]
            out.append("EOD")
            using = "1:2:3" if self.space else "1:2"
            rgb = COLOURS[colour] if isinstance(colour, int) else colour
            plots.append(f"{name} using {using} with {style} linecolor rgb '{rgb}' "
                         + (f"title {quote(title)}" if title else "notitle"))
        out.append(("splot " if self.space else "plot ") + ", \\\n  ".join(plots))
        return out


def quote(text):
    return "'" + text.replace("'", "''") + "'"


def picture(file, panels, columns=None, size=None):
    """Writes an SVG file with the panels side by side, or in rows of a given number of columns."""
    columns = columns or len(panels)
    rows = -(-len(panels) // columns)
    width, height = size or (380 * columns, 320 * rows)
    script = ["set encoding utf8", f"set terminal svg size {width},{height} dynamic noenhanced font 'sans,11' background '#ffffff'",
              f"set output {quote(file)}", f"set multiplot layout {rows},{columns}",
              "set border 3 linecolor rgb '#555555' linewidth 0.8", "set ticslevel 0", "set view 62, 35"]
    for number, panel in enumerate(panels):
        script += panel.script(number)
    script += ["unset multiplot", "set output", ""]
    done = subprocess.run(["gnuplot", "--default-settings", "-"], input="\n".join(script), capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(f"papers: gnuplot could not draw {file}: {done.stderr}")
    with open(file, encoding="utf-8") as svg:
        text = shorten(svg.read())
    with open(file, "w", encoding="utf-8") as svg:
        svg.write(text)


MARK = re.compile(r"\s*<use xlink:href='#gpPt6' transform='translate\(([0-9.]+),([0-9.]+)\) scale\(([0-9.]+)\)'"
                  r" color='([^']*)'/>")


def shorten(text):
    """The same picture with fewer bytes: marks of one curve as one path of dots, no empty groups, no names of curves."""
    text = re.sub(r"<desc>.*?</desc>|<title>.*?</title>", "", text, flags=re.S)
    text = re.sub(r"<defs>.*?</defs>", "", text, flags=re.S)

    def dots(match):
        found = MARK.findall(match.group(0))
        path = "".join(f"M{x},{y}h0" for x, y, _, _ in found)
        return (f"\n<path d='{path}' stroke='{found[0][3]}' stroke-width='{2 * float(found[0][2]):g}' "
                "stroke-linecap='round'/>")

    text = re.sub(f"(?:{MARK.pattern})+", dots, text)
    empty = re.compile(r"<g [^<>]*>\s*</g>\s*")
    while empty.search(text):
        text = empty.sub("", text)
    text = re.sub(r"\s+L(?=[0-9])", "L", text)
    text = re.sub(r"rgb\(\s*(\d+),\s*(\d+),\s*(\d+)\)", lambda m: "#%02x%02x%02x" % tuple(map(int, m.groups())), text)
    return re.sub(r"[ \t]*\n\s*", "\n", text)

