"""Answers for models/users/mechanisms, from minimal coordinates and closed forms."""
import os

import numpy as np
import sympy as sp
from numpy import cos, pi, sin
from scipy.interpolate import CubicSpline
from scipy.linalg import expm
from scipy.optimize import brentq

from common import begin, integrate, integrate_hybrid, newton, write, write_ode

begin()

# ---- fourbar_kinematics: intersection of two circles
a, b, c, d, w = 0.04, 0.12, 0.08, 0.10, 10


def fourbar(t):
    ax, ay = a * np.cos(w * t), a * np.sin(w * t)
    dist = np.hypot(d - ax, ay)
    base = np.arctan2(-ay, d - ax)
    th3 = base + np.arccos((b**2 + dist**2 - c**2) / (2 * b * dist))
    th4 = np.arctan2(ay + b * np.sin(th3), ax + b * np.cos(th3) - d)
    # a w e2 + b w3 e3 = c w4 e4
    w4 = a * w * np.sin(w * t - th3) / (c * np.sin(th4 - th3))
    return th3, th4, w4, ax + 0.06 * np.cos(th3) - 0.03 * np.sin(th3)


for t in (0.25, 1):
    for name, value in zip(("th3", "th4", "th4'", "px"), fourbar(t)):
        write("fourbar_kinematics", name, t, value, 7, "closed form")

# ---- slider_crank_engine: one coordinate
th, om = sp.symbols("th om")
r, l, J, m_rod, J_rod, m_p, F, M = 0.05, 0.16, 0.02, 0.6, 0.0015, 0.5, 800, 6
ph = sp.asin(r * sp.sin(th) / l)
x = r * sp.cos(th) + l * sp.cos(ph)
xs, ys = r * sp.cos(th) + l / 2 * sp.cos(ph), r * sp.sin(th) - l / 2 * sp.sin(ph)
inertia = J + m_rod * (xs.diff(th)**2 + ys.diff(th)**2) + J_rod * ph.diff(th)**2 + m_p * x.diff(th)**2
I, dI, X, dX = (sp.lambdify(th, e) for e in (inertia, inertia.diff(th), x, x.diff(th)))


def engine(force):
    def f(t, y):
        return [y[1], (-force * dX(y[0]) - M - dI(y[0]) * y[1]**2 / 2) / I(y[0])]
    return f


times = [0.03, 0.06, 0.1]
results, switches = integrate_hybrid(
    {"gas": (engine(F), [(lambda t, y: y[0] - np.pi, 1, "free", None)]), "free": (engine(0), [])},
    "gas", [np.pi / 6, 0], times)
write_ode("slider_crank_engine", {"th": lambda t, y: y[0], "th'": lambda t, y: y[1],
                                  "x": lambda t, y: X(y[0])}, times, results, 6)

# ---- scotch_yoke: one coordinate
r, J, m, k, c, T0, w0 = 0.1, 0.05, 2, 300, 8, 12, 40


def yoke(t, y):
    s, co = np.sin(y[0]), np.cos(y[0])
    torque = T0 * (1 - y[1] / w0) + m * r**2 * s * co * y[1]**2 - k * r**2 * s * co - c * r**2 * co**2 * y[1]
    return [y[1], torque / (J + m * r**2 * co**2)]


def pin(t, y):
    s, co = np.sin(y[0]), np.cos(y[0])
    return m * r * (co * yoke(t, y)[1] - s * y[1]**2) + c * r * co * y[1] + k * r * s


times = [0.5, 2]
write_ode("scotch_yoke", {"th": lambda t, y: y[0], "th'": lambda t, y: y[1], "pin": pin},
          times, integrate(yoke, [0, 0], times), 6)

# ---- cam_follower: the cubic spline through the table
table = np.loadtxt(os.path.join(os.path.dirname(__file__), "../mechanisms/cam_lift.csv"),
                   delimiter=",", skiprows=1)
lift = CubicSpline(table[:, 0], table[:, 1])
for t in (0.1, 0.27, 0.35):
    p = 15 * t
    write("cam_follower", "x", t, float(lift(p)), 6, "spline")
    write("cam_follower", "N", t, float(0.3 * 225 * lift(p, 2) + 12 * 15 * lift(p, 1) + 4000 * lift(p) + 60),
          6, "spline")

