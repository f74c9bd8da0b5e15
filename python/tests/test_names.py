"""Models know themselves; arrays go in and come out; notebooks show them."""

import os
import pickle
import re
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

import ritt

SPRINGS = """model springs "Two springs"
parameter k[1..2] = [4, 9], A[1..2, 1..2] = [[1, 2], [3, 4]], c = 0
variable p[1..2], e
equation
  for i in 1..2: p[i]'' = -k[i]*p[i] - c*p[i]'
  sum: e = p[1] + p[2]
start t = 0
  p = 1, p' = 0
solve t = 0 .. 1
output p, p', e
unit p "m", t "s", k "1/s^2"
doc k "stiffness over mass"
doc p "positions"
"""


@pytest.fixture
def springs():
    return ritt.Model.from_text(SPRINGS)


def test_declared_names(springs):
    assert list(springs.parameters) == ["k", "A", "c"] and list(springs.variables) == ["p", "e"]
    assert np.array_equal(springs.parameters["k"].value, [4, 9]) and springs.parameters.c.value == 0.0
    assert np.array_equal(springs.parameters.A.value, [[1, 2], [3, 4]]) and springs.parameters.A.shape == (2, 2)
    assert springs.parameters.k.doc == "stiffness over mass" and springs.parameters.c.doc is None
    assert springs.parameters.k.unit == "1/s^2" and springs.parameters.c.unit is None
    assert springs.variables.p.unit == "m" and springs.variables.p.shape == (2,) and springs.variables.p.doc == "positions"
    with pytest.raises(AttributeError, match="there is no 'q'; there are k, A, c"):
        springs.parameters.q
    assert [e.name for e in springs.equations][-1] == "sum" and springs.equations[-1] == "e = p[1] + p[2]"
    assert springs.equations[0].line == 5 and "''" in springs.equations[0].latex
    assert springs.outputs["p[1]"] == "m" and springs.outputs["t"] == "s" and list(springs.outputs)[0] == "t"
    assert springs.with_set(c=2).parameters.c.value == 2.0
    equation = pickle.loads(pickle.dumps(springs.equations[-1]))
    assert (equation, equation.name) == ("e = p[1] + p[2]", "sum")


def test_parts():
    path = os.path.join(os.path.dirname(__file__), "..", "..", "models", "parts", "drive.ritt")
    if not os.path.exists(path):
        pytest.skip("the models are not here")
    model = ritt.Model.from_file(path)
    assert {"motor", "rotor", "box", "shaft", "spring", "load"} <= set(model.parts)
    assert model.parts.rotor.parameters.J.value == 0.1 and model.parts["rotor"].variables.phi.unit == "rad"
    assert model.parts.rotor.parts.a.name == "rotor.a" and "tau" in model.parts.rotor.parts.a.variables
    run = model.solve(set={"load.J": 4})
    assert run.success and run["load.phi"][-1] != model.solve()["load.phi"][-1]


def test_arrays_in_and_out(springs):
    # x'' = -k x from x(0) = a, x'(0) = b
    k, a, b = np.array([1.0, 16.0]), np.array([2.0, 3.0]), np.array([0.5, -1.0])
    t = np.linspace(0, 1, 5)
    run = springs.solve(1, set={"k": k}, start={"p": a, "p'": list(b)}, t_eval=t, tol=1e-11)
    w = np.sqrt(k)[:, None]
    exact = a[:, None] * np.cos(w * t) + b[:, None] / w * np.sin(w * t)
    assert run["p"].shape == (2, 5) and np.abs(run["p"] - exact).max() < 1e-9
    assert np.array_equal(run["p'"][1], run["p[2]'"]) and np.array_equal(run["p"][0], run["p[1]"])
    assert np.shares_memory(run["p"], run.rows)
    for same in ([1, 16], (1, 16), np.array([1, 16], dtype=np.float32), np.array([1, 16], dtype=np.int8), ["1", "16"]):
        assert np.array_equal(springs.solve(1, set={"k": same}, start={"p": a, "p'": b}, t_eval=t, tol=1e-11).rows, run.rows)
    assert np.array_equal(springs.solve(set={"k": 5}).rows, springs.solve(set={"k": [5, 5]}).rows)
    assert springs.with_set(k=np.float32(0.1)).parameters.k.value[0] == 0.1
    with pytest.raises(ValueError, match=re.escape("k has the shape (2,), not (3,)")):
        springs.solve(set={"k": [1, 2, 3]})
    with pytest.raises(TypeError, match=re.escape("c is one number, not an array of shape (2,)")):
        springs.solve(set={"c": [1, 2]})
    with pytest.raises(KeyError, match="there is no column 'q'"):
        run["q"]


