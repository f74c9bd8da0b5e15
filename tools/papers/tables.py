"""The tables of the papers, theirs and ours side by side, as Markdown."""
import subprocess

import printed

# dense: the systems are small, and rounding errors the same on every path
ORTHOGONAL = ["--project", "stages", "--projection", "newton", "--metric", "euclidean", "--linear", "dense"]


def count_text(steps, rejected):
    return f"{steps}({rejected})"


def steps_of(text):
    return int(text.split("(")[0])


def verdict(paper, ours):
    """How far our number of steps is from theirs, in words."""
    if paper == ours:
        return "exact"
    percent = 100 * (ours - paper) / paper
    return f"{percent:+.1f} %" if abs(percent) >= 0.1 else f"{percent:+.2g} %"


def grade(pairs):
    """exact, or the largest difference, of pairs (paper, ours)."""
    worst = max(abs(ours - paper) / paper for paper, ours in pairs)
    if worst == 0:
        return "exact"
    return "within 5 %" if worst <= 0.05 else "not reproduced"


def markdown(head, rows):
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows]) + "\n"


# ---- LIN, Tables 1 to 15 ----

def lin_run(runs, model, method, settings, constant, more=()):
    """Accepted and rejected steps whose ends have x <= end: the last one goes beyond, and is not counted."""
    h, end, tolerance, facmax = settings
    control = (["--constant-step", h] if constant else
               ["--control", "papers", "--tol", tolerance, "--absolute", tolerance, "--facmax", facmax, "--first-step", h])
    summary, _ = runs.call(model, ["--method", method, *control, *ORTHOGONAL, *more, "-o", "/dev/null", "--format", "csv"],
                           arc=end)
    return summary["accepted"] - 1, summary["rejected"]


def lin_steps(runs, number, wanted=(0, 1, 2, 3)):
    """Our counts for the columns of a table, and for the last one going on with order 4; None where a column is not wanted."""
    if number in printed.CHAINS:
        _, models, particles, h, end, _, _ = printed.CHAINS[number]
        found = {}
        for model in models:
            more = [] if particles == 6 else ["--set", f"n={particles}"]
            found[model] = lin_run(runs, model, "dopri54", (h, end, "1e-6", "3"), False, more)
        return [found[model] for model in models for _ in range(2)], None
    _, model, settings, _, _ = printed.LIN[number]
    kinds = [(method, constant) for method in ("euler", "dopri54") for constant in (True, False)]
    first = [lin_run(runs, model, method, settings, constant) if column in wanted else None
             for column, (method, constant) in enumerate(kinds)]
    return first, [None, None, None, lin_run(runs, model, "dopri54:4", settings, False)]



def lin_begin(program, numbers):
    """Starts the runs with the projection of the paper, which take as long as all others together."""
    return subprocess.Popen([program, *map(str, numbers)], stdout=subprocess.PIPE, text=True)


def lin_newton(process):
    """{(table, init, column): (steps text, iterations text, milliseconds)} of what was started."""
    out, _ = process.communicate()
    if process.returncode != 0:
        raise SystemExit(f"papers: {process.args[0]}: {out[-500:]}")
    found = {}
    for line in out.splitlines():
        table, init, column, steps, rejected, average, most, ms = line.split()
        found[int(table), int(init), int(column)] = (count_text(steps, rejected), f"{average}({most})", float(ms))
    return found


def same_method(number):
    """Tables that differ in the linear algebra only have the same steps."""
    return {2: 1, 4: 3, 6: 5, 8: 7, 10: 9}.get(number, number)


