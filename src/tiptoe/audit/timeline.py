"""When were requests made to a host, at a glance?

Rows of time, like lines of text: a row is a minute, an hour, a day or a week, whichever makes everything
fit; marks show when requests began, and are darker the more there were. Inline SVG, drawn in
percentages of the width, so that it fits a phone and a sheet of paper.
"""

from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime
from html import escape
from typing import Final

from tiptoe.observe.amounts import counted

__all__ = ["timeline"]

ROWS_MAX: Final = 40
CELLS: Final = 120
ROW_HEIGHT: Final = 16
HEAD: Final = 18
SPANS: Final = (
    # seconds in a row, name of a row, names of the marks along it
    (10, "%H:%M:%S", ("0 s", "2", "4", "6", "8")),
    (60, "%H:%M", ("0 s", "15", "30", "45")),
    (600, "%H:%M", ("0 min", "2", "4", "6", "8")),
    (3600, "%H:%M", ("0 min", "15", "30", "45")),
    (6 * 3600, "%d %b %H", ("0 h", "1", "2", "3", "4", "5")),
    (24 * 3600, "%d %b", ("0 h", "4", "8", "12", "16", "20")),
    (7 * 24 * 3600, "%d %b", ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")),
    (56 * 24 * 3600, "%b %Y", ("week 1", "3", "5", "7")),
)
MONDAY: Final = 4 * 24 * 3600  # 1970 began on a Thursday


def timeline(spans: Sequence[tuple[float, int]]) -> str:
    """Draw requests over time: `spans` are the start of each and the number of requests that began in it."""
    if not spans:
        return ""
    first, last = spans[0][0], spans[-1][0]
    seconds, name, marks = next((one for one in SPANS if (last - first) / one[0] <= ROWS_MAX - 2), SPANS[-1])
    # What is too old for these rows is mentioned in the surrounding text.
    start = _row_start(max(first, last - (ROWS_MAX - 2) * seconds), seconds)
    cells: Counter[tuple[int, int]] = Counter()
    for at, count in spans:
        if at >= start:
            row, rest = divmod(at - start, seconds)
            cells[int(row), int(rest * CELLS / seconds)] += count
    rows = max(row for row, _ in cells) + 1
    used = sorted({row for row, _ in cells})
    places = {row: place for place, row in enumerate(used)} if len(used) < rows else None
    return _draw(cells, start, seconds, name, marks, places or {row: row for row in range(rows)})


def _row_start(at: float, seconds: int) -> float:
    anchor = MONDAY if seconds > 24 * 3600 else 0
    return float((at - anchor) // seconds * seconds + anchor)


def _draw(
    cells: Counter[tuple[int, int]],
    start: float,
    seconds: int,
    name: str,
    marks: Sequence[str],
    places: dict[int, int],
) -> str:
    width = 100 / CELLS
    height = HEAD + ROW_HEIGHT * len(places)
    most = max(cells.values())
    parts = []
    for number, mark in enumerate(marks):
        x = f"{100 * number / len(marks):.2f}%"
        parts.append(
            f'<text x="{x}" y="11">{escape(mark)}</text>'
            f'<line class="grid" x1="{x}" x2="{x}" y1="{HEAD - 3}" y2="{height}"/>'
        )
    for row, place in places.items():
        y = HEAD + place * ROW_HEIGHT
        label = datetime.fromtimestamp(start + row * seconds, UTC).strftime(name)
        parts.append(
            f'<text x="-8" y="{y + ROW_HEIGHT - 5}" text-anchor="end">{escape(label)}</text>'
            f'<line class="grid" x1="0" x2="100%" y1="{y + ROW_HEIGHT - 1}" y2="{y + ROW_HEIGHT - 1}"/>'
        )
    for (row, cell), count in sorted(cells.items()):
        at = start + row * seconds + cell * seconds / CELLS
        text = f"{datetime.fromtimestamp(at, UTC):%Y-%m-%d %H:%M:%S} UTC: {counted(count, 'request')}"
        parts.append(
            f'<rect class="fill1" x="{cell * width:.3f}%" y="{HEAD + places[row] * ROW_HEIGHT}" '
            f'width="{width * 0.9:.3f}%" height="{ROW_HEIGHT - 3}" opacity="{0.3 + 0.7 * count / most:.2f}">'
            f"<title>{escape(text)}</title></rect>"
        )
    return (
        f'<figure>\n<svg class="plot" height="{height}" role="img" aria-label="Requests over time">\n'
        + "\n".join(parts)
        + "\n</svg>\n</figure>"
    )
