"""The figures of IMA 2000, the paper on jets."""
import math

from draw import GREY, Panel, lines, marks, path
from figures import (ALIKE, SAME, figure, flat, number, plain, section, spread, wires, zipped)
from tables import ORTHOGONAL


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


@figure("ima2.1")
def sphere(runs):
    net = wires(lambda u, v: (math.cos(u) * math.cos(v), math.sin(u) * math.cos(v), math.sin(v)),
                spread(0, 2 * math.pi, 25), spread(-math.pi / 2, math.pi / 2, 13))
    equator = [(math.cos(u), math.sin(u), 0) for u in spread(0, 2 * math.pi, 73)]
    curves = [curve_of(runs, "sphere_family", (("angle", angle), ("length", 6)), ("x", "y", "y'"), (1, -1))
              for angle in (-1.2, -0.6, 0, 0.6, 1.2)]
    space = [lines(net, colour="#dddddd", width=0.5), lines(equator, colour="#888888", width=0.8)]
    space += [lines(c, colour=i) for i, c in enumerate(curves)]
    plane = [lines(flat(equator), colour="#888888", width=0.8)] + [lines(flat(c), colour=i) for i, c in enumerate(curves)]
    return ([Panel(space, "x", "y", "y'", equal=True, fine=0.015), Panel(plane, "x", "y", equal=True, fine=0.006)],
            "Solutions of y'^2 + y^2 + x^2 = 1 on the sphere, and their projections: cusps where they cross "
            "the equator, and spirals into the folded focuses (0, 1, 0) and (0, -1, 0).", SAME +
            "; the curves of the paper begin at points that it does not give")


def lift(x, y):
    return (x ** 4 + y ** 4) / 4 - 3 * x * y


def parabolic(low, high, count=60):
    """x^2 y^2 = 1 as two branches of each sign: the fold of (2.4)."""
    out = []
    for sign in (1, -1):
        for side in (1, -1):
            places = [math.exp(s) for s in spread(math.log(low), math.log(high), count)]
            out += [(side * x, sign * side / x) for x in places] + [None]
    return out


def asymptotic_curve(runs, x, y, slope_near, length):
    """The solution of (2.4) through a point, to both sides: (x, y, y', z)."""
    halves = []
    for end in (length, -length):
        _, t = runs.table("asymptotic_lift", ["--points", "161"],
                          replace=[("start x = 0.5", f"start x = {x}"), ("y = 1, y' ~ 0.134",
                                                                         f"y = {y}, y' ~ {slope_near}"),
                                   ("solve arc = 0 .. 6", f"solve arc = 0 .. {end}")])
        halves.append(zipped(t, "x", "y", "y'", "z"))
    return halves[1][::-1] + halves[0]


@figure("ima2.2")
def asymptotic(runs):
    starts = (0.5, 1, 0.134), (0.5, 0.2, 0.125), (0.5, -0.6, 0.128), (-1, -0.5, 7.5)
    curves = [asymptotic_curve(runs, *start, 6) for start in starts]
    inside = [[p for p in c if max(abs(p[0]), abs(p[1])) < 1.7] for c in curves]
    fold = parabolic(1 / 1.6, 1.6)
    net = wires(lambda u, v: (u, v, lift(u, v)), spread(-1.6, 1.6, 17), spread(-1.6, 1.6, 17))
    left = Panel([lines(fold, colour="#888888", width=0.8), lines(flat(inside[0]))], "x", "y", equal=True)
    space = [lines(net, colour="#dddddd", width=0.5),
             lines([p and (*p, lift(*p)) for p in fold], colour="#888888", width=0.8)]
    space += [lines([(p[0], p[1], p[3]) for p in c], colour=i) for i, c in enumerate(inside)]
    right = Panel(space, "x", "y", "z", fine=0.015)
    return ([left, right], "A solution of (2.4), and asymptotic curves on the surface (2.3); thin lines are "
            "the parabolic points x^2 y^2 = 1, on which the curves have cusps.", SAME + "; the paper does not give its starts")


