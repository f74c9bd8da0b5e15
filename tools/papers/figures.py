"""The figures of the papers. Each function draws one, from runs of Ritt, and returns what is to be said about it: what it shows,
and how far it is what the paper has (the papers' own pictures are not at hand, only what their texts say of them)."""
import math
import os

from draw import GREY, Panel, lines, marks, path, picture
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


# ---- BIT 2001: higher order methods ----

@figure("bit6.1")
def order_of_dopri54(runs):
    errors = {0.002: [], 0.01: []}
    for k in range(6, 14):
        _, t = runs.table("simple", ["--kind", "general", "--precision", "quad", "--constant-step", repr(2.0 ** -k), *ORTHOGONAL],
                          replace=[("solve x = 0 .. 0.01", "solve arc = 0 .. 0.25"),
                                   ("output y, exact =", "output y, e = y -1*("), ("exp(3*x)", "exp(3*x))")])
        for end in errors:
            errors[end].append((2.0 ** -k, next(abs(e) for x, e in zip(t["x"], t["e"]) if x >= end)))
    slopes = {end: [slope([(math.log2(h), math.log2(e)) for h, e in points]) for points in (p, p[:-1])]
              for end, p in errors.items()}
    curves = [path(points, f"x = {end}", i) for i, (end, points) in enumerate(errors.items())]
    panel = Panel(curves, "h", "error", log="xy", key="bottom right", more=["set format '%.0e'", "set ytics 1e3", "set xtics 10"])
    return ([panel], "The order of dopri54 on y' = 3y + 2x^2 in its jets, constant steps of arc length h = 2^-6 ... 2^-13, 34 digits. "
            f"Slopes with and without h = 2^-13: x = 0.002: {slopes[0.002][0]:.3f}, {slopes[0.002][1]:.3f} (paper 4.836, 5.008); "
            f"x = 0.01: {slopes[0.01][0]:.3f}, {slopes[0.01][1]:.3f} (paper 4.952, 5.011).",
            "reproduced: order 5. The slope without 2^-13 at x = 0.01 to 0.001, at x = 0.002 to 0.03; the loss at 2^-13 is that of the "
            "30 digits of the paper, and is not there with 34. The solution printed in the paper is that of 3x^2; here that of the "
            "printed equation is taken", {"size": (520, 360)})


def section(runs, method, tolerance, end=1100, options=None):
    summary, _ = runs.table("henon_heiles_section", options or bit_options(method, tolerance, False, 5), arc=end)
    t = runs.events("cut")
    return summary["accepted"] - 1, zipped(t, "y2", "y2'")


@figure("bit6.2")
def poincare(runs):
    left, right = section(runs, "dopri54:4", 3.1e-6), section(runs, "rk4", 5.2e-6)
    panels = [Panel([marks(p)], "y2", "y2'", title=f"{name}, {steps} steps", equal=True)
              for name, (steps, p) in (("dopri54, order 4", left), ("rk4", (2 * right[0], right[1])))]
    return (panels, f"Points of the Hénon-Heiles system with y1 = 0, x up to 1100: {len(left[1])} and {len(right[1])} of them (about 340 in "
            "the paper; 343 is right).", ALIKE + ": both sections have the same shape, with points at other places. The control of that "
            "program is not known (Table 6.1): the tolerances here, 3.1e-6 and 5.2e-6, are those that need as many steps as the paper "
            "did with 5e-5 and 5e-4")


def spring(runs, method, tolerance, eps, end, start=None):
    options = bit_options(method, tolerance, False, 6) + ["--set", f"eps={eps}"]
    return runs.table("stiff_pendulum_reduced", options, arc=end, replace=start or ())


