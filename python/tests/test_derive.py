"""Linearisations and equilibria: closed forms of pendulums and filters."""

import math

import numpy as np
import pytest

import ritt

PENDULUM = """
model pendulum
parameter g = 9.81, L = 2, u = 0
variable x, y, lambda
equation
  x'' + lambda*x = u
  y'' + lambda*y + g = 0
  x^2 + y^2 = L^2
start t = 0
  x = 0.5, y ~ -2, x' = 0
solve t = 0 .. 1
"""
FILTER = "model f\nparameter tau = 0.1, u = 0\nvariable x\nequation tau*x' = u - x\nstart t = 0\n  x = 0\nsolve t = 0 .. 1\n"


def test_the_pendulum_has_two_eigenvalues():
    w = math.sqrt(9.81 / 2)
    found = ritt.Model.from_text(PENDULUM).steady()
    assert abs(found["x"]) < 1e-13 and abs(found["y"] + 2) < 1e-13 and abs(found["lambda"] - w * w) < 1e-12
    assert np.abs(found.eigenvalues - np.array([w * 1j, -w * 1j])).max() < 1e-13
    assert np.allclose(found.linearization.frequencies, w / (2 * math.pi), rtol=1e-13)
    other = ritt.Model.from_text(PENDULUM).steady(set={"L": 5})
    assert abs(other["lambda"] - 9.81 / 5) < 1e-12


def test_the_matrices_of_a_filter():
    near = ritt.Model.from_text(FILTER).linearize(0.3, inputs="u", tol=1e-10)
    assert near.states == ["x"] and near.inputs == ["u"] and near.outputs == ["x"] and near.x == 0.3
    assert np.allclose([near.A, near.B, near.C, near.D], [[[-10]], [[10]], [[1]], [[0]]], atol=1e-14)
    # 1/(1 + i w tau)
    assert abs(near.response(2)[0, 0, 0] - 1 / (1 + 0.4j * math.pi)) < 1e-14
    assert near.damping[0] == 1


def test_matrices_are_saved(tmp_path):
    near = ritt.Model.from_text(PENDULUM).linearize("steady", inputs=["u"])
    near.save(tmp_path / "near.npz")
    with np.load(tmp_path / "near.npz") as saved:
        assert np.array_equal(saved["A"], near.A) and list(saved["states"]) == near.states


def test_wrong_calls():
    model = ritt.Model.from_text(PENDULUM)
    with pytest.raises(ritt.Error, match="no parameter"):
        model.linearize(inputs=["w"])
    with pytest.raises(ritt.Error, match="constraint"):
        model.linearize(inputs=["L"])
    with pytest.raises(ValueError):
        model.linearize("somewhere")
    with pytest.raises(ritt.Error, match="equilibrium"):
        ritt.Model.from_text("model m\nvariable x\nequation x' = 1 + x^2\nstart t = 0\n  x = 0\nsolve t = 0 .. 1\n").steady()


def test_derivatives_are_columns():
    # x = cos(w t): dx/dw = -t sin(w t), dx/dx0 = cos(w t)
    text = "model o\nparameter w = 2\nvariable x\nequation x'' = -w^2*x\nstart t = 0\n  x = 1, x' = 0\nsolve t = 0 .. 2\noutput x\n"
    model = ritt.Model.from_text(text)
    run = model.solve(tol=1e-12, sensitivity=["w", "x"])
    assert run.names == ["t", "x", "d(x)/d(w)", "d(x)/d(x)"]
    assert np.abs(run["d(x)/d(w)"] + run.t * np.sin(2 * run.t)).max() < 1e-9
    assert np.abs(run["d(x)/d(x)"] - np.cos(2 * run.t)).max() < 1e-9
    assert model.solve(tol=1e-6).names == ["t", "x"]
    with pytest.raises(ritt.Error, match="neither a parameter nor a variable"):
        model.solve(sensitivity="q")
