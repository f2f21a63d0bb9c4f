"""What does an XPath expression select on a page?

It is evaluated on the parser's own tree, each node counted as a step: an expression that would take forever
ends with the work budget of the page. Libraries that implement all of XPath have no such limit.
"""

import math
import operator
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from selectolax.lexbor import LexborNode

from tiptoe.fields.page_tree import PageTree
from tiptoe.fields.xpath_functions import FUNCTIONS, NodePlace
from tiptoe.fields.xpath_parser import parse_xpath
from tiptoe.fields.xpath_syntax import (
    Binary,
    Expression,
    Filtered,
    FunctionCall,
    Negative,
    Path,
    PathStep,
    Value,
)
from tiptoe.fields.xpath_tokens import XPathError
from tiptoe.fields.xpath_values import (
    Attribute,
    Node,
    XValue,
    compare,
    node_key,
    to_boolean,
    to_number,
)

__all__ = ["XPath", "XPathError", "compile_xpath"]

Onwards = Callable[[LexborNode], LexborNode | None]
"""Goes from a node to the next one in some direction."""

_REVERSE: Final = frozenset({"ancestor", "ancestor-or-self", "preceding-sibling"})


@dataclass(frozen=True, slots=True)
class XPath:
    """A compiled expression."""

    expression: Expression

    def select(self, page: PageTree) -> XValue:
        """Return its value: nodes in the order of the page, or a text, a number or a boolean."""
        root = page.tree.root
        if root is None or root.parent is None:
            return []
        return _Evaluation(page, root.parent).value(self.expression, NodePlace(root.parent, 1, 1))


def compile_xpath(expression: str) -> XPath:
    """Compile an expression; XPathError says what is wrong with it."""
    return XPath(parse_xpath(expression))


