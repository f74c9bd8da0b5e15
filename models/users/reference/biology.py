"""Answers for models/users/biology: first-order forms, minimal coordinates, closed forms."""
import numpy as np
import sympy as sp
from mpmath import mp, mpf
from numpy import cos, exp, log, pi, sin, sqrt
from scipy.linalg import expm

from common import begin, integrate, integrate_hybrid, write, write_ode

begin()


def columns(*names):
    return {name: (lambda t, y, i=i: y[i]) for i, name in enumerate(names)}


# ---- hodgkin_huxley
def rates(V):
    return ((0.1 * (V + 40) / (1 - exp(-(V + 40) / 10)), 4 * exp(-(V + 65) / 18)),
            (0.07 * exp(-(V + 65) / 20), 1 / (1 + exp(-(V + 35) / 10))),
            (0.01 * (V + 55) / (1 - exp(-(V + 55) / 10)), 0.125 * exp(-(V + 65) / 80)))


def axon(t, y):
    V, m, h, n = y
    current = 10 if t > 5 else 0
    return [current - 120 * m**3 * h * (V - 50) - 36 * n**4 * (V + 77) - 0.3 * (V + 54.387)] + \
           [a * (1 - x) - b * x for (a, b), x in zip(rates(V), y[1:])]


times = [5, 12, 40]
start = [-65] + [a / (a + b) for a, b in rates(-65)]
write_ode("hodgkin_huxley", columns("V", "m", "h", "n"), times, integrate(axon, start, times, breaks=(5,)), 5)

# ---- enzyme: ES and P, in units of 1e-6 and 1e-3 mol/l
def enzyme(t, y):
    ES, P = y[0] * 1e-6, y[1] * 1e-3
    E, S = 1e-6 - ES, 1e-3 - ES - P
    return [(1e7 * E * S - 500 * ES) * 1e6, 300 * ES * 1e3]


times = [0.0003, 1, 5]
write_ode("enzyme", {"ES": lambda t, y: y[0] * 1e-6, "P": lambda t, y: y[1] * 1e-3}, times,
          integrate(enzyme, [0, 0], times, method="Radau"), 5)

# ---- epidemic
def seir(beta):
    return lambda t, y: [-beta * y[0] * y[2], beta * y[0] * y[2] - y[1] / 4, y[1] / 4 - y[2] / 6]


modes = {"open": (seir(0.45), [(lambda t, y: y[2] - 0.01, 1, "closed", None)]),
         "closed": (seir(0.1), [(lambda t, y: y[2] - 0.002, -1, "open", None)])}
times = [50, 150, 300]
results, switches = integrate_hybrid(modes, "open", [0.9999, 1e-4, 0], times)
write_ode("epidemic", {"S": lambda t, y: y[0], "I": lambda t, y: y[2], "R": lambda t, y: 1 - sum(y)}, times, results, 5)

# ---- predator_prey
times = [10, 70]
write_ode("predator_prey", columns("x", "y"), times,
          integrate(lambda t, y: [1.1 * y[0] - 0.4 * y[0] * y[1], 0.1 * y[0] * y[1] - 0.4 * y[1]], [10, 10], times), 5)

# ---- integrate_and_fire: the potential tends to -45 mV
period = 20e-3 * log(20 / 5)
for t in (0.1, 0.5):
    n, rest = divmod(t, period)
    write("integrate_and_fire", "V", t, -45e-3 - 20e-3 * exp(-rest / 20e-3), 6, "closed form")
    write("integrate_and_fire", "n", t, n, 6, "closed form")

# ---- satellite
def orbit(t, y):
    mu, J2, Re = 3.986004418e14, 1.08262668e-3, 6378137
    r = sqrt(y[:3] @ y[:3])
    k, s = 1.5 * J2 * Re**2 / r**2, 5 * y[2]**2 / r**2
    return np.concatenate([y[3:], -mu * y[:3] / r**3 * (1 + k * (np.array([1, 1, 3]) - s))])


