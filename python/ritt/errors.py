"""What goes wrong, with its place."""

from . import _ritt

_WRONG_MODEL, _UNDECIDED, _IMPOSSIBLE = 3, 6, 5  # places in RITT_STATUSES of ritt.h


class Error(Exception):
    """A call that failed. `messages` holds all that was said, each a dictionary with text, hint, file, line, column and
    source; `line`, `column` and `hint` are those of the first."""

    def __init__(self, status, meaning, messages):
        self.status, self.messages = status, messages
        first = messages[0] if messages else {}
        self.line, self.column = first.get("line") or None, first.get("column") or None
        self.hint, self.file, self.source = first.get("hint"), first.get("file"), first.get("source")
        super().__init__("\n".join(_told(m) for m in messages) or meaning)

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
    """Raise it in a function given to solve_dae where it has no value: a shorter step may help."""


def _told(m):
    place = f"{m['file'] or 'model'}:{m['line']}:{m['column']}: " if m["line"] else ""
    shown = ""
    if m["line"] and m["source"] is not None:
        shown = f"\n  {m['source']}"
        if m["column"]:
            shown += "\n  " + " " * (m["column"] - 1) + "^"
    return place + m["text"] + shown + (f"\n  hint: {m['hint']}" if m["hint"] else "")


_ritt.connect(Error, Retry)
