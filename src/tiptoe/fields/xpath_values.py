"""What are the values of XPath, and how is one type converted to another?

A value is a set of nodes (a list without duplicates), a text, a number or a boolean. A node is an element or
a text of the tree, or an attribute, for which the tree has no node.
"""

import math
import operator
from collections.abc import Callable
from typing import Final, NamedTuple, TypeAlias

from selectolax.lexbor import LexborNode

from tiptoe.fields.work_budget import WorkBudget

__all__ = ["Attribute", "Node", "XValue", "compare", "node_key", "to_boolean", "to_number", "to_text"]


class Attribute(NamedTuple):
    """An attribute of an element."""

    owner: LexborNode
    name: str
    value: str


Node: TypeAlias = LexborNode | Attribute
XValue: TypeAlias = list[Node] | str | float | bool

_ORDERINGS: Final[dict[str, Callable[[float, float], bool]]] = {
    "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge,
}  # fmt: skip


def node_key(node: Node) -> int | tuple[int, str]:
    """Return a key that is the same for the same node."""
    return node.mem_id if isinstance(node, LexborNode) else (node.owner.mem_id, node.name)


def text_of(node: Node, budget: WorkBudget) -> str:
    """Return the text of a node and of everything in it."""
    text = node.value if isinstance(node, Attribute) else node.text_lexbor() or ""
    return budget.spend_text(text)


def to_text(value: XValue, budget: WorkBudget) -> str:
    """Return a value as a text; for nodes, that of the first."""
    if isinstance(value, list):
        return text_of(value[0], budget) if value else ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return value
    if math.isnan(value) or math.isinf(value):
        return {True: "NaN"}.get(math.isnan(value), "Infinity" if value > 0 else "-Infinity")
    return str(int(value)) if value == int(value) else repr(value)


def to_number(value: XValue, budget: WorkBudget) -> float:
    """Return a value as a number; NaN if it is not one."""
    if isinstance(value, bool | float):
        return float(value)
    try:
        return float(to_text(value, budget).strip()[:40])
    except ValueError:
        return math.nan


def to_boolean(value: XValue) -> bool:
    """Return whether a value counts as true: it is not empty, zero or NaN."""
    if isinstance(value, float):
        return not math.isnan(value) and value != 0
    return bool(value)


def compare(sign: str, left: XValue, right: XValue, budget: WorkBudget) -> bool:
    """Compare two values; for nodes it is enough that one of them matches."""
    if isinstance(left, bool) or isinstance(right, bool):
        return _compare_plain(sign, to_boolean(left), to_boolean(right), budget)
    lefts: list[str | float] = _plain(left, budget)
    rights: list[str | float] = _plain(right, budget)
    budget.spend(len(lefts) * len(rights))
    return any(_compare_plain(sign, one, other, budget) for one in lefts for other in rights)


def _plain(value: list[Node] | str | float, budget: WorkBudget) -> list[str | float]:
    return [text_of(node, budget) for node in value] if isinstance(value, list) else [value]


def _compare_plain(sign: str, left: str | float, right: str | float, budget: WorkBudget) -> bool:
    if sign in _ORDERINGS:
        return _ORDERINGS[sign](to_number(left, budget), to_number(right, budget))
    if isinstance(left, float) or isinstance(right, float):
        is_equal = to_number(left, budget) == to_number(right, budget)
    else:
        is_equal = left == right
    return is_equal if sign == "=" else not is_equal