@figure("bit6.3")
def rkf45(runs):
    made = {(method, tolerance): spring(runs, method, tolerance, "0.01", 1.5)[1]
            for method in ("rkf45", "dopri54") for tolerance in (1e-3, 1e-4, 1e-5)}
    change = {key: (t["E"][-1] - t["E"][0]) / t["E"][0] for key, t in made.items()}
    energy = [lines([(x, e / t["E"][0]) for x, e in zip(t["x"], t["E"])], method, i)
              for i, (method, t) in enumerate((m, made[m, 1e-4]) for m in ("rkf45", "dopri54"))]
    panels = [Panel([lines(zipped(made["rkf45", 1e-4], "y1", "y2"), width=1)], "y1", "y2", title="rkf45, tolerance 1e-4", equal=True),
              Panel(energy, "x", "E/E(0)", title="energy, tolerance 1e-4", key="bottom left")]
    said = "; ".join(f"{method} " + ", ".join(f"{change[method, tolerance]:+.1e}" for tolerance in (1e-3, 1e-4, 1e-5))
                     for method in ("rkf45", "dopri54"))
    return (panels, "The stiff pendulum with ε = 0.01 by Fehlberg's pair, and its energy beside that of dopri54. Relative change of the "
            f"energy up to x = 1.5 with the tolerances 1e-3, 1e-4 and 1e-5: {said}.",
            NOT + ": with the coefficients of Fehlberg, rkf45 is as good as dopri54 within the factor that one expects, at every tolerance; "
            "the picture shows no loss. The paper (Remark 6.2) has no explanation for what it saw either")


@figure("bit6.4")
def stiff(runs):
    panels, steps = [], []
    for method, tolerance, name in (("dopri54", 1e-4, "dopri54, tolerance 1e-4"), ("rk4", 1e-2, "rk4, tolerance 1e-2")):
        summary, t = spring(runs, method, tolerance, "0.01", 1.5)
        steps.append((2 if method == "rk4" else 1) * (summary["accepted"] - 1))
        panels.append(Panel([lines(zipped(t, "y1", "y2"), width=1)], "y1", "y2", title=name, equal=True, fine=0.003))
    return (panels, f"The stiff pendulum with ε = 0.01, x from 0 to 1.5: {steps[0]} steps of dopri54 (paper 1141) and {steps[1]} of rk4 (1931).",
            ALIKE)


@figure("bit6.5")
def stiff_soft(runs):
    _, short = spring(runs, "dopri54", 1e-4, "0.1", 3.7)
    _, long = spring(runs, "dopri54", 1e-4, "0.1", 20)
    panels = [Panel([path(zipped(short, "y1", "y2"))], "y1", "y2", title="x up to 3.7, the steps", equal=True),
              Panel([lines(zipped(long, "y1", "y2"), width=1)], "y1", "y2", title="x up to 20", equal=True)]
    return (panels, f"The stiff pendulum with ε = 0.1 by dopri54, tolerance 1e-4: {len(short['x']) - 2} steps up to x = 3.7 (paper 136) "
            f"and {len(long['x']) - 2} up to 20 (751).", ALIKE)


def linkage(y1, y2, y3, y4, d=2):
    return [(0, 0), (y1, y2), (y3, y4), (d, 0)]


@figure("bit6.6")
def four_bars(runs):
    _, t = runs.table("fourbar", ["--points", "2"], to=0.1)
    bars = linkage(*(t[name][0] for name in ("y1", "y2", "y3", "y4")))
    labels = [("a", 0, 1), ("b", 1, 2), ("c", 2, 3), ("d", 3, 0)]
    more = [f"set label '{name}' at {(bars[i][0] + bars[j][0]) / 2 + 0.06}, {(bars[i][1] + bars[j][1]) / 2 + 0.09}"
            for name, i, j in labels]
    more += [f"set label '{i}' at {x + (-0.16 if i < 2 else 0.08)}, {y + 0.02}" for i, (x, y) in enumerate(bars)]
    more += ["set label 'T' at -0.1, -0.2", "set xrange [-0.5:3]", "set yrange [-0.4:1.8]"]
    panel = Panel([path(bars, width=2.5), lines([(0, 0), (2, 0)], colour=GREY)], equal=True, more=more, bare=True)
    return [panel], "The four bars at the start; masses at the joints 1 and 2, a torque T at 0.", SAME, {"size": (460, 320)}


FOURBAR_E = "\noutput E = (m1*(y1'^2 + y2'^2) + m2*(y3'^2 + y4'^2))/2 + (m1*y2 + m2*y4)*gamma\n"


@figure("bit6.7")
def four_bars_energy(runs):
    rows = ["--points", "801"]
    _, free = runs.table("fourbar", rows)
    _, kept = runs.table("fourbar_false_energy", [*rows, "--constant-step", "0.0005", "--project", "end"],
                         replace=[("invariant E:", "invariant projected E:")])
    curves = [lines(zipped(kept, "x", "y4"), "with (6.7)"), lines(zipped(free, "x", "y4"), "without", 1, dash="2")]
    panel = Panel(curves, "x", "y4", key="outside top center horizontal")
    return ([panel], "Joint 2 of the four bars with T = 0.8, with the energy (6.7) kept and without. The end with (6.7): y4(10) = "
            f"{kept['y4'][-1]:.4f}; the limit is 1.4146.",
            ALIKE + ": the period without (6.7) is shorter, with a small cup below. But (6.7) is no invariant (the torque does work), "
            "Ritt refuses it, and only `invariant projected` makes this curve: it converges with order 1, to another system", {"size": (620, 340)})


