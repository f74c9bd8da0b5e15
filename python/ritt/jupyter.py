"""Cells of Jupyter that hold a model: `%load_ext ritt`, then a cell that begins with `%%ritt NAME`."""

from .errors import Error
from .html import error_html
from .model import Model


class ShownError:
    """The messages of a model that is wrong, for a notebook."""

    def __init__(self, error):
        self._error = error

    def _repr_html_(self):
        return error_html(self._error)

    def __repr__(self):
        return str(self._error)


def read_cell(shell, line, cell):
    """The model of a cell, which becomes the variable of this name, or of the model's own; or its mistakes."""
    name = line.strip()
    if name and not name.isidentifier():
        raise ValueError(f"%%ritt NAME: {name!r} is not the name of a variable")
    try:
        model = Model.from_text(cell, name="cell")
    except Error as error:
        return ShownError(error)
    shell.push({name or model.name: model})
    return model


def load_ipython_extension(shell):
    shell.register_magic_function(lambda line, cell: read_cell(shell, line, cell), "cell", "ritt")
