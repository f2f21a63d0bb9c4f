"""How are figures drawn?

Inline SVG and plain HTML for a page made by `html_page`, which has the colours.
All positions along the width are percentages: a drawing fits a phone and a
sheet of paper without its letters shrinking. Every text is escaped here;
hovering over an element shows its exact figure.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from html import escape
from typing import Final

from tiptoe.observe.amounts import Amount, Cell, amount_text, cell_text, human_share

__all__ = ["Amount", "bars", "cards", "histogram", "line", "round_ticks", "table"]

PLOT_HEIGHT = 190
COLOURS = 4
TICKS = 4
LABELS_MAX = 6
LABELS_CHARS_MAX = 45
"""Maximum number of labels, and of their characters together; more would run into each other on a phone."""

COLUMNS_MAX = 3
"""Maximum number of columns on a phone; above it each row becomes a paragraph that includes the headings."""

TIME_STEPS: Final = (
    1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 3 * 3600, 6 * 3600, 12 * 3600,
    86400, 2 * 86400, 7 * 86400, 14 * 86400, 30 * 86400, 91 * 86400, 365 * 86400,
)  # fmt: skip


def bars(
    rows: Sequence[tuple[str, float]],
    *,
    unit: str,
    total: float | None = None,
    hints: Mapping[str, str] | None = None,
    colour: int = 1,
) -> str:
    """Return a horizontal bar for each row; given a total, each row also shows its share.

    Hints are short explanations of labels.
    """
    top = max((value for _, value in rows), default=0.0) or 1.0
    parts = []
    for label, value in rows:
        hint = (hints or {}).get(label, "")
        more = f" <small>{escape(hint)}</small>" if hint else ""
        share = f" <small>{escape(human_share(value, total))}</small>" if total is not None else ""
        width = max(0.0, 100 * value / top)
        parts.append(
            f'<span class="l" title="{escape(f"{label} {hint}".strip())}">{escape(label)}{more}</span>'
            f'<span class="v">{escape(_bare(value, unit))}{share}</span>'
            f'<svg aria-hidden="true"><title>{escape(f"{label}: {amount_text(value, unit)}")}</title>'
            f'<rect class="fill{colour}" width="{width:.2f}%" height="100%" rx="2"/></svg>'
        )
    return f'<figure class="bars">\n{"".join(parts)}\n</figure>'


def histogram(
    rows: Sequence[tuple[str, float]], *, unit: str, colour: int = 1, end: str | None = None
) -> str:
    """Return a column for each row, in the order given; rows are label and amount.

    Given an end, the labels are edges: the start of each column, and the end of the last one.
    """
    ticks = _ticks(max((value for _, value in rows), default=0.0))
    step = 100 / max(1, len(rows))
    labels = [label for label, _ in rows]
    every = _label_every(labels)
    parts = [_grid(ticks, unit)]
    for place, (label, value) in enumerate(rows):
        height = PLOT_HEIGHT * max(0.0, value) / ticks[-1]
        name = label if end is None else f"{label} to {[*labels, end][place + 1]}"
        text = f"<title>{escape(name)}: {escape(amount_text(value, unit))}</title>"
        parts.append(
            f'<rect class="fill{colour}" x="{(place + 0.12) * step:.3f}%" width="{0.76 * step:.3f}%" '
            f'y="{PLOT_HEIGHT - height:.2f}" height="{height:.2f}"/>' + _hit(place * step, step, text)
        )
        if place % every == 0:
            parts.append(_below((place + (0.5 if end is None else 0.0)) * step, label))
    if end is not None and rows and len(rows) % every == 0:
        parts.append(_below(100.0, end))
    name = f"Columns from {labels[0]} to {end or labels[-1]}" if rows else "No columns"
    return _plot(parts, name)


def line(series: Mapping[str, Sequence[tuple[float, float]]], *, unit: str) -> str:
    """Return curves over time; points are a moment (seconds since 1970) and an amount, in order of time.

    All series should share their moments: hovering then shows the figures of all.
    """
    moments = sorted({at for points in series.values() for at, _ in points})
    if not moments:
        return ""
    start, span = moments[0], (moments[-1] - moments[0]) or 1.0
    ticks = _ticks(max(value for points in series.values() for _, value in points))
    parts = [_grid(ticks, unit)]
    parts += [_below(100 * (at - start) / span, label) for at, label in _time_ticks(start, moments[-1])]
    parts.append(
        f'<svg width="100%" height="{PLOT_HEIGHT}" viewBox="0 0 1000 {PLOT_HEIGHT}" '
        'preserveAspectRatio="none">'
    )
    for number, points in enumerate(series.values()):
        parts.append(_curve(points, start, span, ticks[-1], number % COLOURS + 1))
    parts.append("</svg>")
    parts += _readings(series, moments, start, span, unit)
    name = f"{', '.join(series)} over time"
    return _plot(parts, name, legend=_legend(list(series), _days(start, moments[-1])))


def table(head: Sequence[str], rows: Iterable[Sequence[Cell]]) -> str:
    """Return a table; text is escaped, numbers and amounts are aligned right."""
    lines = [list(row) for row in rows]
    is_number = [
        bool(lines) and all(not isinstance(row[column], str) or row[column] == "-" for row in lines)
        for column in range(len(head))
    ]
    heads = "".join(
        f"<th{_class(right)}>{escape(name)}</th>" for name, right in zip(head, is_number, strict=True)
    )
    is_broad = len(head) > COLUMNS_MAX
    opened = [
        f'<td{_class(right)} data-head="{escape(name)}">' if is_broad else f"<td{_class(right)}>"
        for name, right in zip(head, is_number, strict=True)
    ]
    body = "\n".join(
        "<tr>"
        + "".join(f"{tag}{escape(cell_text(cell))}</td>" for cell, tag in zip(row, opened, strict=True))
        + "</tr>"
        for row in lines
    )
    broad = ' class="broad"' if is_broad else ""
    return (
        f'<div class="scroll"><table{broad}>\n<thead><tr>{heads}</tr></thead>\n'
        f"<tbody>\n{body}\n</tbody></table></div>"
    )


def cards(facts: Iterable[tuple[str, str]]) -> str:
    """Return a few figures in large type, each with its name."""
    inner = "".join(f"<div><dt>{escape(what)}</dt><dd>{escape(much)}</dd></div>" for what, much in facts)
    return f'<dl class="cards">{inner}</dl>'


# -- parts of a drawing ----------------------------------------------------


def _label_every(labels: Sequence[str]) -> int:
    """Return how many columns share one label, so that no two labels touch."""
    shown = min(LABELS_MAX, LABELS_CHARS_MAX // (2 + max(map(len, labels), default=0)))
    return math.ceil(len(labels) / max(1, shown))


def _class(is_number: bool) -> str:
    return ' class="n"' if is_number else ""


def _plot(parts: Sequence[str], name: str, *, legend: str = "") -> str:
    """Return a figure; `name` is read aloud by screen readers."""
    head = f'<svg class="plot" height="{PLOT_HEIGHT}" role="img" aria-label="{escape(name)}">\n'
    svg = head + "\n".join(parts) + "\n</svg>"
    return f"<figure>\n{legend}{svg}\n</figure>"


def round_ticks(least: float, most: float, count: int) -> list[float]:
    """Return about `count` round numbers, from one not above `least` to one not below `most`."""
    rough = ((most - least) or abs(most) or 1.0) / count
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(factor * power for factor in (1, 2, 5, 10) if factor * power >= rough * (1 - 1e-9))
    first, last = math.floor(least / step + 1e-9), math.ceil(most / step - 1e-9)
    return [number * step for number in range(first, max(last, first + 1) + 1)]


def _ticks(top: float) -> list[float]:
    """Return round numbers from 0 to one that is not below `top`."""
    return round_ticks(0.0, top, TICKS) if math.isfinite(top) and top > 0 else [0.0, 1.0]


def _grid(ticks: Sequence[float], unit: str) -> str:
    marks = []
    for tick in ticks:
        y = PLOT_HEIGHT * (1 - tick / ticks[-1])
        kind = "grid" if tick else "axis"
        marks.append(
            f'<line class="{kind}" x1="0" x2="100%" y1="{y:.1f}" y2="{y:.1f}"/>'
            f'<text x="-8" y="{y + 4:.1f}" text-anchor="end">{escape(_short(tick, unit))}</text>'
        )
    return "\n".join(marks)


def _short(tick: float, unit: str) -> str:
    """Return a short label for a tick, with the unit only where it is part of the number."""
    if not tick:
        return "0"
    return _bare(tick, unit).replace(".0 ", " ")


def _bare(value: float, unit: str) -> str:
    """Return an amount without its noun."""
    return amount_text(value, unit if unit in ("bytes", "seconds", "%") else "")


def _below(percent: float, label: str) -> str:
    anchor = "end" if percent >= 100.0 else "middle"  # at the edge, half of it would be cut off
    return f'<text x="{percent:.3f}%" y="{PLOT_HEIGHT + 17}" text-anchor="{anchor}">{escape(label)}</text>'


def _hit(percent: float, width: float, told: str) -> str:
    left = max(0.0, percent)
    width = min(100.0, percent + width) - left
    return (
        f'<rect class="hit" x="{left:.3f}%" width="{width:.3f}%" y="0" height="{PLOT_HEIGHT}">{told}</rect>'
    )


def _curve(points: Sequence[tuple[float, float]], start: float, span: float, top: float, colour: int) -> str:
    path = " ".join(
        f"{1000 * (at - start) / span:.1f},{PLOT_HEIGHT * (1 - value / top):.1f}" for at, value in points
    )
    first, last = (f"{1000 * (points[end][0] - start) / span:.1f},{PLOT_HEIGHT}" for end in (0, -1))
    return (
        f'<polygon class="area fill{colour}" points="{first} {path} {last}"/>'
        f'<polyline class="stroke stroke{colour}" points="{path}"/>'
    )


def _readings(
    series: Mapping[str, Sequence[tuple[float, float]]],
    moments: Sequence[float],
    start: float,
    span: float,
    unit: str,
) -> list[str]:
    """Return a strip for each moment that shows its figures when hovered over."""
    known = {name: dict(points) for name, points in series.items()}
    width = 100 / max(1, len(moments) - 1)
    strips = []
    for at in moments:
        figures = [f"{name}: {_bare(points[at], unit)}" for name, points in known.items() if at in points]
        text = "\n".join([f"{_moment(at):%Y-%m-%d %H:%M:%S} UTC", *figures])
        strips.append(_hit(100 * (at - start) / span - width / 2, width, f"<title>{escape(text)}</title>"))
    return strips


def _legend(names: Sequence[str], days: str) -> str:
    keys = "".join(
        f'<span><svg aria-hidden="true"><rect class="fill{number % COLOURS + 1}" width="100%" height="100%" '
        f'rx="2"/></svg>{escape(name)}</span>'
        for number, name in enumerate(names)
    )
    return f'<figcaption class="legend">{keys}<span>{escape(days)}</span></figcaption>\n'


def _moment(at: float) -> datetime:
    return datetime.fromtimestamp(at, UTC)


def _days(start: float, end: float) -> str:
    first, last = (f"{_moment(at).day} {_moment(at):%b %Y}" for at in (start, end))
    return f"UTC, {first}" if first == last else f"UTC, {first} to {last}"


def _time_ticks(start: float, end: float) -> list[tuple[float, str]]:
    """Return at most a handful of round moments with their labels."""
    step = next((step for step in TIME_STEPS if (end - start) / step <= TICKS), TIME_STEPS[-1])
    first = math.ceil(start / step) * step
    ticks = []
    for number in range(TICKS + 1):
        at = float(first + number * step)
        if at > end:
            break
        moment = _moment(at)
        label = f"{moment:%H:%M:%S}" if step < 60 else f"{moment:%H:%M}"
        ticks.append((at, label if step < 86400 else f"{moment.day} {moment:%b}"))
    return ticks
