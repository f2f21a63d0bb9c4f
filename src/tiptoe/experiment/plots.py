"""How are curves drawn?

A plain SVG picture that stands alone, in a page of ours and in a document elsewhere: no style sheet, no
script. Every text is escaped here.
"""

from collections.abc import Sequence
from html import escape

from tiptoe.experiment.finding import Plot
from tiptoe.observe.charts import round_ticks

__all__ = ["drawn"]

WIDTH, HEIGHT = 640, 340
LEFT, RIGHT, TOP, BOTTOM = 58, 150, 34, 46
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00")
"""Those of Okabe and Ito, which people of every colour vision can tell apart."""

TICKS = 5


def drawn(plot: Plot) -> str:
    """Return a picture of the curves."""
    points = [point for curve in plot.curves.values() for point in curve]
    across = round_ticks(min(x for x, _ in points), max(x for x, _ in points), TICKS)
    upward = round_ticks(min(y for _, y in points), max(y for _, y in points), TICKS)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" '
        f'font-size="12" fill="#333" role="img"><title>{escape(plot.title)}</title>',
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#fff"/>',
        f'<text x="{LEFT}" y="20" font-size="14" font-weight="bold">{escape(plot.title)}</text>',
        *_axes(plot, across, upward),
    ]
    for number, (name, curve) in enumerate(plot.curves.items()):
        colour = COLOURS[number % len(COLOURS)]
        path = " ".join(f"{_x(x, across):.1f},{_y(y, upward):.1f}" for x, y in curve)
        y = TOP + 14 + 18 * number
        parts += [
            f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>',
            *(
                f'<circle cx="{_x(x, across):.1f}" cy="{_y(y, upward):.1f}" r="2.5" fill="{colour}"/>'
                for x, y in curve
            ),
            f'<rect x="{WIDTH - RIGHT + 14}" y="{y - 9}" width="10" height="10" fill="{colour}"/>',
            f'<text x="{WIDTH - RIGHT + 30}" y="{y}">{escape(name)}</text>',
        ]
    return "\n".join([*parts, "</svg>"]) + "\n"


def _axes(plot: Plot, across: Sequence[float], upward: Sequence[float]) -> list[str]:
    right, bottom = WIDTH - RIGHT, HEIGHT - BOTTOM
    parts = []
    for tick in upward:
        y = _y(tick, upward)
        said = f"{100 * tick:.3g} %" if plot.unit == "%" else f"{tick:g}"
        parts.append(f'<line x1="{LEFT}" x2="{right}" y1="{y:.1f}" y2="{y:.1f}" stroke="#ddd"/>')
        parts.append(f'<text x="{LEFT - 6}" y="{y + 4:.1f}" text-anchor="end">{said}</text>')
    for tick in across:
        x = _x(tick, across)
        parts.append(f'<text x="{x:.1f}" y="{bottom + 16}" text-anchor="middle">{tick:g}</text>')
    middle = (LEFT + right) / 2
    parts.append(f'<text x="{middle}" y="{HEIGHT - 10}" text-anchor="middle">{escape(plot.across)}</text>')
    parts.append(
        f'<text x="{right}" y="{TOP - 6}" text-anchor="end" fill="#777">{escape(plot.upward)}</text>'
    )
    return parts


def _x(value: float, ticks: Sequence[float]) -> float:
    return LEFT + (WIDTH - LEFT - RIGHT) * (value - ticks[0]) / (ticks[-1] - ticks[0])


def _y(value: float, ticks: Sequence[float]) -> float:
    return HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * (value - ticks[0]) / (ticks[-1] - ticks[0])
