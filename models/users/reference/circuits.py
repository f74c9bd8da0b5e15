"""Answers for models/users/circuits: algebraic unknowns eliminated by hand."""
import numpy as np
from numpy import cos, exp, pi, sin
from scipy.linalg import expm
from scipy.optimize import brentq, fsolve
from scipy.special import wrightomega

from common import begin, integrate, integrate_hybrid, newton, write, write_ode

begin()


def diode_current(u, R, Is, Vt):
    """The current of a diode in series with R under the voltage u: R i + Vt log(1 + i/Is) = u."""
    return Vt / R * wrightomega((u + R * Is) / Vt + np.log(R * Is / Vt)) - Is


# ---- half_wave_rectifier
def half_current(t, y):
    return diode_current(10 * sin(100 * pi * t) - y[0], 10, 1e-12, 0.02585)


times = [0.004, 0.013, 0.06]
results = integrate(lambda t, y: [(half_current(t, y) - y[0] / 1e3) / 100e-6], [0], times, method="Radau")
write_ode("half_wave_rectifier", {"e3": lambda t, y: y[0]}, times, results, 5)
write_ode("half_wave_rectifier", {"iD": half_current}, times[:1], results, 5)

# ---- bridge_rectifier: by symmetry a - p = 0 - b, so one unknown s = (a - b)/2 is left
Vt, Is, Gmin = 0.02585, 1e-12, 1e-12


def bridge_half(t, p):
    V = 12 * sin(100 * pi * t)
    return brentq(lambda s: 2 * s * (1 + Gmin) + 2 * Is * exp(-p / (2 * Vt)) * np.sinh(s / Vt) - V, -8, 8, xtol=1e-16, rtol=1e-15)


def bridge(t, y):
    s, p = bridge_half(t, y[0]), y[0]
    i = Is * (exp((s - p / 2) / Vt) + exp((-s - p / 2) / Vt) - 2) - Gmin * p
    return [(i - p / 220) / 470e-6]


times = [0.003, 0.012, 0.04]
results = integrate(bridge, [0], times, method="Radau")
write_ode("bridge_rectifier", {"p": lambda t, y: y[0]}, times, results, 5)
write_ode("bridge_rectifier", {"a": lambda t, y: y[0] / 2 + bridge_half(t, y[0]),
                               "i": lambda t, y: (12 * sin(100 * pi * t) - 2 * bridge_half(t, y[0]))},
          times[:1], results, 5)

# ---- opamp_chain: o1 = -R1 C1 vin', then C2 o2' + o2/Rf = -o1/R2
w, R1, C1, R2, C2, Rf = 400 * pi, 10e3, 100e-9, 22e3, 47e-9, 100e3


def chain(t):
    o1 = -R1 * C1 * 0.5 * w * cos(w * t)
    k, a = R1 * C1 * 0.5 * w / (R2 * C2), 1 / (Rf * C2)  # o2' + a o2 = k cos(w t)
    o2 = k * (a * cos(w * t) + w * sin(w * t) - a * exp(-a * t)) / (a * a + w * w)
    return {"o1": o1, "o2": o2, "i1": o1 / R2 + o1 / R1, "i2": o2 / 1e3 + o1 / -R2}


for t in (0.0033, 0.02):
    for name, value in chain(t).items():
        write("opamp_chain", name, t, value, 6, "closed form")

# ---- sallen_key: states v1 and vp
R, C1, C2 = 10e3, 22e-9, 10e-9
A = np.zeros((3, 3))  # of (v1, vp, 1); vp' = (v1 - vp)/(R C2), v1' = vp' + ((1 - v1) - (v1 - vp))/(R C1)
A[1] = np.array([1, -1, 0]) / (R * C2)
A[0] = A[1] + np.array([-2, 1, 1]) / (R * C1)
for t in (1e-4, 2e-3):
    v1, vp, _ = expm(A * t) @ [0, 0, 1]
    io = vp / 100e3 - (1 - v1 - v1 + vp) / R
    for name, value in (("v1", v1), ("vo", vp), ("io", io)):
        write("sallen_key", name, t, value, 6 if name != "io" or t < 1e-3 else 4, "closed form")