times = [3000, 20000]
write_ode("satellite", columns("x", "y", "z"), times,
          integrate(orbit, [7e6, 0, 0, 0, 1500, 7400], times, tolerances=(1e-11, 1e-13)), 6)

# ---- two_molecules: centres and angles
m, d, eps, sig = 14.007, 0.11, 0.31, 0.331


def atoms(y):
    arm = d / 2 * np.array([[cos(y[2]), sin(y[2])], [cos(y[5]), sin(y[5])]])
    centre = np.array([y[0:2], y[3:5]])
    return np.array([centre[0] - arm[0], centre[0] + arm[0], centre[1] - arm[1], centre[1] + arm[1]]), arm


def molecules(t, y):
    r, arm = atoms(y)
    force = np.zeros((4, 2))
    for i in (0, 1):
        for j in (2, 3):
            e = r[i] - r[j]
            q = e @ e
            f = 24 * eps * (2 * (sig**2 / q)**6 - (sig**2 / q)**3) / q * e
            force[i] += f
            force[j] -= f
    acc = []
    for k in (0, 1):
        a, b = force[2 * k], force[2 * k + 1]
        torque = np.cross(arm[k], b) - np.cross(arm[k], a)
        acc += [*(a + b) / (2 * m), torque / (m * d * d / 2)]
    return [*y[6:], *acc]


times = [1, 3]
start = [-0.35 + 0.033, 0.044, np.arctan2(0.088, 0.066), 0.3, 0.105, pi / 2, 0.3, 0, 0, -0.2, 0, 0]
write_ode("two_molecules", {f"{c}[{i + 1}]": (lambda t, y, i=i, k=k: atoms(y)[0][i][k])
                            for i in (0, 3) for k, c in enumerate("xy")}, times, integrate(molecules, start, times), 5)

# ---- foucault: x and y as coordinates, z = -sqrt(L^2 - x^2 - y^2)
x, y, u, v, ax, ay = sp.symbols("x y u v ax ay")
L, g, w, lat = 67, 9.81, 7.2921e-5, sp.pi * 48.85 / 180


def rate(e):
    return e.diff(x) * u + e.diff(y) * v + e.diff(u) * ax + e.diff(v) * ay


z = -sp.sqrt(L**2 - x**2 - y**2)
lagrange = (u**2 + v**2 + rate(z)**2) / 2 + w * (sp.cos(lat) * (z * u - x * rate(z)) + sp.sin(lat) * (x * v - y * u)) - g * z
motion = sp.Matrix([rate(lagrange.diff(u)) - lagrange.diff(x), rate(lagrange.diff(v)) - lagrange.diff(y)])
M = sp.lambdify((x, y, u, v), motion.jacobian([ax, ay]))
b = sp.lambdify((x, y, u, v), motion.subs({ax: 0, ay: 0}))
times = [100, 600]
write_ode("foucault", {"x": lambda t, s: s[0], "y": lambda t, s: s[1]}, times,
          integrate(lambda t, s: [s[2], s[3], *np.linalg.solve(M(*s), -b(*s)[:, 0])], [0, 6, 0, 0], times), 5)

# ---- electron: cyclotron motion about a drift; wc = q B/m
q_m, E, B = -1.602176634e-19 / 9.1093837e-31, 2e4, 0.01
wc = q_m * B
for t in (3e-9, 2e-8):
    # x'' = q_m E + wc y', y'' = -wc x', from rest: x = E/(B wc) (1 - cos wc t), y = E/(B wc) (sin wc t - wc t)
    a = E / (B * wc)
    for name, value in (("x", a * (1 - cos(wc * t))), ("y", a * (sin(wc * t) - wc * t)), ("z", 1e6 * t),
                        ("x'", E / B * sin(wc * t))):
        write("electron", name, t, value, 6, "closed form")

