"""Models through the package: numbers from closed forms, the same bits as the program, errors with their place."""

import ast
import csv
import math
import os
import pathlib
import pickle
import signal
import subprocess
import threading
from fractions import Fraction

import numpy as np
import pytest

import ritt

PENDULUM = """
model pendulum "A pendulum"
parameter g = 1
variable x, y, lambda
equation
  x'' + lambda*x = 0
  y'' + lambda*y + g = 0
  x^2 + y^2 = 1
start t = 0
  x = 1, y = 0, x' = 0, y' = 0
solve t = 0 .. 10
output x, y, lambda
"""
OSCILLATOR = "model o\nparameter w = 2\nvariable x\nequation x'' = -w^2*x\nstart t = 0\n  x = 1, x' = 0\nsolve t = 0 .. 5\n"


# falls from 1 with y'' = -2: at 0 when t = 1 with speed 2; then 1 upwards, so that y = u - u^2 with u = t - 1, until t = 2
BALL = """model ball
variable y
equation y'' = -2
invariant y'^2/2 + 2*y
start t = 0
  y = 1, y' = 0
solve t = 0 .. 1.9
event bounce: y = 0 falling -> y' := -y'/2
"""


def test_pendulum_at_10():
    # truth: pendulum_x10, agreed to 21 digits by two computations
    run = ritt.Model.from_text(PENDULUM).solve(tol=1e-12, method="dop853")
    assert run.success and run.message == "done"
    assert run.names == ["t", "x", "y", "lambda"]
    assert abs(run["x"][-1] + 0.8115864461913038) < 1e-10
    assert abs(run["y"][-1] + 0.5842323513453958) < 1e-10
    assert np.abs(run["x"] ** 2 + run["y"] ** 2 - 1).max() < 4e-15


def test_set_takes_the_shortest_decimal():
    model = ritt.Model.from_text(OSCILLATOR)
    run = model.solve(1, set={"w": 0.1}, tol=1e-12)
    assert abs(run["x"][-1] - math.cos(0.1)) < 1e-11
    exact = model.solve(1, set={"w": Fraction(1, 10)}, tol=1e-12)
    text = model.solve(1, set={"w": "1/10"}, tol=1e-12)
    assert np.array_equal(run.rows, exact.rows) and np.array_equal(run.rows, text.rows)
    with pytest.raises(TypeError):
        model.solve(1, set={"w": [1]})
    with pytest.raises(ValueError):
        model.solve(1, set={"w": math.nan})


def test_span_start_and_t_eval():
    model = ritt.Model.from_text(OSCILLATOR)
    t = np.linspace(1, 4, 7)
    run = model.solve((1, 4), start={"x": 0, "x'": 2}, t_eval=t, tol=1e-12)
    assert np.array_equal(run.t, t)
    assert np.abs(run["x"] - np.sin(2 * (t - 1))).max() < 1e-10
    back = model.solve(-3, t_eval=[0, -1, -3], tol=1e-12)
    assert np.abs(back["x"] - np.cos(2 * back.t)).max() < 1e-10
    assert abs(back.sol(-2.5)[0] - math.cos(5)) < 1e-10


def test_sol():
    run = ritt.Model.from_text(OSCILLATOR).solve(5, tol=1e-12)
    t = np.array([0, 0.3, 2.7, 5])
    assert np.abs(run.sol(t)[0] - np.cos(2 * t)).max() < 1e-10
    assert run.sol(1.5).shape == (2,)
    for k in (0, 3, len(run) - 1):  # at the steps themselves: the same bits
        assert np.array_equal(run.sol(run.t[k]), run.y[:, k])
    with pytest.raises(ValueError, match="outside the run"):
        run.sol(5.1)


def test_arrays_are_views():
    run = ritt.Model.from_text(OSCILLATOR).solve()
    assert run.t.base is not None and run.y.base is not None
    assert run["x"].dtype == float and run.y.shape == (2, len(run))