# ---- relaxation_oscillator
times = [0.5e-3, 2e-3, 6e-3]
results = integrate(lambda t, y: [(y[1] - y[0]) / 1e-3, (12 * np.tanh(1e5 * (y[1] / 2 - y[0]) / 12) - y[1]) / 1e-6],
                    [0, 1], times, method="Radau", tolerances=(1e-10, 3e-12))
write_ode("relaxation_oscillator", {"vm": lambda t, y: y[0], "vo": lambda t, y: y[1]}, times, results, 5)

# ---- buck_converter: linear between switchings
L, C, RL, r = 47e-6, 100e-6, 2, 0.02
k = 1 / (1 + r / RL)


def buck(V):
    return np.array([[-k * r / L, -k / L, V / L], [(1 - k * r / RL) / C, -k / (RL * C), 0], [0, 0, 0]])


on, off = expm(buck(24) * 5e-6), expm(buck(0) * 5e-6)
for t, periods in ((2e-4, 20), (1e-3, 100)):
    iL, vC, _ = np.linalg.matrix_power(off @ on, periods) @ [0, 0, 1]
    for name, value in (("iL", iL), ("vC", vC), ("vo", k * (vC + r * iL))):
        write("buck_converter", name, t, value, 6, "closed form")

# ---- boost_converter
def switch_voltage(t, y, on):
    R = 0.05 if on else 1e6
    i = diode_current(R * y[0] - y[1], R, 1e-9, 0.02585)
    return (y[1] + 0.02585 * np.log1p(i / 1e-9) if i > 0 else R * (y[0] - i)), i


def boost(t, y):
    vs, i = switch_voltage(t, y, (t * 1e6) % 20 < 8)
    return [(12 - vs) / 100e-6, (i - y[1] / 20) / 47e-6]


times = [1.05e-4, 5.12e-4, 9.95e-4]
breaks = [k * 20e-6 for k in range(51)] + [k * 20e-6 + 8e-6 for k in range(51)]
results = integrate(boost, [0, 12], times, method="Radau", breaks=breaks)
write_ode("boost_converter", {"iL": lambda t, y: y[0], "vo": lambda t, y: y[1]}, times, results, 5)

# ---- differential_pair
def pair_currents(t, e):
    vin = 5e-3 * sin(2 * pi * 10e3 * t)
    return [diode_current(u - e, 1e3 / 200, 1e-14, 0.02585) for u in (vin, 0)]


def emitter(t):
    return brentq(lambda e: sum(pair_currents(t, e)) * 1.005 - (e + 12) / 12e3, -1, 0, xtol=1e-16, rtol=1e-15)


def pair(t, y):
    return [((12 - v) / 10e3 - i) / 1e-9 for v, i in zip(y, pair_currents(t, emitter(t)))]


start = [12 - 10e3 * i for i in pair_currents(0, emitter(0))]
times = [3e-5, 3e-4]
write_ode("differential_pair", {"c1": lambda t, y: y[0], "c2": lambda t, y: y[1], "e": lambda t, y: emitter(t),
                                "ic1": lambda t, y: pair_currents(t, emitter(t))[0]},
          times, integrate(pair, start, times), 5)

# ---- capacitor_loop: C2 e2' + e2/R = e1/R - iL
C1, C2, R, L = 1e-6, 2.2e-6, 1e3, 10e-3


def response(amplitude, w, t):
    """The part of e2 driven by Re(amplitude e^(iwt)), from 0."""
    z = amplitude / (1 / R + 1j * w * C2)
    return (z * exp(1j * w * t)).real - z.real * exp(-t / (R * C2))


for t in (0.0015, 0.01):
    e1, iL = 5 * sin(1000 * t), 2e-3 * cos(3000 * t)
    e2 = response(-5j / R, 1000, t) + response(-2e-3, 3000, t)
    e3 = e2 + L * 6 * sin(3000 * t)
    for name, value in (("e2", e2), ("e3", e3), ("iV", -C1 * 5000 * cos(1000 * t) - (e1 - e2) / R)):
        write("capacitor_loop", name, t, value, 6, "closed form")

# ---- power_grid: the voltage from a quadratic equation
E, x, Pm, H, D = (np.array(p) for p in ((1.1, 1.08), (0.35, 0.45), (0.7, 0.5), (4, 3), (2, 1.5)))
PL, QL = 1.2, 0.3