class _Evaluation:
    """One expression on one page."""

    def __init__(self, page: PageTree, document: LexborNode) -> None:
        self._page = page
        self._budget = page.budget
        self._document = document

    def value(self, expression: Expression, place: NodePlace) -> XValue:
        """Return the value of an expression at a place."""
        self._budget.spend()
        match expression:
            case Value():
                return expression.value
            case Path():
                return self._walk(expression, place)
            case FunctionCall():
                values = [self.value(argument, place) for argument in expression.arguments]
                return FUNCTIONS[expression.name].call(self._budget, place, values)
            case Binary():
                return self._binary(expression, place)
            case Filtered():
                chosen = self.value(expression.chosen, place)
                return self._under(expression.conditions, chosen) if isinstance(chosen, list) else []
            case Negative():
                return -to_number(self.value(expression.operand, place), self._budget)

    def _binary(self, expression: Binary, place: NodePlace) -> XValue:
        sign, left = expression.operator, self.value(expression.left, place)
        if sign in ("and", "or"):
            if to_boolean(left) is (sign == "or"):
                return sign == "or"
            return to_boolean(self.value(expression.right, place))
        right = self.value(expression.right, place)
        if sign == "|":
            both = [*(left if isinstance(left, list) else ()), *(right if isinstance(right, list) else ())]
            return self._in_order(both)
        if sign in _ARITHMETIC:
            return _ARITHMETIC[sign](to_number(left, self._budget), to_number(right, self._budget))
        return compare(sign, left, right, self._budget)

    # -- paths -----------------------------------------------------------

    def _walk(self, path: Path, place: NodePlace) -> list[Node]:
        nodes: list[Node]
        if path.start is not None:
            started = self.value(path.start, place)
            nodes = started if isinstance(started, list) else []
        else:
            nodes = [self._document] if path.is_absolute else [place.node]
        for step in path.steps:
            nodes = self._step(step, nodes)
        return nodes

    def _step(self, step: PathStep, nodes: list[Node]) -> list[Node]:
        found: dict[int | tuple[int, str], Node] = {}
        for node in nodes:
            for one in self._under(step.conditions, self._reached(step, node)):
                found.setdefault(node_key(one), one)
        chosen = list(found.values())
        is_ordered = len(nodes) == 1 or step.axis in ("attribute", "self", "descendant", "descendant-or-self")
        if step.axis in _REVERSE:
            return self._in_order(chosen)
        return chosen if is_ordered else self._in_order(chosen)

    def _under(self, conditions: Iterable[Expression], nodes: list[Node]) -> list[Node]:
        """Return the nodes that satisfy all conditions, which are applied one after the other."""
        for condition in conditions:
            size = len(nodes)
            if isinstance(condition, Value) and isinstance(condition.value, float):
                place = condition.value
                nodes = nodes[int(place) - 1 : int(place)] if place == int(place) and place >= 1 else []
                continue
            nodes = [
                node
                for number, node in enumerate(nodes, start=1)
                if self._holds(condition, NodePlace(node, number, size))
            ]
        return nodes

    def _holds(self, condition: Expression, place: NodePlace) -> bool:
        value = self.value(condition, place)
        if isinstance(value, float):
            return value == place.position
        return to_boolean(value)

    def _reached(self, step: PathStep, node: Node) -> list[Node]:
        if isinstance(node, Attribute):
            return self._from_attribute(step, node)
        if step.axis == "attribute":
            return self._attributes(step.test, node)
        if step.axis == "descendant" and node.is_document_node and step.test.isidentifier():
            found = self._page.tree.css(step.test)  # in one pass of the parser
            self._budget.spend(len(found) + self._page.elements // 8)
            return list(found)
        wanted = _test(step.test)
        return [one for one in self._counted(_AXES[step.axis](node)) if wanted(one)]

    def _counted(self, nodes: Iterable[LexborNode]) -> Iterator[LexborNode]:
        spend = self._budget.spend
        for node in nodes:
            spend()
            yield node

    def _attributes(self, test: str, node: LexborNode) -> list[Node]:
        if not node.is_element_node:
            return []
        self._budget.spend()
        attributes = node.attributes
        if test == "*":
            return [Attribute(node, name, value or "") for name, value in attributes.items()]
        return [Attribute(node, test, attributes[test] or "")] if test in attributes else []

    @staticmethod
    def _from_attribute(step: PathStep, node: Attribute) -> list[Node]:
        if step.axis in ("parent", "ancestor", "ancestor-or-self"):
            above = [node.owner] if step.axis == "parent" else list(_chain(node.owner, _parent))
            return [one for one in above if _test(step.test)(one)]
        return [node] if step.axis in ("self", "descendant-or-self") and step.test == "node()" else []

    def _in_order(self, nodes: list[Node]) -> list[Node]:
        """Return nodes in the order of the page, each once; attributes with their elements."""
        single = {node_key(node): node for node in nodes}
        owners = {node.mem_id: node for node in map(_owner, single.values())}
        places = {node.mem_id: place for place, node in enumerate(self._page.in_order(list(owners.values())))}
        return sorted(single.values(), key=lambda node: places[_owner(node).mem_id])


def _owner(node: Node) -> LexborNode:
    return node.owner if isinstance(node, Attribute) else node


def _test(test: str) -> Callable[[LexborNode], bool]:
    if test == "node()":
        return lambda node: True
    if test == "text()":
        return lambda node: bool(node.is_text_node)
    if test == "comment()":
        return lambda node: bool(node.is_comment_node)
    if test == "*":
        return lambda node: bool(node.is_element_node)
    return lambda node: node.tag == test


def _chain(first: LexborNode | None, onwards: Onwards) -> Iterator[LexborNode]:
    """Yield a node, if there is one, and those that follow from it."""
    one = first
    while one is not None:
        yield one
        one = onwards(one)


def _descendants(node: LexborNode) -> Iterator[LexborNode]:
    if node.is_element_node or node.is_document_node:
        found = iter(node.traverse(include_text=True))
        next(found, None)  # the node itself
        yield from found


def _descendants_or_self(node: LexborNode) -> Iterator[LexborNode]:
    yield node
    yield from _descendants(node)


def _remainder(left: float, right: float) -> float:
    return math.fmod(left, right) if right and not math.isinf(left) else math.nan


def _quotient(left: float, right: float) -> float:
    if right:
        return left / right
    return math.nan if not left or math.isnan(left) else math.copysign(math.inf, left)


_next, _previous, _parent = map(operator.attrgetter, ("next", "prev", "parent"))
_AXES: Final[dict[str, Callable[[LexborNode], Iterable[LexborNode]]]] = {
    "child": lambda node: _chain(node.child, _next),
    "descendant": _descendants,
    "descendant-or-self": _descendants_or_self,
    "self": lambda node: (node,),
    "parent": lambda node: () if node.parent is None else (node.parent,),
    "ancestor": lambda node: _chain(node.parent, _parent),
    "ancestor-or-self": lambda node: _chain(node, _parent),
    "following-sibling": lambda node: _chain(node.next, _next),
    "preceding-sibling": lambda node: _chain(node.prev, _previous),
}
_ARITHMETIC: Final[dict[str, Callable[[float, float], float]]] = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "div": _quotient, "mod": _remainder,
}  # fmt: skip
