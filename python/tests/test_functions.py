"""solve_dae: Python functions against closed forms."""

import gc
import math
import traceback
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
        for method in ("dopri54", "dop853", "vern98"):
            run = ritt.solve_dae(lambda t, y, yp: [yp[0] + y[1]], (0, 2), [1, 1], [-1, -1], constraints=constraint, tol=1e-9,
                                 method=method)
            assert run.success and abs(run["y1"][-1] - math.exp(-2)) < 1e-8


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
    with pytest.raises(ValueError, match="fun returned 1 numbers instead of 2"):
        ritt.solve_dae(lambda t, y: [1.0], (0, 1), [1.0, 2.0])
    with pytest.raises(TypeError, match="fun returned None"):
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


# ---- residual form ----


def robertson(t, y, yp):
    a, b, c = 0.04 * y[0], 1e4 * y[1] * y[2], 3e7 * y[1] ** 2
    return [yp[0] + a - b, yp[1] - a + b + c, y[0] + y[1] + y[2] - 1]


@pytest.mark.parametrize("symbolic", (None, False))
def test_algebraic_equations_inside_the_residuals(symbolic):
    # the example of LSODE and IDA: their documented solution at t = 4e4 has these digits
    run = ritt.solve_dae(robertson, (0, 4e4), [1, 0, 0], [-0.04, 0.04, 0], rtol=1e-8, atol=1e-12, method="radau5",
                         symbolic=symbolic)
    assert run.success and run.names == ["t", "y1", "y2", "y3"]
    assert np.abs(run.y[:, -1] / [3.8983e-2, 1.6219e-7, 9.6102e-1] - 1).max() < 1e-3
    assert np.abs(run.y.sum(axis=0) - 1).max() < 1e-14
    assert abs(run.sol(100.0).sum() - 1) < 1e-14
    # the algebraic part of y0 is a guess
    moved = ritt.solve_dae(robertson, (0, 1), [1, 0, 0.3], [0, 0, 0], method="radau5", symbolic=symbolic)
    assert abs(moved["y3"][0]) < 1e-15


@pytest.mark.parametrize("symbolic", (None, False))
def test_residuals_in_another_basis(symbolic):
    # x' = -x and x + 2 z = exp(-t) with (x + z, x - z) as unknowns and mixed equations: x = exp(-t), z = 0 for x(0) = 1
    def mixed(t, y, yp):
        x, z, xp = (y[0] + y[1]) / 2, (y[0] - y[1]) / 2, (yp[0] + yp[1]) / 2
        first, second = xp + x, z**3 + z + x - np.exp(-t)
        return [first + second, first - 2 * second]

    run = ritt.solve_dae(mixed, (0, 2), [1, 1], [-1, -1], tol=1e-11, symbolic=symbolic)
    assert np.abs(run.y - np.exp(-run.t)).max() < 1e-9


def test_residual_refusals():
    def pendulum(t, y, yp):  # index 3
        return [yp[0] - y[2], yp[1] - y[3], yp[2] + y[4] * y[0], yp[3] + y[4] * y[1] + 1, y[0]**2 + y[1]**2 - 1]

    with pytest.raises(ValueError, match="the index is above 1 at the start: dF/dy' has rank 4, and the other 1 equations"):
        ritt.solve_dae(pendulum, (0, 1), [1, 0, 0, 0, 0], [0, 0, 0, -1, 0], symbolic=False)
    with pytest.raises(ValueError, match="fun and constraints give 1 and 0 equations for 2 unknowns"):
        ritt.solve_dae(lambda t, y, yp: [yp[0]], (0, 1), [1, 1], [0, 0])
    with pytest.raises(ValueError, match="yp0 has 1 entries and y0 has 2"):
        ritt.solve_dae(lambda t, y, yp: yp, (0, 1), [1, 1], [0])

    def changing(t, y, yp):  # y2' enters after t = 1/2
        return [yp[0] + y[0], y[1] - y[0] + max(t - 0.5, 0) * yp[1]]

    with pytest.raises(ValueError, match="the rank or the null space of dF/dy' changes before t = "):
        ritt.solve_dae(changing, (0, 3), [1, 1], [-1, -1])


def test_jac_of_residuals():
    calls = []

    def jac(t, y, yp):
        calls.append(t)
        return [[1.0, 0.0], [1.0, -1.0]], [[1.0, 0.0], [0.0, 0.0]]

    run = ritt.solve_dae(lambda t, y, yp: [yp[0] + y[0], y[0] - y[1]], (0, 1), [1, 1], [-1, -1], jac=jac, tol=1e-10)
    assert calls and abs(run["y2"][-1] - math.exp(-1)) < 1e-9
    with pytest.raises(ValueError, match="jac gives two matrices of the shape"):
        ritt.solve_dae(lambda t, y, yp: [yp[0] + y[0], y[0] - y[1]], (0, 1), [1, 1], [-1, -1], jac=lambda t, y, yp: ([1], [1]))


