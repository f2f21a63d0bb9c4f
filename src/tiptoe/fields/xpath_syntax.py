"""What does an XPath expression consist of?

Its parts as values, made by `xpath_parser.py` and evaluated by `xpath.py`.
"""

from dataclasses import dataclass
from typing import TypeAlias

__all__ = [
    "Binary", "Expression", "Filtered", "FunctionCall", "Negative", "Path", "PathStep", "Value",
    "is_positional",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Value:
    """A number or a text."""

    value: float | str


@dataclass(frozen=True, slots=True)
class Negative:
    """The negative of a number."""

    operand: "Expression"


@dataclass(frozen=True, slots=True)
class Binary:
    """Two expressions and an operator between them; `|` is the union of what they select."""

    operator: str
    left: "Expression"
    right: "Expression"


@dataclass(frozen=True, slots=True)
class FunctionCall:
    """A function and its arguments."""

    name: str
    arguments: tuple["Expression", ...]


@dataclass(frozen=True, slots=True)
class PathStep:
    """One step of a path: direction, node test and conditions."""

    axis: str
    test: str  # a name, `*`, `text()`, `node()` or `comment()`
    conditions: tuple["Expression", ...] = ()


@dataclass(frozen=True, slots=True)
class Path:
    """Steps from the root, from the current node, or from what an expression has selected."""

    start: "Expression | None"
    is_absolute: bool
    steps: tuple[PathStep, ...]


@dataclass(frozen=True, slots=True)
class Filtered:
    """What an expression has selected, filtered by conditions."""

    chosen: "Expression"
    conditions: tuple["Expression", ...]


Expression: TypeAlias = Value | Negative | Binary | FunctionCall | Path | Filtered

_NUMBERS = frozenset(
    {"position", "last", "count", "string-length", "number", "sum", "floor", "ceiling", "round"}
)


def is_positional(expression: Expression) -> bool:
    """Return whether a condition depends on the position of a node among those of a step."""
    match expression:
        case Value():
            return isinstance(expression.value, float)
        case Negative():
            return True
        case Binary():
            if expression.operator in ("+", "-", "*", "div", "mod"):
                return True
            return _asks_place(expression)
        case FunctionCall():
            return expression.name in _NUMBERS or _asks_place(expression)
        case _:
            return False


def _asks_place(expression: Expression) -> bool:
    match expression:
        case FunctionCall():
            return expression.name in ("position", "last") or any(map(_asks_place, expression.arguments))
        case Binary():
            return _asks_place(expression.left) or _asks_place(expression.right)
        case Negative():
            return _asks_place(expression.operand)
        case _:
            return False