@figure("bit6.8")
def four_bars_change(runs):
    _, t = runs.table("fourbar", ["--points", "801"], add=FOURBAR_E)
    panel = Panel([lines(zipped(t, "x", "E"))], "x", "E")
    return ([panel], "The energy (6.7) of the four bars without its equation; what is constant is E - T atan2(y2, y1), up to "
            f"{max(abs(w - t['W'][0]) for w in t['W']):.0e} here.", SAME, {"size": (620, 320)})


@figure("bit6.9")
def folding(runs):
    _, t = runs.table("fourbar_folding", ["--points", "801"])
    y = t["y4"]
    zeros = [t["x"][i] for i in range(len(y) - 1) if y[i] * y[i + 1] < 0]
    panel = Panel([lines(zipped(t, "x", "y4"))], "x", "y4", more=["set xzeroaxis linecolor rgb '#555555'"])
    return ([panel], "y4 of the 'singular' linkage (1, 2, 1, 2) with g_2: it passes y4 = 0, where the constraints g are singular, "
            f"{len(zeros)} times, first at x = {zeros[0]:.2f}.", SAME, {"size": (620, 320)})


@figure("bit6.10")
def folding_positions(runs):
    _, t = runs.table("fourbar_folding", ["--step", "0.01"], to=1.8)
    panels = []
    for i in (0, 60, 100, 130, 144, 153, 162, 170, 180):
        bars = linkage(*(t[name][i] for name in ("y1", "y2", "y3", "y4")))
        panels.append(Panel([path(bars, width=2), lines([(0, 0), (2, 0)], colour=GREY)], title=f"x = {t['x'][i]:.2f}", equal=True,
                            more=["set xrange [-0.4:3.2]", "set yrange [-1.1:1.1]"], bare=True))
    return panels, "Positions of the 'singular' linkage; it passes the line y4 = 0 twice.", SAME, {"columns": 3, "size": (780, 560)}


# ---- IMA 2000: the paper on jets ----

def curve_of(runs, model, settings, columns, signs=(1,)):
    """A solution over arc length, to both sides where two signs are given, as one curve."""
    halves = []
    for sign in signs:
        options = [part for name, value in settings for part in ("--set", f"{name}={value}")]
        length = dict(settings)["length"]
        options[options.index(f"length={length}")] = f"length={sign * length}"
        _, t = runs.table(model, options + ["--points", "161"], stops=True)
        halves.append(zipped(t, *columns))
    return halves[0] if len(halves) == 1 else halves[1][::-1] + halves[0]


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


@figure("ima2.1")
def sphere(runs):
    net = wires(lambda u, v: (math.cos(u) * math.cos(v), math.sin(u) * math.cos(v), math.sin(v)),
                spread(0, 2 * math.pi, 25), spread(-math.pi / 2, math.pi / 2, 13))
    equator = [(math.cos(u), math.sin(u), 0) for u in spread(0, 2 * math.pi, 73)]
    curves = [curve_of(runs, "sphere_curves", (("angle", angle), ("length", 6)), ("x", "y", "y'"), (1, -1))
              for angle in (-1.2, -0.6, 0, 0.6, 1.2)]
    space = [lines(net, colour="#dddddd", width=0.5), lines(equator, colour="#888888", width=0.8)]
    space += [lines(c, colour=i) for i, c in enumerate(curves)]
    plane = [lines(flat(equator), colour="#888888", width=0.8)] + [lines(flat(c), colour=i) for i, c in enumerate(curves)]
    return ([Panel(space, "x", "y", "y'", equal=True, fine=0.015), Panel(plane, "x", "y", equal=True, fine=0.006)],
            "Solutions of y'^2 + y^2 + x^2 = 1 on the sphere, and their projections: cusps where they cross the equator, and "
            "spirals into the folded focuses (0, 1, 0) and (0, -1, 0).", SAME + "; the curves of the paper begin at points that it does not give")


def lift(x, y):
    return (x ** 4 + y ** 4) / 4 - 3 * x * y


