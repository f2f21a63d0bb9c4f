"""Which XPath functions are supported?

Those of XPath 1.0 that need no document type and no namespaces. Each gets the page, the place where it is
called, and its arguments.
"""

import math
from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

from selectolax.lexbor import LexborNode

from tiptoe.fields.work_budget import WorkBudget
from tiptoe.fields.xpath_values import Node, XValue, text_of, to_boolean, to_number, to_text

__all__ = ["FUNCTIONS", "NodePlace"]

ANY: Final = 20
TEXT_CHARS_MAX: Final = 100_000
"""Maximum length of a text that functions compose."""


class NodePlace(NamedTuple):
    """Where an expression is evaluated: a node, its position and the number of nodes."""

    node: Node
    position: int
    size: int


Function = Callable[[WorkBudget, NodePlace, Sequence[XValue]], XValue]


class Signature(NamedTuple):
    """A function, and how many arguments it takes."""

    least: int
    most: int
    call: Function


def _text(budget: WorkBudget, place: NodePlace, values: Sequence[XValue]) -> str:
    """Return the text of the first value, or of the current node."""
    return to_text(values[0] if values else [place.node], budget)


def _on_texts(call: Callable[..., XValue]) -> Function:
    return lambda budget, _place, values: call(*(to_text(value, budget) for value in values))


def _on_number(call: Callable[[float], float]) -> Function:
    def run(budget: WorkBudget, _place: NodePlace, values: Sequence[XValue]) -> XValue:
        number = to_number(values[0], budget)
        return number if math.isnan(number) or math.isinf(number) else float(call(number))

    return run


def _name(_budget: WorkBudget, place: NodePlace, values: Sequence[XValue]) -> XValue:
    chosen = values[0] if values else [place.node]
    first = chosen[0] if isinstance(chosen, list) and chosen else None
    if first is None:
        return ""
    if isinstance(first, LexborNode):
        return (first.tag or "") if first.is_element_node else ""
    return first.name


def _nodes(values: Sequence[XValue]) -> list[Node]:
    return values[0] if isinstance(values[0], list) else []


def _sum(budget: WorkBudget, _place: NodePlace, values: Sequence[XValue]) -> XValue:
    return sum((to_number(text_of(node, budget), budget) for node in _nodes(values)), 0.0)


def _concat(*texts: str) -> str:
    return "".join(texts)[:TEXT_CHARS_MAX]


def _before(text: str, part: str) -> str:
    return text.partition(part)[0] if part and part in text else ""


def _after(text: str, part: str) -> str:
    return text.partition(part)[2] if part else text


def _rounded(number: float) -> float:
    return number if math.isnan(number) or math.isinf(number) else float(math.floor(number + 0.5))


def _substring(budget: WorkBudget, _place: NodePlace, values: Sequence[XValue]) -> XValue:
    text = to_text(values[0], budget)
    first, *length = (_rounded(to_number(value, budget)) for value in values[1:])
    last = first + length[0] if length else math.inf  # the first position after it
    return "".join(character for place, character in enumerate(text, start=1) if first <= place < last)


def _translate(text: str, old: str, new: str) -> str:
    table: dict[int, str | None] = {}
    for place, character in enumerate(old):
        table.setdefault(ord(character), new[place] if place < len(new) else None)
    return text.translate(table)


FUNCTIONS: Final = {
    "last": Signature(0, 0, lambda _budget, place, _values: float(place.size)),
    "position": Signature(0, 0, lambda _budget, place, _values: float(place.position)),
    "count": Signature(1, 1, lambda _budget, _place, values: float(len(_nodes(values)))),
    "name": Signature(0, 1, _name),
    "local-name": Signature(0, 1, _name),
    "string": Signature(0, 1, _text),
    "normalize-space": Signature(
        0, 1, lambda budget, place, values: " ".join(_text(budget, place, values).split())
    ),
    "string-length": Signature(0, 1, lambda budget, place, values: float(len(_text(budget, place, values)))),
    "concat": Signature(2, ANY, _on_texts(_concat)),
    "starts-with": Signature(2, 2, _on_texts(str.startswith)),
    "contains": Signature(2, 2, _on_texts(str.__contains__)),
    "substring-before": Signature(2, 2, _on_texts(_before)),
    "substring-after": Signature(2, 2, _on_texts(_after)),
    "substring": Signature(2, 3, _substring),
    "translate": Signature(3, 3, _on_texts(_translate)),
    "boolean": Signature(1, 1, lambda _budget, _place, values: to_boolean(values[0])),
    "not": Signature(1, 1, lambda _budget, _place, values: not to_boolean(values[0])),
    "true": Signature(0, 0, lambda _budget, _place, _values: True),
    "false": Signature(0, 0, lambda _budget, _place, _values: False),
    "number": Signature(
        0, 1, lambda budget, place, values: to_number(values[0] if values else [place.node], budget)
    ),
    "sum": Signature(1, 1, _sum),
    "floor": Signature(1, 1, _on_number(math.floor)),
    "ceiling": Signature(1, 1, _on_number(math.ceil)),
    "round": Signature(1, 1, lambda budget, _place, values: _rounded(to_number(values[0], budget))),
}
