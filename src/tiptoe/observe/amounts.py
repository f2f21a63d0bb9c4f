"""How are amounts worded for people?"""

from typing import NamedTuple

__all__ = [
    "Amount",
    "Cell",
    "Share",
    "amount_text",
    "cell_text",
    "counted",
    "human_bytes",
    "human_count",
    "human_seconds",
    "human_share",
    "was",
]


MILLISECOND = 0.001
DAYS_FROM = 48 * 3600
"""Shortest span, in seconds, that is given in days; below it, in hours or less."""


class Amount(NamedTuple):
    """An amount with its unit, such as bytes or seconds."""

    value: float
    unit: str


class Share(NamedTuple):
    """A part of a whole."""

    part: float
    whole: float


Cell = str | int | float | Amount | Share
"""What a cell of a table can hold; text is aligned left, everything else right."""


def cell_text(cell: Cell) -> str:
    """Return the text of a cell of a table."""
    if isinstance(cell, Amount):
        return amount_text(cell.value, cell.unit)
    if isinstance(cell, Share):
        return human_share(cell.part, cell.whole)
    return cell if isinstance(cell, str) else amount_text(cell, "")


def amount_text(value: float, unit: str) -> str:
    """Return an amount with its unit: bytes and seconds in fitting multiples, else a plain number."""
    if unit == "bytes":
        return human_bytes(value)
    if unit == "seconds":
        if 0 < value < MILLISECOND / 2:
            return "< 1 ms"
        return f"{value * 1000:.3g} ms" if 0 < value < 0.9995 else human_seconds(value)
    number = human_count(value) if value == int(value) or abs(value) >= 100 else f"{value:.3g}"
    if unit == "%":
        return f"{number} %"
    return f"{number} {_singular(unit) if number == '1' else unit}".rstrip()


def _singular(unit: str) -> str:
    return unit.removesuffix("es" if unit.endswith("sses") else "s")


def human_count(value: float) -> str:
    """Return a number with its thousands separated."""
    return f"{value:,.0f}".replace(",", " ")


def counted(value: float, noun: str, plural: str = "") -> str:
    """Return a number with its noun: 1 host, 2 hosts."""
    return f"{human_count(value)} {noun if value == 1 else plural or f'{noun}s'}"


def was(count: float) -> str:
    """Return "was" or "were", to agree with a number."""
    return "was" if count == 1 else "were"


def human_bytes(value: float) -> str:
    """Return a size with a suitable unit."""
    for unit in ("B", "kB", "MB", "GB", "TB"):
        if value < 1000 or unit == "TB":
            return f"{value:.0f} {unit}" if unit == "B" else f"{value:.1f} {unit}"
        value /= 1000
    raise AssertionError


def human_seconds(value: float) -> str:
    """Return a span with a suitable unit."""
    if value >= DAYS_FROM:
        return f"{value / 86400:.1f} days"
    whole = int(value)
    if whole < 60:
        return f"{value:.1f} s"
    hours, rest = divmod(whole, 3600)
    minutes, seconds = divmod(rest, 60)
    return f"{hours} h {minutes:02d} min" if hours else f"{minutes} min {seconds:02d} s"


def human_share(part: float, whole: float) -> str:
    """Return a part as a share of the whole; a part above zero is never shown as 0 %."""
    if not whole:
        return "-"
    share = 100 * part / whole
    if 0 < share < 0.1:
        return "< 0.1 %"
    return f"{share:.1f} %"