def parabolic(low, high, count=60):
    """x^2 y^2 = 1 as two branches of each sign: the fold of (2.4)."""
    out = []
    for sign in (1, -1):
        for side in (1, -1):
            out += [(side * x, sign * side / x) for x in (math.exp(s) for s in spread(math.log(low), math.log(high), count))] + [None]
    return out


def asymptotic_curve(runs, x, y, slope_near, length):
    """The solution of (2.4) through a point, to both sides: (x, y, y', z)."""
    halves = []
    for end in (length, -length):
        _, t = runs.table("asymptotic_lift", ["--points", "161"],
                          replace=[("start x = 0.5", f"start x = {x}"), ("y = 1, y' ~ 0.134", f"y = {y}, y' ~ {slope_near}"),
                                   ("solve arc = 0 .. 6", f"solve arc = 0 .. {end}")])
        halves.append(zipped(t, "x", "y", "y'", "z"))
    return halves[1][::-1] + halves[0]


@figure("ima2.2")
def asymptotic(runs):
    curves = [asymptotic_curve(runs, *start, 6) for start in ((0.5, 1, 0.134), (0.5, 0.2, 0.125), (0.5, -0.6, 0.128), (-1, -0.5, 7.5))]
    inside = [[p for p in c if max(abs(p[0]), abs(p[1])) < 1.7] for c in curves]
    fold = parabolic(1 / 1.6, 1.6)
    net = wires(lambda u, v: (u, v, lift(u, v)), spread(-1.6, 1.6, 17), spread(-1.6, 1.6, 17))
    left = Panel([lines(fold, colour="#888888", width=0.8), lines(flat(inside[0]))], "x", "y", equal=True)
    right = Panel([lines(net, colour="#dddddd", width=0.5), lines([p and (*p, lift(*p)) for p in fold], colour="#888888", width=0.8)]
                  + [lines([(p[0], p[1], p[3]) for p in c], colour=i) for i, c in enumerate(inside)], "x", "y", "z", fine=0.015)
    return ([left, right], "A solution of (2.4), and asymptotic curves on the surface (2.3); thin lines are the parabolic points x^2 y^2 = 1, "
            "on which the curves have cusps.", SAME + "; the paper does not give its starts")


@figure("ima2.3")
def saddle(runs):
    # curves that meet the fold y = -1/x, and curves that pass the saddle on either side of it
    curves = [curve_of(runs, "asymptotic_family", (("at", at), ("length", 0.9)), ("x", "y", "y'"), (1, -1))
              for at in (0.8, 0.9, 1.1, 1.25)]
    curves += [[p[:3] for p in asymptotic_curve(runs, 1, y, near, 0.7)] for y, near in ((-0.95, 0.76), (-0.95, 1.45), (-0.85, 0.65), (-0.85, 2.1))]
    _, through = runs.table("asymptotic_saddle", ["--points", "101"])
    fold = [(x, -1 / x, x * x) for x in spread(0.6, 1.6, 60)]
    space = [lines(fold, colour="#888888", width=0.8)]
    space += [lines([p for p in c if 0.3 < p[0] < 1.7 and p[2] < 2.5], colour=i % 7) for i, c in enumerate(curves)]
    space += [lines(zipped(through, "x", "y", "y'"), colour="#000000", width=1.8)]
    plane = [(flat(p), *rest) for p, *rest in space]
    return ([Panel(space, "x", "y", "y'", fine=0.012), Panel(plane, "x", "y", equal=True, fine=0.006)],
            "Solutions of (2.4) about the folded saddle (1, -1, 1), and their projections; the thin line is the fold, the thick curve a solution "
            "through the saddle.", SAME + "; the paper does not give its starts")


@figure("ima2.4")
def parabolas(runs):
    curves = [curve_of(runs, "parabola_family", (("c", c), ("length", 3)), ("x", "y", "y'"), (1, -1))
              for c in (-1.5, -1, -0.5, 0.5, 1, 1.5)]
    inside = [[p for p in c if abs(p[0]) < 2.2 and abs(p[1]) < 2.2] for c in curves]
    space = [lines(c, colour=i) for i, c in enumerate(inside)]
    plane = [lines(flat(c), colour=i) for i, c in enumerate(inside)]
    worst = max(abs(y - (x * x - c * c) / (2 * c)) for c, points in zip((-1.5, -1, -0.5, 0.5, 1, 1.5), curves) for x, y, _ in points)
    return ([Panel(space, "x", "y", "y'", fine=0.012), Panel(plane, "x", "y", equal=True, fine=0.008)],
            "Solutions of x y'^2 - 2 y y' - x = 0 and their projections, the parabolas y = (x^2 - c^2)/(2c) with c = ±0.5, ±1, ±1.5, met up "
            f"to {worst:.0e}.", SAME)


