"""Ensembles: many runs of one model with different values, on all cores, with the results as arrays."""

import os
import re
import sys
import threading
import time
import warnings
from concurrent.futures import as_completed

import numpy as np

from . import _ritt
from .errors import Error
from .model import number_of, text_of

_MOST_MODELS = 128  # of a thread: making one takes about a millisecond


class Random(str):
    """A random value of each run, in the words of `ritt sweep`."""


def normal(mean, deviation):
    """A normally distributed value, drawn in each run."""
    return Random(f"normal({text_of(mean)}, {text_of(deviation)})")


def uniform(low, high):
    """A value between low and high, drawn in each run."""
    return Random(f"uniform({text_of(low)}, {text_of(high)})")


class Ensemble:
    """The runs of a sweep.

    `values` has what varied, {"g": array of length runs}. ens["x"] has a value for each run: with t_eval all its values, shape
    (runs, len(t_eval)), else the final one, shape (runs,); for an array "p" its indices come first. A run that failed has NaN
    from there on: `success` is False for it and `messages` says why. `final["x"]` are the final values, `stats["accepted"]`
    the statistics.
    """

    def __init__(self, names, units, values, t, rows, last, stats, status, messages, ended, device="cpu"):
        self.names, self.units, self.values, self.t = names, units, values, t
        self.rows, self.last, self.stats = rows, last, stats
        self.status, self.messages, self.ended_by, self.device = status, messages, ended, device

    @property
    def success(self):
        """For each run: did it reach its end?"""
        return self.status == 0

    @property
    def failed(self):
        """The failures: {number of the run: message}."""
        return {int(i): self.messages[i] for i in np.flatnonzero(self.status)}

    def __len__(self):
        return len(self.status)

    def _columns(self, table, name):
        if name in self.names:
            return table[..., self.names.index(name)]
        elements = [i for i, n in enumerate(self.names) if re.fullmatch(re.escape(name.rstrip("'")) + r"\[[0-9, ]+\]('*)", n)
                    and n.endswith("]" + "'" * (len(name) - len(name.rstrip("'"))))]
        if not elements:
            raise KeyError(f"there is no column {name!r}; there are {', '.join(self.names)}")
        return np.moveaxis(table[..., elements], -1, 0)

    def __getitem__(self, name):
        return self._columns(self._table, name)

    @property
    def final(self):
        """The final values of the runs: final["x"] has the shape (runs,)."""
        return _Final(self)

    def statistics(self, name, bins=10):
        """Statistics over all runs that have a value, at each place of t_eval or of the final values: "count", "mean",
        "deviation", "least", "largest", "quartiles" of shape (3, ...), and "histogram" (counts, edges) of all values."""
        values = self[name]
        axis = values.ndim - (1 if self.rows is None else 2)  # of the runs
        finite = np.isfinite(values)
        if not finite.any():
            raise ValueError(f"no run has a value of {name!r}")
        known = np.where(finite, values, np.nan)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)  # places without any value have NaN
            return {"count": finite.sum(axis), "mean": np.nanmean(known, axis), "deviation": np.nanstd(known, axis, ddof=1),
                    "least": np.nanmin(known, axis), "largest": np.nanmax(known, axis),
                    "quartiles": np.nanquantile(known, [0.25, 0.5, 0.75], axis), "histogram": np.histogram(values[finite], bins)}

    def __dlpack__(self, **keywords):
        """All values for other libraries: torch.from_dlpack(ens) has the shape (runs, columns), with t_eval (runs,
        len(t_eval), columns). They are on the device of the sweep; on the processor they are not copied. Single columns go the
        same way: torch.from_dlpack(ens["x"]), or on_device("x") for the GPU."""
        return (self._table if self.device == "cpu" else self.on_device()).__dlpack__(**keywords)

    def __dlpack_device__(self):
        return (self._table if self.device == "cpu" else self.on_device()).__dlpack_device__()

    def on_device(self, name=None, device=None):
        """All values, or those of one column, for torch.from_dlpack, cupy.from_dlpack and jax.dlpack.from_dlpack on a GPU: the
        device of the sweep, or another one ("cuda", "cuda:1"). They are copied there when the library takes them."""
        device = device or (self.device if self.device != "cpu" else "cuda")
        return _OnDevice(self._table if name is None else self[name], device)

    @property
    def _table(self):
        return self.last if self.rows is None else self.rows

    def to_frame(self):
        """What varied, the final values and how the runs ended, as a DataFrame of pandas with a row for each run."""
        import pandas

        columns = {**self.values, **{name: self.last[:, i] for i, name in enumerate(self.names) if name not in self.values}}
        return pandas.DataFrame({**columns, "success": self.success, "message": self.messages})

    def __repr__(self):
        return (f"<ritt.Ensemble {', '.join(self.names)}: {len(self)} runs over {', '.join(self.values)}, "
                f"{int(np.sum(self.status != 0))} failed>")


