"""Writes docs/papers.md and docs/pictures/papers: the words stand here, the numbers come from tables.py and figures.py."""
import os

import figures
import printed
import tables

HEAD = """# The papers, computed again

<!-- made by `./do papers` (tools/papers): do not edit -->

Ritt stands on five papers. Every table and figure in them is made here again by Ritt, beside what was printed:

- **IMA**: J. Tuomela and T. Arponen, *On the numerical solution of involutive ordinary differential systems*, IMA J. Numer. Anal. 20 (2000)
- **BIT**: J. Tuomela and T. Arponen, *On the numerical solution of involutive ordinary differential systems: higher order methods*, BIT 41 (2001)
- **LIN**: J. Tuomela, T. Arponen and V. Normi, *On the numerical solution of involutive ordinary differential systems: enhanced linear algebra*
- Ch. Lubich, *Integration of stiff mechanical systems by Runge-Kutta methods*, Research Report 92-04, ETH Zürich (1992; ZAMP 44, 1993), which has neither
- the research report behind the theory of BIT (Helsinki University of Technology, 1998; [12] there), on Taylor and Runge-Kutta methods, which has no examples

The models are in `models/papers`; where a printed equation or start is wrong the model says so in a comment. `./do papers` runs them all, writes this page
and draws its pictures, the same bytes each time. Only accepted and rejected steps, Newton iterations and values are compared: the CPU seconds of the
papers are shown, ours are a hundred to a thousand times shorter and differ from run to run (`./do bench` measures their ratios, [projection.md](projection.md) has them).
"""

# every example of the papers: where it stands, and its models in models/papers (or the folder named)
EXAMPLES = (
    ("simple linear equation", "BIT 6.1", "simple"),
    ("sphere", "IMA (2.2)", "sphere sphere_family sphere_focus"),
    ("asymptotic curves, and on their surface", "IMA (2.3), (2.4)",
     "asymptotic_curves asymptotic_lift asymptotic_family asymptotic_saddle"),
    ("parabolas", "IMA (2.5)", "parabolas parabola_family"),
    ("pendulum as it is posed", "IMA (4.1)", "classics/pendulum/pendulum"),
    ("pendulum, involutive form", "IMA (4.2)", "pendulum_involutive"),
    ("pendulum, holonomic form", "IMA (4.4), (4.6)", "pendulum_level"),
    ("pendulum with energy", "IMA (7.1)", "pendulum_energy"),
    ("stiff pendulum as it is posed", "BIT (6.3)", "stiff_pendulum stiff_pendulum_ima"),
    ("stiff pendulum, involutive form", "BIT (6.3)", "stiff_pendulum_involutive"),
    ("stiff pendulum, reduced form", "BIT (6.4), IMA (7.2)", "stiff_pendulum_reduced"),
    ("stiff pendulum, smooth motion", "Lubich (1.1)", "stiff/spring_pendulum"),
    ("discharge pressure control, index 2 and involutive", "IMA (7.3)",
     "discharge_pressure discharge_pressure_involutive"),
    ("Kepler's problem", "IMA (7.5)", "kepler"),
    ("Hénon-Heiles", "BIT (6.1), (6.2), IMA (7.6)", "henon_heiles henon_heiles_section"),
    ("six particles, with and without energy", "IMA (7.7), (7.8), LIN mech6", "mech6 mech6_energy"),
    ("n particles, with and without energy", "LIN 6.2.5, mech24, mech50", "mech mech_energy"),
    ("four bars, with what they keep, and with (6.7) as printed", "BIT (6.6), (6.7)",
     "fourbar fourbar_energy fourbar_false_energy"),
    ("'singular' four bars, on g_1 and on g_2", "BIT 6.4", "fourbar_parallel fourbar_folding"),
    ("rigid body, with its invariant and in general form", "LIN (6.3)", "rigid_body rigid_body_general"),
    ("plug flow, original and with other variables", "LIN (6.4), (6.5)", "plug_flow_choked plug_flow"),
    ("particle in a magnetic field, with invariants and in general form", "LIN (6.11)",
     "magnetic_particle magnetic_particle_general"),
    ("3D magnetohydrodynamics, with its invariant, in general form, and with the invariant 0", "LIN (6.12)",
     "mhd mhd_general mhd_level0"),
)

RULES = """## What is compared

**Steps.** The papers follow V with |V| = 1 in the space of all coordinates, x among them: a step h is a length of the curve. A run over arc length with
`metric euclidean`, `project stages` and `projection newton` does that, and an event at the end of x stops it; the step that goes beyond is not counted:

<!-- not run: a form of commands -->

    ritt run model.ritt --constant-step 0.2 --project stages --projection newton --metric euclidean --linear dense
    ritt run model.ritt --control papers --tol 1e-6 --facmax 5 --first-step 0.2 --project stages ...

where `solve x = 0 .. 3600` of the model is replaced by `event last: x = 3600 -> stop` and `solve arc = 0 .. 1000000`.

**The control of LIN** is that of Hairer, Nørsett and Wanner, `control papers`, with both ends of the pair projected. The paper says "essentially the same strategy"
and no more; the variant was found as the one of many that fits its counts best, so that agreement of adaptive rows is in part a fit. (The constant steps are not:
nothing can be chosen there.) Whether the paper goes on with the point of order 5 or of order 4 its counts do not tell; both are shown.

**Newton iterations.** Rows "projected as there" stop a projection at 1e-6 as the paper does, where Ritt goes to round-off; they are made by `bench/papers_tables.c`.
An average hangs on which projections are skipped because the point is good enough already, for which the paper has no rule; most averages are therefore
not those printed, while the largest numbers are.

**Said of steps:** *exact*, *within 5 %*, or *not reproduced*.
"""

