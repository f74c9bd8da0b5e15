"""Equations from Python: a builder, SymPy, and the objects of sympy.physics.mechanics."""

import re

import numpy as np
import pytest

import ritt

PENDULUM = """model pendulum
parameter g = 9.81
parameter L = 1
variable x
variable y
variable T
equation
  x'' + T*x = 0
  y'' + T*y = -g
  x^2 + y^2 = L^2
start t = 0
  x = 1
  y = 0
  x' ~ 0
  y' ~ 0
solve t = 0 .. 10
"""


def test_builder_gives_the_same_model_as_text():
    b = ritt.Builder("pendulum")
    g, L = b.parameters(g=9.81, L=1)
    x, y, T = b.variables("x y T")
    b.equation(x.d(2) + T * x, 0)
    b.equation(y.d(2) + T * y == -g)
    b.equation(x**2 + y**2 == L**2)
    b.start({x: 1, y: 0}, guess={x.d(): 0, y.d(): 0})
    assert b.text(10) == PENDULUM
    assert np.array_equal(b.model(10).solve(tol=1e-10).rows, ritt.Model.from_text(PENDULUM).solve(tol=1e-10).rows)


def test_expressions_keep_their_meaning():
    # each formula as x' = formula: the value at the start is checked through the derivative
    x0, p0 = 0.7, 1.3
    formulas = [lambda x, p: x - (p - x), lambda x, p: x / (p * x), lambda x, p: (x - p) * (x + p) / 2, lambda x, p: -x**2,
                lambda x, p: (-x)**2, lambda x, p: 2**(-x), lambda x, p: (x**p)**2, lambda x, p: x**(p**2), lambda x, p: 1 - -x,
                lambda x, p: 3 / x / p, lambda x, p: -(x + p) * 2, lambda x, p: x - -3, lambda x, p: x / -3,
                lambda x, p: np.sin(x) * np.arctan(p), lambda x, p: abs(x - p)]
    for formula in formulas:
        b = ritt.Builder("m")
        p = b.parameter("p", p0)
        x, v = b.variables("x v")
        b.equation(x.d(), 0)
        b.equation(v, formula(x, p))
        b.start({x: x0})
        run = b.model(1).solve()
        assert abs(run["v"][0] - formula(x0, p0)) < 1e-14, formula(x, p)


def test_builder_refuses():
    b = ritt.Builder("m")
    x = b.variable("x")
    with pytest.raises(TypeError, match="an equation has two sides"):
        b.equation(x + 1)
    with pytest.raises(ValueError, match="'2x' is not a valid name"):
        b.variable("2x")
    with pytest.raises(TypeError):
        x + "1"
    with pytest.raises(TypeError, match="neither true nor false"):
        bool(x + 1)


def test_sympy_equations():
    sp = pytest.importorskip("sympy")
    t, g, L = sp.symbols("t g L")
    x, y, T = (sp.Function(name)(t) for name in ("x", "y", "T"))
    equations = [sp.Eq(x.diff(t, 2), -T * x), sp.Eq(y.diff(t, 2), -T * y - g), x**2 + y**2 - L**2]
    model = ritt.from_sympy(equations, {g: sp.Rational(981, 100), L: 1}, {x: 1, y: 0}, {x.diff(t): 0, y.diff(t): 0}, end=10,
                            outputs={"x": x, "E": (x.diff(t)**2 + y.diff(t)**2) / 2 + g * y}, name="pendulum")
    assert model.check().index == 3 and model.parameters.g.value == 9.81
    run, expected = model.solve(tol=1e-11), ritt.Model.from_text(PENDULUM).solve(tol=1e-11)
    assert abs(run["x"][-1] - expected["x"][-1]) < 1e-8 and np.ptp(run["E"]) < 1e-7
    piecewise = ritt.from_sympy(sp.Eq(x.diff(t), sp.Piecewise((-1, x > 0.5), (-2, True))), start={x: 1}, end=0.7)
    assert abs(piecewise.solve(tol=1e-10)["x"][-1] - 0.1) < 1e-8  # 1 - t until 0.5, then twice as fast
    fifth = ritt.from_sympy(sp.Eq(x.diff(t, 5), x), start={sp.Derivative(x, (t, k)): 1 for k in range(1, 5)} | {x: 1}, end=1)
    assert abs(fifth.solve(tol=1e-11)["x"][-1] - np.e) < 1e-9


def test_sympy_refusals():
    sp = pytest.importorskip("sympy")
    t, s, k = sp.symbols("t s k")
    x = sp.Function("x")
    for equations, message in (([sp.Eq(x(t).diff(t), k)], "k has no value: give parameters={k: ...}"),
                               ([sp.Eq(x(t).diff(t), x(s))], "unknowns are functions of one variable, x(t); found: s, t"),
                               ([sp.Eq(x(t).diff(t), sp.gamma(x(t)))], "the function gamma in gamma(x(t)) is not one"),
                               ([sp.Eq(x(t), x(t))], "an equation is True: SymPy has decided it already")):
        with pytest.raises(ValueError, match=re.escape(message)):
            ritt.from_sympy(equations, start={x(t): 0})