@figure("ima2.3")
def saddle(runs):
    # curves that meet the fold y = -1/x, and curves that pass the saddle on either side of it
    curves = [curve_of(runs, "asymptotic_family", (("at", at), ("length", 0.9)), ("x", "y", "y'"), (1, -1))
              for at in (0.8, 0.9, 1.1, 1.25)]
    curves += [[p[:3] for p in asymptotic_curve(runs, 1, y, near, 0.7)]
               for y, near in ((-0.95, 0.76), (-0.95, 1.45), (-0.85, 0.65), (-0.85, 2.1))]
    _, through = runs.table("asymptotic_saddle", ["--points", "101"])
    fold = [(x, -1 / x, x * x) for x in spread(0.6, 1.6, 60)]
    space = [lines(fold, colour="#888888", width=0.8)]
    space += [lines([p for p in c if 0.3 < p[0] < 1.7 and p[2] < 2.5], colour=i % 7) for i, c in enumerate(curves)]
    space += [lines(zipped(through, "x", "y", "y'"), colour="#000000", width=1.8)]
    plane = [(flat(p), *rest) for p, *rest in space]
    return ([Panel(space, "x", "y", "y'", fine=0.012), Panel(plane, "x", "y", equal=True, fine=0.006)],
            "Solutions of (2.4) about the folded saddle (1, -1, 1), and their projections; the thin line is "
            "the fold, the thick curve a solution through the saddle.", SAME + "; the paper does not give its starts")


@figure("ima2.4")
def parabolas(runs):
    constants = (-1.5, -1, -0.5, 0.5, 1, 1.5)
    curves = [curve_of(runs, "parabola_family", (("c", c), ("length", 3)), ("x", "y", "y'"), (1, -1))
              for c in constants]
    inside = [[p for p in c if abs(p[0]) < 2.2 and abs(p[1]) < 2.2] for c in curves]
    space = [lines(c, colour=i) for i, c in enumerate(inside)]
    plane = [lines(flat(c), colour=i) for i, c in enumerate(inside)]
    worst = max(abs(y - (x * x - c * c) / (2 * c)) for c, points in zip(constants, curves) for x, y, _ in points)
    return ([Panel(space, "x", "y", "y'", fine=0.012), Panel(plane, "x", "y", equal=True, fine=0.008)],
            "Solutions of x y'^2 - 2 y y' - x = 0 and their projections, the parabolas y = (x^2 - c^2)/(2c) "
            f"with c = ±0.5, ±1, ±1.5, met up to {worst:.0e}.", SAME)


PENDULUM_E = "\noutput E = (y1'^2 + y2'^2)/2 + y2\n"


@figure("ima7.1")
def pendulum(runs):
    panels, steps = [], []
    circle = [(math.cos(u), math.sin(u)) for u in spread(-math.pi, 0, 60)]
    for model, name in (("pendulum_level", "without energy, (4.6)"), ("pendulum_energy", "with energy, (7.1)")):
        summary, t = runs.table(model, plain("euler", 0.1, 5), arc=5.1)
        steps.append(summary["accepted"] - 1)
        panels.append(Panel([lines(circle, colour=GREY, width=0.8), path(zipped(t, "y1", "y2"))], "y1", "y2",
                            title=name, equal=True))
        highest = max(t["y2"]) if model == "pendulum_level" else highest
    return (panels, f"The pendulum by Euler's method with tolerance 0.1, x up to 5.1: {steps[0]} and "
            f"{steps[1]} steps. Without the energy it rises to y2 = {highest:.2f}, above where it was let go.", ALIKE +
            "; the tolerance of the paper is not given, only steps between 0.05 and 1, as here")


@figure("ima7.2")
def pendulum_energies(runs):
    wanted = (("Euler, tolerance 0.1", plain("euler", 0.1, 5)),
              ("midpoint, tolerance 0.01", plain("midpoint", 0.01, 5)),
              ("midpoint, h = 0.5", ["--method", "midpoint", "--constant-step", "0.5", *ORTHOGONAL]),
              ("midpoint, h = 0.1", ["--method", "midpoint", "--constant-step", "0.1", *ORTHOGONAL]))
    panels, worst = [], []
    for name, options in wanted:
        _, t = runs.table("pendulum_level", options, arc=5 if "Euler" in name else 50, add=PENDULUM_E)
        panels.append(Panel([lines(zipped(t, "x", "E"))], "x", "E", title=name))
        worst.append(max(abs(e) for e in t["E"]))
    return (panels, "The energy of the pendulum (4.6), which should be 0, up to x = 5 by Euler's method and "
            "up to 50 by the midpoint rule. Largest values: " +
            ", ".join(f"{w:.1e}" for w in worst) + ".",
            ALIKE + ": Euler's method loses it at once, the midpoint rule keeps it near its value",
            {"columns": 2, "size": (760, 520)})