class _OnDevice:
    """Values that a library receives on a GPU. The copy belongs to the library."""

    def __init__(self, values, device):
        self._values, self._device = np.ascontiguousarray(values), device

    def __dlpack__(self, stream=None, **keywords):
        return _ritt.dlpack(self._values, self._device)  # the copy is complete: no stream need wait

    def __dlpack_device__(self):
        return 2, int(self._device.partition(":")[2] or 0)


class _Final:
    def __init__(self, ensemble):
        self._ensemble = ensemble

    def __getitem__(self, name):
        return self._ensemble._columns(self._ensemble.last, name)


# ---- what varies ----


def _varied(vary, runs, seed):
    """The names with 1 for guesses, and the values of all runs, shape (runs, names)."""
    if isinstance(vary, (list, tuple)):
        return _listed(vary, runs)
    texts = []
    for name, values in vary.items():
        if isinstance(values, str):
            texts.append(f"{name}={values}" if not name.endswith("~") else f"{name}{values}")
            continue
        listed = ",".join(text_of(v) for v in np.atleast_1d(np.asarray(values)).ravel())
        texts.append(f"{name}{'' if name.endswith('~') else '='}[{listed}]")
    if not texts:
        raise ValueError("a sweep needs something that varies: vary={'g': [1, 2, 3]}")
    try:
        names, values = _ritt.ensemble(texts, runs or 0, seed)
    except Error as error:
        raise ValueError(re.sub(r"--vary ", "vary ", str(error)).replace("--runs", "runs=")) from None
    return names, np.asarray(values)


def _of_section(model, runs, seed):
    """What varies by the section `sweep` of the model: (vary, runs, seed)."""
    vary, listed = {}, None
    for line in model._described["sweep"]:
        word = re.fullmatch(r"(runs|seed|table|keep) +([^=~ ].*)", line)
        if word is None:
            name, sign, values = re.fullmatch(r"([^=~]*[^=~ ]) *([=~]) *(.*)", line).groups()
            vary[name + ("~" if sign == "~" else "")] = Random(values)
        elif word[1] == "runs":
            runs = int(word[2]) if runs is None else runs
        elif word[1] == "seed":
            seed = int(word[2]) if seed is None else seed
        elif word[1] == "table":
            listed = os.path.join(os.path.dirname(model._origin.get("path", "")), word[2].strip('"'))
    if listed:
        if vary:
            raise ValueError("the section sweep has a table and other values: give vary=")
        table = np.genfromtxt(listed, delimiter=",", names=True, deletechars="", replace_space=" ", ndmin=1)
        vary = [{name.replace("start ", "", 1): float(row[name]) for name in table.dtype.names} for row in table]
    if not vary:
        raise ValueError("the model has no section sweep: say what varies, vary={'g': [1, 2, 3]}")
    return vary, runs, seed


def _listed(vary, runs):
    if not vary:
        raise ValueError("a sweep needs something that varies: vary=[{'g': 1}, {'g': 2}]")
    if runs is not None and runs != len(vary):
        raise ValueError(f"vary lists {len(vary)} runs, and runs={runs}")
    names = list(vary[0])
    for i, one in enumerate(vary):
        if set(one) != set(names):
            raise ValueError(f"run {i} varies {', '.join(one) or 'nothing'}, and run 0 varies {', '.join(names)}")
    values = np.array([[number_of(one[name]) for name in names] for one in vary])
    return [(name.rstrip("~"), int(name.endswith("~"))) for name in names], values


