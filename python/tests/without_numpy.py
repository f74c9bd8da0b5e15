"""The extension module alone, for interpreters without NumPy: python without_numpy.py FOLDER_OF_THE_PACKAGE"""

import importlib.util
import math
import pathlib
import sys


class Error(Exception):
    pass


class Retry(Exception):
    pass


path = next(p for p in sorted(pathlib.Path(sys.argv[1]).glob("_ritt*.so")))
spec = importlib.util.spec_from_file_location("_ritt", path)
_ritt = importlib.util.module_from_spec(spec)
spec.loader.exec_module(_ritt)
_ritt.connect(Error, Retry)

model = _ritt.Model(text="model o\nparameter w = 1\nvariable x\nequation x'' = -w^2*x\nstart t = 0\n  x = 1, x' = 0\n"
                         "solve t = 0 .. 5\n")
model.set_all([("w", "2")])
solver = _ritt.Solver(model, [("tolerance", "1e-10")])
rows, knots, status, messages = solver.run()
last = memoryview(rows).tolist()[-1]
assert status == 0 and abs(last[1] - math.cos(10)) < 1e-8, last
assert model.check()["verdict"] == "determined"
try:
    _ritt.Model(text="model a\nvariable x\nequation x' = y\n")
    raise SystemExit("a wrong model was accepted")
except Error as error:
    assert error.args[2][0]["line"] == 3
print(f"{path.name}: {_ritt.version}, CPython {sys.version.split()[0]}: fine")
