"""Sweeps: the same bits as single runs, the values of the program, failures as data."""

import csv
import io
import multiprocessing
import os
import re
import shutil
import subprocess
import sys
import threading
import time
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

import ritt

PENDULUM = """
model pendulum
parameter g = 1
variable x, y, lambda
equation
  x'' + lambda*x = 0
  y'' + lambda*y + g = 0
  x^2 + y^2 = 1
start t = 0
  x = 1, y ~ 0, x' ~ 0, y' = 0
solve t = 0 .. 3
output x, y, lambda
"""
BLOWS_UP = "model b\nparameter a = 1\nvariable x\nequation x' = a*x^2\nstart t = 0\n  x = 1\nsolve t = 0 .. 2\n"


@pytest.fixture
def pendulum():
    return ritt.Model.from_text(PENDULUM)


def same(a, b):
    return np.array_equal(a, b, equal_nan=True)


def test_same_bits_as_single_runs(pendulum):
    g, t = np.linspace(1, 2, 23), np.linspace(0, 3, 7)
    for threads in (1, 3):
        ens = ritt.sweep(pendulum, vary={"g": g}, t_eval=t, tol=1e-9, threads=threads)
        assert ens["x"].shape == (23, 7) and len(ens) == 23 and ens.success.all() and same(ens.values["g"], g)
        for k in (0, 7, 22):
            run = pendulum.solve(set={"g": g[k]}, t_eval=t, tol=1e-9)
            assert same(ens.rows[k], run.rows) and same(ens.final["y"][k], run["y"][-1])
            assert ens.stats["accepted"][k] == run.stats["accepted"]
    last = ritt.sweep(pendulum, 2, vary={"g": g}, tol=1e-9)
    assert last["x"].shape == (23,) and same(last["x"][5], pendulum.solve(2, set={"g": g[5]}, tol=1e-9)["x"][-1])


def test_grid_lists_and_start_values(pendulum):
    ens = ritt.sweep(pendulum, 1, vary={"g": [1, 2], "x": [1, 0.8, 0.6]})
    assert ens.values["g"].tolist() == [1, 1, 1, 2, 2, 2] and ens.values["x"].tolist() == [1, 0.8, 0.6] * 2
    assert same(ens["y"][4], pendulum.solve(1, set={"g": 2}, start={"x": 0.8})["y"][-1])
    listed = ritt.sweep(pendulum, 1, vary=[{"g": 2, "x": 0.8}, {"x": 0.6, "g": 1}])
    assert same(listed["y"], ens["y"][[4, 2]])
    fixed = ritt.sweep(pendulum, (1, 2), vary={"g": [1, 2]}, start={"x": 0.8}, set={})
    assert same(fixed["y"][1], pendulum.solve((1, 2), set={"g": 2}, start={"x": 0.8})["y"][-1])


def test_random_values_are_those_of_the_program(pendulum, tmp_path):
    vary = {"g": ritt.normal(3, 0.1), "x": ritt.uniform(0.5, 1)}
    ens = ritt.sweep(pendulum, 1, vary=vary, runs=20, seed=7)
    assert len(set(ens.values["g"])) == 20 and ens.values["x"].min() >= 0.5 and abs(ens.values["g"].mean() - 3) < 0.1
    more = ritt.sweep(pendulum, 1, vary=vary, runs=30, seed=7)
    assert same(more["x"][:20], ens["x"])
    program = os.environ.get("RITT_PROGRAM")
    if not program:
        pytest.skip("no program given")
    path, table = tmp_path / "m.ritt", tmp_path / "final.csv"
    path.write_text(PENDULUM)
    subprocess.run([program, "sweep", str(path), "--vary", "g=normal(3, 0.1)", "--vary", "x=uniform(0.5, 1)", "--runs", "20",
                    "--seed", "7", "--to", "1", "--final", str(table), "--quiet"], check=True)
    with open(table, newline="") as file:
        rows = [row for row in csv.DictReader(line for line in file if not line.startswith("#"))]
    assert same([float(r["g"]) for r in rows], ens.values["g"]) and same([float(r["y"]) for r in rows], ens["y"])