def _roles(model, names):
    """For each name 0: a parameter, 1: a start value, 2: a guess of one."""
    roles = []
    for name, guess in names:
        meaning = model._at.meaning(name)
        if meaning == "array":
            raise ValueError(f"vary {name}: {name!r} is an array; vary its elements one by one, with their indices")
        if meaning == "independent":
            raise ValueError(f"vary {name}: {name!r} is the independent variable; parameters and start values can vary")
        if meaning is None:
            near = model._at.nearest(name)
            raise ValueError(f"vary {name}: the model has neither a parameter nor a variable of this name"
                             + (f"; did you mean {near!r}?" if near else ""))
        if meaning == "parameter" and guess:
            raise ValueError(f"vary {name}~: the parameter {name!r} has no guesses; write {name!r}")
        roles.append((name, 1 + guess if meaning == "variable" else 0))
    return roles


# ---- runs ----


def show_progress(stream=None, pause=0.2):
    """A function for `progress=`: it keeps a line with the runs done, the runs per second and the time left."""
    began, last = time.monotonic(), 0.0

    def show(done, runs):
        nonlocal last
        now = time.monotonic()
        if done < runs and now - last < pause:
            return
        last, rate = now, done / max(now - began, 1e-9)
        left = f"{(runs - done) / rate:.3g} s left" if done else "just begun"
        print(f"\r{done} of {runs} runs, {rate:.3g} runs per second, {left if done < runs else 'done'}\033[K", end="",
              file=stream or sys.stderr, flush=True)
        if done == runs:
            print(file=stream or sys.stderr)

    return show


