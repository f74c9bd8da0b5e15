"""Answers for models/users/process: algebraic unknowns eliminated by hand."""
import os

import numpy as np
from mpmath import findroot, mp, mpf
from numpy import exp, log, sqrt
from scipy.integrate import solve_ivp
from scipy.interpolate import CubicSpline
from scipy.linalg import expm
from scipy.optimize import brentq

from common import begin, integrate, integrate_hybrid, newton, write, write_ode

begin()

# ---- two_tanks
def tanks(t, h):
    d = h[0] - h[1]
    q12 = 0.03 * np.sign(d) * sqrt(abs(d))
    return [(0.02 - q12 - 0.4 * max(0, h[0] - 1.2)**1.5) / 0.5, (q12 - 0.015 * sqrt(max(h[1], 0))) / 0.4]


times = [10, 60, 300]
write_ode("two_tanks", {"h1": lambda t, y: y[0], "h2": lambda t, y: y[1], "q2": lambda t, y: 0.015 * sqrt(y[1])},
          times, integrate(tanks, [0, 0], times, method="Radau"), 5)

# ---- cstr
def cstr(t, y, Tc=None):
    r = 7.2e10 * exp(-8750 / y[1]) * y[0]
    Tc = Tc or (305 if t > 1 else 300)
    return np.array([1 - y[0] - r, 350 - y[1] + 5e4 / 239 * r + 5e4 / 23900 * (Tc - y[1])])


times = [1, 3, 10]
start = newton(lambda y: cstr(0, y, 300), [0.5, 350])
write_ode("cstr", {"c": lambda t, y: y[0], "T": lambda t, y: y[1]}, times,
          integrate(cstr, start, times, method="Radau", breaks=(1,)), 5)

# ---- flash_drum: the temperature from the composition, the vapour flow from the chain rule
def pressures(T):
    return 10**(6.90565 - 1211.033 / (T + 220.790)), 10**(6.95464 - 1344.800 / (T + 219.482))


def boil(x):
    T = brentq(lambda T: x * pressures(T)[0] + (1 - x) * pressures(T)[1] - 760, 50, 150, xtol=1e-13)
    Pb, Pt = pressures(T)
    slope = x * Pb * log(10) * 1211.033 / (T + 220.790)**2 + (1 - x) * Pt * log(10) * 1344.8 / (T + 219.482)**2
    return T, x * Pb / 760, -(Pb - Pt) / slope  # T, y, dT/dx


def vapour(x):
    T, y, dT = boil(x)
    # cp dT (F (z - x) - V (y - x)) = F cp (Tf - T) + Q - V lambda
    return (0.15 * (60 - T) + 25 - 0.15 * dT * (0.5 - x)) / (32 - 0.15 * dT * (y - x))


times = [60, 600]
write_ode("flash_drum", {"x": lambda t, y: y[0], "T": lambda t, y: boil(y[0])[0], "V": lambda t, y: vapour(y[0])},
          times, integrate(lambda t, x: [(0.5 - x[0] - vapour(x[0]) * (boil(x[0])[1] - x[0])) / 100], [0.5], times), 6)

# ---- batch_distillation: log(L/L0) = (log(x/x0) - alpha log((1 - x)/(1 - x0)))/(alpha - 1)
for t in (200, 450):
    L = 1000 - 2 * t
    x = brentq(lambda x: (log(x / 0.6) - 2.5 * log((1 - x) / 0.4)) / 1.5 - log(L / 1000), 1e-9, 0.6, xtol=1e-15)
    write("batch_distillation", "x", t, x, 6, "closed form")
    write("batch_distillation", "y", t, 2.5 * x / (1 + 1.5 * x), 6, "closed form")

# ---- heat_exchanger: linear, with the inlet as two more states: 80 and -60 exp(-t/10)
n, mh, mc, cp, Mh, Mc, UA = 10, 0.5, 0.8, 4180, 4, 6, 2500
A = np.zeros((2 * n + 2, 2 * n + 2))  # hot cells, cold cells (above 20), constant, exponential
for i in range(n):
    a, b, u, w = mh * n / Mh, mc * n / Mc, UA / (Mh * cp), UA / (Mc * cp)
    A[i, i] -= a + u
    A[i, n + i] += u
    if i > 0:
        A[i, i - 1] += a
    else:
        A[i, 2 * n:] = a
    A[n + i, n + i] -= b + w
    A[n + i, i] += w
    if i < n - 1:
        A[n + i, n + i + 1] += b