def four_bar(sp, me):
    """A parallelogram of two cranks of length 2 with a mass at the end of each, by Kane's method: it moves like a pendulum,
    q'' = -(g/2) cos q."""
    q = me.dynamicsymbols("q1:4")
    u = me.dynamicsymbols("u1:4")
    t = me.dynamicsymbols._t
    g, m = sp.symbols("g m")
    N = me.ReferenceFrame("N")
    O = me.Point("O")
    O.set_vel(N, 0)
    rods = [(2, q[0], u[0]), (3, q[1], u[1]), (2, q[2], u[2])]
    frames = []
    for i, (_, angle, speed) in enumerate(rods):
        frame = N.orientnew(f"A{i}", "Axis", [angle, N.z])
        frame.set_ang_vel(N, speed * N.z)
        frames.append(frame)
    A = O.locatenew("A", 2 * frames[0].x)
    C = O.locatenew("C", 3 * N.x)
    C.set_vel(N, 0)
    B = C.locatenew("B", 2 * frames[2].x)
    A.v2pt_theory(O, N, frames[0])
    B.v2pt_theory(C, N, frames[2])
    loop = 2 * frames[0].x + 3 * frames[1].x - 2 * frames[2].x - 3 * N.x
    closed = [loop.dot(N.x), loop.dot(N.y)]
    speeds = {qi.diff(t): ui for qi, ui in zip(q, u)}
    kane = me.KanesMethod(N, q_ind=[q[0]], u_ind=[u[0]], kd_eqs=[ui - qi.diff(t) for qi, ui in zip(q, u)],
                          q_dependent=q[1:], configuration_constraints=closed, u_dependent=u[1:],
                          velocity_constraints=[sp.diff(c, t).subs(speeds) for c in closed])
    particles = [me.Particle("PA", A, m), me.Particle("PB", B, m)]
    kane.kanes_equations(particles, [(A, -m * g * N.y), (B, -m * g * N.y)])
    return kane, q, u, {g: 9.81, m: 1.5}


def test_four_bar_of_kane():
    sp = pytest.importorskip("sympy")
    import sympy.physics.mechanics as me

    kane, q, u, parameters = four_bar(sp, me)
    model = ritt.from_sympy(kane, parameters, {q[0]: -1.2, u[0]: 0.4}, {q[1]: 0, q[2]: -1.2}, end=2)
    run = model.solve(tol=1e-11)
    alone = ritt.Model.from_text("model p\nvariable q\nequation q'' = -9.81/2*cos(q)\nstart t = 0\n  q = -1.2, q' = 0.4\n")
    assert abs(run["q1"][-1] - alone.solve(2, tol=1e-12)["q"][-1]) < 1e-8
    loop = 2 * np.cos(run["q1"]) + 3 * np.cos(run["q2"]) - 2 * np.cos(run["q3"]) - 3
    assert np.abs(loop).max() < 1e-13 and np.abs(run["q1"] - run["q3"]).max() < 1e-8


def test_knife_edge_of_lagrange():
    # a knife edge on an inclined plane, turning at the rate w, from rest: it creeps sideways along a cycloid,
    # x = a sin(w t)^2/(2 w^2), y = a (w t - sin(2 w t)/2)/(2 w^2) with a = g sin(slope) (Neimark and Fufaev)
    sp = pytest.importorskip("sympy")
    import sympy.physics.mechanics as me

    x, y, phi = me.dynamicsymbols("x y phi")
    t = me.dynamicsymbols._t
    m, J, a = sp.symbols("m J a")
    L = m / 2 * (x.diff(t)**2 + y.diff(t)**2) + J / 2 * phi.diff(t)**2 + m * a * x
    method = me.LagrangesMethod(L, [x, y, phi], nonhol_coneqs=[x.diff(t) * sp.sin(phi) - y.diff(t) * sp.cos(phi)])
    rest = {x: 0, y: 0, phi: 0, x.diff(t): 0, phi.diff(t): 2}
    run = ritt.from_sympy(method, {m: 2, J: 0.3, a: 5}, rest, end=3).solve(tol=1e-11)
    w = 2.0
    assert np.abs(run["x"] - 5 * np.sin(w * run.t)**2 / (2 * w**2)).max() < 1e-8
    assert np.abs(run["y"] - 5 * (w * run.t - np.sin(2 * w * run.t) / 2) / (2 * w**2)).max() < 1e-8


def test_rolling_coin_of_kane():
    # velocity constraints alone: a knife edge by Kane's method moves as that of Lagrange
    sp = pytest.importorskip("sympy")
    import sympy.physics.mechanics as me

    x, y, phi, ux, uy, w = me.dynamicsymbols("x y phi ux uy w")
    t = me.dynamicsymbols._t
    m, J, a = sp.symbols("m J a")
    N = me.ReferenceFrame("N")
    B = N.orientnew("B", "Axis", [phi, N.z])
    B.set_ang_vel(N, w * N.z)
    O = me.Point("O")
    O.set_vel(N, 0)
    P = O.locatenew("P", x * N.x + y * N.y)
    P.set_vel(N, ux * N.x + uy * N.y)
    body = me.RigidBody("body", P, B, m, (J * me.outer(B.z, B.z), P))
    kane = me.KanesMethod(N, q_ind=[x, y, phi], u_ind=[ux, w], kd_eqs=[ux - x.diff(t), uy - y.diff(t), w - phi.diff(t)],
                          u_dependent=[uy], velocity_constraints=[ux * sp.sin(phi) - uy * sp.cos(phi)])
    kane.kanes_equations([body], [(P, m * a * N.x)])
    run = ritt.from_sympy(kane, {m: 2, J: 0.3, a: 5}, {x: 0, y: 0, phi: 0, ux: 0, w: 2}, end=0.7).solve(tol=1e-11)
    assert np.abs(run["x"] - 5 * np.sin(2 * run.t)**2 / 8).max() < 1e-8