PENDULUM_E = "\noutput E = (y1'^2 + y2'^2)/2 + y2\n"


@figure("ima7.1")
def pendulum(runs):
    panels, steps = [], []
    circle = [(math.cos(u), math.sin(u)) for u in spread(-math.pi, 0, 60)]
    for model, name in (("pendulum_level", "without energy, (4.6)"), ("pendulum_energy", "with energy, (7.1)")):
        summary, t = runs.table(model, plain("euler", 0.1, 5), arc=5.1)
        steps.append(summary["accepted"] - 1)
        panels.append(Panel([lines(circle, colour=GREY, width=0.8), path(zipped(t, "y1", "y2"))], "y1", "y2", title=name, equal=True))
        highest = max(t["y2"]) if model == "pendulum_level" else highest
    return (panels, f"The pendulum by Euler's method with tolerance 0.1, x up to 5.1: {steps[0]} and {steps[1]} steps. Without the "
            f"energy it rises to y2 = {highest:.2f}, above where it was let go.", ALIKE + "; the tolerance of the paper is not given, only steps "
            "between 0.05 and 1, as here")


@figure("ima7.2")
def pendulum_energies(runs):
    wanted = (("Euler, tolerance 0.1", plain("euler", 0.1, 5)), ("midpoint, tolerance 0.01", plain("midpoint", 0.01, 5)),
              ("midpoint, h = 0.5", ["--method", "midpoint", "--constant-step", "0.5", *ORTHOGONAL]),
              ("midpoint, h = 0.1", ["--method", "midpoint", "--constant-step", "0.1", *ORTHOGONAL]))
    panels, worst = [], []
    for name, options in wanted:
        _, t = runs.table("pendulum_level", options, arc=5 if "Euler" in name else 50, add=PENDULUM_E)
        panels.append(Panel([lines(zipped(t, "x", "E"))], "x", "E", title=name))
        worst.append(max(abs(e) for e in t["E"]))
    return (panels, "The energy of the pendulum (4.6), which should be 0, up to x = 5 by Euler's method and up to 50 by the midpoint rule. Largest values: " + ", ".join(f"{w:.1e}" for w in worst) + ".",
            ALIKE + ": Euler's method loses it at once, the midpoint rule keeps it near its value", {"columns": 2, "size": (760, 520)})


@figure("ima7.3")
def spring_low_order(runs):
    panels, steps = [], []
    for method, tolerance in (("euler", 1.27e-5), ("midpoint", 1e-6)):
        summary, t = runs.table("stiff_pendulum_reduced", plain(method, tolerance, 6), arc=1.7)
        steps.append(summary["accepted"] - 1)
        panels.append(Panel([lines(zipped(t, "y1", "y2"))], "y1", "y2", title=f"{method}, {steps[-1]} steps", equal=True))
    return (panels, f"The stiff pendulum with ε = 0.1, x up to 1.7, with tolerances that need {steps[0]} steps of Euler's method (paper about "
            f"4700) and {steps[1]} of the midpoint rule (500).", ALIKE)


@figure("ima7.4")
def very_stiff(runs):
    summary, t = runs.table("stiff_pendulum_reduced", plain("midpoint", 0.01, 6) + ["--set", "eps=0.01"], arc=1.5,
                            replace=[("y1 ~ 0.85, y2 ~ 0, y3 ~ -0.1765/eps^2", "y1 ~ 1, y2 ~ 0, y3 ~ -17.65"), ("y1' ~ 0, y2'", "y1' ~ 0.016, y2'")])
    whole = zipped(t, "y1", "y2")
    part = [p for p in whole if -0.6 < p[1] < -0.4]
    return ([Panel([lines(whole)], "y1", "y2", equal=True), Panel([lines(part)], "y1", "y2", title="a part, magnified", fine=0.002)],
            f"The stiff pendulum with ε = 0.01 and a small stretch, by the midpoint rule, {summary['accepted'] - 1} steps up to x = 1.5.",
            ALIKE + "; how far the paper went it does not say")


