"""Fits: exact data give exact parameters; noisy data give intervals that hold the truth as often as they say."""

import math

import numpy as np
import pytest

import ritt

PENDULUM = """
model pendulum
parameter g = 9, L = 1.7, c = 0.1
variable x, y, lambda
equation
  x'' + lambda*x + c*x' = 0
  y'' + lambda*y + c*y' + g = 0
  x^2 + y^2 = L^2
start t = 0
  x = 1, y ~ -2, x' = 0
solve t = 0 .. 4
output x, y
"""
TRUTH = {"g": 9.81, "L": 2, "c": 0.3}
TIMES = np.linspace(0.1, 4, 40)


def data_of(model, set=None, start=None, noise=0.0, seed=0):
    run = model.solve(4, set=set, start=start, tol=1e-11, t_eval=TIMES)
    random = np.random.default_rng(seed)
    return {"t": TIMES, "x": run["x"] + noise * random.standard_normal(len(TIMES))}


def test_exact_data_give_the_parameters():
    model = ritt.Model.from_text(PENDULUM)
    found = ritt.fit(model, data_of(model, TRUTH), "g, L, c", tol=1e-11)
    for name, value in TRUTH.items():
        assert abs(found.values[name] - value) < 1e-7
    assert found.run["x"].shape == TIMES.shape and found.cost < 1e-14


def test_unknown_start_values_gaps_and_bounds():
    model = ritt.Model.from_text(PENDULUM)
    data = data_of(model, TRUTH, {"x": 0.8, "x'": -0.4})
    data["x"][5:11] = math.nan
    found = ritt.fit(model, data, {"x": 1, "x'": 0, "c": 0.1}, set={"g": 9.81, "L": 2}, tol=1e-11)
    assert abs(found.values["x"] - 0.8) < 1e-7 and abs(found.values["x'"] + 0.4) < 1e-6 and abs(found.values["c"] - 0.3) < 1e-6
    assert np.isnan(found.residuals[5:11]).all() and np.isfinite(found.residuals[11:]).all()

    bounded = ritt.fit(model, data_of(model, TRUTH), "c", bounds={"c": (0, 0.2)}, set={"g": 9.81, "L": 2})
    assert bounded.values["c"] == 0.2 and bounded.bounded == ["c"] and bounded.deviations["c"] == 0


def test_outliers_count_less():
    model = ritt.Model.from_text(PENDULUM)
    data = data_of(model, TRUTH)
    data["x"][[3, 17]] += 5
    plain = ritt.fit(model, data, "c", set={"g": 9.81, "L": 2})
    robust = ritt.fit(model, data, "c", set={"g": 9.81, "L": 2}, loss="cauchy", scale=0.01)
    assert abs(robust.values["c"] - 0.3) < 1e-4 < abs(plain.values["c"] - 0.3)


def test_several_starts_find_the_frequency():
    # the cost has many minima in w
    text = "model o\nparameter w = 1\nvariable x\nequation x'' = -w^2*x\nstart t = 0\n  x = 1, x' = 0\nsolve t = 0 .. 10\noutput x\n"
    model = ritt.Model.from_text(text)
    t = np.linspace(0, 10, 50)
    data = {"t": t, "x": np.cos(4 * t)}
    assert abs(ritt.fit(model, data, "w").values["w"] - 4) > 0.1
    assert abs(ritt.fit(model, data, "w", bounds={"w": (0.5, 6)}, starts=12).values["w"] - 4) < 1e-6


def test_intervals_hold_the_truth():
    # 95 %: between 90 and 99 of 100 draws
    model = ritt.Model.from_text(PENDULUM)
    inside = {"g": 0, "c": 0}
    for seed in range(100):
        found = ritt.fit(model, data_of(model, TRUTH, noise=0.02, seed=seed), {"g": 9.5, "c": 0.2}, set={"L": 2}, tol=1e-7)
        for name in inside:
            low, high = found.intervals[name]
            inside[name] += low <= TRUTH[name] <= high
    assert all(90 <= count <= 99 for count in inside.values()), inside


def test_wrong_calls():
    model = ritt.Model.from_text(PENDULUM)
    data = data_of(model)
    for wrong in (dict(vary="q"), dict(vary=""), dict(vary="g", loss="square"), dict(vary="g", starts=3),
                  dict(vary="g", bounds={"g": (2, 1)})):
        with pytest.raises(ritt.Error):
            ritt.fit(model, data, **wrong)
    with pytest.raises(ritt.Error, match="no column 'z'"):
        ritt.fit(model, {"t": [1], "z": [1]}, "g")
    with pytest.raises(ritt.Error, match="no column 't'"):
        ritt.fit(model, {"x": [1]}, "g")