def lin_table(number, steps, newton):
    """One table as Markdown, and pairs (paper, ours) of steps."""
    chain = number in printed.CHAINS
    entry = printed.CHAINS[number] if chain else printed.LIN[number]
    columns = printed.CHAIN_COLUMNS if chain else printed.COLUMNS
    ours, fourth = steps
    adaptive = [chain or column % 2 == 1 for column in range(4)]
    rows, pairs = [], []

    def show(counts):
        return [("" if c is None else count_text(*c) if adaptive[i] else str(c[0])) for i, c in enumerate(counts)]

    rows.append(["**steps (rejected)**", "", "", "", ""])
    paper = [entry[-2][0].split(), entry[-1][0].split()]
    if paper[0] == paper[1]:
        rows.append(["paper", *paper[0]])
    else:
        rows.append(["paper, no INIT", *paper[0]])
        rows.append(["paper, w/INIT", *paper[1]])
    rows.append(["Ritt", *show(ours)])
    if fourth:
        rows.append(["Ritt, going on with order 4", *show(fourth)])
    for init, name in enumerate(("no INIT", "w/INIT")):
        counts = [newton[number, init, column][0] for column in range(4)]
        rows.append([f"Ritt, projected as there, {name}",
                     *(c if adaptive[i] else str(steps_of(c)) for i, c in enumerate(counts))])
    rows.append(["**Newton iterations, average (most)**", "", "", "", ""])
    for init, name in enumerate(("no INIT", "w/INIT")):
        rows.append([f"paper, {name}", *entry[-2 + init][1].split()])
        rows.append([f"Ritt, {name}", *(newton[number, init, column][1] for column in range(4))])
    rows.append(["**CPU seconds in all, about 2005**", "", "", "", ""])
    for init, name in enumerate(("no INIT", "w/INIT")):
        rows.append([f"paper, {name}", *entry[-2 + init][2].split()])
    for column in range(4):
        pairs.append((steps_of(paper[0][column]), ours[column][0]))
    text = markdown([f"Table {number}: {entry[0]}", *columns], rows)
    text += "\nSteps: " + "; ".join(f"{name} {verdict(*pair)}" for name, pair in zip(columns, pairs)) + ".\n"
    return text, pairs


# ---- BIT, Tables 6.1 to 6.3 ----

# Two controls: that of LIN, and the plain one, where the length of the difference is compared with the tolerance. The error of a
# step is a root mean square over the m coordinates, so that the length follows by dividing the tolerance by sqrt(m). rk4 is
# controlled by doubling; the papers compare the difference of both ends itself, Ritt a fifteenth of it (2^4 - 1).
BIT_MODELS = {"6.1": ("henon_heiles", [], 5), "6.2": ("stiff_pendulum_reduced", ["--set", "eps=0.01"], 6),
              "6.3": ("stiff_pendulum_reduced", [], 6)}


def as_length(tolerance, coordinates):
    """Tolerances with which the length of the error is compared with a number; what is relative must not vanish, since the quotient
    of both is taken for the size of the coordinates."""
    absolute = tolerance / coordinates ** 0.5
    return ["--tol", repr(max(1e-15, 1e-6 * absolute)), "--absolute", repr(absolute)]


def bit_options(method, tolerance, plain, coordinates):
    if method == "rk4":
        tolerance /= 15
    tolerances = as_length(tolerance, coordinates) if plain else ["--tol", repr(tolerance), "--absolute", repr(tolerance)]
    return ["--method", method, "--control", "papers", "--first-step", "0.01", *tolerances, *ORTHOGONAL]


def bit_counts(runs, name, method, tolerance, plain):
    """Steps up to each x of the table; a pair of steps of rk4 (two halves and a whole one to compare with) counts twice."""
    model, more, coordinates = BIT_MODELS[name]
    ends = printed.BIT[name][1]
    _, table = runs.table(model, bit_options(method, tolerance, plain, coordinates) + more, arc=ends[-1])
    times = 2 if method == "rk4" else 1
    # the first row is the start, the last one where the run was cut at its end
    return [times * (sum(1 for x in table["x"][1:-1] if x <= end)) for end in ends]


def bit_table(runs, name):
    title, ends, entries = printed.BIT[name]
    rows, pairs = [], {False: [], True: []}
    for method, tolerance, counts in entries:
        ours = {plain: bit_counts(runs, name, method, tolerance, plain) for plain in (False, True)}
        row = [f"{method}, {tolerance:g}"]
        for i, count in enumerate(counts):
            row.append(str(count))
            for plain in (False, True):
                row.append(f"{ours[plain][i]} ({verdict(count, ours[plain][i])})")
                pairs[plain].append((count, ours[plain][i]))
        rows.append(row)
    head = [f"Table {name}: {title}"]
    for end in ends:
        head += [f"x = {end:g}: paper", "control A", "control B"]
    return markdown(head, rows), pairs