def test_same_bits_as_the_program(tmp_path):
    program = os.environ.get("RITT_PROGRAM")
    if not program:
        pytest.skip("no program given")
    model = tmp_path / "m.ritt"
    texts = [(text, "auto") for text in (PENDULUM, OSCILLATOR, OSCILLATOR + "  rows 7\n", BALL)]
    kinds = ["general", "graph", "holonomic"]
    for text, kind in texts + [(PENDULUM, kind) for kind in kinds] + [(OSCILLATOR, "explicit")]:
        model.write_text(text)
        table = tmp_path / "m.csv"
        subprocess.run([program, "run", str(model), "-o", str(table), "--quiet", "--tol", "1e-9", "--kind", kind],
                       check=True)
        with open(table, newline="") as file:
            rows = list(csv.reader(file))
        run = ritt.Model.from_file(model).solve(tol=1e-9, kind=kind)
        assert kind in ("auto", run.stats["kind"])
        assert rows[0] == run.names
        assert np.array_equal(np.array(rows[1:], dtype=float), run.rows)


def test_events():
    text = ("model ball\nvariable y\nequation y'' = -2\nstart t = 0\n  y = 1, y' = 0\nsolve t = 0 .. 3\n"
            "event bounce: y = 0 falling -> y' := -y', record\nevent end: t = 2.5 -> stop\n")
    run = ritt.Model.from_text(text).solve(tol=1e-10)
    assert run.success and run.stats["ended_by"] == "end" and run.message == "ended by event end"
    assert [e.name for e in run.events] == ["bounce", "end"]
    assert abs(run.events[0].t - 1) < 1e-13 and run.events[1].after is None
    assert abs(run.events[0].before[2] + 2) < 1e-12 and abs(run.events[0].after[2] - 2) < 1e-12


def test_values_around_a_jump():
    run = ritt.Model.from_text(BALL).solve(tol=1e-10)
    k = int(np.flatnonzero(np.diff(run.t) == 0)[0])  # a row before and one after
    assert abs(run.t[k] - 1) < 1e-12
    assert abs(run["y'"][k] + 2) < 1e-11 and abs(run["y'"][k + 1] - 1) < 1e-11
    t = np.array([0.5, 0.9, 0.999, 1.001, 1.25, 1.9])
    exact = np.where(t < 1, 1 - t ** 2, (t - 1) - (t - 1) ** 2)
    assert np.abs(run.sol(t)[0] - exact).max() < 1e-10
    assert np.abs(ritt.Model.from_text(BALL).solve(t_eval=t, tol=1e-10)["y"] - exact).max() < 1e-10


def test_sol_is_as_accurate_as_the_model_asks():
    text = OSCILLATOR + "  tolerance 1e-13\n  method dop853\n"
    run = ritt.Model.from_text(text).solve(kind="graph")
    t = np.linspace(0, 5, 1001)
    all_of_them = run.sol(t)
    assert np.abs(all_of_them[0] - np.cos(2 * t)).max() < 5e-13
    assert np.array_equal(run.sol(t[123]), all_of_them[:, 123])  # however many are asked for at once
    assert run.sol(t.reshape(7, 143)).shape == (2, 7, 143)


def test_t_eval_that_makes_no_sense():
    model = ritt.Model.from_text(OSCILLATOR)
    for wrong in ([3, 1, 2], [2, 1], [1, 1], [1, math.nan, 2]):
        with pytest.raises(ValueError, match="sorted"):
            model.solve(5, t_eval=wrong)
    for outside in ([1, 7], [-1, 2], [math.nan]):
        with pytest.raises(ritt.Error, match="a row is requested at"):
            model.solve(5, t_eval=outside)
    assert len(model.solve(5, t_eval=[])) == 0


def test_pickles():
    model = ritt.Model.from_text(OSCILLATOR).with_set(w=3)
    run = model.solve(1)
    again = pickle.loads(pickle.dumps(model)).solve(1)
    assert np.array_equal(again.rows, run.rows)
    kept = pickle.loads(pickle.dumps(run))
    assert np.array_equal(kept.rows, run.rows) and kept.stats["accepted"] == run.stats["accepted"]
    with pytest.raises(ValueError, match="pickled"):
        kept.sol(0.5)
    with pytest.raises(ritt.ModelError) as caught:
        ritt.Model.from_text("model a\nvariable x\nequation x' = y\n")
    error = pickle.loads(pickle.dumps(caught.value))
    assert type(error) is ritt.ModelError and error.line == 3 and str(error) == str(caught.value)