WHY = {
    1: "Euler, adaptive, is not reproduced: the paper rejects 491 steps, ours 8, and no step size control that was tried rejects as many.",
    3: "Euler, adaptive, is not reproduced, as in Table 1.",
    5: "With the initial step the paper has 101558 steps of Euler, we 103103 with its projection: the errors of a step, 1e-10, are smaller than what a projection leaves.",
    6: "The iterations of inexact Newton hang on how conjugate gradients are stopped; why the paper has up to 30 of them is not known.",
    11: "The start that the paper prints for this form, with 0.3333 for 1/3, is projected first; with an exact 1/3 there are 362745 steps of Euler.",
    13: "Without energy we take 22 steps where 23 are printed.",
    14: "The start is not printed; that of the zigzag is taken.",
    15: "The start is not printed; that of the zigzag is taken.",
}

BIT_WORDS = """
The Maple program behind these tables and its control are not described. *A* is the control of LIN; *B* compares the length of the error with the tolerance alone. Neither
gives all entries (the one that is exact is an accident), and an independent search through 3500 variants has found none that does. V must be normalised: without that the stiff pendulum takes far fewer steps.
A pair of steps of rk4, two halves against a whole one, counts as two. Those of the stiff pendulum with ε = 0.01 change by up to 4 % when the tolerance is changed in its seventh digit. The dopri54 rows of Table 6.2 and 6.3 are within 7 % with A for the tolerance 1e-4, all
rows of Table 6.3 but that one within 8 % with B; Table 6.1 is not reproduced.
"""

PAPERS = (("bit", "BIT: higher order methods", "Figure "), ("ima", "IMA: the paper on jets", "Figure "),
          ("lin", "LIN: enhanced linear algebra", "Figure "))


def examples():
    """The examples with links to their models."""
    def link(name):
        return f"[{name.split('/')[-1]}](../models/{name if '/' in name else 'papers/' + name}.ritt)"
    return tables.markdown(["example", "in", "models"],
                           [[what, where, ", ".join(map(link, names.split()))] for what, where, names in EXAMPLES])


def lin_verdict(number, pairs, columns):
    """In words: which columns are exact, within 5 %, not reproduced."""
    said = {"exact": [], "within 5 %": [], "not reproduced": []}
    for name, pair in zip(columns, pairs):
        said[tables.grade([pair])].append(name)
    if len(said["exact"]) == len(pairs):
        return "exact"
    return "; ".join(f"{word}: {', '.join(names)}" for word, names in said.items() if names)


def bit_verdict(pairs):
    within = {plain: sum(abs(ours - paper) <= 0.05 * paper for paper, ours in found) for plain, found in pairs.items()}
    return f"not reproduced as a whole; within 5 %: {within[False]} entries of {len(pairs[False])} with control A, {within[True]} with B"


def write(runs, counts, docs, check):
    """Returns what is not as the page says."""
    numbers = sorted([*printed.LIN, *printed.CHAINS])
    process = tables.lin_begin(counts, numbers)
    steps, made, wrong, summary = {}, [], [], []
    for name in printed.BIT:
        text, pairs = tables.bit_table(runs, name)
        made.append(text)
        summary.append([f"BIT, Table {name}", printed.BIT[name][0], bit_verdict(pairs)])
    bit_text, made = "\n".join(made) + BIT_WORDS, []
    said = figures.draw(runs, os.path.join(docs, "pictures", "papers"))
    for number in {tables.same_method(n): None for n in numbers}:
        steps[number] = tables.lin_steps(runs, number)
    newton = tables.lin_newton(process)
    for number in numbers:
        same = tables.same_method(number)
        text, pairs = tables.lin_table(number, steps[same], newton)
        made.append(text + ("\n" + WHY[number] + "\n" if number in WHY else ""))
        chain = number in printed.CHAINS
        title = (printed.CHAINS if chain else printed.LIN)[number][0]
        summary.append([f"LIN, Table {number}", title,
                        lin_verdict(number, pairs, printed.CHAIN_COLUMNS if chain else printed.COLUMNS)])
        wrong += check(number, pairs)
    pictures = []
    for start, title, _ in PAPERS:
        pictures.append(f"### {title}\n")
        for name, (file, caption, verdict) in said.items():
            if name.startswith(start):
                label = f"Figure {name[3:]}"
                pictures.append(f"**{label}** {caption}\n\n![{label}](pictures/papers/{file})\n\n{verdict[0].upper() + verdict[1:]}.\n")
                summary.append([f"{start.upper()}, {label}", "", verdict.split(":")[0].split(";")[0]])
    page = [HEAD, "## In short\n", tables.markdown(["", "", "verdict"], summary),
            "## The examples\n", examples(), RULES, "## Tables\n", "### BIT: higher order methods\n", bit_text,
            "\n### LIN: enhanced linear algebra\n", "\n".join(made), "## Figures\n",
            "The papers' pictures are not at hand in a form that could be measured: the verdicts compare with what their texts and captions say.\n",
            "\n".join(pictures)]
    with open(os.path.join(docs, "papers.md"), "w", encoding="utf-8") as file:
        file.write("\n".join(page).rstrip("\n") + "\n")
    print_times(newton)
    return wrong


def print_times(newton):
    """CPU times differ from run to run: they are shown, not kept."""
    print("CPU time of Ritt, ms (the paper's, s), projected as there, no INIT and w/INIT:")
    for number in sorted({key[0] for key in newton}):
        entry = (printed.CHAINS if number in printed.CHAINS else printed.LIN)[number]
        for init in (0, 1):
            paper = entry[-2 + init][2].split()
            print(f"  Table {number:2} {'w/INIT ' if init else 'no INIT'} "
                  + "  ".join(f"{newton[number, init, column][2]:9.2f} ({paper[column]})" for column in range(4)))