def bus(t, d):
    A = np.sum(E / x * exp(1j * d))
    k = np.sum(1 / x) + (0.5 if 0.5 < t < 0.7 else 0)
    b = 2 * QL * k - abs(A)**2
    V = np.sqrt((-b + np.sqrt(b * b - 4 * k * k * (PL**2 + QL**2))) / (2 * k * k))
    return V, np.angle(A) - np.arctan2(PL, QL + k * V * V)


def power(t, y):
    V, th = bus(t, y[:2])
    return E * V / x * sin(y[:2] - th)


def grid(t, y):
    return np.concatenate([2 * pi * 50 * y[2:], (Pm - power(t, y) - D * y[2:]) / (2 * H)])


d2 = newton(lambda d: np.array([power(0, np.array([0, d[0]]))[0] - 0.7]), [0.0])[0]
times = [0.6, 1, 3]
write_ode("power_grid", {"d": lambda t, y: y[0] - y[1], "V": lambda t, y: bus(t, y[:2])[0],
                         "P1": lambda t, y: power(t, y)[0]},
          times, integrate(grid, [0, d2, 0, 0], times, breaks=(0.5, 0.7)), 5)

# ---- ring_oscillator: time in nanoseconds
def drain(k, vgs, vds):
    if vgs < 0.45:
        return 0
    return k * ((vgs - 0.45) * vds - vds**2 / 2) if vds < vgs - 0.45 else k / 2 * (vgs - 0.45)**2


def ring(t, v):
    u = np.roll(v, 1)
    return [(drain(160e-6, 1.8 - u[i], 1.8 - v[i]) - drain(400e-6, u[i], v[i])) / 20e-15 * 1e-9 for i in range(3)]


times = [0.5, 2]
results = integrate(ring, [0, 1.8, 0.5], times)
for i in range(3):
    for k, t in enumerate(times):
        write("ring_oscillator", f"v[{i + 1}]", t * 1e-9, results[1][k][i], 5, "solve_ivp", results[0][k][i])

# ---- chua
def chua(t, y):
    g = -0.409091e-3 * y[0] + (-0.757576e-3 + 0.409091e-3) / 2 * (abs(y[0] + 1.08) - abs(y[0] - 1.08))
    return [((y[1] - y[0]) / 1.8e3 - g) / 10e-9, ((y[0] - y[1]) / 1.8e3 + y[2]) / 100e-9, -y[1] / 18e-3]


times = [1e-3, 3e-3]
write_ode("chua", {"v1": lambda t, y: y[0], "v2": lambda t, y: y[1], "iL": lambda t, y: y[2]}, times,
          integrate(chua, [0.1, 0, 0], times, scale=[1, 1, 1e-3]), 5)

# ---- ideal_diode: conducts or blocks
def rectifier(conducts):
    def f(t, y):
        i = (10 * sin(100 * pi * t) - y[0]) / 5 if conducts else 0
        return [(i - y[0] / 500) / 100e-6]
    return f


across = (lambda t, y: 10 * sin(100 * pi * t) - y[0])
modes = {1: (rectifier(1), [(across, -1, 0, None)]), 0: (rectifier(0), [(across, 1, 1, None)])}
times = [0.004, 0.013, 0.06]
results, switches = integrate_hybrid(modes, 1, [0], times, max_step=2e-4)
write_ode("ideal_diode", {"vC": lambda t, y: y[0]}, times, results, 5)
write("ideal_diode", "iD", 0.004, (10 * sin(0.4 * pi) - results[1][0][0]) / 5, 5, "solve_ivp")
write("ideal_diode", "vD", 0.013, 10 * sin(1.3 * pi) - results[1][1][0], 5, "solve_ivp")

