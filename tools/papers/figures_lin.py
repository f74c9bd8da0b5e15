"""The figures of the paper on enhanced linear algebra."""
import math

from draw import GREY, Panel, lines, path
from figures import (ALIKE, PAPERS, SAME, figure, flat, spread, wires, zipped)


@figure("lin1")
def rigid_body(runs):
    _, t = runs.table("rigid_body", ["--step", "0.2"], to=600.0)
    net = wires(lambda u, v: (math.cos(u) * math.cos(v), math.sin(u) * math.cos(v), math.sin(v)),
                spread(0, 2 * math.pi, 25), spread(-math.pi / 2, math.pi / 2, 13))
    p = zipped(t, "y1", "y2", "y3")[:300]
    return ([Panel([lines(net, colour="#dddddd", width=0.5), lines(p)], "y1", "y2", "y3", equal=True, fine=0.02),
             Panel([lines(flat(p))], "y1", "y2", equal=True, fine=0.01)],
            "The rigid body on its sphere, and its projection, x up to 60; at x = 600 y3 is "
            f"{t['y3'][-1]:.1e}.", SAME)


@figure("lin2")
def choked(runs):
    summary, t = runs.table("plug_flow_choked", ["--method", "dopri54", "--tol", "1e-6"], to=1.2, stops=True)
    steps = [(b, b - a) for a, b in zip(t["x"], t["x"][1:])]
    panels = [Panel([path(zipped(t, "x", "u1"))], "x", "u1", title="pressure"),
              Panel([path(steps)], "x", "size of a step", title="steps", log="y",
                    more=["set format y '%.0e'", "set ytics 100"])]
    return (panels, "Plug flow in the original model (6.4): the steps become smaller and smaller, and the "
            f"run ends at x = {t['x'][-1]:.5f} with u1 = {t['u1'][-1]:.1e}; the impasse is at x = 1.09581.", SAME)


@figure("lin3")
def plug(runs):
    _, t = runs.table("plug_flow", ["--points", "401"])
    panels = [Panel([lines(zipped(t, "x", name), colour=i)], "x", name, fine=0.003)
              for i, name in enumerate(("y1", "y2", "y3"))]
    return (panels, "Plug flow in (6.5): the run goes through the impasse at x = 1.0958; y1(3.2188) = "
            f"{t['y1'][-1]:.4f} (no physical meaning beyond the impasse).", SAME, {"size": (960, 300)})


@figure("lin4")
def particle(runs):
    _, t = runs.table("magnetic_particle", ["--points", "801"])
    p = zipped(t, "y1", "y2", "y3")
    return ([Panel([lines(p)], "y1", "y2", "y3", fine=0.01),
             Panel([lines(flat(p))], "y1", "y2", equal=True, fine=0.005)],
            "The particle in a magnetic field, x up to 20, and its projection.", SAME)


@figure("lin5")
def mhd(runs):
    _, t = runs.table("mhd", ["--points", "801"])
    p = zipped(t, "y1", "y2", "y3")
    return ([Panel([lines(p)], "y1", "y2", "y3", fine=0.01), Panel([lines(flat(p))], "y1", "y2", fine=0.005)],
            f"3D magnetohydrodynamics, x up to 1.75, where y3 is {t['y3'][-1]:.2f} and about to blow up; and "
            "its projection. The invariant is that of the start, 4.388, not 0 as printed.", SAME)


@figure("lin6")
def mech6_energy(runs):
    _, t = runs.table("mech6", ["--tol", "1e-6", "--method", "dopri54", "--facmax", "3", "--first-step", "0.02",
                                *PAPERS], arc=10)
    panel = Panel([lines([(x, e - t["E"][0]) for x, e in zip(t["x"], t["E"])])], "x", "E - E(0)", fine=0)
    return ([panel], "The energy of mech6 without its equation, dopri54 with tolerance 1e-6. E(0) = "
            f"{t['E'][0]:.4f} (paper: 59.653, that of the start before it is projected); change up to x = "
            f"10: {t['E'][-1] - t['E'][0]:+.1e}.",
            "in part: it changes steadily, by as little as this; here it falls, in the paper it grows",
            {"size": (560, 340)})


