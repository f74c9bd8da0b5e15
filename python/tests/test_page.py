"""Pages of docs/: every block of Python runs, one after the other, with the models of its page, and prints what the page shows."""

import os
import pathlib
import re
import shutil

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE = os.environ.get("RITT_PAGE")  # of a wheel: the one page to test
PAGES = [pathlib.Path(PAGE)] if PAGE else sorted((ROOT / "docs").glob("*.md"))
BLOCK = re.compile(r"^```python\n(.*?)^```\n(?:\s*<!-- not run: what Python prints[^\n]*\n\n((?:    [^\n]*\n)+))?", re.S | re.M)


def models(text):
    """The models of a page: indented blocks that begin with `model NAME`."""
    found = re.findall(r"^    model (\w+).*?(?=^\S|^    \$ |\Z)", text, re.S | re.M)
    bodies = re.finditer(r"^    model \w+.*?(?=^\S|^    \$ |\Z)", text, re.S | re.M)
    return {name: re.sub(r"^    ", "", m.group(), flags=re.M) for name, m in zip(found, bodies)}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_page(page, tmp_path, monkeypatch, capsys):
    text = page.read_text()
    blocks = BLOCK.findall(text)
    if page.stem == "python":
        assert len(blocks) >= 5
    monkeypatch.chdir(tmp_path)
    for name, body in models(text).items():
        pathlib.Path(name + ".ritt").write_text(body)
    # data that the text speaks of, and models that a block names
    names = {}
    for block, shown in blocks:
        for name in re.findall(r'from_file\("(\w+[.]ritt)"\)', block):
            if not pathlib.Path(name).exists():
                shutil.copy(next((ROOT / "models").rglob(name)), name)
        exec(compile(block, str(page), "exec"), names)
        if shown:
            assert capsys.readouterr().out == re.sub(r"^    ", "", shown, flags=re.M)
