"""Answers for models/users/vehicles, from first-order forms with phases and closed forms."""
import os

import numpy as np
import sympy as sp
from numpy import arctan, cos, exp, pi, sin
from scipy.interpolate import CubicSpline
from scipy.linalg import expm

from common import begin, integrate, integrate_hybrid, newton, write, write_ode

begin()
g = 9.81

# ---- quarter_car
ms, mu, ks, kt, cc, cr, L, R = 300, 40, 18000, 180000, 800, 1800, 0.5, 0.3


def tyre(t, y):
    road = 0.06 * sin(pi * (t - 0.5) / 0.1) if 0.5 < t < 0.6 else 0
    return max(0, kt * (R + road - y[1]))


def quarter(t, y):
    rate = y[2] - y[3]
    susp = ks * (L - y[0] + y[1]) - (cr if rate > 0 else cc) * rate
    return [y[2], y[3], susp / ms - g, (tyre(t, y) - susp) / mu - g]


zu = R - (ms + mu) * g / kt
times = [0.55, 0.7, 2]
write_ode("quarter_car", {"zs": lambda t, y: y[0], "zu": lambda t, y: y[1], "F_tyre": tyre}, times,
          integrate(quarter, [zu + L - ms * g / ks, zu, 0, 0], times, breaks=(0.5, 0.6)), 5)

# ---- single_track
m, Iz, a, b, v, B, C, Df, Dr = 1500, 2500, 1.2, 1.4, 25, 10, 1.4, 7200, 6600


def front(t, y):
    return Df * sin(C * arctan(B * (0.05 * min(1, max(0, (t - 0.5) / 0.2)) - arctan((y[0] + a * y[1]) / v))))


def track(t, y):
    delta = 0.05 * min(1, max(0, (t - 0.5) / 0.2))
    Ff, Fr = front(t, y), Dr * sin(C * arctan(-B * arctan((y[0] - b * y[1]) / v)))
    return [(Ff * cos(delta) + Fr) / m - v * y[1], (a * Ff * cos(delta) - b * Fr) / Iz, y[1],
            v * cos(y[2]) - y[0] * sin(y[2]), v * sin(y[2]) + y[0] * cos(y[2])]


times = [1, 4]
write_ode("single_track", {"vy": lambda t, y: y[0], "r": lambda t, y: y[1], "X": lambda t, y: y[3],
                           "Y": lambda t, y: y[4], "Ff": front},
          times, integrate(track, [0] * 5, times, breaks=(0.5, 0.7)), 6)

# ---- differential_drive: forward speed v and turning speed w
m, J, Jw, a, b, R = 12, 0.4, 0.003, 0.08, 0.2, 0.075


def drive(t, y):
    x, yy, th, v, w = y
    right = 0.6 + 0.3 * sin(2 * t) - 0.02 * (v + b * w) / R
    left = 0.6 - 0.02 * (v - b * w) / R
    return [v * cos(th), v * sin(th), w, ((right + left) / R + m * a * w**2) / (m + 2 * Jw / R**2),
            (b * (right - left) / R - m * a * v * w) / (J + m * a**2 + 2 * Jw * b**2 / R**2)]


times = [3, 10]
write_ode("differential_drive", {"x": lambda t, y: y[0], "y": lambda t, y: y[1], "th": lambda t, y: y[2],
                                 "pr'": lambda t, y: (y[3] + b * y[4]) / R},
          times, integrate(drive, [0] * 5, times), 6)

# ---- truck_trailer
times = [3, 8]
write_ode("truck_trailer", dict(zip(("x", "y", "th", "ps"), [lambda t, y, i=i: y[i] for i in range(4)])), times,
          integrate(lambda t, y: [-1.5 * cos(y[2]), -1.5 * sin(y[2]), -1.5 / 4 * np.tan(0.25 * sin(0.4 * t)),
                                  -1.5 / 6 * sin(y[2] - y[3])], [0, 0, 0, 0.1], times), 6)