# ---- ideal_transformer: v2 = 2 v1; flux f = L1 i1 + M i2 with f' = v1
# i2 = -2 v1/R2, i1 = V - v1 (R1 = 1), so f = L1 (V - v1) - 2 M v1/R2
L1, M, R2 = 10e-3, 20e-3, 100
k = L1 + 2 * M / R2  # f = L1 V - k v1, f' = v1: v1 = (L1 V - f)/k
w, V0 = 1000, 10
for t in (0.001, 0.02):
    # f' + f/k = L1 V0 sin(w t)/k
    z = L1 * V0 / k / (1 / k + 1j * w)
    f = (z * exp(1j * w * t)).imag - z.imag * exp(-t / k)
    v1 = (L1 * V0 * sin(w * t) - f) / k
    for name, value in (("i1", V0 * sin(w * t) - v1), ("i2", -2 * v1 / R2), ("v2", 2 * v1)):
        write("ideal_transformer", name, t, value, 6, "closed form")

# ---- astable_multivibrator: time in milliseconds
Is, Vt = 1e-14, 0.02585
C, Cb, Cc = 10e-9, 10e-12, 5e-12
# unknowns b1, b2, c1, c2
capacity = np.array([[Cb + C, 0, 0, -C], [0, Cb + C, -C, 0], [0, -C, Cc + C, 0], [-C, 0, 0, Cc + C]])
inverse = np.linalg.inv(capacity)


def junction(u):
    return Is * (exp(u / Vt) - 1)


def flasher(t, y):
    b, c = y[:2], y[2:]
    ib = junction(b) / 100 + junction(b - c) / 2
    ic = junction(b) - junction(b - c) * 1.5
    return inverse @ np.concatenate([(5 - b) / 47e3 - ib, (5 - c) / 1e3 - ic]) * 1e-3


times = [0.2, 0.5, 1]
results = integrate(flasher, [0.6, 0, 0.2, 5], times, method="Radau", tolerances=(1e-9, 1e-11))
for k, t in enumerate(times):
    for i, name in enumerate(("b[1]", "b[2]", "c[1]", "c[2]")):
        write("astable_multivibrator", name, t * 1e-3, results[1][k][i], 4, "solve_ivp", results[0][k][i])

# ---- buck_closed_loop: time in units of the period; on until the sawtooth passes the control
T, L, C, RL = 20e-6, 100e-6, 220e-6, 4


def control(y):
    return 0.02 * (10 - y[1]) + 30 * y[2] + 0.2


def half(on):
    return lambda t, y: [((24 if on else 0) - y[1]) / L * T, (y[0] - y[1] / RL) / C * T, (10 - y[1]) * T]


wanted, coarse, fine = [10, 30, 50], [], []
for tolerances, rows in (((1e-9,), coarse), ((1e-12,), fine)):
    y = [0, 0, 0]
    for period in range(50):
        event = (lambda t, y: control(y) - t, -1, "off", None)
        again = (lambda t, y: control(y) - t, 1, "on", None)
        modes = {"on": (half(1), [event]), "off": (half(0), [again])}
        results, switches = integrate_hybrid(modes, "on", y, [1], tolerances=tolerances)
        assert len(switches[0]) <= 1
        y = results[0][0]
        if period + 1 in wanted:
            rows.append(y)
for k, periods in enumerate(wanted):
    for i, name in enumerate(("iL", "vo")):
        write("buck_closed_loop", name, periods * T, fine[k][i], 5, "solve_ivp", coarse[k][i])

# ---- voltage_collapse: V^4 + (2 Q X - E^2) V^2 + X^2 (P^2 + Q^2) = 0
for t in (3, 6):
    P, X = 0.1 * t, 0.5
    Q = P / 2
    h = (1 - 2 * Q * X) / 2
    V = np.sqrt(h + np.sqrt(h * h - X * X * (P * P + Q * Q)))
    write("voltage_collapse", "V", t, V, 6, "closed form")
    write("voltage_collapse", "d", t, np.arcsin(P * X / V), 6, "closed form")

# ---- bridge_ideal_leakage: as bridge_rectifier with other diodes
Vt, Is, Gmin = 0.02585, 1e-9, 0
times = [0.003, 0.012, 0.04]
results = integrate(bridge, [0], times, method="Radau")
write_ode("bridge_ideal_leakage", {"p": lambda t, y: y[0]}, times, results, 5)
write_ode("bridge_ideal_leakage", {"i": lambda t, y: (12 * sin(100 * pi * t) - 2 * bridge_half(t, y[0]))}, times[:1], results, 5)