A[-1, -1] = -0.1
for t in (10, 60):
    y = expm(A * t) @ np.array([0] * 2 * n + [60, -60])
    for name, value in (("Th_out", 20 + y[n - 1]), ("Tc_out", 20 + y[n]), ("duty", mc * cp * y[n])):
        write("heat_exchanger", name, t, value, 6, "closed form")

# ---- reactor_recycle: F = F0/(1 - s xA)
def recycle(t, x, F0=None):
    F0 = F0 or (3 if t > 100 else 2)
    F = F0 / (1 - 0.95 * x[0])
    return np.array([(F - F * x[0]) / 500 - 0.01 * x[0]])


times = [100, 130, 600]
start = newton(lambda x: recycle(0, x, 2), [0.4])
write_ode("reactor_recycle", {"xA": lambda t, y: y[0]}, times, integrate(recycle, start, times, breaks=(100,)), 6)
write_ode("reactor_recycle", {"F": lambda t, y: 3 / (1 - 0.95 * y[0])}, times[1:],
          [r[1:] for r in integrate(recycle, start, times, breaks=(100,))], 6)

# ---- ph_titration: the amounts are known, the charges give H
mp.dps = 30
for t, guess in ((10, 1e-4), (50, 2e-5), (99, 1e-7), (100, 2e-9), (120, 1e-12)):
    V = mpf("0.1") + mpf(t) / 1000
    A, B, Ka, Kw = mpf("0.01") / V, mpf(t) / 10000 / V, mpf("1.8e-5"), mpf("1e-14")
    u = findroot(lambda u: mp.e**u + B - Kw / mp.e**u - A * Ka / (Ka + mp.e**u), mp.log(guess))
    write("ph_titration", "pH", t, float(-u / mp.log(10)), 6, "mpmath")

# ---- fast_equilibrium: a + b decays with k K/(1 + K)
for t in (2, 20):
    s = 5 * exp(-0.16 * t)
    for name, value in (("a", s / 5), ("c", 5 - s), ("r", 0.16 * s / 5)):
        write("fast_equilibrium", name, t, value, 6, "closed form")

# ---- level_control
def valve(y):
    return 2 * (y[0] - 1 + y[1] / 40)


def level(t, y):
    v = valve(y)
    q = 0.012 * min(1, max(0, v)) * sqrt(max(0, y[0]))
    return [((0.01 if t > 50 else 0.005) - q) / 0.2, y[0] - 1 if 0 < v < 1 else 0]


times = [10, 60, 150, 300]
results = integrate(level, [0.5, 0], times, breaks=(50,))
write_ode("level_control", {"h": lambda t, y: y[0]}, times, results, 5)
write_ode("level_control", {"u": lambda t, y: min(1, max(0, valve(y)))}, times[1:], [r[1:] for r in results], 5)

# ---- vessel_blowdown: m and T
R, g, pa = 287, 1.4, 101325
cv = R / (g - 1)


def flow(y):
    p = y[0] * R * y[1] / 0.5
    ratio = pa / p
    if ratio < (2 / (g + 1))**(g / (g - 1)):
        psi = sqrt(g * (2 / (g + 1))**((g + 1) / (g - 1)))
    else:
        psi = sqrt(2 * g / (g - 1) * (ratio**(2 / g) - ratio**((g + 1) / g)))
    return 0.85e-4 * p * psi / sqrt(R * y[1])


times = [10, 30, 50]
write_ode("vessel_blowdown", {"p": lambda t, y: y[0] * R * y[1] / 0.5, "T": lambda t, y: y[1], "w": lambda t, y: flow(y)},
          times, integrate(lambda t, y: [-flow(y), -flow(y) * y[1] * R / (y[0] * cv)], [8e5 * 0.5 / (R * 293), 293], times), 6)

# ---- fluid_bed
def bed(t, y):
    k = 6e-4 * exp(20.7 - 15000 / y[0])
    return [1.3 * (y[2] - y[0]) + 1.04e4 * k * y[1], 1880 * (y[3] - y[1] * (1 + k)), 1752 - 269 * y[2] + 267 * y[0],
            0.1 + 320 * y[1] - 321 * y[3]]


times = [1, 100, 1000]
write_ode("fluid_bed", {"Tp": lambda t, y: y[0], "pp": lambda t, y: y[1]}, times,
          integrate(bed, [761, 0, 600, 0.1], times, method="Radau"), 5)