def test_check_and_complete():
    model = ritt.Model.from_text(PENDULUM)
    check = model.check()
    assert (check.verdict, check.index, check.hidden_constraints, check.degrees_of_freedom) == ("determined", 3, 2, 2)
    assert "holonomic" in str(check) and not hasattr(check, "colour")
    completed = model.complete()
    assert "lambda" in completed and "\\lambda" in completed.latex and completed._repr_latex_().startswith("$$")
    bad = ritt.Model.from_text("model b\nvariable x\nequation\n  x = 1\n  x = 2\n").check()
    assert bad.verdict == "inconsistent" and bad.reason


def test_check_says_what_the_program_says(tmp_path):
    program = os.environ.get("RITT_PROGRAM")
    if not program:
        pytest.skip("no program given")
    texts = [PENDULUM, OSCILLATOR,
             "model b\nvariable x\nequation\n  x = 1\n  x = 2\n",  # inconsistent
             "model u\nvariable x, y\nequation x' = y\n",  # underdetermined
             "model c\nparameter n = 60\nvariable x[1..n], y[1..n]\nlagrangian dot(x', x')/2 + dot(y', y')/2 - sum(i in 1..n, y[i])\n"
             "constraint for i in 1..n: x[i]^2 + y[i]^2 = 1\ninvariant energy\nstart x ~ 0.7, y ~ 0.8\n"]  # moved, notes
    for text in texts:
        path = tmp_path / "model.ritt"
        path.write_text(text)
        printed = subprocess.run([program, "check", str(path)], capture_output=True, text=True).stdout
        check = ritt.Model.from_file(str(path)).check()
        assert str(check) + "\n" == printed and printed.count("\n") >= 3
        assert f"equations: {check.equations}" in printed and len(check.variables) > 0


def test_errors_carry_their_place():
    with pytest.raises(ritt.ModelError) as caught:
        ritt.Model.from_text("model a\nvariable x\nequation x' = y\n", name="a.ritt")
    e = caught.value
    assert (e.line, e.column, e.file) == (3, 15, "a.ritt")
    assert "'y' is not defined" in str(e) and "^" in str(e) and e.hint
    with pytest.raises(ritt.Error, match="metod|option"):
        ritt.Model.from_text(OSCILLATOR).solve(metod="rk4")
    with pytest.raises(ritt.Error, match=r"hint: ritt.methods\(\) lists them") as caught:
        ritt.Model.from_text(OSCILLATOR).solve(method="qqqqqq")
    assert "ritt_" not in str(caught.value)
    with pytest.raises(FileNotFoundError, match="there is no such file.ritt"):
        ritt.Model.from_file("there is no such file.ritt")
    with pytest.raises(IsADirectoryError):
        ritt.Model.from_file("/")


def test_refusals_speak_python():
    decay = ritt.Model.from_text("model o\nvariable x\nequation x' = -x\nstart t = 0\n  x = 1\n")
    for call, text, hint in (
            (lambda: decay.solve(), "the model does not say how far to run",
             "add a line such as 'solve t = 0 .. 10', or call solve(10)"),
            (lambda: decay.solve(1, tol=-1), "the option 'tolerance' needs a positive number, not '-1'", None),
            (lambda: decay.solve(1, start={"t": 1}), "'t' is the independent variable: it has no start value of this kind",
             "give the beginning of the run: solve((begin, end))"),
            (lambda: decay.solve(1, set={"q": 1}), "there is no parameter 'q' to set", "only parameters can be set"),
            (lambda: decay.solve(1, method="dopri5"), "the option 'method' needs the name of a method, not 'dopri5'",
             "ritt.methods() lists them"),
            (lambda: decay.solve(1, maxsteps=5), "there is no option 'maxsteps'", "did you mean 'max_steps'?")):
        with pytest.raises(ritt.Error) as caught:
            call()
        assert (caught.value.messages[0]["text"], caught.value.hint) == (text, hint)
    stopped = decay.solve(100, max_steps=5)
    assert not stopped.success and stopped.messages[0]["hint"] == "run it again with a larger max_steps= or a larger tolerance"


def test_stop_is_no_exception():
    run = ritt.Model.from_text("model b\nvariable x\nequation x' = x^2\nstart t = 0\n  x = 1\nsolve t = 0 .. 2\n").solve()
    assert not run.success and run.message
    assert abs(run.t[-1] - 1) < 1e-3  # x = 1/(1 - t)


