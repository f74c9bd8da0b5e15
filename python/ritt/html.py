"""How notebooks show models, checks and runs: HTML with formulas and small pictures, without further packages."""

from html import escape

import numpy as np

_COLOURS = ["#1f77b4", "#d62728", "#2ca02c", "#9467bd", "#ff7f0e", "#8c564b"]
_MOST = 12  # equations, names and lines of a picture that are shown


def _number(value):
    return f"{value:.6g}" if np.ndim(value) == 0 else np.array2string(np.asarray(value), precision=6, threshold=12)


def table_of(head, rows):
    cells = "".join(f"<th style='text-align:left'>{escape(h)}</th>" for h in head)
    body = "".join("<tr>" + "".join(f"<td style='text-align:left'>{escape(str(c or ''))}</td>" for c in row) + "</tr>"
                   for row in rows)
    return f"<table><thead><tr>{cells}</tr></thead><tbody>{body}</tbody></table>"


def model_html(model):
    equations = model.equations
    lines = "".join(f"<div>$\\displaystyle {escape(e.latex)}$</div>" for e in equations[:_MOST])
    if len(equations) > _MOST:
        lines += f"<div>and {len(equations) - _MOST} more equations</div>"
    parts = [f"<b>{escape(model.name)}</b>: {escape(model.title)}", lines]
    if model.parameters:
        rows = [(p.name, _number(p.value), p.unit, p.doc) for p in list(model.parameters.values())[:_MOST]]
        parts.append(table_of(["parameter", "value", "unit", ""], rows))
    rows = [(v.name + (str(list(v.shape)) if v.shape else ""), v.unit, v.doc) for v in list(model.variables.values())[:_MOST]]
    parts.append(table_of(["variable", "unit", ""], rows))
    return "<div>" + "".join(parts) + "</div>"


def check_html(check):
    colour = "#2ca02c" if check["verdict"] == "determined" else "#d62728"
    return (f"<div><b style='color:{colour}'>{escape(check['verdict'] or '')}</b>"
            f"<pre style='margin:0'>{escape(str(check))}</pre></div>")


def _polyline(t, values, low, high, colour, width, height):
    span = (t[-1] - t[0]) or 1.0
    x = 5 + (width - 10) * (t - t[0]) / span
    y = height - 5 - (height - 10) * (values - low) / ((high - low) or 1.0)
    points = " ".join(f"{a:.1f},{b:.1f}" for a, b in zip(x, y) if np.isfinite(a + b))
    return f"<polyline fill='none' stroke='{colour}' stroke-width='1.2' points='{points}'/>"


def result_html(run, width=480, height=160):
    head = f"<b>{escape(run.title)}</b>: {len(run)} rows, {escape(run.names[0])} to {run.stats['x']:.6g}"
    if not run.success:
        head += f"<br><span style='color:#d62728'>{escape(run.message)}</span>"
    if len(run) < 2 or len(run.names) < 2:
        return f"<div>{head}</div>"
    names = run.names[1:1 + len(_COLOURS)]
    keep = np.unique(np.linspace(0, len(run) - 1, min(len(run), 400)).astype(int))
    columns = run.rows[keep][:, 1:1 + len(names)]
    finite = columns[np.isfinite(columns)]
    low, high = (finite.min(), finite.max()) if finite.size else (0.0, 1.0)
    lines = "".join(_polyline(run.t[keep], columns[:, i], low, high, _COLOURS[i], width, height) for i in range(len(names)))
    words = " ".join(f"<span style='color:{c}'>{escape(n)}</span>" for n, c in zip(names, _COLOURS))
    frame = f"<rect width='{width}' height='{height}' fill='none' stroke='#ccc'/>"
    return (f"<div>{head}<br><svg width='{width}' height='{height}' xmlns='http://www.w3.org/2000/svg'>{frame}{lines}</svg>"
            f"<br>{words} <small>({low:.4g} .. {high:.4g})</small></div>")


def error_html(error):
    """The messages of an error: the lines of the model, each with its column underlined."""
    parts = []
    for m in error.messages:
        text = f"<div><b style='color:#d62728'>{escape(m['text'])}</b></div>"
        if m["line"] and m["source"] is not None:
            source, at = m["source"], max((m["column"] or 1) - 1, 0)
            end = at + 1
            while end < len(source) and (source[end].isalnum() or source[end] in "_'") and source[at].isalnum():
                end += 1
            marked = (escape(source[:at]) + "<span style='text-decoration:underline wavy #d62728'>"
                      + escape(source[at:end] or " ") + "</span>" + escape(source[end:]))
            text += f"<pre style='margin:0'>{m['line']:4}  {marked}</pre>"
        if m["hint"]:
            text += f"<div>hint: {escape(m['hint'])}</div>"
        parts.append(text)
    return "<div>" + "".join(parts) + "</div>"