# ---- distillation_column
def column(t, x, R=None):
    R = R or (9.8 if t > 10 else 9.2)
    F, V, M = 10, 14, np.array([50, 10, 10, 10, 10, 10, 50])
    D, B = V - R, F - V + R
    y = 2.2 * x / (1 + 1.2 * x)
    dx = np.empty(7)
    dx[0] = (R + F) * x[1] - V * y[0] - B * x[0]
    for i in range(1, 6):  # stage i + 1; the feed is on stage 4
        below = R + F if i < 4 else R
        above = R + F if i < 3 else R
        dx[i] = above * x[i + 1] - below * x[i] + (F * 0.5 if i == 3 else 0) + V * (y[i - 1] - y[i])
    dx[6] = V * y[5] - (R + D) * x[6]
    return dx / M


times = [10, 30, 200]
start = newton(lambda x: column(0, x, 9.2), np.linspace(0.2, 0.8, 7))
write_ode("distillation_column", {"x[1]": lambda t, y: y[0], "x[4]": lambda t, y: y[3], "x[7]": lambda t, y: y[6]},
          times, integrate(column, start, times, breaks=(10,)), 6)

# ---- draining_tank: sqrt(h) falls linearly; filled again, t = 2 A/k (-s - a/k log(1 - k s/a)) with s = sqrt(h)
A, k, a = 0.8, 0.02, 0.01
write("draining_tank", "h", 60, (sqrt(2) - k * 60 / (2 * A))**2, 6, "closed form")
write("draining_tank", "h", 130, 0, 6, "closed form")
s = brentq(lambda s: 2 * A / k * (-s - a / k * np.log1p(-k * s / a)) - 50, 1e-3, 0.499, xtol=1e-15)
write("draining_tank", "h", 200, s * s, 5, "closed form")

# ---- carbonate: one equation for H
Kw, K1, K2, Ct = mpf("1e-14"), mpf("4.45e-7"), mpf("4.69e-11"), mpf("2.5e-3")


def carbonate(t):
    def charges(u):
        H = mp.e**u
        CO2 = Ct / (1 + K1 / H + K1 * K2 / H**2)
        return H + mpf("3e-3") - Kw / H - CO2 * K1 / H - 2 * CO2 * K1 * K2 / H**2 - mpf(t) * mpf("1e-5")
    u = findroot(charges, (mp.log(mpf("1e-12")), mp.log(mpf("1e-2"))), solver="anderson", tol=1e-25)
    return mp.e**u


for t in (20, 49, 200, 301, 400):
    H = carbonate(t)
    write("carbonate", "pH", t, float(-mp.log10(H)), 6, "mpmath")
    write("carbonate", "CO2", t, float(Ct / (1 + K1 / H + K1 * K2 / H**2)), 4, "mpmath")

# ---- pipe_network: the flow from the height
keq = (4e6**-0.5 + 9e6**-0.5)**-2


def network(t, h):
    return sqrt(max(0, 3e5 * (1 - exp(-t / 5)) - 9810 * h) / (1e6 + keq + 2e6))


times = [2, 20, 100]
results = integrate(lambda t, y: [network(t, y[0]) / 1.5], [0], times, method="Radau", tolerances=(1e-10, 1e-12))
write_ode("pipe_network", {"h": lambda t, y: y[0], "q3": lambda t, y: network(t, y[0]),
                           "q1": lambda t, y: network(t, y[0]) * sqrt(keq / 4e6)}, times, results, 5)

# ---- batch_sequence
def batch(Tj):
    def f(t, y):
        r = 5e6 * exp(-7000 / y[1]) * y[0]
        return [-r, 0.02 * (Tj - y[1]) + 30 * r]
    return f


modes = {1: (batch(380), [(lambda t, y: y[1] - 350, 1, 2, None)]), 2: (batch(350), [(lambda t, y: y[0] - 0.1, -1, 3, None)]),
         3: (batch(290), [(lambda t, y: y[1] - 310, -1, None, None)])}
results, switches = integrate_hybrid(modes, 1, [1, 300], [40, 100, 2000], max_step=5)
for k, t in enumerate((40, 100)):
    for i, name in enumerate(("c", "T")):
        write("batch_sequence", name, t, results[1][k][i], 5, "solve_ivp", results[0][k][i])
write("batch_sequence", "t", "end", switches[1][-1], 5, "solve_ivp", switches[0][-1])
write("batch_sequence", "c", "end", results[1][2][0], 5, "solve_ivp", results[0][2][0])

# ---- adsorption_column: the capacity of a cell depends on its concentration
def column_cells(t, c):
    above = np.concatenate([[1], c[:-1]])
    return -0.02 * (c - above) / 0.1 / (0.4 + 0.6 * 15 / (1 + 5 * c)**2)