def test_failures_are_data():
    # x = 1/(1 - a t) ends at t = 1/a
    ens = ritt.sweep(ritt.Model.from_text(BLOWS_UP), vary={"a": [0.1, 0.25, 1, 4]}, t_eval=[0, 0.5, 2])
    assert ens.success.tolist() == [True, True, False, False]
    assert np.abs(ens["x"][:2, 2] - [1 / 0.8, 2]).max() < 1e-6
    assert abs(ens["x"][2, 1] - 2) < 1e-6 and np.isnan(ens["x"][2, 2]) and np.isnan(ens["x"][3, 1:]).all()
    assert list(ens.failed) == [2, 3] and ens.messages[0] is None and ens.messages[2]
    assert abs(ens.stats["x"][3] - 0.25) < 1e-3
    moved = ritt.sweep(ritt.Model.from_text(PENDULUM.replace("y ~ 0", "y = 0")), vary={"x": [1, 0.5]})
    assert moved.success.tolist() == [True, False] and "x = 0.5 and y = 0 are both fixed" in moved.messages[1]


def test_refusals(pendulum):
    for vary, message in (({"h": [1]}, "vary h: the model has neither a parameter nor a variable of this name"),
                          ({"t": [1]}, "vary t: 't' is the independent variable"),
                          ({}, "a sweep needs something that varies"),
                          ({"g~": [1]}, "vary g~: the parameter 'g' has no guesses"),
                          ([{"g": 1}, {"x": 1}], "run 1 varies x, and run 0 varies g")):
        with pytest.raises(ValueError, match=re.escape(message)):
            ritt.sweep(pendulum, vary=vary)
    with pytest.raises(ValueError, match="give runs= 1000|runs="):
        ritt.sweep(pendulum, vary={"g": ritt.normal(0, 1)})
    with pytest.raises(ValueError, match="g is both fixed and varied: leave one of them out"):
        ritt.sweep(pendulum, vary={"g": [1, 2]}, set={"g": 3})
    with pytest.raises(ValueError, match="device='cuda' and executor= exclude each other: leave one of them out"):
        ritt.sweep(pendulum, vary={"g": [1, 2]}, device="cuda", executor=object())
    with pytest.raises(ValueError, match="arithmetic='quick': it is 'strict' or 'fast'"):
        ritt.sweep(pendulum, vary={"g": [1, 2]}, arithmetic="quick")
    with pytest.raises(ritt.Error, match="'gpu' is not a device"):
        ritt.sweep(pendulum, vary={"g": [1, 2]}, device="gpu")
    with pytest.raises(ritt.Error, match="metod"):
        ritt.sweep(pendulum, vary={"g": [1, 2]}, metod="rk4")


def test_progress(pendulum):
    seen = []
    ritt.sweep(pendulum, vary={"g": [1, 2, 3]}, progress=lambda done, all_runs: seen.append((done, all_runs)))
    assert seen[-1] == (3, 3) and all(a <= b for (a, _), (b, _) in zip(seen, seen[1:]))

    def stop(done, all_runs):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        ritt.sweep(pendulum, 1e9, vary={"g": [1, 2, 3]}, rows=2, progress=stop)


def test_executors(pendulum):
    expected = ritt.sweep(pendulum, vary={"g": np.linspace(1, 2, 9)}, t_eval=[0, 1, 3])
    with ThreadPoolExecutor(2) as pool:
        assert same(ritt.sweep(pendulum, vary={"g": np.linspace(1, 2, 9)}, t_eval=[0, 1, 3], executor=pool).rows, expected.rows)
    for how in ("fork", "spawn"):  # after sweeps of this process
        with ProcessPoolExecutor(2, mp_context=multiprocessing.get_context(how)) as pool:
            ens = ritt.sweep(pendulum, vary={"g": np.linspace(1, 2, 9)}, t_eval=[0, 1, 3], executor=pool)
        assert same(ens.rows, expected.rows) and same(ens.stats["accepted"], expected.stats["accepted"])


def test_the_time_is_up(pendulum):
    # most runs would take far longer than the time that they have
    ens = ritt.sweep(pendulum, 1e9, vary={"g": np.linspace(1, 2, 5)}, rows=2, threads=2, max_time=0.2)
    assert not ens.success.any() and np.isnan(ens["x"]).all()
    assert set(ens.messages) == {"not finished: the sweep was stopped"}
    enough = ritt.sweep(pendulum, 1, vary={"g": [1, 2]}, max_time=600)
    assert enough.success.all()
    with ThreadPoolExecutor(1) as pool:
        assert not ritt.sweep(pendulum, 1e9, vary={"g": [1, 2]}, rows=2, executor=pool, max_time=0.2).success.any()