def pressure(runs, method, tolerance):
    summary, t = runs.table("discharge_pressure_involutive", plain(method, tolerance, 11), arc=40)
    panels = [Panel([lines(zipped(t, "x", name), colour=i)], "x", name) for i, name in enumerate(("y1", "y2", "y3", "y4", "y5"))]
    return panels, summary["accepted"] - 1, t


@figure("ima7.5")
def pressure_euler(runs):
    panels, steps, t = pressure(runs, "euler", 0.003)
    return (panels, f"The discharge pressure control (7.3) by Euler's method, tolerance 0.003, {steps} steps; y1(40) = {t['y1'][-1]:.4f}, "
            "exactly 0.6748.", ALIKE + "; the paper gives no numbers", {"columns": 3, "size": (900, 480)})


@figure("ima7.6")
def pressure_midpoint(runs):
    panels, steps, t = pressure(runs, "midpoint", 0.0003)
    return (panels, f"The same by the midpoint rule, tolerance 0.0003, {steps} steps; y1(40) = {t['y1'][-1]:.4f}.", ALIKE,
            {"columns": 3, "size": (900, 480)})


@figure("ima7.7")
def kepler(runs):
    panels, steps = [], []
    for method, tolerance in (("euler", 4.6e-5), ("midpoint", 7.1e-6)):
        summary, t = runs.table("kepler", plain(method, tolerance, 5), arc=100)
        steps.append(summary["accepted"] - 1)
        panels.append(Panel([lines(zipped(t, "y1", "y2"), width=0.8)], "y1", "y2", title=f"{method}, {steps[-1]} steps", equal=True, fine=0.02))
    return (panels, f"Kepler's problem with energy and momentum kept, x up to 100, with tolerances that need {steps[0]} steps of Euler's method "
            f"(paper about 8000) and {steps[1]} of the midpoint rule (900).", ALIKE + ": no spiral in either. The orbit of the midpoint rule turns slowly; "
            "whether it does in the paper is not said. With the printed velocity 1.73 the period is 6.2169, not 2π")


@figure("ima7.8")
def poincare_low_order(runs):
    panels, counts = [], []
    for method, tolerance in (("euler", 4.33e-5), ("midpoint", 8.6e-8)):
        steps, points = section(runs, method, 0, 303, plain(method, tolerance, 5))
        counts.append((steps, len(points)))
        panels.append(Panel([marks(points, size=0.5)], "y2", "y2'", title=f"{method}, {steps} steps", equal=True))
    return (panels, f"The section y1 = 0 of the Hénon-Heiles system, x up to 303: {counts[0][1]} points from {counts[0][0]} steps of Euler's method (paper: 101 "
            f"from 5000) and {counts[1][1]} from {counts[1][0]} of the midpoint rule (141 from 2500). The exact solution has 95.",
            "in part: the curve of Euler's method does not close, as there; the 141 points of the paper cannot be from x up to 303. Signs in (7.6) are misprinted")


@figure("ima7.9")
def chain_energy(runs):
    curves, change = [], []
    for i, (method, tolerance) in enumerate((("euler", 0.01), ("midpoint", 0.001))):
        _, t = runs.table("mech6", plain(method, tolerance, 25) + ["--set", "c=5"], arc=5)
        curves.append(lines(zipped(t, "x", "E"), method, i))
        change.append(t["E"][-1] - t["E"][0])
    return ([Panel(curves, "x", "E", key="top left")], "The energy of six particles (7.7), c = 5, by Euler's method with tolerance 0.01 and the midpoint rule "
            f"with 0.001. Changes up to x = 5: {change[0]:+.2g} and {change[1]:+.2g} of 49.65.", ALIKE + ": that of Euler's method grows, the midpoint rule "
            "stays near; tolerances are not given in the paper", {"size": (560, 340)})


def chain_panels(runs, model, options, replace=()):
    """Positions at x = 0, 1, ..., 5 of a run, and of an accurate one in grey."""
    times = range(6)
    exact = runs.table("mech6", ["--set", "c=5", "--method", "dop853", "--tol", "1e-12", "--points", "6"], to=5.0)[1]
    made = runs.table(model, ["--set", "c=5", *options, "--points", "6"], to=5.0, replace=replace)[1]

    def at(t, i):
        return [(t[f"y{2 * k + 1}"][i], t[f"y{2 * k + 2}"][i]) for k in range(6)]

    panels = [Panel([path(at(exact, i), colour=GREY, width=2.5), path(at(made, i))], title=f"x = {i}", equal=True) for i in times]
    apart = [max(math.dist(p, q) for p, q in zip(at(exact, i), at(made, i))) for i in times]
    return panels, apart