# ---- voltage_multiplier: voltages of the capacitors; time in milliseconds
def multiplier(t, y):
    def diode(u):  # beyond 1 V a straight line, which only iterates of the solver meet
        x = u / 0.02585
        return 1e-12 * (exp(x) - 1 if x < 40 else exp(40) * (x - 39) - 1)

    def currents(e):
        e1 = e - y[0]
        e3, e2, e4 = e1 - y[1], y[2], y[2] + y[3]
        return (10 * sin(2 * pi * t) - e) / 50, diode(-e1), diode(e1 - e2), diode(e2 - e3), diode(e3 - e4)

    def rest(e):
        i, d1, d2, d3, d4 = currents(e)
        return i + d1 + d3 - d2 - d4
    i, d1, d2, d3, d4 = currents(brentq(rest, -1000, 1000, xtol=1e-15, rtol=1e-15))
    top = d4 - (y[2] + y[3]) / 1e6  # into the upper capacitor of the smoothing column
    return np.array([i, d4 - d3, d2 + top - d3, top]) * 1e3


times = [1.3, 5.1, 20]
results = integrate(multiplier, [0, 0, 0, 0], times, method="Radau", tolerances=(1e-8, 1e-10), max_step=0.05)
for k, t in enumerate(times):
    for name, value in (("e2", lambda y: y[2]), ("e4", lambda y: y[2] + y[3])):
        write("voltage_multiplier", name, t * 1e-3, value(results[1][k]), 5, "solve_ivp", value(results[0][k]))

# ---- parasitic_capacitance: linear, with sine and cosine as states
w, R1, C1, R2, C2 = 2000 * pi, 10e3, 100e-9, 50, 2e-12
A = np.array([[-(1 / R1 + 1 / R2) / C1, 1 / (R2 * C1), 1 / (R1 * C1), 0], [1 / (R2 * C2), -1 / (R2 * C2), 0, 0],
              [0, 0, 0, w], [0, 0, -w, 0]])
values, vectors = np.linalg.eig(A)
for t in (0.0012, 0.02):
    y = (vectors @ (exp(values * t) * np.linalg.solve(vectors, [0, 0, 0, 1]))).real
    write("parasitic_capacitance", "v1", t, y[0], 5, "closed form")
    write("parasitic_capacitance", "v2", t, y[1], 5, "closed form")

# ---- capacitor_ladder: linear; time in milliseconds, pF, the source as two exponentials
n, C, Cg, G = 12, 50, 4, 1 / 500e6 * 1e9  # conductance in pF/ms
K = np.zeros((n, n))
for i in range(n):
    K[i, i] = Cg + C + (C if i < n - 1 else 0)
    if i > 0:
        K[i, i - 1] = K[i - 1, i] = -C
A = np.zeros((n + 2, n + 2))
drive = np.zeros((n, 2))
drive[0] = [C * -0.5, C * -50]  # C e0' of exp(-t/2) and exp(-50 t)
A[:n, :n], A[:n, n:] = -np.linalg.solve(K, G * np.eye(n)), np.linalg.solve(K, drive)
A[n, n], A[n + 1, n + 1] = -0.5, -50
for t in (0.1, 5):
    y = expm(A * t) @ np.array([0] * n + [1e5, -1e5])
    for i in (1, 6, 12):
        write("capacitor_ladder", f"e{i}", t * 1e-3, y[i - 1], 5, "closed form")

# ---- induction_motor: currents from the flux linkages
Ll, Lm, rs, rr, J, p = 0.754 / 377, 26.13 / 377, 0.435, 0.816, 0.089, 2
inverse = np.linalg.inv(np.array([[Ll + Lm, Lm], [Lm, Ll + Lm]]))


def motor_currents(y):
    (isd, ird), (isq, irq) = inverse @ [y[0], y[2]], inverse @ [y[1], y[3]]
    return isd, isq, ird, irq, 1.5 * p * (y[0] * isq - y[1] * isd)


def machine(t, y):
    isd, isq, ird, irq, Te = motor_currents(y)
    return [179.6 * cos(120 * pi * t) - rs * isd, 179.6 * sin(120 * pi * t) - rs * isq, -rr * ird - y[4] * y[3],
            -rr * irq + y[4] * y[2], p / J * (Te - (10 if t > 0.6 else 0))]


