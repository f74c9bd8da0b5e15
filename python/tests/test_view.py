"""Pages and animations of runs."""

import base64
import json
import math
import pickle
import re

import numpy as np
import pytest

import ritt

SWING = """
model swing "A swing"
parameter w = 2
variable x
equation x'' = -w^2*x
start x = 1, x' = 0
solve t = 0 .. 3
scene
  bar (0, 1), (x, 0)
  point (x, 0)
"""


def data_of(page):
    return json.loads(re.search(r'<script type="application/json" id="data">\n(.*?)\n</script>', page.decode(), re.S)[1])


def test_page_holds_the_motion(tmp_path):
    run = ritt.Model.from_text(SWING).solve(set={"w": 3}, start={"x": 2})
    path = tmp_path / "swing.html"
    page = run.view(path)
    assert path.read_bytes() == page.data and "iframe" in page._repr_html_()
    data = data_of(page.data)
    t = np.frombuffer(base64.b64decode(data["x"]), dtype="<f8")
    figure = next(f for f in data["figures"] if f["word"] == "point")
    column = data["columns"][figure["at"][0][0]]
    x = np.frombuffer(base64.b64decode(column), dtype="<f4")
    assert t[0] == 0 and t[-1] == 3 and len(t) == data["rows"] > 1000
    assert np.abs(x - 2 * np.cos(3 * t)).max() < 1e-5  # the values of this run, not those of the text
    assert data["columns"][figure["at"][0][1]] == 0


def test_animations(tmp_path):
    run = ritt.Model.from_text(SWING).solve()
    svg = run.animate()
    assert svg.data.startswith(b"<svg") and svg._repr_html_().startswith("<svg")
    assert b"<animate" in svg.data
    gif = run.animate(tmp_path / "swing.gif")
    assert gif.data.startswith(b"GIF89a") and (tmp_path / "swing.gif").read_bytes() == gif.data
    # the result is as it was: its columns and its curve between the rows
    assert run.names == ["t", "x", "x'"]
    assert math.isclose(run.sol(1.0)[0], math.cos(2), abs_tol=1e-5)


def test_refused(tmp_path):
    run = ritt.Model.from_text(SWING).solve()
    with pytest.raises(ValueError, match="must end in .svg, .gif or .mp4"):
        run.animate("swing.png")
    with pytest.raises(ValueError, match="must end in .html"):
        run.view("swing.gif")
    with pytest.raises(ValueError, match="solve again"):
        pickle.loads(pickle.dumps(run)).view()
    plain = ritt.Model.from_text(SWING.split("scene")[0]).solve()
    with pytest.raises(ritt.Error, match="no scene"):
        plain.animate()
    assert data_of(plain.view().data)["figures"] == []