def low_order(method, step):
    return ["--method", method, "--constant-step", step, "--project", "stages", "--projection", "newton", "--metric", "euclidean"]


@figure("ima7.10")
def chain_free(runs):
    panels, apart = chain_panels(runs, "mech6", low_order("midpoint", "0.02"))
    return (panels, "Positions of the six particles (7.7) without their energy by the midpoint rule, h = 0.02, in grey the exact ones. Largest distance "
            "at x = 1, ..., 5: " + ", ".join(number(a, 2) for a in apart[1:]) + ".",
            ALIKE + "; at which x the paper drew them is not known", {"columns": 3, "size": (780, 500)})


@figure("ima7.11")
def chain_kept(runs):
    panels, apart = chain_panels(runs, "mech6_energy", low_order("midpoint", "0.02"), replace=[("= 59.6533605", "")])
    return (panels, "The same with the energy kept, (7.8). Largest distance from the exact ones at x = 1, ..., 5: "
            + ", ".join(number(a, 2) for a in apart[1:]) + ".", "in part: the exact solutions of (7.7) and (7.8) are the same, and the two pictures "
            "of the paper differ only by the errors of a coarse tolerance; here both follow the exact one", {"columns": 3, "size": (780, 500)})


# ---- enhanced linear algebra ----

@figure("lin1")
def rigid_body(runs):
    _, t = runs.table("rigid_body", ["--step", "0.2"], to=600.0)
    net = wires(lambda u, v: (math.cos(u) * math.cos(v), math.sin(u) * math.cos(v), math.sin(v)),
                spread(0, 2 * math.pi, 25), spread(-math.pi / 2, math.pi / 2, 13))
    p = zipped(t, "y1", "y2", "y3")[:300]
    return ([Panel([lines(net, colour="#dddddd", width=0.5), lines(p)], "y1", "y2", "y3", equal=True, fine=0.02),
             Panel([lines(flat(p))], "y1", "y2", equal=True, fine=0.01)],
            f"The rigid body on its sphere, and its projection, x up to 60; at x = 600 y3 is {t['y3'][-1]:.1e}.", SAME)


@figure("lin2")
def choked(runs):
    summary, t = runs.table("plug_flow_choked", ["--method", "dopri54", "--tol", "1e-6"], to=1.2, stops=True)
    steps = [(b, b - a) for a, b in zip(t["x"], t["x"][1:])]
    panels = [Panel([path(zipped(t, "x", "u1"))], "x", "u1", title="pressure"), Panel([path(steps)], "x", "size of a step", title="steps", log="y",
                                                                              more=["set format y '%.0e'", "set ytics 100"])]
    return (panels, f"Plug flow in the original model (6.4): the steps become smaller and smaller, and the run ends at x = {t['x'][-1]:.5f} "
            f"with u1 = {t['u1'][-1]:.1e}; the impasse is at x = 1.09581.", SAME)


@figure("lin3")
def plug(runs):
    _, t = runs.table("plug_flow", ["--points", "401"])
    panels = [Panel([lines(zipped(t, "x", name), colour=i)], "x", name, fine=0.003) for i, name in enumerate(("y1", "y2", "y3"))]
    return (panels, f"Plug flow in (6.5): the run goes through the impasse at x = 1.0958; y1(3.2188) = {t['y1'][-1]:.4f} (no physical meaning beyond "
            "the impasse).", SAME, {"size": (960, 300)})


@figure("lin4")
def particle(runs):
    _, t = runs.table("magnetic_particle", ["--points", "801"])
    p = zipped(t, "y1", "y2", "y3")
    return ([Panel([lines(p)], "y1", "y2", "y3", fine=0.01), Panel([lines(flat(p))], "y1", "y2", equal=True, fine=0.005)],
            "The particle in a magnetic field, x up to 20, and its projection.", SAME)


@figure("lin5")
def mhd(runs):
    _, t = runs.table("mhd", ["--points", "801"])
    p = zipped(t, "y1", "y2", "y3")
    return ([Panel([lines(p)], "y1", "y2", "y3", fine=0.01), Panel([lines(flat(p))], "y1", "y2", fine=0.005)],
            f"3D magnetohydrodynamics, x up to 1.75, where y3 is {t['y3'][-1]:.2f} and about to blow up; and its projection. The invariant is that of the "
            "start, 4.388, not 0 as printed.", SAME)


