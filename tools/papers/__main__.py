"""Makes the tables and figures of the papers again: docs/papers.md, docs/papers_tables.md and docs/pictures/papers.

    python3 tools/papers RITT                      print step counts of the quick tables, and check what the page says of them
    python3 tools/papers RITT --page COUNTS DOCS   write both pages; COUNTS is the program of bench/papers_tables.c
    python3 tools/papers RITT --figures DIR [N..]  draw the figures alone, or those named, such as bit6.1

Python's standard library, Ritt and gnuplot are all it needs. The page does not depend on when or how fast it was made."""
import os
import sys

import figures
import figures_bit  # noqa: F401, for the figures that they hold
import figures_ima  # noqa: F401
import figures_lin  # noqa: F401
import page
import printed
import ritt
import tables

HERE = os.path.dirname(os.path.abspath(__file__))
MODELS = os.path.join(HERE, "..", "..", "models", "papers")
# tables and columns that take some seconds together
QUICK = {1: (0, 1, 2, 3), 7: (0, 1, 2, 3), 9: (0, 1, 2, 3), 11: (3,), 12: (3,), 13: (0, 1, 2, 3)}


def check(number, pairs):
    """The words of the page hold: names of what does not."""
    wrong = []
    for column, (paper, ours) in enumerate(pairs):
        if ours is None:
            continue
        if (number, column) in printed.EXACT:
            holds = paper == ours
        else:
            holds = (abs(ours - paper) <= 0.05 * paper) != ((number, column) in printed.MISSED)
        if not holds:
            wrong.append(f"Table {number}, column {column + 1}: {paper} printed, {ours} made")
    return wrong

NEAR = {"6.1": (0,), "6.2": (-2, -1, 0, 1, 2), "6.3": (-1, 0, 1)}


def quick(runs):
    wrong = []
    for number, columns in QUICK.items():
        entry = printed.CHAINS[number] if number in printed.CHAINS else printed.LIN[number]
        steps, _ = tables.lin_steps(runs, number, columns)
        pairs = [(tables.steps_of(text), ours and ours[0]) for text, ours in zip(entry[-2][0].split(), steps)]
        print(f"Table {number}: " + ", ".join(f"{paper} {ours} {tables.verdict(paper, ours)}" for paper, ours in pairs if ours))
        wrong += check(number, pairs)
    for name, counts in printed.INDEPENDENT.items():
        for (method, tolerance, _), known in zip(printed.BIT[name][2], counts):
            # counts of the stiff pendulum change by some per cent with the seventh digit of the tolerance: the median of some
            several = [tables.bit_counts(runs, name, method, tolerance * (1 + 1e-7 * i), False)[-1] for i in NEAR[name]]
            ours = sorted(several)[len(several) // 2]
            print(f"Table {name}: {method} {tolerance:g}: {known} {ours} {tables.verdict(known, ours)}")
            if abs(ours - known) > 0.02 * known:
                wrong.append(f"Table {name}, {method} {tolerance:g}: {known} by an independent program, {ours} made")
    return wrong


def main(arguments):
    if not arguments:
        sys.exit(__doc__)
    runs = ritt.Runs(arguments[0], MODELS)
    if len(arguments) == 1:
        wrong = quick(runs)
    elif arguments[1] == "--page" and len(arguments) == 4:
        wrong = page.write(runs, arguments[2], arguments[3], check)
    elif arguments[1] == "--figures" and len(arguments) > 2:
        figures.draw(runs, arguments[2], arguments[3:])
        wrong = []
    else:
        sys.exit(__doc__)
    for line in wrong:
        print("not as the page says:", line)
    sys.exit(1 if wrong else 0)


main(sys.argv[1:])
