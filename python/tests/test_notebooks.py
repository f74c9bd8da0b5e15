"""The notebooks of examples/python run from the beginning to the end; they assert what they show."""

import os
import pathlib

import pytest

import ritt

NOTEBOOKS = sorted((pathlib.Path(__file__).resolve().parents[2] / "examples" / "python").glob("*.ipynb"))
NEEDS = {"mechanics": ["sympy"], "functions": ["scipy"]}


@pytest.mark.parametrize("path", NOTEBOOKS, ids=[path.stem for path in NOTEBOOKS])
def test_notebook(path, tmp_path, monkeypatch):
    nbformat = pytest.importorskip("nbformat")
    preprocessors = pytest.importorskip("nbconvert.preprocessors")
    for name in ["ipykernel", "matplotlib", *NEEDS.get(path.stem, [])]:
        pytest.importorskip(name)
    monkeypatch.setenv("PYTHONPATH", os.path.dirname(os.path.dirname(os.path.abspath(ritt.__file__))))
    notebook = nbformat.read(path, as_version=4)
    assert not any(cell.get("outputs") for cell in notebook.cells), "notebooks are kept without outputs"
    preprocessors.ExecutePreprocessor(timeout=300, kernel_name="python3").preprocess(notebook, {"metadata": {"path": tmp_path}})
