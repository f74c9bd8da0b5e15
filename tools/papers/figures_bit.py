"""The figures of BIT 2001, higher order methods."""
import math

from draw import GREY, Panel, lines, marks, path
from figures import (ALIKE, NOT, SAME, figure, section, slope, zipped)
from tables import ORTHOGONAL, bit_options


@figure("bit6.1")
def order_of_dopri54(runs):
    errors = {0.002: [], 0.01: []}
    for k in range(6, 14):
        _, t = runs.table("simple", ["--kind", "general", "--precision", "quad", "--constant-step", repr(2.0 ** -k),
                                     *ORTHOGONAL],
                          replace=[("solve x = 0 .. 0.01", "solve arc = 0 .. 0.25"),
                                   ("output y, exact =", "output y, e = y -1*("), ("exp(3*x)", "exp(3*x))")])
        for end in errors:
            errors[end].append((2.0 ** -k, next(abs(e) for x, e in zip(t["x"], t["e"]) if x >= end)))
    slopes = {end: [slope([(math.log2(h), math.log2(e)) for h, e in points]) for points in (p, p[:-1])]
              for end, p in errors.items()}
    curves = [path(points, f"x = {end}", i) for i, (end, points) in enumerate(errors.items())]
    panel = Panel(curves, "h", "error", log="xy", key="bottom right",
                  more=["set format '%.0e'", "set ytics 1e3", "set xtics 10"])
    return ([panel], "The order of dopri54 on y' = 3y + 2x^2 in its jets, constant steps of arc length h = "
            "2^-6 ... 2^-13, 34 digits. Slopes with and without h = 2^-13: x = 0.002: "
            f"{slopes[0.002][0]:.3f}, {slopes[0.002][1]:.3f} (paper 4.836, 5.008); x = 0.01: "
            f"{slopes[0.01][0]:.3f}, {slopes[0.01][1]:.3f} (paper 4.952, 5.011).",
            "reproduced: order 5. The slope without 2^-13 at x = 0.01 to 0.001, at x = 0.002 to 0.03; the "
            "loss at 2^-13 is that of the 30 digits of the paper, and is not there with 34. The solution "
            "printed in the paper is that of 3x^2; here that of the printed equation is taken", {"size": (520, 360)})


@figure("bit6.2")
def poincare(runs):
    left, right = section(runs, "dopri54:4", 3.1e-6), section(runs, "rk4", 5.2e-6)
    panels = [Panel([marks(p)], "y2", "y2'", title=f"{name}, {steps} steps", equal=True)
              for name, (steps, p) in (("dopri54, order 4", left), ("rk4", (2 * right[0], right[1])))]
    return (panels, f"Points of the Hénon-Heiles system with y1 = 0, x up to 1100: {len(left[1])} and "
            f"{len(right[1])} of them (about 340 in the paper; 343 is right).",
            ALIKE + ": both sections have the same shape, with points at other places. "
            "The control of that program is not known (Table 6.1): the tolerances here, 3.1e-6 and "
            "5.2e-6, are those that need as many steps as the paper did with 5e-5 and 5e-4")


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
    panels = [Panel([lines(zipped(made["rkf45", 1e-4], "y1", "y2"), width=1)], "y1", "y2",
                    title="rkf45, tolerance 1e-4", equal=True),
              Panel(energy, "x", "E/E(0)", title="energy, tolerance 1e-4", key="bottom left")]
    said = "; ".join(f"{method} " + ", ".join(f"{change[method, tolerance]:+.1e}" for tolerance in
                                             (1e-3, 1e-4, 1e-5)) for method in ("rkf45", "dopri54"))
    return (panels, "The stiff pendulum with ε = 0.01 by Fehlberg's pair, and its energy beside that of "
            "dopri54. Relative change of the energy up to x = 1.5 with the tolerances 1e-3, 1e-4 and 1e-5: "
            f"{said}.",
            NOT + ": with the coefficients of Fehlberg, rkf45 is as good as dopri54 within the factor that "
            "one expects, at every tolerance; the picture shows no loss. The paper (Remark 6.2) has no "
            "explanation for what it saw either")


@figure("bit6.4")
def stiff(runs):
    panels, steps = [], []
    for method, tolerance, name in (("dopri54", 1e-4, "dopri54, tolerance 1e-4"), ("rk4", 1e-2,
                                                                                   "rk4, tolerance 1e-2")):
        summary, t = spring(runs, method, tolerance, "0.01", 1.5)
        steps.append((2 if method == "rk4" else 1) * (summary["accepted"] - 1))
        panels.append(Panel([lines(zipped(t, "y1", "y2"), width=1)], "y1", "y2", title=name, equal=True, fine=0.003))
    return (panels, f"The stiff pendulum with ε = 0.01, x from 0 to 1.5: {steps[0]} steps of dopri54 (paper "
            f"1141) and {steps[1]} of rk4 (1931).",
            ALIKE)