@figure("ima7.3")
def spring_low_order(runs):
    panels, steps = [], []
    for method, tolerance in (("euler", 1.27e-5), ("midpoint", 1e-6)):
        summary, t = runs.table("stiff_pendulum_reduced", plain(method, tolerance, 6), arc=1.7)
        steps.append(summary["accepted"] - 1)
        panels.append(Panel([lines(zipped(t, "y1", "y2"))], "y1", "y2", title=f"{method}, {steps[-1]} steps",
                            equal=True))
    return (panels, f"The stiff pendulum with ε = 0.1, x up to 1.7, with tolerances that need {steps[0]} "
            f"steps of Euler's method (paper about 4700) and {steps[1]} of the midpoint rule (500).", ALIKE)


@figure("ima7.4")
def very_stiff(runs):
    start = [("y1 ~ 0.85, y2 ~ 0, y3 ~ -0.1765/eps^2", "y1 ~ 1, y2 ~ 0, y3 ~ -17.65"),
             ("y1' ~ 0, y2'", "y1' ~ 0.016, y2'")]
    summary, t = runs.table("stiff_pendulum_reduced", plain("midpoint", 0.01, 6) + ["--set", "eps=0.01"],
                            arc=1.5, replace=start)
    whole = zipped(t, "y1", "y2")
    part = [p for p in whole if -0.6 < p[1] < -0.4]
    return ([Panel([lines(whole)], "y1", "y2", equal=True), Panel([lines(part)], "y1", "y2", title=
                                                                  "a part, magnified", fine=0.002)],
            "The stiff pendulum with ε = 0.01 and a small stretch, by the midpoint rule, "
            f"{summary['accepted'] - 1} steps up to x = 1.5.",
            ALIKE + "; how far the paper went it does not say")


def pressure(runs, method, tolerance):
    summary, t = runs.table("discharge_pressure_involutive", plain(method, tolerance, 11), arc=40)
    panels = [Panel([lines(zipped(t, "x", name), colour=i)], "x", name)
              for i, name in enumerate(("y1", "y2", "y3", "y4", "y5"))]
    return panels, summary["accepted"] - 1, t


@figure("ima7.5")
def pressure_euler(runs):
    panels, steps, t = pressure(runs, "euler", 0.003)
    return (panels, f"The discharge pressure control (7.3) by Euler's method, tolerance 0.003, {steps} "
            f"steps; y1(40) = {t['y1'][-1]:.4f}, exactly 0.6748.",
            ALIKE + "; the paper gives no numbers", {"columns": 3, "size": (900, 480)})


@figure("ima7.6")
def pressure_midpoint(runs):
    panels, steps, t = pressure(runs, "midpoint", 0.0003)
    return (panels, f"The same by the midpoint rule, tolerance 0.0003, {steps} steps; y1(40) = "
            f"{t['y1'][-1]:.4f}.", ALIKE,
            {"columns": 3, "size": (900, 480)})


@figure("ima7.7")
def kepler(runs):
    panels, steps = [], []
    for method, tolerance in (("euler", 4.6e-5), ("midpoint", 7.1e-6)):
        summary, t = runs.table("kepler", plain(method, tolerance, 5), arc=100)
        steps.append(summary["accepted"] - 1)
        panels.append(Panel([lines(zipped(t, "y1", "y2"), width=0.8)], "y1", "y2", title=
                            f"{method}, {steps[-1]} steps", equal=True, fine=0.02))
    return (panels, "Kepler's problem with energy and momentum kept, x up to 100, with tolerances that need "
            f"{steps[0]} steps of Euler's method (paper about 8000) and {steps[1]} of the midpoint rule "
            "(900).", ALIKE +
            ": no spiral in either. The orbit of the midpoint rule turns slowly; whether it does in the "
            "paper is not said. With the printed velocity 1.73 the period is 6.2169, not 2π")


