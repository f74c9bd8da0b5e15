"""Calls leave no memory behind. RITT_CALLS=100000 makes as many calls of each kind."""

import gc
import os

import pytest

import ritt

CALLS = int(os.environ.get("RITT_CALLS", "600"))
OSCILLATOR = "model o\nparameter w = 2\nvariable x\nequation x'' = -w^2*x\nstart t = 0\n  x = 1, x' = 0\nsolve t = 0 .. 1\n"


def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def wrong_model():
    try:
        ritt.Model.from_text("model a\nvariable x\nequation x' = y\n")
    except ritt.ModelError as error:
        return str(error)


def raising():
    def broken(t, y):
        raise KeyError("lost")

    try:
        ritt.solve_dae(broken, (0, 1), [1.0])
    except KeyError as error:
        return error


MODEL = ritt.Model.from_text(OSCILLATOR)
KINDS = {
    "solve": lambda: MODEL.solve(0.1),
    "set and start": lambda: MODEL.solve(0.1, set={"w": 3}, start={"x": 0.5}, native="never"),
    "sol": lambda: MODEL.solve(0.1).sol(0.05),
    "names": lambda: (ritt.Model.from_text(OSCILLATOR).parameters, MODEL.check(), MODEL.complete()),
    "functions": lambda: ritt.solve_dae(lambda t, y: -y, (0, 0.1), [1.0], events=lambda t, y: y[0] - 0.95),
    "residuals": lambda: ritt.solve_dae(lambda t, y, yp: [yp[0] + y[1], y[0] - y[1]], (0, 0.1), [1, 1], [-1, -1]),
    "sweep": lambda: ritt.sweep(MODEL, 0.1, vary={"w": [1, 2]}, threads=1),
    "wrong model": wrong_model,
    "exception": raising,
}


@pytest.mark.skipif(not os.path.exists("/proc/self/statm"), reason="memory is read from /proc")
@pytest.mark.parametrize("kind", KINDS)
def test_no_growth(kind):
    call, growth = KINDS[kind], []
    for _ in range(6):  # caches fill in the first ones; a leak shows in all of them
        before = resident()
        for _ in range(CALLS // 6):
            call()
        gc.collect()
        growth.append(resident() - before)
    assert min(growth) <= 40 * (CALLS // 6), f"bytes that each {CALLS // 6} calls left behind: {growth}"