# ---- excavator_arm: angles from the lengths, forces from the principle of virtual power
t_, q1, q2 = sp.symbols("t q1 q2")
v1, v2, a1, a2 = sp.symbols("v1 v2 a1 a2")
L1, m1, J1, L2, m2, J2, g = 5.7, 2400, 6500, 2.9, 1200, 850, 9.81
boom = sp.sqrt((2.6 * sp.cos(q1) - 0.6)**2 + (2.6 * sp.sin(q1) + 0.8)**2)
stick = sp.sqrt((L1 * sp.cos(q1) - 0.7 * sp.cos(q2) - 2.2 * sp.cos(q1) + 0.9 * sp.sin(q1))**2
                + (L1 * sp.sin(q1) - 0.7 * sp.sin(q2) - 2.2 * sp.sin(q1) - 0.9 * sp.cos(q1))**2)
x2, y2 = L1 * sp.cos(q1) + L2 / 2 * sp.cos(q2), L1 * sp.sin(q1) + L2 / 2 * sp.sin(q2)


def rate(e):
    return e.diff(q1) * v1 + e.diff(q2) * v2 + e.diff(v1) * a1 + e.diff(v2) * a2


lagrange = ((J1 + m1 * L1**2 / 4) * v1**2 / 2 + J2 * v2**2 / 2 + m2 * (rate(x2)**2 + rate(y2)**2) / 2
            - m1 * g * L1 / 2 * sp.sin(q1) - m2 * g * y2)
balance = sp.lambdify((q1, q2, v1, v2, a1, a2), [rate(lagrange.diff(v1)) - lagrange.diff(q1),
                                                 rate(lagrange.diff(v2)) - lagrange.diff(q2)])
G = sp.Matrix([boom, stick]).jacobian([q1, q2])
lengths, jacobian = sp.lambdify((q1, q2), [boom, stick]), sp.lambdify((q1, q2), G)
second = sp.lambdify((q1, q2, v1, v2), [rate(rate(e)).subs({a1: 0, a2: 0}) for e in (boom, stick)])


def excavator(t):
    q = np.array([0.55, -1.6])  # follow the lengths from the start
    for s in np.linspace(0, t, 400):
        target = np.array([2.7 + 0.3 * np.sin(0.5 * s), 3.5 + 0.4 * np.cos(0.8 * s)])
        q = newton(lambda q: np.array(lengths(*q)) - target, q)
    K = jacobian(*q)
    v = np.linalg.solve(K, [0.15 * np.cos(0.5 * t), -0.32 * np.sin(0.8 * t)])
    acc = np.linalg.solve(K, np.array([-0.075 * np.sin(0.5 * t), -0.256 * np.cos(0.8 * t)]) - second(*q, *v))
    force = np.linalg.solve(K.T, balance(*q, *v, *acc))
    return [*q, *force]


for t in (3, 10):
    for name, value in zip(("q1", "q2", "F_boom", "F_stick"), excavator(t)):
        write("excavator_arm", name, t, value, 7, "closed form")