def test_threads_give_the_same():
    model = ritt.Model.from_text(OSCILLATOR)
    expected = model.solve(tol=1e-10).rows
    seen = [None] * 8

    def work(i):
        seen[i] = ritt.Model.from_text(OSCILLATOR).solve(tol=1e-10).rows

    threads = [threading.Thread(target=work, args=(i,)) for i in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(np.array_equal(rows, expected) for rows in seen)


def test_plot():
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    axes = ritt.Model.from_text(PENDULUM).solve().plot("x", "y")
    assert axes.get_title() == "A pendulum" and len(axes.lines) == 2 and axes.get_xlabel() == "t"


def test_plots_with_units():
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    text = PENDULUM.replace("output x, y, lambda", "output x, y, x', lambda") + 'unit t "s", x "m", y "m"\n'
    text += "section lowest: x = 0\n"
    run = ritt.Model.from_text(text).solve()
    assert run.units["x"] == "m" and run.units["x'"] == "m/s"
    axes = run.plot("x", "y", "x'")
    assert len(axes) == 2 and axes[1].get_xlabel() == "t [s]" and axes[0].get_ylabel() == "[m]"
    assert axes[1].get_ylabel() == "x' [m/s]" and len(axes[0].lines) == 2
    orbit = run.phase("x", "x'", color="black")
    assert (orbit.get_xlabel(), orbit.get_ylabel()) == ("x [m]", "x' [m/s]")
    assert np.array_equal(orbit.lines[0].get_xdata(), run["x"]) and orbit.lines[0].get_color() == "black"
    assert run.phase("x", "y", "lambda").get_zlabel() == "lambda"
    drawn = run.section("lowest", "y", "x'")
    assert len(drawn.lines[0].get_xdata()) == len(run.events) > 0 and np.abs(drawn.lines[0].get_xdata() + 1).max() < 1e-9
    with pytest.raises(ValueError, match="there are no points of 'highest'; points there are of: lowest"):
        run.section("highest", "x", "y")
    with pytest.raises(KeyError, match="there is no column 'z'"):
        run.plot("z")
    matplotlib.pyplot.close("all")


def test_native_code_gives_the_same(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))  # compiled here and now, if there is a compiler
    model = ritt.Model.from_text(PENDULUM)
    assert np.array_equal(model.solve(native="always").rows, model.solve(native="never").rows)


def test_methods():
    names = {m["name"]: m["order"] for m in ritt.methods()}
    assert names["dopri54"] == 5 and names["dop853"] == 8


def test_precision():
    """x = cos t, and the difference has digits that doubles do not have"""
    text = """model m
variable x
equation x'' = -x
start t = 0
  x = 1, x' = 0
solve t = 0 .. 1
  method dop853
  tolerance 1e-25
output x, e = (x - cos(t))*1e16
"""
    model = ritt.Model.from_text(text)
    digits = model.solve(precision="quad")
    assert digits.stats["precision"] == "quad"
    assert abs(digits.rows[-1, 2]) < 1e-6
    with pytest.raises(ritt.Error):
        model.solve(precision="half")


def test_syntax_of_old_interpreters():
    folder = pathlib.Path(ritt.__file__).parent
    for path in [*folder.glob("*.py"), *folder.glob("*.pyi")]:
        ast.parse(path.read_text(), str(path), feature_version=(3, 9))
    with pytest.raises(SyntaxError):
        ast.parse("match x:\n  case 1: pass\n", feature_version=(3, 9))


SLOW = (
    "model slow\nvariable x[0..13]\nequation\n  x[0]^3 + x[0]*x[1]*x[2] + sin(x[1])*x[0] = sin(t)*exp(cos(t))\n"
    "  for k in 0..12: x[k]'*(1 + x[mod(k + 2, 14)]^2) = x[k + 1]*(1 + x[k]^2)\nsolve t = 0 .. 1\n"
)


@pytest.mark.parametrize("call", ["check", "solve"])
def test_signals_during_completion(call):
    """A signal whose handler raises an exception ends the completion, which takes seconds; the model stays usable."""

    def alarm(number, frame):
        raise TimeoutError

    model = ritt.Model(SLOW)
    before = signal.signal(signal.SIGALRM, alarm)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.2)
        with pytest.raises(TimeoutError):
            getattr(model, call)()
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert model.name == "slow"
    assert ritt.Model(OSCILLATOR).solve().success