def test_statistics():
    # x = 1/(1 - a t): 1/(1 - a/2) at t = 0.5; the run with a = 4 has no value there
    ens = ritt.sweep(ritt.Model.from_text(BLOWS_UP), 0.5, vary={"a": [0.4, 0.5, 1, 4]}, t_eval=[0, 0.5], tol=1e-10)
    x = np.array([1 / 0.8, 1 / 0.75, 2])
    about = ens.statistics("x", bins=[0.5, 1.1, 1.3, 3])
    assert about["count"].tolist() == [4, 3]
    assert abs(about["mean"][1] - x.mean()) < 1e-8 and abs(about["deviation"][1] - x.std(ddof=1)) < 1e-8
    assert abs(about["least"][1] - 1.25) < 1e-8 and abs(about["largest"][1] - 2) < 1e-8
    assert np.abs(about["quartiles"][:, 1] - np.quantile(x, [0.25, 0.5, 0.75])).max() < 1e-8
    assert about["histogram"][0].tolist() == [4, 1, 2]
    final = ritt.sweep(ritt.Model.from_text(BLOWS_UP), 0.5, vary={"a": [0.4, 1]}).statistics("x")
    assert final["count"] == 2 and abs(final["largest"] - 2) < 1e-6


def test_progress_as_a_line(pendulum):
    line = io.StringIO()
    ritt.sweep(pendulum, 1, vary={"g": [1, 2, 3]}, progress=ritt.show_progress(line))
    assert re.search(r"3 of 3 runs, [0-9.e+]+ runs per second, done", line.getvalue())


def test_dlpack(pendulum):
    ens = ritt.sweep(pendulum, vary={"g": [1, 2, 3]}, t_eval=[0, 1, 3], device="cpu")
    whole, column = np.from_dlpack(ens), np.from_dlpack(ens["y"])
    assert whole.shape == (3, 3, 4) and same(whole, ens.rows) and same(column, ens["y"])
    assert np.shares_memory(whole, ens.rows) and np.shares_memory(column, ens.rows)  # no copies
    last = ritt.sweep(pendulum, vary={"g": [1, 2, 3]})
    assert same(np.from_dlpack(last), last.last) and ens.__dlpack_device__() == (1, 0)
    run = pendulum.solve(t_eval=[0, 1, 3])
    assert same(np.from_dlpack(run["x"]), run["x"])


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")
def test_fork_during_a_sweep(pendulum):
    g = np.linspace(1, 2, 40)
    expected = ritt.sweep(pendulum, vary={"g": g[:5]})
    started, go_on = threading.Event(), threading.Event()

    def wait(done, all_runs):
        started.set()
        go_on.wait(60)

    busy = threading.Thread(target=lambda: ritt.sweep(pendulum, 30, vary={"g": g}, threads=2, progress=wait))
    busy.start()
    assert started.wait(60)
    child = os.fork()
    if child == 0:  # no other thread exists here: nothing may wait for one
        again = ritt.sweep(pendulum, vary={"g": g[:5]}, threads=2)
        os._exit(0 if same(again["x"], expected["x"]) else 1)
    status = None
    for _ in range(600):
        pid, status = os.waitpid(child, os.WNOHANG)
        if pid:
            break
        time.sleep(0.1)
    else:
        os.kill(child, 9)
        os.waitpid(child, 0)
    go_on.set()
    busy.join()
    assert pid == child and os.waitstatus_to_exitcode(status) == 0


def test_frames(pendulum):
    pandas = pytest.importorskip("pandas")
    frame = ritt.sweep(pendulum, 1, vary={"g": [1, 2]}).to_frame()
    assert isinstance(frame, pandas.DataFrame) and frame["g"].tolist() == [1, 2] and frame["success"].all()