# ---- two_link_pid: relative angles
m1, m2, l1, l2 = 8, 5, 0.5, 0.4
ref, kp, kd, ki, umax = (np.array(p, float) for p in ((pi / 4, -pi / 3), (300, 150), (40, 15), (200, 100), (80, 30)))


def arm(q, v):
    """Mass matrix and the other terms of the two-link arm in relative angles."""
    i1, i2 = m1 * l1**2 / 12, m2 * l2**2 / 12
    c2 = m2 * l1 * l2 / 2 * cos(q[1])
    m22 = m2 * l2**2 / 4 + i2
    mass = np.array([[m1 * l1**2 / 4 + i1 + m2 * l1**2 + m22 + 2 * c2, m22 + c2], [m22 + c2, m22]])
    h = m2 * l1 * l2 / 2 * sin(q[1])
    weight = m2 * g * l2 / 2 * cos(q[0] + q[1])
    rest = np.array([-h * (2 * v[0] * v[1] + v[1]**2) + (m1 / 2 + m2) * g * l1 * cos(q[0]) + weight,
                     h * v[0]**2 + weight])
    return mass, rest


def command(t, y):
    return np.clip(kp * (ref - y[:2]) - kd * y[2:4] + ki * y[4:], -umax, umax)


def pid(t, y):
    mass, rest = arm(y[:2], y[2:4])
    return np.concatenate([y[2:4], np.linalg.solve(mass, command(t, y) - rest), ref - y[:2]])


times = [0.3, 3]
write_ode("two_link_pid", {"q[1]": lambda t, y: y[0], "q[2]": lambda t, y: y[1], "u2": lambda t, y: command(t, y)[1]},
          times, integrate(pid, [-pi / 2, 0, 0, 0, 0, 0], times), 5)

# ---- inverse_dynamics: angles by the cosine theorem, torques from their derivatives
s = sp.symbols("s")
px, py = 0.5 + 0.2 * sp.cos(3 * s), 0.3 + 0.1 * sp.sin(3 * s)
bend = sp.acos((px**2 + py**2 - l1**2 - l2**2) / (2 * l1 * l2))  # q2 - q1
first = sp.atan2(py, px) - sp.atan2(l2 * sp.sin(bend), l1 + l2 * sp.cos(bend))
relative = [sp.lambdify(s, [first.diff(s, k), bend.diff(s, k)]) for k in range(3)]
for t in (1, 3):
    q, v, acc = (np.array(f(t)) for f in relative)
    mass, rest = arm(q, v)
    torque = mass @ acc + rest  # of relative angles: the motors of the first and of the second joint
    for name, value in zip(("q1", "q2", "tau1", "tau2"), (q[0], q[0] + q[1], *torque)):
        write("inverse_dynamics", name, t, value, 6, "closed form")

# ---- dc_motor_pi: standstill, then motion
Ra, La, K, J, Tc, B, Kp, Ki, U = 0.5, 1e-3, 0.05, 2e-4, 0.02, 1e-5, 0.4, 6, 24


def motor(t, y):
    e = 300 - y[1]
    u = Kp * e + Ki * y[2]
    load = 0.15 if t > 0.3 else 0
    return [(max(-U, min(U, u)) - Ra * y[0] - K * y[1]) / La, (K * y[0] - B * y[1] - Tc - load) / J,
            e if abs(u) < U else 0]


# standstill lasts until K i = Tc; the voltage is at its limit then
t1 = -La / Ra * np.log(1 - Ra * Tc / K / U)
times = [0.02, 0.3, 0.35, 0.6]
results = integrate(motor, [Tc / K, 0, 0], times, t0=t1, breaks=(0.3,))
assert all(r[:, 1].min() > 0 for r in results)
write_ode("dc_motor_pi", {"i": lambda t, y: y[0], "w": lambda t, y: y[1]}, times, results, 5)

