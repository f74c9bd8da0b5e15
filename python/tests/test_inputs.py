"""Inputs that the caller sets on the way."""

import math

import pytest

import ritt

LAG = """model lag
input u = 3
variable x
equation x' = u - x
start x = 0
solve t = 0 .. 4
output x, u
"""


def test_piecewise():
    step = ritt.Model.from_text(LAG).stepper(tol=1e-10)
    assert step.names == ["t", "x", "u"]
    step.run_to(1)
    x1 = 3*(1 - math.exp(-1))
    assert step["x"] == pytest.approx(x1, abs=1e-9)
    step.input("u", 1)
    assert step["u"] == 1 and step["x"] == pytest.approx(x1, abs=1e-9)
    row = step.run_to(2)
    x2 = 1 + (x1 - 1)*math.exp(-1)
    assert row[1] == pytest.approx(x2, abs=1e-9) and step.t == 2
    # x = s + s^2/2 solves x' = u - x with u = 1 + 2 s + s^2/2
    step.input("u", 1, 2, 1)
    step.run_to(3)
    assert step["x"] == pytest.approx(1.5 + x2*math.exp(-1), abs=1e-9)
    assert step.stats["accepted"] > 0


def test_guided():
    model = ritt.Model.from_text("model guided\ninput u\nvariable x, F\nequation\n  2*x'' = F\n  x = u\noutput x, F\n")
    step = model.stepper()
    with pytest.raises(ritt.Error, match=r"equation 2 \(line 6\) has to be: u' and u'' must be given"):
        step.input("u", 1)
    step.input("u", 0, 1, 3)
    assert step["F"] == pytest.approx(6)
    step.run_to(2)
    assert step["x"] == pytest.approx(8)


def test_refused():
    step = ritt.Model.from_text(LAG).stepper()
    with pytest.raises(ritt.Error, match="no input 'v'"):
        step.input("v", 1)
    with pytest.raises(ritt.Error, match="1 to 3 values, not 4"):
        step.input("u", 1, 2, 3, 4)
