"""How are a few growing numbers plotted side by side? As a small SVG, without any library."""

from collections.abc import Sequence
from html import escape
from typing import NamedTuple

__all__ = ["Curve", "plot"]

WIDTH, HEIGHT, LEFT, BOTTOM, TOP, RIGHT = 720, 420, 80, 50, 40, 130
COLOURS = ("#888888", "#d08020", "#5080c0", "#208040")


class Curve(NamedTuple):
    """One line of the plot."""

    name: str
    points: Sequence[tuple[float, float]]


def plot(curves: Sequence[Curve], *, title: str, across: str = "requests", up: str = "usable words") -> str:
    """Return the curves as one SVG document."""
    x_max = max(x for curve in curves for x, _ in curve.points)
    y_max = max(y for curve in curves for _, y in curve.points) or 1.0
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" '
        f'font-size="12"><rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>',
        f'<text x="{LEFT}" y="22" font-size="15">{escape(title)}</text>',
        f'<text x="{(LEFT + WIDTH - RIGHT) / 2}" y="{HEIGHT - 12}" text-anchor="middle">'
        f"{escape(across)}</text>",
        f'<text x="8" y="{TOP - 4}">{escape(up)}</text>',
    ]
    parts += _grid(x_max, y_max)
    for curve, colour in zip(curves, COLOURS, strict=False):
        line = " ".join(f"{_x(x, x_max):.1f},{_y(y, y_max):.1f}" for x, y in curve.points)
        x, y = curve.points[-1]
        parts.append(f'<polyline points="{line}" fill="none" stroke="{colour}" stroke-width="2"/>')
        parts.append(
            f'<text x="{_x(x, x_max) + 6:.1f}" y="{_y(y, y_max) + 4:.1f}" fill="{colour}">'
            f"{escape(curve.name)}</text>"
        )
    return "\n".join([*parts, "</svg>\n"])


def _grid(x_max: float, y_max: float) -> list[str]:
    lines = []
    for tenth in range(0, 11, 2):
        x, y = _x(x_max * tenth / 10, x_max), _y(y_max * tenth / 10, y_max)
        lines.append(
            f'<path d="M{LEFT} {y:.1f}H{WIDTH - RIGHT}M{x:.1f} {TOP}V{HEIGHT - BOTTOM}" stroke="#e0e0e0"/>'
        )
        lines.append(
            f'<text x="{LEFT - 6}" y="{y + 4:.1f}" text-anchor="end">{y_max * tenth / 10:,.0f}</text>'
        )
        lines.append(
            f'<text x="{x:.1f}" y="{HEIGHT - BOTTOM + 16}" text-anchor="middle">'
            f"{x_max * tenth / 10:,.0f}</text>"
        )
    return lines


def _x(x: float, x_max: float) -> float:
    return LEFT + (WIDTH - LEFT - RIGHT) * x / x_max


def _y(y: float, y_max: float) -> float:
    return HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * y / y_max