# ---- abs_braking
m, J, R, low, high, tau = 400, 1.2, 0.3, 300, 1800, 0.01


def slip(t, y):
    return (y[0] - R * y[1]) / y[0]


def brake(target):
    def f(t, y):
        s = slip(t, y)
        F = (1.1 * (1 - exp(-25 * s)) - 0.5 * s) * m * g
        return [-F / m, (R * F - y[3]) / J, y[0], (target - y[3]) / tau]
    stop = (lambda t, y: y[0] - 3, -1, None, None)
    if target == high:
        return f, [(lambda t, y: slip(t, y) - 0.20, 1, low, None), stop]
    return f, [(lambda t, y: slip(t, y) - 0.08, -1, high, None), stop]


results, switches = integrate_hybrid({low: brake(low), high: brake(high)}, high, [30, 100, 0, 0], [1, 2, 10])
write_ode("abs_braking", {"v": lambda t, y: y[0], "w": lambda t, y: y[1], "x": lambda t, y: y[2]}, [1, 2],
          [r[:2] for r in results], 5)
write("abs_braking", "x", "end", results[1][2][2], 5, "solve_ivp", results[0][2][2])
write("abs_braking", "t", "end", switches[1][-1], 5, "solve_ivp", switches[0][-1])

# ---- gear_shift
table = np.loadtxt(os.path.join(os.path.dirname(__file__), "../vehicles/engine.csv"), delimiter=",", skiprows=1)
engine = CubicSpline(table[:, 0], table[:, 1])
ratios = {1: 3.5, 2: 2.1, 3: 1.4, 4: 1.05}


def gear(number):
    def rpm(v):
        return v / 0.3 * ratios[number] * 3.9 * 60 / (2 * pi)

    def f(t, y):
        return [(0.92 * engine(rpm(y[0])) * ratios[number] * 3.9 / 0.3 - 1.2 * 0.65 * y[0]**2 / 2) / 1200
                - 0.012 * g, y[0]]
    return f, [(lambda t, y: rpm(y[0]) - 6000, 1, number + 1, None)]


times = [2, 5, 15]
results, switches = integrate_hybrid({n: gear(n) for n in ratios}, 1, [3, 0], times)
write_ode("gear_shift", {"v": lambda t, y: y[0], "x": lambda t, y: y[1]}, times, results, 6)

# ---- slip_hopper
m, k, l0, alpha = 80, 20000, 1, np.radians(68)


def stance(t, y):
    l = np.hypot(y[0] - y[4], y[1])
    F = k * (l0 - l) / (m * l)
    return [y[2], y[3], F * (y[0] - y[4]), F * y[1] - g, 0]


modes = {"flight": (lambda t, y: [y[2], y[3], 0, -g, 0],
                    [(lambda t, y: y[1] - l0 * sin(alpha), -1, "stance",
                      lambda t, y: [*y[:4], y[0] + l0 * cos(alpha)])]),
         "stance": (stance, [(lambda t, y: np.hypot(y[0] - y[4], y[1]) - l0, 1, "flight", None)])}
times = [0.25, 0.8, 1.5]
results, switches = integrate_hybrid(modes, "flight", [0, 1, 5, 0, 0], times)
write_ode("slip_hopper", dict(zip(("x", "y", "x'", "y'"), [lambda t, y, i=i: y[i] for i in range(4)])), times, results, 5)

# ---- rimless_wheel
alpha, gamma = pi / 8, 0.08
swing = (lambda t, y: [y[1], g * sin(y[0])],
         [(lambda t, y: y[0] - gamma - alpha, 1, "swing", lambda t, y: [gamma - alpha, cos(2 * alpha) * y[1]])])
times = [1, 5]
results, switches = integrate_hybrid({"swing": swing}, "swing", [0, 1], times)
write_ode("rimless_wheel", {"th": lambda t, y: y[0], "th'": lambda t, y: y[1]}, times, results, 6)