# ---- radon_chain: Bateman's formula in 40 digits
mp.dps = 40
k = [mp.log(2) / mpf(h) for h in ("330350", "185.9", "1608", "1194", "1.643e-4", "7.006e8")]


def bateman(n, t):
    product = mpf(10)**9
    for i in range(n - 1):
        product *= k[i]
    total = mpf(0)
    for i in range(n):
        below = mpf(1)
        for j in range(n):
            if j != i:
                below *= k[j] - k[i]
        total += mp.e**(-k[i] * t) / below
    return product * total


for t in (1000, 100000, 1000000):
    for n in (1, 2, 4, 5, 6):
        write("radon_chain", f"N[{n}]", t, float(bateman(n, t)), 5, "mpmath")

# ---- heat_rod: linear; the end with a mirror point, the other end driven by sin(0.01 t)
n, c = 20, 1e-4 / (0.5 / 20)**2
A = np.zeros((n + 2, n + 2))  # T[1..n] - 20, sine, cosine
for i in range(n):
    A[i, i] = -2 * c
    if i > 0:
        A[i, i - 1] = c
    if i < n - 1:
        A[i, i + 1] = c
A[n - 1, n - 2] = 2 * c
A[0, n] = 30 * c
A[n, n + 1], A[n + 1, n] = 0.01, -0.01
for t in (300, 2000):
    y = expm(A * t) @ np.array([0] * n + [0, 1])
    for i in (1, 10, 20):
        write("heat_rod", f"T{i}", t, 20 + y[i - 1], 6, "closed form")

# ---- earthquake: logarithms of V and theta
sigma, a, b, Dc, V0, f0, Vp, k, eta = 50e6, 0.01, 0.016, 0.02, 1e-6, 0.6, 1e-9, 7.5e6, 4.5e6


def slider(t, y):
    V = exp(y[0])
    ds = exp(-y[1]) - V / Dc
    return [(k * (Vp - V) - sigma * b * ds) / (sigma * a + eta * V), ds]


def stress(t, y):
    return sigma * (f0 + a * (y[0] - log(V0)) + b * (y[1] + log(V0 / Dc))) + eta * exp(y[0])


times = [1e8, 5e8, 1.5e9]
write_ode("earthquake", {"tau": stress, "theta": lambda t, y: exp(y[1]), "V": lambda t, y: exp(y[0])}, times,
          integrate(slider, [log(3e-9), log(1e7)], times, method="Radau", tolerances=(1e-10, 1e-12)), 4)

# ---- bouncing_to_rest: it lies from sqrt(2/g) (1 + e)/(1 - e) = 2.56 s on
fall = sqrt(2 / 9.81)
speed = 0.7 * 9.81 * fall
write("bouncing_to_rest", "y", 0.8, speed * (0.8 - fall) - 9.81 * (0.8 - fall)**2 / 2, 6, "closed form")
write("bouncing_to_rest", "y", 5, 0, 6, "closed form")

# ---- drug_doses
def drug(t, y):
    conc = y[1] / 20
    return [-1.2 * y[0], 1.2 * y[0] - 15 * conc / (4 + conc) - 0.3 * y[1] + 0.2 * y[2], 0.3 * y[1] - 0.2 * y[2]]


times, results = [4, 12, 70], []
for tolerance in (1e-10, 1e-13):
    y, rows = np.array([100.0, 0, 0]), []
    for begin_dose in range(0, 72, 8):
        inside = [t - begin_dose for t in times if begin_dose < t < begin_dose + 8]
        piece = integrate(drug, y, [*inside, 8], tolerances=(tolerance,))[0]
        rows += list(piece[:-1])
        y = piece[-1] + [100, 0, 0]
    results.append(np.array(rows))
write_ode("drug_doses", {"gut": lambda t, y: y[0], "conc": lambda t, y: y[1] / 20, "tissue": lambda t, y: y[2]}, times, results, 5)