def _run_part(make, roles, values, texts, places, names, threads, progress, max_time=None, device="cpu", fast=False):
    """Runs on threads of this process: (rows, last, statistics, statuses, messages, ends)."""
    runs = len(values)
    until = None if max_time is None else time.monotonic() + max_time
    work = _ritt.Sweep(runs=runs, names=roles, values=np.ascontiguousarray(values), options=texts, columns=len(names),
                       places=places, device=device, fast=fast)
    at_once = min(work.size(), _MOST_MODELS)
    threads = max(1, min(threads, -(-runs // 2)))
    failures = []

    def one_thread():
        try:
            work.work([make()._at for _ in range(min(at_once, -(-runs // threads)))])
        except BaseException as error:  # raised again by the calling thread
            failures.append(error)
            work.stop()

    all_threads = [threading.Thread(target=one_thread, daemon=True) for _ in range(threads)]
    try:
        for thread in all_threads:
            thread.start()
        for thread in all_threads:
            while thread.is_alive():
                thread.join(0.1 if until is None else min(0.1, max(until - time.monotonic(), 1e-3)))
                if until is not None and time.monotonic() >= until:
                    work.stop()
                if progress:
                    progress(work.done(), runs)
    except BaseException:
        work.stop()
        for thread in all_threads:
            if thread.ident:
                thread.join()
        raise
    if failures:
        raise failures[0]
    if progress:
        progress(work.done(), runs)
    rows, last, statistics, stat_names, status, messages, ended = work.results()
    if rows is not None:
        rows = np.asarray(rows).reshape(runs, len(places), len(names))
    statistics = np.asarray(statistics)
    stats = {}
    for i, (name, real) in enumerate(stat_names):
        column = statistics[:, i]
        stats[name] = column if real or np.isnan(column).any() else column.astype(np.int64)
    return rows, np.asarray(last), stats, np.array(status, dtype=int), messages, ended


def _run_elsewhere(model, prepare, roles, values, texts, places, names, until):
    """A part of a sweep in another process. until: the time of the clock at which it ends, or None."""
    left = None if until is None else max(until - time.time(), 0)
    return _run_part(lambda: model._prepared(**prepare), roles, values, texts, places, names, 1, None, left)


def _joined(parts, values):
    """The parts as one; statistics that a part has not become NaN."""
    rows = None if parts[0][0] is None else np.concatenate([p[0] for p in parts])
    stats = {name: np.concatenate([p[2][name] for p in parts]) for name in parts[0][2]}
    return (rows, np.concatenate([p[1] for p in parts]), stats, np.concatenate([p[3] for p in parts]),
            [m for p in parts for m in p[4]], [e for p in parts for e in p[5]])


def sweep(model, span=None, *, vary=None, runs=None, seed=None, set=None, start=None, tol=None, method=None, t_eval=None,
          threads=None, executor=None, progress=None, max_time=None, device="cpu", arithmetic="strict", **options):
    """Runs a model many times with different values and gives an Ensemble.

    vary      {"g": [1, 2, 3], "x": np.linspace(0, 1, 11)}: parameters and start values. Lists span a grid, of which the last
              one varies fastest. ritt.normal(mean, deviation) and ritt.uniform(low, high) draw a value in each run; "x~" is a
              guess of a start value. Or a list of runs: [{"g": 1, "x": 0}, {"g": 2, "x": 0.5}]. None: as the section
              `sweep` of the model says
    runs      the number of runs, if values are drawn
    seed      of the random numbers (None: 0, or as the model says); a run has the same values however many runs there are
    t_eval    where values are requested; None: only at the end
    threads   the number of threads (None: one for each core)
    executor  an executor of concurrent.futures, or one that looks like it: its workers share the runs
    progress  called with (runs done, all runs) about ten times a second; ritt.show_progress() prints a line with the runs
              per second and the time left
    max_time  seconds after which the sweep ends with what is done: `success` is False for the runs that are not finished
    device    "cpu", or "cuda" or "cuda:1": ordinary steps of explicit methods are taken on this GPU
    arithmetic  of the GPU: "strict", the bits of the processor, or "fast", within the tolerance

    The other arguments are those of Model.solve. Every run gives the same bits as it does alone. A run that fails is no
    exception: see `success` and `messages` of the result.
    """
    if arithmetic not in ("strict", "fast"):
        raise ValueError(f"arithmetic={arithmetic!r}: it is 'strict' or 'fast'")
    device = "cpu" if device is None else device
    if executor is not None and device != "cpu":
        raise ValueError(f"device={device!r} and executor= exclude each other: leave one of them out")
    begin, end = span if np.ndim(span) == 1 else (None, span)
    prepare = {"set": set, "start": start, "begin": begin, "kind": options.pop("kind", None)}
    if vary is None:
        vary, runs, seed = _of_section(model, runs, seed)
    pairs, values = _varied(vary, runs, seed or 0)
    base = model._prepared(**prepare)
    roles = _roles(base, pairs)
    for name, role in roles:
        if name in (set or {}) or name in (start or {}):
            raise ValueError(f"{name} is both fixed and varied: leave one of them out")
    texts = model._options(end, tol, method, options)
    places = None if t_eval is None else np.ascontiguousarray(t_eval, dtype=float).ravel()
    names, units = base._at.columns()
    units = {name: unit for name, unit in zip(names, units or ()) if unit}
    if executor is None:
        threads = threads or len(os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else range(os.cpu_count() or 1))
        parts = [_run_part(lambda: model._prepared(**prepare), roles, values, texts, places, names, threads, progress,
                           max_time, device, arithmetic == "fast")]
    else:
        count = min(len(values), 4 * (getattr(executor, "_max_workers", None) or os.cpu_count() or 1))
        pieces = np.array_split(values, count)
        until = None if max_time is None else time.time() + max_time
        futures = [executor.submit(_run_elsewhere, model, prepare, roles, piece, texts, places, names, until)
                   for piece in pieces]
        for done, _ in enumerate(as_completed(futures) if progress else (), 1):
            progress(done * len(values) // count, len(values))
        parts = [future.result() for future in futures]
    rows, last, stats, status, messages, ended = _joined(parts, values)
    varied = {name + ("~" if role == 2 else ""): values[:, i] for i, (name, role) in enumerate(roles)}
    return Ensemble(names, units, varied, places, rows, last, stats, status, messages, ended, device)
