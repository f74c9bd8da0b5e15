"""docs/python.md: every block runs, one after the other."""

import os
import pathlib
import re

PAGE = pathlib.Path(os.environ.get("RITT_PAGE") or pathlib.Path(__file__).resolve().parents[2] / "docs" / "python.md")


def test_page():
    blocks = re.findall(r"^```python\n(.*?)^```", PAGE.read_text(), re.S | re.M)
    assert len(blocks) >= 5
    names = {}
    for block in blocks:
        exec(compile(block, str(PAGE), "exec"), names)
