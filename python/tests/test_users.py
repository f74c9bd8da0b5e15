"""models/users through the package: the answers of independent programs, as test/cli/t_users.sh checks them for the program."""

import csv
import pathlib

import numpy as np
import pytest

import ritt

USERS = pathlib.Path(__file__).resolve().parents[2] / "models" / "users"


def names():
    if not USERS.is_dir():
        return []
    known = {line.split(":")[0] for line in (USERS / "KNOWN_FAILURES").read_text().splitlines() if not line.startswith("#")}
    found = (str(path.relative_to(USERS).with_suffix("")) for path in sorted(USERS.glob("*/*.ritt")))
    return [name for name in found if name not in known]


@pytest.mark.parametrize("name", names())
def test_model(name):
    field, model = name.split("/")
    with open(USERS / field / "answers.csv", newline="") as file:
        answers = [row for row in csv.DictReader(file) if row["model"] == model]
    assert answers
    times = np.unique([float(a["t"]) for a in answers if a["t"] != "end"])
    read = ritt.Model.from_file(USERS / f"{name}.ritt")
    rows = read.solve(t_eval=times) if times.size else None
    end = read.solve(points=2) if any(a["t"] == "end" for a in answers) else None
    for a in answers:
        run = end if a["t"] == "end" else rows
        assert run.success, run.message
        got = run[a["column"]][-1 if a["t"] == "end" else int(np.argmin(np.abs(run.t - float(a["t"]))))]
        value = float(a["value"])
        assert abs(got - value) <= 10.0 ** -int(a["digits"]) * (abs(value) or 1), (a, got)