@figure("ima7.8")
def poincare_low_order(runs):
    panels, counts = [], []
    for method, tolerance in (("euler", 4.33e-5), ("midpoint", 8.6e-8)):
        steps, points = section(runs, method, 0, 303, plain(method, tolerance, 5))
        counts.append((steps, len(points)))
        panels.append(Panel([marks(points, size=0.5)], "y2", "y2'", title=f"{method}, {steps} steps", equal=True))
    return (panels, f"The section y1 = 0 of the Hénon-Heiles system, x up to 303: {counts[0][1]} points from "
            f"{counts[0][0]} steps of Euler's method (paper: 101 from 5000) and {counts[1][1]} from "
            f"{counts[1][0]} of the midpoint rule (141 from 2500). The exact solution has 95.",
            "in part: the curve of Euler's method does not close, as there; the 141 points of the paper "
            "cannot be from x up to 303. Signs in (7.6) are misprinted")


@figure("ima7.9")
def chain_energy(runs):
    curves, change = [], []
    for i, (method, tolerance) in enumerate((("euler", 0.01), ("midpoint", 0.001))):
        _, t = runs.table("mech6", plain(method, tolerance, 25) + ["--set", "c=5"], arc=5)
        curves.append(lines(zipped(t, "x", "E"), method, i))
        change.append(t["E"][-1] - t["E"][0])
    return ([Panel(curves, "x", "E", key="top left")], "The energy of six particles (7.7), c = 5, by "
            "Euler's method with tolerance 0.01 and the midpoint rule with 0.001. Changes up to x = 5: "
            f"{change[0]:+.2g} and {change[1]:+.2g} of 49.65.", ALIKE +
            ": that of Euler's method grows, the midpoint rule stays near; tolerances are not given in the "
            "paper", {"size": (560, 340)})


def chain_panels(runs, model, options, replace=()):
    """Positions at x = 0, 1, ..., 5 of a run, and of an accurate one in grey."""
    times = range(6)
    accurate = ["--set", "c=5", "--method", "dop853", "--tol", "1e-12", "--points", "6"]
    exact = runs.table("mech6", accurate, to=5.0)[1]
    made = runs.table(model, ["--set", "c=5", *options, "--points", "6"], to=5.0, replace=replace)[1]

    def at(t, i):
        return [(t[f"y{2 * k + 1}"][i], t[f"y{2 * k + 2}"][i]) for k in range(6)]

    panels = [Panel([path(at(exact, i), colour=GREY, width=2.5), path(at(made, i))], title=f"x = {i}", equal=True)
              for i in times]
    apart = [max(math.dist(p, q) for p, q in zip(at(exact, i), at(made, i))) for i in times]
    return panels, apart


def low_order(method, step):
    return ["--method", method, "--constant-step", step, *ORTHOGONAL]


@figure("ima7.10")
def chain_free(runs):
    panels, apart = chain_panels(runs, "mech6", low_order("midpoint", "0.02"))
    return (panels, "Positions of the six particles (7.7) without their energy by the midpoint rule, h = "
            "0.02, in grey the exact ones. Largest distance at x = 1, ..., 5: "
            + ", ".join(number(a, 2) for a in apart[1:]) + ".",
            ALIKE + "; at which x the paper drew them is not known", {"columns": 3, "size": (780, 500)})


@figure("ima7.11")
def chain_kept(runs):
    panels, apart = chain_panels(runs, "mech6_energy", low_order("midpoint", "0.02"), replace=[("= 59.6533605", "")])
    return (panels, "The same with the energy kept, (7.8). Largest distance from the exact ones at x = 1, "
            "..., 5: "
            + ", ".join(number(a, 2) for a in apart[1:]) + ".", "in part: the exact solutions of (7.7) and "
            "(7.8) are the same, and the two pictures of the paper differ only by the errors of a coarse "
            "tolerance; here both follow the exact one", {"columns": 3, "size": (780, 500)})
