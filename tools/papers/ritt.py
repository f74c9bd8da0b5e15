"""Runs of the program: a model of models/papers with another solve section, and its table as lists of numbers."""
import json
import os
import re
import subprocess
import tempfile


class Runs:
    def __init__(self, program, models):
        self.program, self.models = os.path.abspath(program), models
        self.folder = tempfile.TemporaryDirectory()

    def text(self, model):
        with open(os.path.join(self.models, model + ".ritt"), encoding="utf-8") as file:
            return file.read()

    def call(self, model, options, arc=None, to=None, add="", replace=(), stops=False):
        """Runs a model. arc: over arc length until x = arc (no step is shortened for it); add: sections appended; stops: it may
        end early."""
        text = self.text(model)
        for old, new in replace:
            if old not in text:
                raise SystemExit(f"papers: {model} has no '{old}'")
            text = text.replace(old, new)
        if arc is not None:
            text, found = re.subn(r"^solve x = .*$", f"event last: x = {arc} -> stop\nsolve arc = 0 .. 1000000", text,
                                  flags=re.M)
            if found != 1:
                raise SystemExit(f"papers: {model} has no solve section over x")
        path, table = os.path.join(self.folder.name, "model.ritt"), os.path.join(self.folder.name, "table.csv")
        with open(path, "w", encoding="utf-8") as file:
            file.write(text + add)
        command = [self.program, "run", path, "--json", *options]
        if to is not None:
            command += ["--to", repr(to)]
        if "-o" not in options:
            command += ["-o", table]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode != 0 and not (stops and done.returncode == 1):
            raise SystemExit(f"papers: ritt run {model} {' '.join(options)}: {done.stderr or done.stdout}")
        return json.loads(done.stdout), table

    def table(self, model, options, **more):
        """The summary of a run and its columns by name."""
        summary, path = self.call(model, options, **more)
        return summary, read_csv(path)

    def events(self, name):
        """The points of an event of the run before."""
        return read_csv(os.path.join(self.folder.name, f"table.{name}.csv"))


def read_csv(path):
    with open(path, encoding="utf-8") as file:
        names = split_names(file.readline().rstrip("\n"))
        columns = [[] for _ in names]
        for line in file:
            for column, cell in zip(columns, line.split(",")):
                column.append(float(cell))
    return dict(zip(names, columns))


def split_names(line):
    """Names of columns; those with a comma in them are in quotes."""
    return [quoted or plain for quoted, plain in re.findall(r'"([^"]*)"(?:,|$)|([^,]+)(?:,|$)', line)]