def test_jac_is_used_along_the_run():
    # y2 = y1^2 with y1' = -y1: where y2 is steep the derivatives of the start are far from those at the end
    calls = []

    def residuals(t, y, yp):
        return [yp[0] + y[0] + y[1] ** 3 + y[1] - np.exp(-2 * t) - np.exp(-6 * t), y[1] ** 3 + y[1] - y[0] ** 2 - y[0] ** 6]

    def jac(t, y, yp):
        calls.append(t)
        steep = 3 * y[1] ** 2 + 1
        return [[1, steep], [-2 * y[0] - 6 * y[0] ** 5, steep]], [[1, 0], [0, 0]]

    run = ritt.solve_dae(residuals, (0, 3), [1, 1], [-1, -2], jac=jac, tol=1e-10)
    assert max(calls) > 0.5 and np.abs(run["y2"] - np.exp(-2 * run.t)).max() < 1e-8
    with pytest.raises(ZeroDivisionError):
        ritt.solve_dae(residuals, (0, 3), [1, 1], [-1, -2], jac=lambda t, y, yp: 1 / 0)


# ---- functions of symbols ----


def test_symbolic_is_the_model():
    # the same digits as the model, and a start that the algebraic equation moves
    run = ritt.solve_dae(robertson, (0, 4e4), [1, 0, 0.3], [0, 0, 0], rtol=1e-8, atol=1e-12, method="radau5", symbolic=True)
    text = """
model robertson
variable y1, y2, y3
equation
  y1' + 0.04*y1 - 1e4*y2*y3 = 0
  y2' - 0.04*y1 + 1e4*y2*y3 + 3e7*y2^2 = 0
  y1 + y2 + y3 - 1 = 0
start t = 0
  y1 = 1, y2 = 0
output y1, y2, y3
"""
    model = ritt.Model.from_text(text).solve(4e4, rtol=1e-8, atol=1e-12, method="radau5")
    assert run.names == model.names and run.stats["accepted"] == model.stats["accepted"]
    assert np.abs(run.y[:, -1] / model.y[:, -1] - 1).max() < 1e-12
    assert np.abs(run.y[:, -1] / [3.8983e-2, 1.6219e-7, 9.6102e-1] - 1).max() < 1e-3


def test_residuals_become_formulas_if_they_can():
    calls = []

    def growth(t, y, yp):
        calls.append(t)
        return [yp[0] - y[0]]

    run = ritt.solve_dae(growth, (0, 1), [1.0], [1.0], tol=1e-10)
    assert abs(run["y1"][-1] - math.e) < 1e-9
    # twice with symbols, at the start, and after every step
    assert len(calls) == 3 + run.stats["accepted"]

    # what the arguments do not show is found out: the rate changes in the middle of the run
    rate = [1.0]

    def changing(t, y, yp):
        if isinstance(t, float) and t > 0.5:
            rate[0] = 2.0
        return [yp[0] - rate[0] * y[0]]

    run = ritt.solve_dae(changing, (0, 1), [1.0], [1.0], tol=1e-8, max_step=0.01)
    assert abs(run["y1"][-1] - math.exp(2)) < 1e-6  # the rate was 2 when the run began again

    # branches and functions of the module math are called for every value
    run = ritt.solve_dae(lambda t, y, yp: [yp[0] + math.sin(y[0])], (0, 1), [1.0], [-0.8], tol=1e-10)
    assert abs(math.tan(run["y1"][-1] / 2) - math.tan(0.5) * math.exp(-1)) < 1e-9


def test_symbolic_takes_any_index():
    def pendulum(t, y, yp, g):  # index 3; the end point is that of the other tests of the pendulum
        p, v, tension = y[:2], y[2:4], y[4]
        return np.concatenate([yp[:2] - v, yp[2:4] + tension * p + np.array([0, g]), [p @ p - 1]])

    run = ritt.solve_dae(pendulum, (0, 10), [1, 0, 0, 0, 0], [0, 0, 0, -1, 0], tol=1e-11, args=(1,), symbolic=True,
                         events=lambda t, y, g: y[0])
    assert abs(run["y1"][-1] + 0.8115864461913) < 1e-8 and np.abs(run["y1"] ** 2 + run["y2"] ** 2 - 1).max() < 1e-14
    assert len(run.t_events[0]) == 3 and np.abs(run.y_events[0][:, 0]).max() < 1e-9


def test_symbolic_invariants_and_functions():
    run = ritt.solve_dae(circle, (0, 100), [1, 0], constraints=on_circle, tol=1e-6, symbolic=True)
    assert np.abs(run["y1"] ** 2 + run["y2"] ** 2 - 1).max() < 4e-15
    run = ritt.solve_dae(lambda t, y: np.sin(y) * np.float64(0.5) + 2 - 2.0 * np.exp(t) / np.exp(t), (0, 1), [1.0], tol=1e-11,
                         symbolic=True)
    assert abs(math.tan(run["y1"][-1] / 2) - math.tan(0.5) * math.exp(0.5)) < 1e-9


