"""What the papers print: the numbers of their tables, typed from them. Nothing here is computed.

BIT: Tuomela and Arponen, On the numerical solution of involutive ordinary differential systems: higher order methods,
BIT 41 (2001). LIN: Tuomela, Arponen and Normi, ... : enhanced linear algebra. Counts are "accepted(rejected)", Newton
iterations "average(most)", times seconds of a PC of 1 GHz."""

# BIT, Tables 6.1 to 6.3: rows are (method, tolerance, counts), columns values of x
BIT = {
    "6.1": ("Hénon-Heiles (6.2)", (110, 550, 1100),
            (("dopri54:4", 5e-5, (186, 920, 1837)),
             ("dopri54", 1e-5, (242, 1201, 2404)),
             ("dopri54:4", 5e-6, (268, 1373, 2722)),
             ("rk4", 5e-4, (568, 2897, 5801)))),
    "6.2": ("stiff pendulum (6.4), ε = 0.01", (0.5, 1.5),
            (("dopri54", 1e-4, (357, 1141)),
             ("dopri54", 1e-5, (685, 2051)),
             ("rk4", 1e-2, (643, 1931)),
             ("rk4", 1e-3, (957, 2857)))),
    "6.3": ("stiff pendulum (6.4), ε = 0.1", (3.7, 20),
            (("dopri54", 1e-4, (136, 751)),
             ("dopri54", 1e-5, (260, 1444)),
             ("rk4", 1e-2, (223, 1259)),
             ("rk4", 1e-3, (371, 2082)))),
}

# LIN, the examples of its tables: model, first or constant step, end, tolerance, facmax (its section 6.3)
RIGID = ("0.2", 3600, "1e-6", "5")
PLUG = ("0.1", 3.2188, "1e-10", "4")
PARTICLE = ("0.01", 20, "1e-5", "5")
MHD = ("0.05", 1.75, "1e-7", "2.5")

# LIN, Tables 1 to 12: title, model, settings, then for "no INIT" and "w/INIT" the counts, iterations and CPU totals of the
# columns Euler (constant), Euler (adaptive), dopri54 (constant), dopri54 (adaptive)
COLUMNS = ("Euler constant", "Euler adaptive", "dopri54 constant", "dopri54 adaptive")
LIN = {
    1: ("rigid body, general case, exact Newton", "rigid_body_general", RIGID,
        ("18049 4835(491) 18019 115(6)", "0.135(3) 1.65(3) 0.0302(2) 0.819(3)", "2.52 7.78 12.34 0.48"),
        ("18049 4835(491) 18019 115(6)", "0.135(3) 1.65(3) 0.0302(2) 0.819(3)", "2.00 4.73 10.83 0.32")),
    2: ("rigid body, general case, inexact Newton", "rigid_body_general", RIGID,
        ("18049 4835(491) 18019 115(6)", "0.135(3) 1.65(3) 0.0302(2) 0.819(3)", "2.86 9.29 11.80 0.64"),
        ("18049 4835(491) 18019 115(6)", "0.135(3) 1.65(3) 0.0302(2) 0.819(3)", "2.53 6.67 10.99 0.50")),
    3: ("rigid body, system with invariants, exact Newton", "rigid_body", RIGID,
        ("18010 4902(800) 18016 134(11)", "0.0805(3) 1.5(3) 0.0239(2) 0.793(2)", "0.56 1.56 4.08 0.12"),
        ("18010 4902(800) 18016 134(11)", "0.0805(3) 1.5(3) 0.0239(2) 0.793(2)", "0.44 1.09 3.37 0.09")),
    4: ("rigid body, system with invariants, inexact Newton", "rigid_body", RIGID,
        ("18010 4902(800) 18016 134(11)", "0.0805(3) 1.5(3) 0.0239(2) 0.793(2)", "0.58 2.06 3.87 0.16"),
        ("18010 4902(800) 18016 134(11)", "0.0805(3) 1.5(3) 0.0239(2) 0.793(2)", "0.47 1.32 3.34 0.11")),
    5: ("plug flow, exact Newton", "plug_flow", PLUG,
        ("289 101537(4) 288 37(0)", "2(2) 1(2) 1(2) 0.868(2)", "0.08 51.01 0.34 0.06"),
        ("289 101558(4) 288 37(0)", "2.99(3) 1.01(3) 1.3(3) 1.13(3)", "0.09 30.40 0.29 0.06")),
    6: ("plug flow, inexact Newton", "plug_flow", PLUG,
        ("289 102705(4) 288 37(0)", "23.8(26) 1.03(21) 2.45(11) 5.71(30)", "0.52 59.82 0.66 0.19"),
        ("289 102705(4) 288 37(0)", "23.8(26) 1.03(21) 2.45(11) 5.71(30)", "0.52 29.41 0.54 0.18")),
    7: ("particle in a magnetic field, general case, exact Newton", "magnetic_particle_general", PARTICLE,
        ("3875 2106(0) 3825 55(11)", "1.81(2) 2(2) 0(0) 1.75(4)", "6.76 11.56 3.26 1.13"),
        ("3875 2106(0) 3825 55(11)", "1.81(2) 2(2) 0(0) 1.75(4)", "4.20 7.10 2.86 0.79")),
    8: ("particle in a magnetic field, general case, inexact Newton", "magnetic_particle_general", PARTICLE,
        ("3875 2106(0) 3825 55(11)", "1.81(2) 2(2) 0(0) 1.75(4)", "7.77 13.25 3.01 1.77"),
        ("3875 2106(0) 3825 55(11)", "1.81(2) 2(2) 0(0) 1.75(4)", "5.84 9.97 2.87 1.50")),
    9: ("particle in a magnetic field, system with invariants, exact Newton", "magnetic_particle", PARTICLE,
        ("2860 1596(10) 2860 44(11)", "1.43(2) 1.93(2) 0(0) 1.47(3)", "1.15 2.13 0.88 0.25"),
        ("2860 1596(10) 2860 44(11)", "1.43(2) 1.93(2) 0(0) 1.47(3)", "0.73 1.35 0.71 0.18")),
    10: ("particle in a magnetic field, system with invariants, inexact Newton", "magnetic_particle", PARTICLE,
         ("2860 1596(10) 2860 44(11)", "1.43(2) 1.93(2) 0(0) 1.47(3)", "1.50 2.80 0.78 0.43"),
         ("2860 1596(10) 2860 44(11)", "1.43(2) 1.93(2) 0(0) 1.47(3)", "1.15 2.13 0.70 0.38")),
    11: ("3D magnetohydrodynamics, general case, exact Newton", "mhd_general", MHD,
         ("362730 9958(278) 390587 53(0)", "0.732(2) 1.76(2) 0.000197(2) 0.981(3)", "232.87 36.69 295.97 0.53"),
         ("362730 9958(278) 390587 53(0)", "0.732(2) 1.86(3) 0.000197(2) 1.57(4)", "69.40 20.51 256.31 0.43")),
    12: ("3D magnetohydrodynamics, system with invariants, exact Newton", "mhd", MHD,
         ("24546 5545(1) 27094 35(0)", "1.05(2) 1.73(2) 1(2) 0.944(3)", "5.21 4.63 12.22 0.09"),
         ("24546 5545(1) 27094 35(0)", "1.05(2) 1.73(2) 1(2) 1.06(4)", "1.78 2.46 7.10 0.05")),
}

