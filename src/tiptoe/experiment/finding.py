"""What does an experiment return?

Numbers, not words: the code that prints, draws or compares them decides how they look.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tiptoe.observe.amounts import human_count

__all__ = ["Check", "ExperimentFinding", "FindingTable", "Number", "Plot", "number_text"]

Number = str | float | int | None


@dataclass(frozen=True, slots=True)
class FindingTable:
    """Rows of figures; each column has its unit: "" text, "%" a share, "s", "n" a count, "x" a number."""

    title: str
    head: Sequence[str]
    units: Sequence[str]
    rows: Sequence[Sequence[Number]]
    note: str = ""

    def values(self) -> list[dict[str, Number]]:
        """Return the rows with the names of their columns."""
        return [dict(zip(self.head, row, strict=True)) for row in self.rows]


@dataclass(frozen=True, slots=True)
class Plot:
    """Curves over a quantity; both axes are percentages where the unit says so."""

    name: str  # of its file
    title: str
    across: str  # label of the horizontal axis
    upward: str  # label of the vertical axis
    unit: str
    curves: Mapping[str, Sequence[tuple[float, float]]]


@dataclass(frozen=True, slots=True)
class Check:
    """A statement that should hold."""

    text: str
    is_met: bool | None  # None: it cannot hold, as the text explains


@dataclass(frozen=True, slots=True)
class ExperimentFinding:
    """The result of one experiment."""

    name: str
    title: str
    lead: str
    tables: Sequence[FindingTable]
    checks: Sequence[Check]
    plots: Sequence[Plot] = ()

    def values(self) -> dict[str, Any]:
        """Return everything but the plots, for JSON."""
        return {
            "experiment": self.name,
            "setup": self.lead,
            "tables": [{"title": table.title, "rows": table.values()} for table in self.tables],
            "checks": [{"check": check.text, "is_met": check.is_met} for check in self.checks],
        }


def number_text(value: Number, unit: str) -> str:
    """Return the text of a cell; shares are numbers from 0 to 1."""
    if value is None:
        return "-"
    if isinstance(value, str):
        return value
    if unit == "%":
        return f"{100 * value:.2f} %"
    if unit == "s":
        return f"{value:.0f} s"
    return human_count(value) if unit == "n" else f"{value:g}"
