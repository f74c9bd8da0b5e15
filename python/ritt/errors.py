"""What goes wrong, with its place."""

import re

from . import _ritt

_WRONG_MODEL, _UNDECIDED, _IMPOSSIBLE = 3, 6, 5  # places in RITT_STATUSES of ritt.h

# hints of the library in the words of Python
_HINTS = [(re.compile(pattern), words) for pattern, words in (
    (r"ritt_method_get lists them", "ritt.methods() lists them"),
    (r"ritt_option_get lists them", "ritt.options() lists them"),
    (r"use ritt_model_start_at", "give the beginning of the run: solve((begin, end))"),
    (r"use ritt_model_kind instead of the option 'kind'", "give kind= to solve"),
    (r"ritt_problem_project moves a guess onto the manifold", "start at a point that satisfies the constraints"),
    (r"give --to (\S+)", r"call solve(\1)"),
    (r"give --([a-z-]+) (\S+)", r"give \1=\2"),
    (r"--([a-z][a-z-]*)", r"\1="))]


def hint_of(text):
    """A hint in the words of Python."""
    for pattern, words in _HINTS if text else ():
        text = pattern.sub(words, text)
    return text and re.sub(r"\b([a-z]+)-([a-z]+)(='|=|')", r"\1_\2\3", text)


class Error(Exception):
    """A call that failed. `messages` holds everything that was reported: dictionaries with text, hint, file, line, column
    and source; `line`, `column` and `hint` are those of the first."""

    def __init__(self, status, meaning, messages):
        messages = [{**m, "hint": hint_of(m["hint"])} for m in messages]
        self.status, self.messages = status, messages
        first = messages[0] if messages else {}
        self.line, self.column = first.get("line") or None, first.get("column") or None
        self.hint, self.file, self.source = first.get("hint"), first.get("file"), first.get("source")
        super().__init__("\n".join(_shown(m) for m in messages) or meaning)

    def __reduce__(self):
        return Error, (self.status, str(self), self.messages)

    def __new__(cls, status=None, meaning="", messages=()):
        kind = {_WRONG_MODEL: ModelError, _IMPOSSIBLE: ModelError, _UNDECIDED: UndecidedError}.get(status, cls)
        return super().__new__(kind if cls is Error else cls)


class ModelError(Error):
    """The model is wrong, or no solution exists."""


class UndecidedError(Error):
    """What kind of system this is could not be decided."""


class Retry(Exception):
    """Raise it in a function given to solve_dae that has no value at this point: a shorter step is tried."""


def _shown(m):
    place = f"{m['file'] or 'model'}:{m['line']}:{m['column']}: " if m["line"] else ""
    shown = ""
    if m["line"] and m["source"] is not None:
        shown = f"\n  {m['source']}"
        if m["column"]:
            shown += "\n  " + " " * (m["column"] - 1) + "^"
    return place + m["text"] + shown + (f"\n  hint: {m['hint']}" if m["hint"] else "")


_ritt.connect(Error, Retry)