def test_frames(springs):
    pandas = pytest.importorskip("pandas")
    run = springs.solve(1, t_eval=[0, 0.5, 1])
    frame = run.to_frame()
    assert isinstance(frame, pandas.DataFrame) and list(frame.columns) == run.names[1:] and frame.index.name == "t"
    assert np.array_equal(frame["e"], run["e"]) and frame.attrs["units"]["p[1]"] == "m"


def test_xarray(springs):
    xarray = pytest.importorskip("xarray")
    run = springs.solve(1, t_eval=[0, 0.5, 1])
    data = run.to_xarray()
    assert isinstance(data, xarray.Dataset) and data["p"].dims == ("p_1", "t") and data["p"].shape == (2, 3)
    assert data["p"].attrs["units"] == "m" and data["t"].attrs["units"] == "s" and np.array_equal(data["e"], run["e"])


def test_what_notebooks_show(springs):
    shown = springs._repr_html_()
    assert "Two springs" in shown and "displaystyle" in shown and "stiffness over mass" in shown
    assert "determined" in springs.check()._repr_html_()
    drawn = springs.solve(t_eval=np.linspace(0, 1, 50))._repr_html_()
    assert drawn.count("<polyline") == 5 and "Two springs" in drawn
    stopped = ritt.Model.from_text("model b\nvariable x\nequation x' = x^2\nstart t = 0\n  x = 1\nsolve t = 0 .. 2\n").solve()
    assert stopped.message in stopped._repr_html_().replace("&#x27;", "'")


def test_cells():
    shell_of = pytest.importorskip("IPython.core.interactiveshell").InteractiveShell
    shell = shell_of()
    shell.run_line_magic("load_ext", "ritt")
    model = shell.run_cell_magic("ritt", "springs", SPRINGS)
    assert isinstance(model, ritt.Model) and shell.user_ns["springs"] is model
    shell.run_cell_magic("ritt", "", "model a\nvariable x\nequation x' = 1\n")
    assert shell.user_ns["a"].name == "a"
    wrong = shell.run_cell_magic("ritt", "", "model a\nvariable x\nequation x' = why\n")
    assert "x' = <span style='text-decoration:underline wavy #d62728'>why</span>" in wrong._repr_html_().replace("&#x27;", "'")
    assert "'why' is not defined" in repr(wrong)


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
def test_interrupt_keeps_the_interpreter():
    program = """if 1:
        import ritt, signal
        signal.signal(signal.SIGINT, signal.default_int_handler)  # programs in the background begin without it
        model = ritt.Model.from_text("model o\\nvariable x\\nequation x'' = -x\\nstart t = 0\\n  x = 1, x' = 0\\n")
        print("ready", flush=True)
        try:
            model.solve(1e12, rows=2)
        except KeyboardInterrupt:
            print("interrupted", len(model.solve(1)) > 0, flush=True)
    """
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout.readline() == "ready\n"
        time.sleep(0.3)
        child.send_signal(signal.SIGINT)
        try:
            assert child.communicate(timeout=30)[0] == "interrupted True\n"
        finally:
            child.kill()


CHAIN = """model chain
parameter n = 3, g = 9.81
variable x[1..n], y[1..n]
let
  u[i in 1..n] = if i = 1 then x[1] else x[i] - x[i-1]
  v[i in 1..n] = if i = 1 then y[1] else y[i] - y[i-1]
lagrangian sum(i in 1..n, (x[i]'^2 + y[i]'^2)/2 - g*y[i])
constraint
  for i in 1..n: rod: u[i]^2 + v[i]^2 = 1
start t = 0
  for i in 1..n: x[i] = i, y[i] = 0, y[i]' ~ 0
solve t = 0 .. 1
"""


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="signals of POSIX")
def test_interrupt_during_completion():
    program = f"""if 1:
        import ritt, signal
        def interrupt(number, frame):
            raise KeyboardInterrupt
        large = ritt.Model.from_text({CHAIN!r}).with_set(n=150)  # takes many seconds
        signal.signal(signal.SIGALRM, interrupt)
        for call in (large.check, large.solve, lambda: large.solve(set={{"g": 1}})):
            signal.setitimer(signal.ITIMER_REAL, 0.2)
            try:
                call()
            except KeyboardInterrupt:
                print("interrupted", flush=True)
        print(large.parameters["n"].value, large.with_set(n=2).check().verdict, flush=True)
    """
    out = subprocess.run([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True, timeout=120).stdout
    assert out == 3 * "interrupted\n" + "150.0 determined\n"