# ---- lane_emden: for n = 5 y = (1 + x^2/3)^(-1/2)
for t in (1, 5):
    write("lane_emden", "y", t, (1 + t * t / 3)**-0.5, 6, "closed form")
    write("lane_emden", "y'", t, -t / 3 * (1 + t * t / 3)**-1.5, 6, "closed form")

# ---- slack_string: on the circle (angle from below, angular velocity), in flight (x, y, x', y')
g, m = 9.81, 0.1


def pull(y):
    return m * (y[1]**2 + g * cos(y[0]))


circle = (lambda t, y: [y[1], -g * sin(y[0]), 0, 0])
flight = (lambda t, y: [y[2], y[3], 0, -g])
modes = {"taut": (circle, [(lambda t, y: pull(y), -1, "slack",
                            lambda t, y: [sin(y[0]), -cos(y[0]), y[1] * cos(y[0]), y[1] * sin(y[0])])]),
         "slack": (flight, [(lambda t, y: y[0]**2 + y[1]**2 - 1, 1, "taut",
                             lambda t, y: [np.arctan2(y[0], -y[1]), -y[1] * y[2] + y[0] * y[3], 0, 0])])}
times = [0.2, 0.5, 1.6]
results, switches = integrate_hybrid(modes, "taut", [0, 6, 0, 0], times, max_step=0.01)
for k, t in enumerate(times):
    taut = sum(s < t for s in switches[1]) % 2 == 0
    place = [(sin(r[k][0]), -cos(r[k][0]), pull(r[k])) if taut else (r[k][0], r[k][1], 0) for r in results]
    for i, name in enumerate(("x", "y", "S")):
        write("slack_string", name, t, place[1][i], 5, "solve_ivp", place[0][i])

# ---- sliding_chain: x - x0 grows like cosh
rest, w = 0.3 / 1.3, sqrt(9.81 * 1.3)
write("sliding_chain", "x", 0.3, rest + (0.4 - rest) * np.cosh(w * 0.3), 6, "closed form")
end = np.arccosh((1 - rest) / (0.4 - rest)) / w
write("sliding_chain", "t", "end", end, 6, "closed form")
write("sliding_chain", "x'", "end", (0.4 - rest) * w * np.sinh(w * end), 6, "closed form")

# ---- receptor_binding: RL' = kon (RL - r1)(RL - r2)
R0, L0, kon, Kd = 1e-9, 5e-9, 1e6, 1e-9
half = (R0 + L0 + Kd) / 2
r1, r2 = half - sqrt(half**2 - R0 * L0), half + sqrt(half**2 - R0 * L0)
for t in (100, 1000):
    f = exp(-kon * (r2 - r1) * t)
    RL = r1 * r2 * (1 - f) / (r2 - r1 * f)
    for name, value in (("RL", RL), ("R", R0 - RL), ("L", L0 - RL)):
        write("receptor_binding", name, t, value, 5, "closed form")

# ---- dipole_rotor: the angle to the field, time in picoseconds
k = 8e-20 * 5e8 / (5e-26 * 1e-9) * 1e-24
times = [1, 20]
results = integrate(lambda t, y: [y[1], -k * sin(y[0])], [pi / 2, 0], times)
for i, t in enumerate(times):
    for name, f in (("x", cos), ("y", sin)):
        write("dipole_rotor", name, t * 1e-12, 1e-9 * f(results[1][i][0]), 5, "solve_ivp", 1e-9 * f(results[0][i][0]))

# ---- newtons_cradle: at pi/4 the first ball gives its speed to the last one, which comes back at 3 pi/4
write("newtons_cradle", "x[1]", 0.5, -0.1 * cos(1), 6, "closed form")
write("newtons_cradle", "x[3]", 1.5, 0.1 * sin(2 * (1.5 - pi / 4)), 6, "closed form")
write("newtons_cradle", "x[2]", 1.5, 0, 6, "closed form")
write("newtons_cradle", "x[1]", 3, -0.1 * cos(2 * 3), 6, "closed form")
write("newtons_cradle", "x[3]", 3, 0, 6, "closed form")
