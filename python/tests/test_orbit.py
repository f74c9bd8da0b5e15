"""Periodic orbits: known periods, Liouville's formula for the multipliers, and an orbit on a constraint manifold."""

import math

import numpy as np
import pytest

import ritt

VAN_DER_POL = """
model vdp
parameter mu = 1
variable x, v
equation
  x' = v
  v' = mu*(1 - x^2)*v - x
start t = 0
  x = 2, v = 0
solve t = 0 .. 7
"""
LORENZ = """
model lorenz
parameter s = 10, r = 28, b = 8/3
variable x, y, z
equation
  x' = s*(y - x)
  y' = x*(r - z) - y
  z' = x*y - b*z
start t = 0
  x = 1, y = 1, z = 1
solve t = 0 .. 1
"""
PENDULUM = """
model pendulum
parameter g = 9.81, L = 2
variable x, y, lambda
equation
  x'' + lambda*x = 0
  y'' + lambda*y + g = 0
  x^2 + y^2 = L^2
start t = 0
  x = 1, y ~ -2, x' = 0
solve t = 0 .. 1
"""


def test_van_der_pol():
    found = ritt.orbit(ritt.Model.from_text(VAN_DER_POL), {"x": 2, "v": 0}, 6.5)
    # M. Urabe, and later computations to many digits
    assert abs(found.period - 6.663286859323130) < 1e-8
    assert abs(found.multipliers[0] - 1) < 1e-7 and found.stable

    # Liouville: the product of the multipliers is exp of the integral of the divergence, mu (1 - x^2)
    integral = VAN_DER_POL.replace("variable x, v", "variable x, v, q").replace("equation", "equation\n  q' = mu*(1 - x^2)")
    run = ritt.Model.from_text(integral.replace("x = 2", "q = 0, x = 2")).solve(found.period, start=found.start, tol=1e-12)
    assert abs(np.prod(found.multipliers) / math.exp(run["q"][-1]) - 1) < 1e-6


def test_lorenz():
    # D. Viswanath (2003): the shortest orbit, AB, has the period 1.5586522107161747
    found = ritt.orbit(ritt.Model.from_text(LORENZ), {"x": -13.7, "y": -19.5, "z": 27}, 1.56, segments=6)
    assert abs(found.period - 1.5586522107161747) < 1e-9
    assert abs(found.multipliers[0]) > 4 and not found.stable
    assert abs(found.multipliers[1] - 1) < 1e-6
    # the divergence is constant: -(s + b + 1)
    assert abs(np.prod(found.multipliers).real / math.exp(-41 / 3 * found.period) - 1) < 1e-4


def test_a_pendulum_of_index_3():
    # its period: 2 pi sqrt(L/g)/agm(1, cos(a/2)) for the amplitude a; the nearest orbit has about this amplitude
    found = ritt.orbit(ritt.Model.from_text(PENDULUM), {"x": 1, "x'": 0}, 2.9)
    x, v = found.start["x"], found.start["x'"]
    y = -math.sqrt(4 - x * x)
    height = y + (v * v + (x * v / y) ** 2) / (2 * 9.81)  # of the turning point
    a, b = 1.0, math.cos(math.acos(-height / 2) / 2)
    for _ in range(20):
        a, b = (a + b) / 2, math.sqrt(a * b)
    assert abs(found.period - 2 * math.pi * math.sqrt(2 / 9.81) / a) < 1e-8
    assert np.abs(found.multipliers - 1).max() < 1e-3  # a double one: rounding moves it by its root


def test_a_driven_system():
    # x' = -x + sin t: one multiplier, exp(-2 pi), and x(0) = -1/2
    model = ritt.Model.from_text("model d\nvariable x\nequation x' = -x + sin(t)\nstart t = 0\n  x = 0\nsolve t = 0 .. 1\n")
    found = ritt.orbit(model, {"x": 0}, 2 * math.pi, fixed_period=True)
    assert abs(found.start["x"] + 0.5) < 1e-9 and abs(found.multipliers[0] / math.exp(-2 * math.pi) - 1) < 1e-7


def test_wrong_calls():
    model = ritt.Model.from_text(VAN_DER_POL)
    with pytest.raises(ritt.Error, match="2 free initial values"):
        ritt.orbit(model, {"x": 2}, 6.5)
    with pytest.raises(ritt.Error, match="positive"):
        ritt.orbit(model, {"x": 2, "v": 0}, -1)