@figure("lin6")
def mech6_energy(runs):
    _, t = runs.table("mech6", ["--tol", "1e-6", "--method", "dopri54", "--facmax", "3", "--first-step", "0.02", *PAPERS], arc=10)
    panel = Panel([lines([(x, e - t["E"][0]) for x, e in zip(t["x"], t["E"])])], "x", "E - E(0)", fine=0)
    return ([panel], f"The energy of mech6 without its equation, dopri54 with tolerance 1e-6. E(0) = {t['E'][0]:.4f} (paper: 59.653, that of the start "
            f"before it is projected); change up to x = 10: {t['E'][-1] - t['E'][0]:+.1e}.", "in part: it changes steadily, by as little as this; here it falls, in the paper it grows", {"size": (560, 340)})


MECH24 = ["--set", "n=24", "--method", "dopri54", "--tol", "1e-6", "--facmax", "3", "--first-step", "5", *PAPERS]
ALL = [("output p[1], q[1], p[2], q[2], p[3], q[3], E = energy", "output p, q, E = energy")]


def chain_at(t, i, n=24):
    return [(t[f"p[{k}]"][i], t[f"q[{k}]"][i]) for k in range(1, n + 1)]


@figure("lin7")
def mech24_start(runs):
    _, t = runs.table("mech", MECH24, arc=0.01, replace=ALL)
    return ([Panel([path(chain_at(t, 0))], equal=True, more=["set ytics 0.5"])], f"mech24 at the start: the zigzag that satisfies all constraints, E = {t['E'][0]:.1f}; the paper "
            "prints E = 3008.6 and no start.", ALIKE, {"size": (720, 200)})


@figure("lin8")
def mech24_energy(runs):
    curves, worst = [], []
    for i, model in enumerate(("mech_energy", "mech")):
        _, t = runs.table(model, MECH24, arc=1, replace=ALL if model == "mech" else ())
        e = [(x, abs(e - t["E"][0]) / t["E"][0]) for x, e in zip(t["x"], t["E"])]
        worst.append(max(d for _, d in e))
        curves.append(lines([(x, max(d, 1e-16)) for x, d in e[1:]], "with energy" if i == 0 else "without", i))
    panel = Panel(curves, "x", "|E - E(0)|/E(0)", log="y", key="center right", fine=0, more=["set format y '%.0e'", "set ytics 1e3"])
    return ([panel], f"The energy balance of mech24: up to {worst[0]:.0e} with the energy equation, {worst[1]:.0e} without (relative).",
            SAME + ": the paper has 1e-5 with its equation, with a projection that stops at 1e-6; ours goes to round-off", {"size": (560, 340)})


@figure("lin9")
def mech24_steps(runs):
    _, t = runs.table("mech_energy", MECH24, arc=1)
    h = [(a, b - a) for a, b in zip(t["arc"], t["arc"][1:-1])]
    return ([Panel([path(h)], "arc length", "h")], f"mech24: the {len(h)} step sizes of dopri54 with energy (49 in the paper), as arc length.", ALIKE,
            {"size": (560, 320)})


def late(runs, model, end):
    """The positions of a long run, and those of an accurate one at the same x."""
    _, t = runs.table(model, MECH24, arc=end, replace=ALL if model == "mech" else ())
    _, exact = runs.table("mech", ["--set", "n=24", "--method", "dop853", "--tol", "1e-12", "--points", "2"], to=end, replace=ALL)
    apart = max(math.dist(p, q) for p, q in zip(chain_at(t, -1), chain_at(exact, -1)))
    return ([Panel([path(chain_at(exact, -1), colour=GREY, width=2.5), path(chain_at(t, -1))], equal=True)], apart)


@figure("lin10")
def mech24_free(runs):
    panels, apart = late(runs, "mech", 4.984)
    return panels, f"mech24 at x = 4.984 without its energy, in grey a run with tolerance 1e-12; largest distance {apart:.2g}.", \
        "for our start; that of the paper is not known, so the shapes cannot be compared", {"size": (520, 360)}


@figure("lin11")
def mech24_kept(runs):
    panels, apart = late(runs, "mech_energy", 4.983)
    return panels, f"The same at x = 4.983 with its energy; largest distance {apart:.2g}: the motion is chaotic, and keeping the energy does not help.", "as Figure 10", {"size": (520, 360)}