times = [0.1, 0.5, 1]
write_ode("induction_motor", {"speed": lambda t, y: y[4] / p, "isd": lambda t, y: motor_currents(y)[0]}, times,
          integrate(machine, [0] * 5, times, breaks=(0.6,)), 5)
write_ode("induction_motor", {"Te": lambda t, y: motor_currents(y)[4]}, times[2:],
          [r[2:] for r in integrate(machine, [0] * 5, times, breaks=(0.6,))], 5)

# ---- power_network_50: polar coordinates; the voltages follow from delta by Newton's method
Nb, lines, load, reactive, Xg, Eg = 50, 200.0, 0.04, 0.01, 0.3, 1.1
free = [k for k in range(Nb) if k != 25]
grid_guess = {}


def grid(delta, p13):
    def residual(w):
        th, v = np.zeros(Nb), np.ones(Nb)
        th[free], v[free] = w[:49], w[49:]
        P, Q = np.zeros(Nb), np.zeros(Nb)
        for step in (-1, 1):
            d, u = th - np.roll(th, step), np.roll(v, step)
            P += lines * v * u * sin(d)
            Q += lines * v * (v - u * cos(d))
        P[1:] += load
        P[12] += p13 - load
        Q[1:] += reactive
        P[0] -= Eg * v[0] / Xg * sin(delta - th[0])
        Q[0] += v[0] / Xg * (v[0] - Eg * cos(delta - th[0]))
        return np.concatenate([P[free], Q[free]])
    w = grid_guess.get("w", np.concatenate([np.zeros(49), np.ones(49)]))
    w = fsolve(residual, w, xtol=1e-13)
    grid_guess["w"] = w
    return w


def power_out(delta, w):
    return Eg * w[49] / Xg * sin(delta - w[0])


def swing(t, y):
    w = grid(y[0], 0.24 if t > 0.1 else 0.04)
    return [100 * pi * y[1], (0.9 - power_out(y[0], w) - 2 * y[1]) / 6]


delta0 = brentq(lambda d: 0.9 - power_out(d, grid(d, 0.04)), 0.05, 1.2, xtol=1e-14)
times = [0.3, 1, 2]
results = integrate(swing, [delta0, 0], times, breaks=(0.1,), tolerances=(1e-8, 1e-10))
write_ode("power_network_50", {"delta": lambda t, y: y[0], "omega": lambda t, y: y[1],
                               "e[13]": lambda t, y: (lambda w: w[49 + 12] * cos(w[12]))(grid(y[0], 0.24)),
                               "f[13]": lambda t, y: (lambda w: w[49 + 12] * sin(w[12]))(grid(y[0], 0.24))}, times, results, 5)


# ---- voltage_multiplier_12: vin from one equation that rises in it
def multiplier_currents(u, vin):
    a, b = vin + np.cumsum(u[0::2]), np.cumsum(u[1::2])
    below = np.concatenate([[0], b[:-1]])
    d = lambda v: 1e-12 * (exp(np.minimum(v / 0.02585, 600)) - 1)
    return d(below - a), d(a - b)


def multiplier(t, u):
    V = 10 * sin(2e3 * pi * t)

    def balance(vin):
        i, j = multiplier_currents(u, vin)
        return (V - vin) / 50 - np.sum(j - i)
    vin = brentq(balance, -30 - np.sum(np.abs(u)), 30 + np.sum(np.abs(u)), xtol=1e-14, rtol=1e-14)
    i, j = multiplier_currents(u, vin)
    rest = lambda x: np.cumsum(x[::-1])[::-1]
    out = np.zeros(12)
    out[0::2] = rest(i - j) / 1e-6
    out[1::2] = (rest(j) - rest(i) + i - np.sum(u[1::2]) / 1e7) / 1e-6
    return out


times = [4e-4, 1.3e-3]
results = integrate(multiplier, [0] * 12, times, method="Radau", tolerances=(1e-8, 1e-9))
write_ode("voltage_multiplier_12", {f"u[{k}]": lambda t, y, k=k: y[k - 1] for k in (1, 2)}, times, results, 5)