# ---- bicycle_whipple: linear
v = 4.6
M = np.array([[80.81722, 2.31941332208709], [2.31941332208709, 0.29784188199686]])
C1 = np.array([[0, 33.86641391492494], [-0.85035641456978, 1.68540397397560]])
K0 = np.array([[-80.95, -2.59951685249872], [-2.59951685249872, -0.80329488458618]])
K2 = np.array([[0, 76.59734589573222], [0, 2.65431523794604]])
A = np.block([[np.zeros((2, 2)), np.eye(2)],
              [-np.linalg.solve(M, g * K0 + v**2 * K2), -np.linalg.solve(M, v * C1)]])
for t in (1, 3):
    y = expm(A * t) @ [0.05, 0, 0, 0]
    for name, value in zip(("q[1]", "q[2]", "q[1]'"), y):
        write("bicycle_whipple", name, t, value, 6, "closed form")

# ---- clutch: slips, holds, is open
J1, J2, Te, k = 0.25, 2.5, 120, 40 / 50


def slipping(t, y):
    M = min(400, 250 * t)
    return [(Te - M) / J1, (M - k * y[1]) / J2]


modes = {"slips": (slipping, [(lambda t, y: y[0] - y[1], -1, "holds", None)]),
         "holds": (lambda t, y: [(Te - k * y[1]) / (J1 + J2)] * 2, [(lambda t, y: t - 3, 1, "open", None)]),
         "open": (lambda t, y: [Te / J1, -k * y[1] / J2], [])}
times = [0.5, 1.5, 2.9, 4]
results, switches = integrate_hybrid(modes, "slips", [150, 0], times)
write_ode("clutch", {"w1": lambda t, y: y[0], "w2": lambda t, y: y[1]}, times, results, 5)
write_ode("clutch", {"M": lambda t, y: Te - J1 * modes["holds"][0](t, y)[0]}, times[2:3], [r[2:3] for r in results], 5)

# ---- hydraulic_cylinder: pressures in MPa
m, A1, A2, beta, V1, V2, ps, Kv, c = 200, 2e-3, 1.2e-3, 1.4e9, 5e-4, 8e-4, 1.5e7, 1.6e-7, 3000


def root(p):
    return np.sign(p) * np.sqrt(abs(p))


def cylinder(t, y):
    x, v, p1, p2 = y[0], y[1], y[2] * 1e6, y[3] * 1e6
    u = max(-1, min(1, 15 * (0.2 - x)))
    Q1, Q2 = (Kv * u * root(ps - p1), Kv * u * root(p2)) if u > 0 else (Kv * u * root(p1), Kv * u * root(ps - p2))
    return [v, (A1 * p1 - A2 * p2 - c * v) / m, beta * (Q1 - A1 * v) / (V1 + A1 * x) * 1e-6,
            beta * (A2 * v - Q2) / (V2 - A2 * x) * 1e-6]


times = [0.02, 0.3, 1]
write_ode("hydraulic_cylinder", {"x": lambda t, y: y[0], "x'": lambda t, y: y[1], "p1": lambda t, y: y[2] * 1e6}, times[:2],
          [r[:2] for r in integrate(cylinder, [0, 0, 3, 5], times)], 5)
write_ode("hydraulic_cylinder", {"x": lambda t, y: y[0]}, times[2:],
          [r[2:] for r in integrate(cylinder, [0, 0, 3, 5], times)], 5)

# ---- hill_hold: rolls from the time when the brake equals the slope
pull = 1400 * g * sin(0.1)
t1 = (4000 - pull) / 1000
for t in (3, 3.9, 6):
    s = min(t, 4) - t1  # with the brake still on
    v, x = 1000 * s**2 / 2 / 1400, 1000 * s**3 / 6 / 1400
    if t > 4:
        x, v = x + v * (t - 4) + pull / 1400 * (t - 4)**2 / 2, v + pull / 1400 * (t - 4)
    write("hill_hold", "v", t, v, 5, "closed form")
    write("hill_hold", "x", t, x, 5, "closed form")

