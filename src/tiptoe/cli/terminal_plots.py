"""How is a figure plotted over time on a terminal?

Bars of block characters, eight steps to a line; where a terminal cannot show these, plain ASCII. Pure: a plot
is a list of lines.
"""

from collections.abc import Sequence
from typing import Final

from tiptoe.observe.amounts import human_seconds

__all__ = ["LABEL_COLUMNS", "plot_lines"]

BLOCKS: Final = " ▁▂▃▄▅▆▇█"
ASCII: Final = " .:#"
LABEL_COLUMNS: Final = 8
"""Width of the part left of the bars: the maximum, and the axis."""


def plot_lines(
    title: str, values: Sequence[float], *, seconds: float, rows: int, is_ascii: bool = False
) -> list[str]:
    """Return a plot with its title above and the time below; each column covers a fixed number of seconds."""
    signs = ASCII if is_ascii else BLOCKS
    axis, corner, line = ("|", "+", "-") if is_ascii else ("│", "└", "─")
    most = max(values, default=0.0)
    levels = [_level(value, most, rows * (len(signs) - 1)) for value in values]
    lines = [_ends(title, f"now {short_number(values[-1] if values else 0.0)}", LABEL_COLUMNS + len(values))]
    for row in reversed(range(rows)):
        label = short_number(most) if row == rows - 1 else ""
        bars = "".join(_sign(level, row, signs) for level in levels)
        lines.append(f"{label:>{LABEL_COLUMNS - 2}} {axis}{bars}".rstrip())
    lines.append(" " * (LABEL_COLUMNS - 1) + corner + line * len(values))
    span = human_seconds(seconds * len(values))
    lines.append(" " * LABEL_COLUMNS + _ends(f"{span} ago", "now", len(values)))
    return lines


def short_number(value: float) -> str:
    """Return a number in at most five characters: 840, 12.3k, 1.2M."""
    for size, unit in ((1e9, "G"), (1e6, "M"), (1e4, "k")):
        if value >= size:
            scaled = value / (1e3 if unit == "k" else size)
            return f"{scaled:.0f}{unit}" if scaled >= 100 else f"{scaled:.1f}{unit}"
    return f"{value:.0f}" if value >= 10 or value == int(value) else f"{value:.1f}"


def _level(value: float, most: float, levels: int) -> int:
    """Return how high a bar is; anything above zero is at least one step high."""
    return max(1, round(value / most * levels)) if value > 0 and most > 0 else 0


def _sign(level: int, row: int, signs: str) -> str:
    steps = len(signs) - 1
    return signs[min(max(level - row * steps, 0), steps)]


def _ends(left: str, right: str, width: int) -> str:
    return f"{left}{right:>{max(width - len(left), len(right) + 1)}}"