def test_the_section_of_the_model(pendulum, tmp_path):
    text = """
model spring
parameter k = 1
variable x
equation x'' = -k*x
start t = 0
  x = 1, x' = 0
solve t = 0 .. 2
output x
"""
    section = ritt.Model.from_text(text + "sweep\n  k = 1:4:4\n  x ~ normal(1, 0.1)\n  runs 8\n  seed 7\n")
    ens = ritt.sweep(section)
    same = ritt.sweep(ritt.Model.from_text(text), vary={"k": [1, 2, 3, 4], "x~": ritt.normal(1, 0.1)}, runs=8, seed=7)
    assert len(ens) == 8 and np.array_equal(ens.last, same.last)
    assert np.array_equal(ritt.sweep(section, seed=8, runs=4).values["k"], [1, 2, 3, 4])
    (tmp_path / "runs.csv").write_text("k,start x\n1,2\n4,0.5\n")
    (tmp_path / "spring.ritt").write_text(text + 'sweep\n  table "runs.csv"\n')
    ens = ritt.sweep(ritt.Model.from_file(tmp_path / "spring.ritt"), tol=1e-10)
    assert np.abs(ens["x"] - [2 * np.cos(2), 0.5 * np.cos(4)]).max() < 1e-8
    with pytest.raises(ValueError, match="the model has no section sweep: say what varies"):
        ritt.sweep(pendulum)


def test_device(pendulum, tmp_path):
    """An emulated GPU (test/device): the bits of the processor; without one a sentence."""
    source = Path(__file__).parents[2] / "test" / "device" / "emulated_gpu.c"
    if not source.exists() or not shutil.which("c++") or not shutil.which("cc"):
        pytest.skip("no source or no compiler")
    subprocess.run(["cc", "-O1", "-fPIC", "-shared", "-o", tmp_path / "libcuda.so.1", source, "-ldl"], check=True)
    shutil.copy(tmp_path / "libcuda.so.1", tmp_path / "libnvrtc.so.13")
    code = """
import numpy as np, ritt, sys
model = ritt.Model(sys.argv[1])
try:
    ens = ritt.sweep(model, 5, vary={"g": np.linspace(1, 2, 20)}, device="cuda", threads=2)
except ritt.Error as error:
    print(error)
else:
    one = ritt.sweep(model, 5, vary={"g": np.linspace(1, 2, 20)})
    print(np.array_equal(ens.last, one.last), np.isnan(ens.stats["arc"]).all(), np.isnan(one.stats["arc"]).any())
    print(read(ens) == (ens.last.shape, ens.last.ravel().tolist()), ens.__dlpack_device__())
    column = one.on_device("x", "cuda:0")
    print(read(column) == (one["x"].shape, one["x"].tolist()), column.__dlpack_device__())
    for _ in range(10): ens.__dlpack__()  # capsules that nobody takes free their memory
"""
    # what a library reads in a capsule: the memory of the emulated GPU is that of the processor
    code = """
import ctypes as c
class Managed(c.Structure):
    _fields_ = [("data", c.c_void_p), ("type", c.c_int32), ("id", c.c_int32), ("ndim", c.c_int32), ("code", c.c_uint8),
                ("bits", c.c_uint8), ("lanes", c.c_uint16), ("shape", c.POINTER(c.c_int64)), ("strides", c.c_void_p),
                ("offset", c.c_uint64), ("manager", c.c_void_p), ("deleter", c.CFUNCTYPE(None, c.c_void_p))]
def read(values):
    capsule = values.__dlpack__(stream=None)
    at = c.pythonapi.PyCapsule_GetPointer
    at.restype, at.argtypes = c.c_void_p, [c.py_object, c.c_char_p]
    one = Managed.from_address(at(capsule, b"dltensor"))
    assert (one.type, one.id, one.code, one.bits, one.lanes, one.strides, one.offset) == (2, 0, 2, 64, 1, None, 0)
    shape = tuple(one.shape[:one.ndim])
    count = 1
    for length in shape: count *= length
    return shape, list((c.c_double * count).from_address(one.data))
""" + code
    answers = []
    for word in ("one", "none"):
        environment = {**os.environ, "LD_LIBRARY_PATH": str(tmp_path), "RITT_TEST_GPU": word}
        done = subprocess.run([sys.executable, "-c", code, pendulum.text], env=environment, cwd=tmp_path,
                              capture_output=True, text=True)
        answers.append(done.stdout.strip() or done.stderr)
    assert answers[0] == "True True False\nTrue (2, 0)\nTrue (2, 0)"
    assert "there is no GPU here that CUDA can use" in answers[1]