results = integrate(column_cells, np.zeros(10), [40, 90])
for t, cells, row in ((40, (1, 4), 0), (90, (5, 10), 1)):
    for i in cells:
        write("adsorption_column", f"c[{i}]", t, results[1][row][i - 1], 5, "solve_ivp", results[0][row][i - 1])

# ---- ignition: T + Q Y is constant
times = [5e-4, 6e-4, 5e-3]
burn = (lambda t, T: [5e9 * (2600 - T[0]) * exp(-20000 / T[0])])
write_ode("ignition", {"T": lambda t, y: y[0]}, times, integrate(burn, [1100], times, method="Radau"), 5)

# ---- overspecified_balances: salt and total
times = [20, 200]
write_ode("overspecified_balances", {"salt": lambda t, y: y[0], "total": lambda t, y: y[1], "w": lambda t, y: y[0] / y[1]}, times,
          integrate(lambda t, y: [0.06 - 0.08 * sqrt(y[1]) * y[0] / y[1], 0.8 - 0.08 * sqrt(y[1])], [5, 50], times), 6)

# ---- nuclear_waste: Bateman's formula
year = 31557600
k1, k2, k3 = (mp.log(2) / (mpf(h) * year) for h in ("6561", "2.342e7", "1.405e10"))
for years in (1e4, 1e6):
    t = mpf(years) * year
    a, b, c = (mp.e**(-k * t) for k in (k1, k2, k3))
    N = mpf(10)**24
    if years < 1e5:
        write("nuclear_waste", "Pu", float(t), float(N * a), 6, "mpmath")
    write("nuclear_waste", "U", float(t), float(N * k1 / (k2 - k1) * (a - b)), 6, "mpmath")
    write("nuclear_waste", "Th", float(t), float(N * k1 * k2 * (a / ((k2 - k1) * (k3 - k1)) + b / ((k1 - k2) * (k3 - k2)) +
                                                            c / ((k1 - k3) * (k2 - k3)))), 6, "mpmath")

# ---- tidal_lagoon: hours; the table repeats itself
table = np.loadtxt(os.path.join(os.path.dirname(__file__), "../process/tide.csv"), delimiter=",", skiprows=1)
tide = CubicSpline(table[:, 0], table[:, 1])
times = [5, 20, 35]
results = integrate(lambda t, h: [9 * 3600 / 2e5 * (tide(t % 12) - h[0])], [0], times, breaks=range(36))
for k, t in enumerate(times):
    write("tidal_lagoon", "h", 3600 * t, results[1][k][0], 5, "solve_ivp", results[0][k][0])

# ---- column_30_trays: the temperature of each tray by Newton's method, the steady state by that of the whole column
def tray_temperature(x):
    T = 353 + 30 * (1 - x)
    for _ in range(60):
        pb, pt = 10**(4.01814 - 1203.835 / (T - 53.226)), 10**(4.07827 - 1343.943 / (T - 53.773))
        slope = np.log(10) * (x * pb * 1203.835 / (T - 53.226)**2 + (1 - x) * pt * 1343.943 / (T - 53.773)**2)
        T = T - (x * pb + (1 - x) * pt - 1) / slope
    return T, x * 10**(4.01814 - 1203.835 / (T - 53.226))


def column_rates(R, x):
    V, y = 3.2, tray_temperature(x)[1]
    out = np.zeros(32)
    out[0] = ((R + 1) * (x[1] - x[0]) - V * (y[0] - x[0])) / 5
    out[1:15] = ((R + 1) * (x[2:16] - x[1:15]) + V * (y[:14] - y[1:15])) / 0.5
    out[15] = (R * x[16] + 0.5 - (R + 1) * x[15] + V * (y[14] - y[15])) / 0.5
    out[16:31] = (R * (x[17:32] - x[16:31]) + V * (y[15:30] - y[16:31])) / 0.5
    out[31] = V * (y[30] - x[31]) / 5
    return out


settle = solve_ivp(lambda t, x: column_rates(2.7, x), (0, 3000), np.linspace(0.01, 0.99, 32), method="Radau", rtol=1e-8, atol=1e-10)
steady = newton(lambda x: column_rates(2.7, x), settle.y[:, -1])
times = [20, 40, 60]
results = integrate(lambda t, x: column_rates(2.835 if t > 10 else 2.7, x), steady, times, method="Radau", breaks=(10,))
write_ode("column_30_trays", {"x[16]": lambda t, x: x[15], "x[32]": lambda t, x: x[31],
                              "T[1]": lambda t, x: tray_temperature(x)[0][0]}, times, results, 5)
write_ode("column_30_trays", {"x[1]": lambda t, x: x[0]}, times[1:], [r[1:] for r in results], 5)