def test_symbolic_refusals():
    words = "symbolic=True: fun must consist of arithmetic and functions of NumPy: the function "
    for fun, why in ((lambda t, y: [math.sin(y[0])], "needs a value as a number, as the functions of the module math do"),
                     (lambda t, y: [1.0 if y[0] == 0 else 2.0], "compares a value"),
                     (lambda t, y: np.where(y > 0, y, 0), "compares a value")):
        with pytest.raises(TypeError) as failure:
            ritt.solve_dae(fun, (0, 1), [1.0], symbolic=True)
        assert str(failure.value) == words + why
    with pytest.raises(ValueError, match="fun returned 1 numbers instead of 2"):
        ritt.solve_dae(lambda t, y: [y[0]], (0, 1), [1.0, 2.0], symbolic=True)

    def grows(t, y):
        x = y[0]
        for _ in range(40):
            x = x * x + x
        return [x]

    with pytest.raises(TypeError, match="the formula has more than 1000000 characters: give parts of it names, as variables"):
        ritt.solve_dae(grows, (0, 1), [1.0], symbolic=True)


def test_optional_arguments_are_left_alone():
    assert abs(ritt.solve_dae(lambda t, y, k=2.0: -k * y, (0, 1), [1.0], tol=1e-10)["y1"][-1] - math.exp(-2)) < 1e-9
    assert abs(ritt.solve_dae(lambda t, y, *rest, k=3: -k * y, (0, 1), [1.0], tol=1e-10)["y1"][-1] - math.exp(-3)) < 1e-9
    assert abs(ritt.solve_dae(lambda t, y, k: -k * y, (0, 1), [1.0], tol=1e-10, args=2)["y1"][-1] - math.exp(-2)) < 1e-9


def test_vectorized():
    run = ritt.solve_dae(lambda t, y: np.vstack([y[1:2], -y[0:1]]), (0, 3), [1, 0], vectorized=True, dense_output=True, tol=1e-10)
    assert abs(run["y1"][-1] - math.cos(3)) < 1e-9


# ---- events ----


def fall(t, y):
    return [y[1], -9.81]


def test_events():
    def hit(t, y):
        return y[0]

    def apex(t, y):
        return y[1]

    hit.terminal, hit.direction = True, -1
    run = ritt.solve_dae(fall, (0, 10), [0, 10], events=[hit, apex], tol=1e-10)
    assert run.success and run.message == "ended by event hit" and run.stats["ended_by"] == "hit"
    assert abs(run.t[-1] - 20 / 9.81) < 1e-12 and abs(run["y1"][-1]) < 1e-12 and run.t_events[0][0] == run.t[-1]
    assert len(run.t_events[1]) == 1 and abs(run.t_events[1][0] - 10 / 9.81) < 1e-12
    assert abs(run.y_events[1][0, 0] - 50 / 9.81) < 1e-12
    assert abs(run.sol(1.0)[0] - (10 - 9.81 / 2)) < 1e-10
    rows = ritt.solve_dae(fall, (0, 10), [0, 10], events=hit, t_eval=[0, 1, 2, 3], tol=1e-10)
    assert rows.t.tolist() == [0, 1, 2]

    def turn(t, y):
        return y[0]

    turn.terminal = 3
    back = ritt.solve_dae(circle, (0, -20), [1, 0], events=turn, tol=1e-10)  # x = cos t
    assert np.abs(back.t_events[0] + np.pi * np.array([0.5, 1.5, 2.5])).max() < 1e-9 and back.t[-1] == back.t_events[0][-1]
    none = ritt.solve_dae(fall, (0, 1), [5, 0], events=lambda t, y: y[0] + 100)
    assert none.t_events[0].size == 0 and none.y_events[0].shape == (0, 2)


def test_events_that_fail():
    def broken(t, y):
        raise LookupError("no event")

    with pytest.raises(LookupError, match="no event"):
        ritt.solve_dae(fall, (0, 1), [5, 0], events=broken)


def test_traceback_of_the_function():
    def broken(t, y):
        return undefined_name  # noqa: F821

    with pytest.raises(NameError) as caught:
        ritt.solve_dae(broken, (0, 1), [1.0])
    assert "in broken" in "".join(traceback.format_exception(*caught._excinfo))


# ---- inside SciPy ----


def test_projected_in_solve_ivp():
    integrate = pytest.importorskip("scipy.integrate")
    import ritt.scipy

    solution = integrate.solve_ivp(circle, (0, 20), [1, 0], method=ritt.scipy.Projected, constraints=on_circle, rtol=1e-9,
                                   atol=1e-9, dense_output=True, events=lambda t, y: y[0])
    assert solution.success and np.abs(solution.y[0]**2 + solution.y[1]**2 - 1).max() < 4e-16 + 1e-15
    assert abs(solution.y[0, -1] - math.cos(20)) < 1e-7 and abs(solution.sol(7.7)[0] - math.cos(7.7)) < 1e-7
    assert np.abs(solution.sol([1.0, 2.0])[1] + np.sin([1.0, 2.0])).max() < 1e-7
    assert np.abs(solution.t_events[0] - np.pi * (np.arange(6) + 0.5)).max() < 1e-7
    back = integrate.solve_ivp(circle, (0, -3), [1, 0], method=ritt.scipy.Projected, rtol=1e-9, atol=1e-9, rule="dop853")
    assert abs(back.y[0, -1] - math.cos(3)) < 1e-7