# LIN, Tables 13 to 15, dopri54 adaptive, tolerance 1e-6, facmax 3: title, models with and without energy, particles, first
# step, end; columns as named
CHAIN_COLUMNS = ("energy and exact Newton", "energy and inexact Newton", "exact Newton alone", "inexact Newton alone")
CHAINS = {
    13: ("mech6", ("mech6_energy", "mech6"), 6, "0.02", 1,
         ("22(1) 22(1) 23(1) 23(1)", "0.913(3) 0.913(3) 0.958(3) 0.958(3)", "2.01 1.69 1.65 1.10"),
         ("22(1) 22(1) 23(1) 23(1)", "0.913(3) 0.913(3) 0.958(3) 0.958(3)", "1.30 1.53 0.99 0.97")),
    14: ("mech24", ("mech_energy", "mech"), 24, "5", 1,
         ("49(10) 49(10) 49(11) 49(11)", "1.7(3) 2.14(5) 1.44(3) 1.64(4)", "364.70 303.78 315.23 240.98"),
         ("49(10) 49(10) 49(11) 49(11)", "1.8(4) 2.02(5) 1.44(3) 1.58(4)", "242.96 285.22 196.19 222.62")),
    15: ("mech50", ("mech_energy", "mech"), 50, "5", 0.73,
         ("14(4) 14(4) 14(4) 14(4)", "1.53(3) 2.33(5) 1.47(3) 1.6(4)", "1071.50 586.61 889.01 432.84"),
         ("14(4) 14(4) 14(4) 14(4)", "1.53(4) 2.33(5) 1.47(3) 1.53(4)", "665.83 557.81 529.45 399.21")),
}

# What the page calls exact: (table, column) of LIN, where the numbers of accepted steps are those printed; and those that are
# not reproduced. All others are within 5 %.
EXACT = ({(table, column) for table in range(1, 13) for column in (0, 2)}
         | {(5, 1), (5, 3), (6, 3), (7, 3), (8, 3), (11, 3), (12, 3), (13, 0), (13, 1)}
         | {(15, column) for column in range(4)})
MISSED = {(table, 1) for table in range(1, 5)}

# BIT, the last columns of its tables with the control of LIN, by an independent program in quadruple precision
INDEPENDENT = {"6.1": (1051, 1422, 1628, 2316), "6.2": (1064, 1726, 1384, 2128), "6.3": (706, 1100, 804, 1376)}
