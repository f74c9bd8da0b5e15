"""solve_dae: Python functions against closed forms."""

import gc
import math
import weakref

import numpy as np
import pytest

import ritt


def circle(t, y):
    return [y[1], -y[0]]


def on_circle(t, y):
    return [y[0] ** 2 + y[1] ** 2 - 1]


def test_ode():
    run = ritt.solve_dae(circle, (0, 10), [1, 0], tol=1e-11)
    assert run.success and run.names == ["t", "y1", "y2"]
    assert abs(run["y1"][-1] - math.cos(10)) < 1e-9
    assert abs(run.sol(3)[0] - math.cos(3)) < 1e-9


def test_invariant_is_kept():
    run = ritt.solve_dae(circle, (0, 100), [1, 0], constraints=on_circle, tol=1e-6)
    assert np.abs(run["y1"] ** 2 + run["y2"] ** 2 - 1).max() < 4e-15
    moved = ritt.solve_dae(circle, (0, 1), [1.1, 0], constraints=on_circle)
    assert abs(moved["y1"][0] - 1) < 1e-15  # the start is moved onto it


def test_t_eval_and_args():
    t = np.linspace(0, 2, 5)
    run = ritt.solve_dae(lambda t, y, k: -k * y, (0, 2), 1.0, t_eval=t, tol=1e-11, args=(3,))
    assert np.array_equal(run.t, t)
    assert np.abs(run["y1"] - np.exp(-3 * t)).max() < 1e-9


def test_implicit():
    # y'^3 + y' = -2 y, y(0) = 1, y'(0) = -1: with p = y', y = -(p^3 + p)/2, dt = dy/p = -(3 p^2 + 1)/(2 p) dp, so that
    # t = -(3 (p^2 - 1)/4 + log(-p)/2)
    run = ritt.solve_dae(lambda t, y, yp: yp ** 3 + yp + 2 * y, (0, 1), [1.0], [-1.0], tol=1e-11)
    t, y = run.t[-1], run["y1"][-1]
    p = -1.0
    for _ in range(50):  # Newton on the closed form
        p -= (-(3 * (p * p - 1) / 4 + math.log(-p) / 2) - t) / -(1.5 * p + 0.5 / p)
    assert abs(y + (p ** 3 + p) / 2) < 1e-8


def test_index_1():
    # x' = -z, 0 = x - z: x = exp(-t)
    run = ritt.solve_dae(lambda t, y, yp: [yp[0] + y[1]], (0, 2), [1, 1], [-1, -1], constraints=lambda t, y: [y[0] - y[1]],
                         tol=1e-10)
    assert abs(run["y1"][-1] - math.exp(-2)) < 1e-8
    assert np.abs(run["y1"] - run["y2"]).max() < 1e-14


def test_constraints_that_take_no_complex_step():
    # x' = -z with |x| = z written in three ways that lose a complex step: x = exp(-t)
    for constraint in (lambda t, y: [abs(y[0]) - y[1]], lambda t, y: [np.linalg.norm(y[:1]) - y[1]],
                       lambda t, y: [math.exp(y[0]) - math.exp(y[1])]):
        run = ritt.solve_dae(lambda t, y, yp: [yp[0] + y[1]], (0, 2), [1, 1], [-1, -1], constraints=constraint, tol=1e-9)
        assert abs(run["y1"][-1] - math.exp(-2)) < 1e-8


def test_tolerances_of_scipy():
    loose, close = (ritt.solve_dae(circle, (0, 10), [1, 0], rtol=tol, atol=tol) for tol in (1e-4, 1e-11))
    assert abs(close["y1"][-1] - math.cos(10)) < 1e-9 and loose.stats["accepted"] < close.stats["accepted"]


def test_exceptions_come_through():
    def broken(t, y):
        if t > 0.5:
            raise KeyError("lost")
        return -y

    with pytest.raises(KeyError, match="lost"):
        ritt.solve_dae(broken, (0, 1), [1.0])
    with pytest.raises(ValueError, match="fun gave 1 numbers where 2 are wanted"):
        ritt.solve_dae(lambda t, y: [1.0], (0, 1), [1.0, 2.0])
    with pytest.raises(TypeError, match="fun gave None"):
        ritt.solve_dae(lambda t, y: None, (0, 1), [1.0])
    with pytest.raises(TypeError, match="complex"):
        ritt.solve_dae(lambda t, y: 1j * y, (0, 1), [1.0])
    with pytest.raises(ValueError, match="constraint 1 is not kept by fun"):
        ritt.solve_dae(circle, (0, 1), [1.0, 0.0], constraints=lambda t, y: y[0] + y[1] - 1)
    with pytest.raises(TypeError, match="yp0"):
        ritt.solve_dae(lambda t, y, yp: yp, (0, 1), [1.0])


def test_arguments_may_be_kept():
    seen = []

    def f(t, y):
        seen.append((t, y))
        return -y

    ritt.solve_dae(f, (0, 1), [1.0], tol=1e-8)
    assert seen[0][0] == 0 and seen[0][1][0] == 1
    assert all(abs(y[0] - math.exp(-t)) < 1e-2 for t, y in seen)


def test_functions_that_hold_their_result_are_collected():
    class Decay:
        def __call__(self, t, y):
            return -y

    decay = Decay()
    decay.run = ritt.solve_dae(decay, (0, 1), [1.0])
    gone = weakref.ref(decay)
    del decay
    gc.collect()
    assert gone() is None


def test_retry():
    def root(t, y):  # y' = -sqrt(y) ends at t = 2
        if y[0] < 0:
            raise ritt.Retry
        return -np.sqrt(y)

    run = ritt.solve_dae(root, (0, 1.5), [1.0], tol=1e-10)
    assert abs(run["y1"][-1] - 0.0625) < 1e-9
