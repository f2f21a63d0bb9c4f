"""How are curves drawn?

As plain, self-contained SVG, for our pages and for documents elsewhere: no style sheet, no script. By default
the text is dark on white; our pages recolour background, text and grid through their classes, so that a plot
is dark where the page is. Every text is escaped here.
"""

from collections.abc import Iterator, Sequence
from html import escape

from tiptoe.experiment.finding import Plot
from tiptoe.observe.charts import round_ticks

__all__ = ["drawn"]

WIDTH, HEIGHT = 400, 300
LEFT, RIGHT, TOP, BOTTOM = 46, 14, 50, 46
LEGEND_COLUMNS, LEGEND_ROW = 2, 18
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00")
"""The palette of Okabe and Ito, which can be told apart with any colour vision."""

TICKS = 5


def drawn(plot: Plot) -> str:
    """Return an SVG drawing of the curves."""
    points = [point for curve in plot.curves.values() for point in curve]
    across = round_ticks(min(x for x, _ in points), max(x for x, _ in points), TICKS)
    upward = round_ticks(min(y for _, y in points), max(y for _, y in points), TICKS)
    height = HEIGHT + LEGEND_ROW * -(-len(plot.curves) // LEGEND_COLUMNS)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" font-family="sans-serif" '
        f'font-size="12" class="drawn" fill="#333" role="img"><title>{escape(plot.title)}</title>',
        f'<rect width="{WIDTH}" height="{height}" class="sheet" fill="#fff"/>',
        f'<text x="{LEFT}" y="20" font-size="14" font-weight="bold">{escape(plot.title)}</text>',
        *_axes(plot, across, upward),
    ]
    for number, (name, curve) in enumerate(plot.curves.items()):
        colour = COLOURS[number % len(COLOURS)]
        path = " ".join(f"{_x(x, across):.1f},{_y(y, upward):.1f}" for x, y in curve)
        parts += [
            f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>',
            *(
                f'<circle cx="{_x(x, across):.1f}" cy="{_y(y, upward):.1f}" r="2.5" fill="{colour}"/>'
                for x, y in curve
            ),
            *_named(number, name, colour),
        ]
    return "\n".join([*parts, "</svg>"]) + "\n"


def _named(number: int, name: str, colour: str) -> Iterator[str]:
    """Yield the name of a curve, below the plot: next to it, a narrow screen would cut it off."""
    row, column = divmod(number, LEGEND_COLUMNS)
    x = LEFT + column * (WIDTH - LEFT) / LEGEND_COLUMNS
    y = HEIGHT + 8 + LEGEND_ROW * row
    yield f'<rect x="{x:g}" y="{y - 9}" width="10" height="10" fill="{colour}"/>'
    yield f'<text x="{x + 16:g}" y="{y}">{escape(name)}</text>'


def _axes(plot: Plot, across: Sequence[float], upward: Sequence[float]) -> list[str]:
    right, bottom = WIDTH - RIGHT, HEIGHT - BOTTOM
    parts = []
    for tick in upward:
        y = _y(tick, upward)
        text = f"{100 * tick:.3g} %" if plot.unit == "%" else f"{tick:g}"
        parts.append(f'<line x1="{LEFT}" x2="{right}" y1="{y:.1f}" y2="{y:.1f}" class="grid" stroke="#ddd"/>')
        parts.append(f'<text x="{LEFT - 6}" y="{y + 4:.1f}" text-anchor="end">{text}</text>')
    for tick in across:
        x = _x(tick, across)
        parts.append(f'<text x="{x:.1f}" y="{bottom + 16}" text-anchor="middle">{tick:g}</text>')
    middle = (LEFT + right) / 2
    parts.append(f'<text x="{middle}" y="{HEIGHT - 10}" text-anchor="middle">{escape(plot.across)}</text>')
    parts.append(
        f'<text x="{right}" y="{TOP - 6}" text-anchor="end" class="soft" fill="#777">'
        f"{escape(plot.upward)}</text>"
    )
    return parts


def _x(value: float, ticks: Sequence[float]) -> float:
    return LEFT + (WIDTH - LEFT - RIGHT) * (value - ticks[0]) / (ticks[-1] - ticks[0])


def _y(value: float, ticks: Sequence[float]) -> float:
    return HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * (value - ticks[0]) / (ticks[-1] - ticks[0])