# ---- double_wishbone: Newton's method along the travel
A1, A2, B1, B2 = (np.array(p) for p in ((0.10, 0.35, 0.45), (-0.15, 0.35, 0.44), (0.15, 0.30, 0.16), (-0.20, 0.30, 0.17)))
tie, U0, L0, T0 = (np.array(p) for p in ((-0.12, 0.32, 0.22), (-0.02, 0.62, 0.48), (0.01, 0.68, 0.15), (-0.13, 0.66, 0.22)))


def wishbone(p, t):
    def gap(a, b, a0, b0):
        return (a - b) @ (a - b) - (a0 - b0) @ (a0 - b0)
    U, L, T = p[:3], p[3:6], p[6:]
    return np.array([gap(U, A1, U0, A1), gap(U, A2, U0, A2), gap(L, B1, L0, B1), gap(L, B2, L0, B2), gap(U, L, U0, L0),
                     gap(U, T, U0, T0), gap(L, T, L0, T0), gap(T, tie, T0, tie), L[2] - L0[2] - 0.06 * sin(t)])


p = np.concatenate([U0, L0, T0])
for t in np.linspace(0, 5, 51):
    p = newton(lambda p: wishbone(p, t), p, steps=6)
    if t in (2, 5):
        for name, value in (("U[2]", p[1]), ("L[2]", p[4]), ("T[1]", p[6]), ("camber", np.arctan2(p[4] - p[1], p[2] - p[5]))):
            write("double_wishbone", name, t, value, 6, "Newton")

# ---- sliding_block: speed v and direction phi over the parameter s with dt = v ds
mu, slope = 0.5, 0.3


def block(s, y):
    v, phi = y[:2]
    push = -g * sin(slope)
    return [v * (-mu * g * cos(slope) + push * sin(phi)), push * cos(phi), v * v * cos(phi), v * v * sin(phi), v]


ends = integrate(block, [np.hypot(3, 1), np.arctan2(1, 3), 0, 0, 0], [20])
for name, i in (("x", 2), ("y", 3)):
    write("sliding_block", name, 3, ends[1][0][i], 5, "solve_ivp", ends[0][0][i])
assert 0.5 < ends[1][0][4] < 3  # it rests then

# ---- sliding_mode: full command until s = 0, then x decays with exp(-3 t)
modes = {"reach": (lambda t, y: [y[1], (-20 + 2 * sin(3 * t)) / 2], [(lambda t, y: y[1] + 3 * y[0], -1, "slide", None)]),
         "slide": (lambda t, y: [-3 * y[0], 9 * y[0]], [])}
times = [0.2, 1.5, 3]
results, switches = integrate_hybrid(modes, "reach", [1, 0], times)
write_ode("sliding_mode", {"x": lambda t, y: y[0]}, times, results, 5)
write_ode("sliding_mode", {"u": lambda t, y: 18 * y[0] - 2 * sin(3 * t)}, times[1:], [r[1:] for r in results], 5)
at = switches[1][0]
x1 = integrate(modes["reach"][0], [1, 0], [at])[1][0][0]
assert 18 * x1 + 2 < 20  # the command suffices from there on

# ---- attitude_control
def attitude(t, y):
    q0, q, w, J = y[0], y[1:4], y[4:], np.array([120, 100, 80])
    return np.concatenate([[-(q @ w) / 2], (q0 * w + np.cross(q, w)) / 2, (-np.cross(w, J * w) - 6 * q - 40 * w) / J])


times = [5, 60]
write_ode("attitude_control", {"q[0]": lambda t, y: y[0], "q[1]": lambda t, y: y[1], "q[3]": lambda t, y: y[3]}, times,
          integrate(attitude, [0.5, 0.5, -0.5, 0.5, 0.1, -0.05, 0.2], times), 5)