MECH24 = ["--set", "n=24", "--method", "dopri54", "--tol", "1e-6", "--facmax", "3", "--first-step", "5", *PAPERS]
ALL = [("output p[1], q[1], p[2], q[2], p[3], q[3], E = energy", "output p, q, E = energy")]


def chain_at(t, i, n=24):
    return [(t[f"p[{k}]"][i], t[f"q[{k}]"][i]) for k in range(1, n + 1)]


@figure("lin7")
def mech24_start(runs):
    _, t = runs.table("mech", MECH24, arc=0.01, replace=ALL)
    return ([Panel([path(chain_at(t, 0))], equal=True, more=["set ytics 0.5"])],
            f"mech24 at the start: the zigzag that satisfies all constraints, E = {t['E'][0]:.1f}; the paper "
            "prints E = 3008.6 and no start.", ALIKE, {"size": (720, 200)})


@figure("lin8")
def mech24_energy(runs):
    curves, worst = [], []
    for i, model in enumerate(("mech_energy", "mech")):
        _, t = runs.table(model, MECH24, arc=1, replace=ALL if model == "mech" else ())
        e = [(x, abs(e - t["E"][0]) / t["E"][0]) for x, e in zip(t["x"], t["E"])]
        worst.append(max(d for _, d in e))
        curves.append(lines([(x, max(d, 1e-16)) for x, d in e[1:]], "with energy" if i == 0 else "without", i))
    panel = Panel(curves, "x", "|E - E(0)|/E(0)", log="y", key="center right", fine=0, more=[
                                                                                             "set format y "
                                                                                             "'%.0e'",
                                                                                             "set ytics 1e3"])
    return ([panel], f"The energy balance of mech24: up to {worst[0]:.0e} with the energy equation, "
            f"{worst[1]:.0e} without (relative).",
            SAME + ": the paper has 1e-5 with its equation, with a projection that stops at 1e-6; ours goes "
            "to round-off", {"size": (560, 340)})


@figure("lin9")
def mech24_steps(runs):
    _, t = runs.table("mech_energy", MECH24, arc=1)
    h = [(a, b - a) for a, b in zip(t["arc"], t["arc"][1:-1])]
    return ([Panel([path(h)], "arc length", "h")], f"mech24: the {len(h)} step sizes of dopri54 with energy "
            "(49 in the paper), as arc length.", ALIKE,
            {"size": (560, 320)})


def late(runs, model, end):
    """The positions of a long run, and those of an accurate one at the same x."""
    _, t = runs.table(model, MECH24, arc=end, replace=ALL if model == "mech" else ())
    accurate = ["--set", "n=24", "--method", "dop853", "--tol", "1e-12", "--points", "2"]
    _, exact = runs.table("mech", accurate, to=end, replace=ALL)
    apart = max(math.dist(p, q) for p, q in zip(chain_at(t, -1), chain_at(exact, -1)))
    return ([Panel([path(chain_at(exact, -1), colour=GREY, width=2.5), path(chain_at(t, -1))], equal=True)], apart)


@figure("lin10")
def mech24_free(runs):
    panels, apart = late(runs, "mech", 4.984)
    return (panels, "mech24 at x = 4.984 without its energy, in grey a run with tolerance 1e-12; largest distance "
            f"{apart:.2g}.", "for our start; that of the paper is not known, so the shapes cannot be compared",
            {"size": (520, 360)})


@figure("lin11")
def mech24_kept(runs):
    panels, apart = late(runs, "mech_energy", 4.983)
    return (panels, f"The same at x = 4.983 with its energy; largest distance {apart:.2g}: the motion is chaotic, and "
            "keeping the energy does not help.", "as Figure 10", {"size": (520, 360)})