@figure("bit6.5")
def stiff_soft(runs):
    _, short = spring(runs, "dopri54", 1e-4, "0.1", 3.7)
    _, long = spring(runs, "dopri54", 1e-4, "0.1", 20)
    panels = [Panel([path(zipped(short, "y1", "y2"))], "y1", "y2", title="x up to 3.7, the steps", equal=True),
              Panel([lines(zipped(long, "y1", "y2"), width=1)], "y1", "y2", title="x up to 20", equal=True)]
    return (panels, f"The stiff pendulum with ε = 0.1 by dopri54, tolerance 1e-4: {len(short['x']) - 2} "
            f"steps up to x = 3.7 (paper 136) and {len(long['x']) - 2} up to 20 (751).", ALIKE)


def linkage(y1, y2, y3, y4, d=2):
    return [(0, 0), (y1, y2), (y3, y4), (d, 0)]


@figure("bit6.6")
def four_bars(runs):
    _, t = runs.table("fourbar", ["--points", "2"], to=0.1)
    bars = linkage(*(t[name][0] for name in ("y1", "y2", "y3", "y4")))
    labels = [("a", 0, 1), ("b", 1, 2), ("c", 2, 3), ("d", 3, 0)]
    more = [f"set label '{name}' at {(bars[i][0] + bars[j][0]) / 2 + 0.06}, "
            f"{(bars[i][1] + bars[j][1]) / 2 + 0.09}"
            for name, i, j in labels]
    more += [f"set label '{i}' at {x + (-0.16 if i < 2 else 0.08)}, {y + 0.02}" for i, (x, y) in enumerate(bars)]
    more += ["set label 'T' at -0.1, -0.2", "set xrange [-0.5:3]", "set yrange [-0.4:1.8]"]
    panel = Panel([path(bars, width=2.5), lines([(0, 0), (2, 0)], colour=GREY)], equal=True, more=more, bare=True)
    return ([panel], "The four bars at the start; masses at the joints 1 and 2, a torque T at 0.", SAME,
            {"size": (460, 320)})


FOURBAR_E = "\noutput E = (m1*(y1'^2 + y2'^2) + m2*(y3'^2 + y4'^2))/2 + (m1*y2 + m2*y4)*gamma\n"


@figure("bit6.7")
def four_bars_energy(runs):
    rows = ["--points", "801"]
    _, free = runs.table("fourbar", rows)
    _, kept = runs.table("fourbar_false_energy", [*rows, "--constant-step", "0.0005", "--project", "end"],
                         replace=[("invariant E:", "invariant projected E:")])
    curves = [lines(zipped(kept, "x", "y4"), "with (6.7)"), lines(zipped(free, "x", "y4"), "without", 1, dash="2")]
    panel = Panel(curves, "x", "y4", key="outside top center horizontal")
    return ([panel], "Joint 2 of the four bars with T = 0.8, with the energy (6.7) kept and without. The "
            f"end with (6.7): y4(10) = {kept['y4'][-1]:.4f}; the limit is 1.4146.",
            ALIKE + ": the period without (6.7) is shorter, with a small cup below. But (6.7) is no "
            "invariant (the torque does work), Ritt refuses it, and only `invariant projected` makes this "
            "curve: it converges with order 1, to another system", {"size": (620, 340)})


@figure("bit6.8")
def four_bars_change(runs):
    _, t = runs.table("fourbar", ["--points", "801"], add=FOURBAR_E)
    panel = Panel([lines(zipped(t, "x", "E"))], "x", "E")
    return ([panel], "The energy (6.7) of the four bars without its equation; what is constant is E - T "
            f"atan2(y2, y1), up to {max(abs(w - t['W'][0]) for w in t['W']):.0e} here.", SAME, {"size": (620, 320)})


@figure("bit6.9")
def folding(runs):
    _, t = runs.table("fourbar_folding", ["--points", "801"])
    y = t["y4"]
    zeros = [t["x"][i] for i in range(len(y) - 1) if y[i] * y[i + 1] < 0]
    panel = Panel([lines(zipped(t, "x", "y4"))], "x", "y4", more=["set xzeroaxis linecolor rgb '#555555'"])
    return ([panel], "y4 of the 'singular' linkage (1, 2, 1, 2) with g_2: it passes y4 = 0, where the "
            f"constraints g are singular, {len(zeros)} times, first at x = {zeros[0]:.2f}.", SAME, {"size": (620, 320)})


@figure("bit6.10")
def folding_positions(runs):
    _, t = runs.table("fourbar_folding", ["--step", "0.01"], to=1.8)
    panels = []
    for i in (0, 60, 100, 130, 144, 153, 162, 170, 180):
        bars = linkage(*(t[name][i] for name in ("y1", "y2", "y3", "y4")))
        panels.append(Panel([path(bars, width=2), lines([(0, 0), (2, 0)], colour=GREY)], title=
                            f"x = {t['x'][i]:.2f}", equal=True,
                            more=["set xrange [-0.4:3.2]", "set yrange [-1.1:1.1]"], bare=True))
    return (panels, "Positions of the 'singular' linkage; it passes the line y4 = 0 twice.", SAME,
            {"columns": 3, "size": (780, 560)})
