"""Writes docs/papers.md, docs/papers_tables.md and docs/pictures/papers: the words stand here, the numbers come from tables.py and figures.py."""
import os

import figures
import printed
import tables

HEAD = """# The papers, computed again

<!-- made by `./do papers` (tools/papers): do not edit -->

Ritt is based on five papers. This page repeats all their examples and figures with Ritt and compares them with what was printed;
[papers_tables.md](papers_tables.md) has the tables.

- **IMA**: J. Tuomela and T. Arponen, *On the numerical solution of involutive ordinary differential systems*, IMA J. Numer. Anal. 20 (2000).
- **BIT**: J. Tuomela and T. Arponen, *On the numerical solution of involutive ordinary differential systems: higher order methods*, BIT 41
  (2001).
- **LIN**: J. Tuomela, T. Arponen and V. Normi, *On the numerical solution of involutive ordinary differential systems: enhanced linear
  algebra*.
- Ch. Lubich, *Integration of stiff mechanical systems by Runge-Kutta methods*, Research Report 92-04, ETH Zürich (1992; ZAMP 44, 1993). It has
  neither tables nor figures.
- The research report behind the theory of BIT (Helsinki University of Technology, 1998; [12] there), on Taylor and Runge-Kutta methods. It has no
  examples.

The models are in `models/papers`. If a printed equation or start value is wrong, the model says so in a comment. `./do papers` runs all of
them, writes both pages and draws the pictures, with the same bytes each time.
"""

TABLES_HEAD = """# The tables of the papers

<!-- made by `./do papers` (tools/papers): do not edit -->

The tables of BIT and LIN ([papers.md](papers.md)), as printed and as computed by Ritt. Accepted and rejected steps, Newton iterations and
values are compared. CPU seconds are those of the papers; ours are a hundred to a thousand times shorter and differ from run to run
(`./do bench` measures their ratios, [projection.md](projection.md) shows them).
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

**Steps.** The papers follow V with |V| = 1 in the space of all coordinates, including x, so a step h is a length of the curve. In Ritt this is a
run over arc length with `metric euclidean`, `project stages` and `projection newton`. An event at the end of x stops it; the step that goes
beyond is not counted:

<!-- not run: a form of commands -->

    ritt run model.ritt --constant-step 0.2 --project stages --projection newton --metric euclidean --linear dense
    ritt run model.ritt --control papers --tol 1e-6 --facmax 5 --first-step 0.2 --project stages ...

where `solve x = 0 .. 3600` of the model is replaced by `event last: x = 3600 -> stop` and `solve arc = 0 .. 1000000`.

**The control of LIN** is that of Hairer, Nørsett and Wanner, `control papers`, with both ends of the pair projected. The paper says only
"essentially the same strategy". Of many variants we took the one that fits its counts best, so the agreement of adaptive rows is partly a
fit. (Constant steps leave nothing to choose.) The counts do not tell whether the paper continues with the point of order 5 or of order 4; both
are shown.

**Newton iterations.** In the rows "projected as there" projections stop at 1e-6 as in the paper, while Ritt goes to rounding; `bench/papers_tables.c`
makes them. The average depends on which projections are skipped because the point is already good enough, for which the paper gives no rule.
Therefore most averages differ from those printed, while the largest numbers agree.

**Verdicts** on steps are *exact*, *within 5 %* and *not reproduced*.
"""

WHY = {
    1: "Euler, adaptive, is not reproduced: the paper rejects 491 steps, Ritt 8. No step size control that was tried rejects as many.",
    3: "Euler, adaptive, is not reproduced, as in Table 1.",
    5: "With the initial step the paper has 101558 steps of Euler, Ritt has 103103 with the paper's projection: the errors of a step, 1e-10, are smaller\n"
       "than what a projection leaves.",
    6: "The iterations of inexact Newton depend on how conjugate gradients are stopped. Why the paper has up to 30 of them is not known.",
    11: "The start that the paper prints for this form, with 0.3333 for 1/3, is projected first. With an exact 1/3 there are 362745 steps of Euler.",
    13: "Without energy Ritt takes 22 steps, the paper 23.",
    14: "The start is not printed; we use that of the zigzag.",
    15: "The start is not printed; we use that of the zigzag.",
}

BIT_WORDS = """
The Maple program behind these tables and its control are not described. *A* is the control of LIN; *B* compares the length of the error with
the tolerance alone. Neither gives all entries (the exact one is an accident). An independent search through 3500 variants found none that
does.

V must be normalised: otherwise the stiff pendulum takes far fewer steps. A pair of steps of rk4, two halves against a whole one, counts as two.
The counts of the stiff pendulum with ε = 0.01 change by up to 4 % if the tolerance changes in its seventh digit.

With A the dopri54 rows of Tables 6.2 and 6.3 are within 7 % for the tolerance 1e-4. With B all other rows of Table 6.3 are within 8 %. Table 6.1 is
not reproduced.
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
    return f"not reproduced as a whole; of {len(pairs[False])} entries within 5 %: {within[False]} with control A, {within[True]} with B"


def figure_verdicts(verdicts):
    """Rows of a table: each verdict with the figures that have it, sorted by their number."""
    found = {}
    for name, verdict in verdicts:
        found.setdefault(verdict, {}).setdefault(name[:3].upper(), []).append(name[3:])
    rows = [["; ".join(f"{paper} {', '.join(numbers)}" for paper, numbers in papers.items()), verdict] for verdict, papers in found.items()]
    return sorted(rows, key=lambda row: -row[0].count(","))


def put(docs, name, parts):
    with open(os.path.join(docs, name), "w", encoding="utf-8") as file:
        file.write("\n".join(parts).rstrip("\n") + "\n")


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
    pictures, verdicts = [], []
    for start, title, _ in PAPERS:
        pictures.append(f"### {title}\n")
        for name, (file, caption, verdict) in said.items():
            if name.startswith(start):
                label = f"Figure {name[3:]}"
                pictures.append(f"**{label}** {caption}\n\n![{label}](pictures/papers/{file})\n\n{verdict[0].upper() + verdict[1:]}.\n")
                verdicts.append((name, verdict.split(":")[0].split(";")[0]))
    put(docs, "papers.md", [
        HEAD, "## In short\n", tables.markdown(["table", "", "verdict"], summary),
        tables.markdown(["figures", "verdict"], figure_verdicts(verdicts)),
        "## The examples\n", examples(), "## Figures\n",
        "The papers' pictures are not available in a form that could be measured. The verdicts compare with what their texts and captions say.\n",
        "\n".join(pictures)])
    put(docs, "papers_tables.md", [TABLES_HEAD, RULES, "## BIT: higher order methods\n", bit_text,
                                   "\n## LIN: enhanced linear algebra\n", "\n".join(made)])
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