# ---- stewart_platform: Newton's method along the commands
ab = [(0, 120, 240)[i // 2] + (-15, 15)[i % 2] for i in range(6)]
ap = [(-60, 60, 60, 180, 180, 300)[i] + (15, -15)[i % 2] for i in range(6)]
base = np.array([[np.cos(np.radians(p)), np.sin(np.radians(p)), 0] for p in ab])
plate = 0.6 * np.array([[np.cos(np.radians(p)), np.sin(np.radians(p)), 0] for p in ap])


def legs(pose, t):
    (cz, cy, cx), (sz, sy, sx) = np.cos(pose[3:]), np.sin(pose[3:])
    R = np.array([[cz, -sz, 0], [sz, cz, 0], [0, 0, 1]]) @ np.array([[cy, 0, sy], [0, 1, 0], [-sy, 0, cy]]) @ \
        np.array([[1, 0, 0], [0, cx, -sx], [0, sx, cx]])
    return np.linalg.norm(pose[:3] + plate @ R.T - base, axis=1) - 1.3 - 0.08 * np.sin(2 * t + np.arange(1, 7))


pose = np.array([0, 0, 1.1, 0, 0, 0])
for s in np.linspace(0, 5, 501):
    pose = newton(lambda p: legs(p, s), pose)
    if s in (2, 5):
        for name, value in zip(("x", "z", "psi", "theta", "phi"), pose[[0, 2, 3, 4, 5]]):
            write("stewart_platform", name, s, value, 7, "Newton")

# ---- rssr_linkage: A cos(phi) + B sin(phi) = C
for t in (0.4, 3):
    ax, ay = 0.1 * np.cos(5 * t), 0.1 * np.sin(5 * t)

    def gap(p):
        return (0.5 - 0.3 * np.sin(p) - ax)**2 + ay**2 + (0.2 + 0.3 * np.cos(p))**2 - 0.36
    phi = brentq(gap, -0.6, 1, xtol=1e-15)
    dp = ((0.5 - 0.3 * np.sin(phi) - ax) * -5 * ay + (0 - ay) * 5 * ax) / (
        (0.5 - 0.3 * np.sin(phi) - ax) * -0.3 * np.cos(phi) + (0.2 + 0.3 * np.cos(phi)) * -0.3 * np.sin(phi))
    write("rssr_linkage", "phi", t, phi, 7, "closed form")
    write("rssr_linkage", "phi'", t, dp, 7, "closed form")

# ---- cardan_shaft: one coordinate
beta, J1, J2, c, T = np.radians(35), 0.01, 0.04, 0.02, 0.5
p = sp.symbols("p")
ratio = sp.cos(beta) / (1 - sp.sin(beta)**2 * sp.cos(p)**2)  # p2'/p1'
i_, di_ = sp.lambdify(p, ratio), sp.lambdify(p, ratio.diff(p))


def cardan(t, y):
    i, di = i_(y[0]), di_(y[0])
    return [y[1], (T - c * i**2 * y[1] - J2 * i * di * y[1]**2) / (J1 + J2 * i**2), i * y[1]]


times = [1, 3]
write_ode("cardan_shaft", {"p1": lambda t, y: y[0], "p2": lambda t, y: y[2], "p1'": lambda t, y: y[1]},
          times, integrate(cardan, [0, 0, 0], times), 6)

# ---- three_legged_table: every point moves on a circle of radius r
times = [1, 3]
write_ode("three_legged_table", {"x": lambda t, y: 0.4 * np.sin(y[0]), "y": lambda t, y: -0.4 * np.cos(y[0])},
          times, integrate(lambda t, y: [y[1], -9.81 / 0.4 * np.sin(y[0])], [0.5, 0], times), 6)

# ---- two_bars_maximal: two angles
g, m1, L1, m2, L2, k, c = 9.81, 3, 1, 2, 0.8, 15, 0.5


def bars(t, y):
    p1, p2, v1, v2 = y
    mass = np.array([[m1 * L1**2 / 3 + m2 * L1**2, m2 * L1 * L2 / 2 * np.cos(p1 - p2)],
                     [m2 * L1 * L2 / 2 * np.cos(p1 - p2), m2 * L2**2 / 3]])
    spring = k * (p2 - p1) + c * (v2 - v1)
    s = m2 * L1 * L2 / 2 * np.sin(p1 - p2)
    force = [-s * v2**2 - (m1 / 2 + m2) * g * L1 * np.sin(p1) + spring,
             s * v1**2 - m2 * g * L2 / 2 * np.sin(p2) - spring]
    return [v1, v2, *np.linalg.solve(mass, force)]


def pull(t, y):
    """The vertical force in the upper pin: total mass times acceleration and weight."""
    p1, p2, v1, v2 = y
    a1, a2 = bars(t, y)[2:]
    y1 = L1 / 2 * (np.sin(p1) * a1 + np.cos(p1) * v1**2)
    y2 = 2 * y1 + L2 / 2 * (np.sin(p2) * a2 + np.cos(p2) * v2**2)
    return m1 * (y1 + g) + m2 * (y2 + g)


times = [1, 3]
write_ode("two_bars_maximal", {"p1": lambda t, y: y[0], "p2": lambda t, y: y[1], "fy": pull},
          times, integrate(bars, [1, 1, 0, 0], times), 6)

# ---- heavy_top: rotation about the joint
m, g, L, I1, I3 = 0.5, 9.81, 0.08, 4e-4, 6e-4
IJ = I1 + m * L**2


def top(t, y):
    R, w = y[:9].reshape(3, 3), y[9:]
    S = np.array([[0, -w[2], w[1]], [w[2], 0, -w[0]], [-w[1], w[0], 0]])
    weight = R.T @ [0, 0, -m * g]
    torque = np.cross([0, 0, L], weight)
    dw = [((IJ - I3) * w[1] * w[2] + torque[0]) / IJ, ((I3 - IJ) * w[0] * w[2] + torque[1]) / IJ, 0]
    return np.concatenate([(R @ S).ravel(), dw])


def joint(t, y):
    R, w, dw = y[:9].reshape(3, 3), y[9:], top(t, y)[9:]
    arm = np.array([0, 0, L])
    return (m * R @ (np.cross(dw, arm) + np.cross(w, np.cross(w, arm))))[2] + m * g


times = [0.4, 1]
R0 = np.array([[1, 0, 0], [0, np.cos(0.4), -np.sin(0.4)], [0, np.sin(0.4), np.cos(0.4)]])
write_ode("heavy_top", {"r[1]": lambda t, y: L * y[2], "r[2]": lambda t, y: L * y[5],
                        "r[3]": lambda t, y: L * y[8], "F[3]": joint},
          times, integrate(top, [*R0.ravel(), 0, 0, 150], times), 6)

# ---- planetary_gear: linear in the speeds of sun and ring
zs, zr, Js, Jc, Jr, Tm, cm, cc, cb = 24, 72, 0.002, 0.03, 0.02, 4, 0.02, 0.15, 0.5
u, v = zs / (zs + zr), zr / (zs + zr)
mass = np.array([[Js + Jc * u * u, Jc * u * v], [Jc * u * v, Jr + Jc * v * v]])
damping = np.array([[cm + cc * u * u, cc * u * v], [cc * u * v, cb + cc * v * v]])
final = np.linalg.solve(damping, [Tm, 0])
for t in (0.1, 1):
    speed = final - expm(-np.linalg.solve(mass, damping) * t) @ final
    for name, value in zip(("s'", "r'", "c'"), (*speed, u * speed[0] + v * speed[1])):
        write("planetary_gear", name, t, value, 6, "closed form")

# ---- geneva_drive: in the slot tan(beta) = a sin(al)/(d - a cos(al))
d, w, J, c = 0.1, 6, 2e-3, 0.01
al = sp.symbols("al")
slot = sp.atan2(d * sp.sin(sp.pi / 4) * sp.sin(al), d - d * sp.sin(sp.pi / 4) * sp.cos(al))
wheel = [sp.lambdify(al, slot.diff(al, k)) for k in range(3)]
for t in (0.45, 0.56, 1.0, 1.54):
    turns, angle = divmod(w * t, 2 * np.pi)
    angle -= np.pi
    if abs(angle) < np.pi / 4:
        write("geneva_drive", "beta", t, turns * np.pi / 2 + np.pi / 4 + wheel[0](angle), 6, "closed form")
        write("geneva_drive", "M", t, J * w**2 * wheel[2](angle) + c * w * wheel[1](angle), 6, "closed form")
    else:
        write("geneva_drive", "beta", t, (turns + (angle > 0)) * np.pi / 2, 6, "closed form")

# ---- side_rods: all wheels turn together; 3 J p'' = T - c p'
T, c, k = 500, 20, 20 / 120
for t in (1, 5):
    write("side_rods", "p[1]", t, 0.5 + T / c * (t - (1 - np.exp(-k * t)) / k), 6, "closed form")
    write("side_rods", "p[3]'", t, T / c * (1 - np.exp(-k * t)), 6, "closed form")

# ---- friction_track: phases to the left and to the right; rest where |slope| < mu
mu, g = 0.25, 9.81


def bead(s):
    def f(t, y):
        x, v = y
        return [v, -(v**2 + g) / (x + (1 - mu * x * s) / (x + mu * s))]
    return f


# x' returns to 0 with the other sign of x: left from 1.5, then right, and so on
modes = {"left": (bead(-1), [(lambda t, y: y[1] if y[0] < 0.3 else -1, 1, "right", lambda t, y: [y[0], 0])]),
         "right": (bead(1), [(lambda t, y: y[1] if y[0] > -0.1 else 1, -1, "rest", lambda t, y: [y[0], 0])]),
         "rest": (lambda t, y: [0, 0], [])}
times = [0.5, 1.5, 4]
results, switches = integrate_hybrid(modes, "left", [1.5, -1e-300], times)
write_ode("friction_track", {"x": lambda t, y: y[0]}, times, results, 5)

# ---- hanging_linkage: one coordinate, the angle of the first bar
q, v, acc, s = sp.symbols("q v acc s")
m1, m2, g, a, b, c, w = 1, 2, 9.81, 0.5, 0.6, 0.5, 1.2
x1, y1 = a * sp.cos(q), a * sp.sin(q)
ex, ey = w - x1, -y1
gap = sp.sqrt(ex**2 + ey**2)
along = (gap**2 + b**2 - c**2) / (2 * gap)
height = sp.sqrt(b**2 - along**2)
x2, y2 = x1 + (ex * along + ey * height) / gap, y1 + (ey * along - ex * height) / gap
T = (m1 * (x1.diff(q)**2 + y1.diff(q)**2) + m2 * (x2.diff(q)**2 + y2.diff(q)**2)) / 2
U = g * (m1 * y1 + m2 * y2)
mass, dmass, dU, push = (sp.lambdify(q, e) for e in (2 * T, T.diff(q), U.diff(q), x1.diff(q)))
X2, Y2 = sp.lambdify(q, x2), sp.lambdify(q, y2)
q0 = brentq(dU, -1.0, -0.6, xtol=1e-15)


def shaken(t, y):
    force = 2 * np.sin(4 * (t - 1)) if t > 1 else 0
    return [y[1], (force * push(y[0]) - dU(y[0]) - dmass(y[0]) * y[1]**2) / mass(y[0])]


times = [1, 2, 4]
write_ode("hanging_linkage", {"x1": lambda t, y: a * np.cos(y[0]), "x2": lambda t, y: X2(y[0]), "y2": lambda t, y: Y2(y[0])},
          times, integrate(shaken, [q0, 0], times, breaks=(1,)), 6)

# ---- gear_backlash: no contact, contact in front, contact behind
J1, J2, k, c, gap = 0.02, 0.05, 2e4, 3, 0.004


def gears(side):
    def f(t, y):
        d, v = y[0] - y[1], y[2] - y[3]
        M = k * (d - side * gap) + c * v if side else 0
        return [y[2], y[3], (6 * np.sin(20 * t) - M) / J1, (M - 0.3 * y[3]) / J2]
    return f


front, behind = (lambda t, y: y[0] - y[1] - gap), (lambda t, y: y[0] - y[1] + gap)
modes = {0: (gears(0), [(front, 1, 1, None), (behind, -1, -1, None)]), 1: (gears(1), [(front, -1, 0, None)]),
         -1: (gears(-1), [(behind, 1, 0, None)])}
times = [0.1, 0.4, 1]
results, switches = integrate_hybrid(modes, 0, [0, 0, 0, 0], times)
write_ode("gear_backlash", {"a1": lambda t, y: y[0], "a2": lambda t, y: y[1]}, times, results, 5)

# ---- beam_three_supports: balance of forces and of moments
for t in (2, 12):
    write("beam_three_supports", "total", t, 300 * 9.81 + 2000, 6, "closed form")
    write("beam_three_supports", "moment", t, 2000 * (0.5 * t - 3), 6, "closed form")

# ---- flyball_governor: the angle of the arms
m, M, l, g, c = 0.8, 2, 0.25, 9.81, 4


def governor(t, y):
    s, co, w = np.sin(y[0]), np.cos(y[0]), 11 + 0.2 * t
    force = 2 * m * l**2 * s * co * w**2 - 4 * M * l**2 * s * co * y[1]**2 - 2 * (m + M) * g * l * s - 4 * c * l**2 * s**2 * y[1]
    return [y[1], force / (2 * m * l**2 + 4 * M * l**2 * s**2)]


times = [1, 5]
write_ode("flyball_governor", {"x": lambda t, y: l * np.sin(y[0]) * np.cos(11 * t + 0.1 * t**2), "s": lambda t, y: 2 * l * np.cos(y[0])},
          times, integrate(governor, [0.6, 0], times), 5)

# ---- door_hinges: a damped oscillator
J, c, k = 1.7 + 25 * 0.9**2 / 4, 9, 12
a, w = c / (2 * J), np.sqrt(k / J - (c / (2 * J))**2)
for t in (1, 3):
    psi = 1.2 * np.exp(-a * t) * (np.cos(w * t) + a / w * np.sin(w * t))
    for name, value in (("psi", psi), ("x", 0.45 * np.cos(psi)), ("y", 0.45 * np.sin(psi))):
        write("door_hinges", name, t, value, 6, "closed form")

# ---- ball_on_turntable: the velocity turns with 2/7 of the speed of the table
n = 2 / 7 * 5
for t in (1, 10):
    place = 0.1 + 0.3j * (np.exp(1j * n * t) - 1) / (1j * n)
    for name, value in (("x", place.real), ("y", place.imag), ("Fx", 0.06 * (0.3j * 1j * n * np.exp(1j * n * t)).real)):
        write("ball_on_turntable", name, t, value, 6, "closed form")

# ---- massless_coupler: the angle of the crank; the rocker follows
def rocker(phi):
    """Angle of the rocker, and its derivative by phi."""
    x, y = 2 - cos(phi), -sin(phi)  # from the crank's pin to the rocker's bearing
    far = np.hypot(x, y)
    bend = np.arccos((far**2 + 1.5**2 - 2**2) / (2 * far * 1.5))
    psi = np.arctan2(-y, -x) - bend
    x2, y2 = 2 + 1.5 * cos(psi), 1.5 * sin(psi)
    dx, dy = x2 - cos(phi), y2 - sin(phi)
    return psi, (dx * -sin(phi) + dy * cos(phi)) / (dx * -1.5 * sin(psi) + dy * 1.5 * cos(psi))


def coupler_force(phi, speed):
    """phi'' from M(phi) phi'' + M'/2 phi'^2 + V' = 0"""
    mass = lambda u: 1 + 1.5**2 * rocker(u)[1]**2
    h = 1e-4
    slope = (8 * (mass(phi + h) - mass(phi - h)) - (mass(phi + 2 * h) - mass(phi - 2 * h))) / (12 * h)
    psi, k = rocker(phi)
    pull = 9.81 * (cos(phi) + 1.5 * cos(psi) * k)
    return -(slope / 2 * speed**2 + pull) / mass(phi)


times = [0.2, 0.5, 1]
results = integrate(lambda t, y: [y[1], coupler_force(*y)], [pi / 2, -0.5], times)
write_ode("massless_coupler", {"x1": lambda t, y: cos(y[0]), "y1": lambda t, y: sin(y[0]),
                               "x3": lambda t, y: (cos(y[0]) + 2 + 1.5 * cos(rocker(y[0])[0])) / 2,
                               "y3": lambda t, y: (sin(y[0]) + 1.5 * sin(rocker(y[0])[0])) / 2}, times, results, 6)

# ---- slider_crank_dead_centre: energy gives the speed of the crank
def crank_speed(phi):
    slope = -sin(phi) - sin(phi) * cos(phi) / np.sqrt(4 - sin(phi)**2)
    return 2 / np.sqrt(1 + 1.5 * slope**2)


times = [0.5, 2, 5]
results = integrate(lambda t, y: [crank_speed(y[0])], [0], times)
write_ode("slider_crank_dead_centre", {"x": lambda t, y: cos(y[0]), "y": lambda t, y: sin(y[0]),
                                       "s": lambda t, y: cos(y[0]) + np.sqrt(4 - sin(y[0])**2)}, times, results, 6)
