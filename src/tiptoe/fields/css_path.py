"""Which elements does a CSS selector select?

The parser's own search backtracks: a selector with three levels of `div` takes half a minute on a page with
three thousand nested ones. Here the parser only finds the elements of each part (`div.price`,
`a[rel~=author]`) in one quick pass; combinators are evaluated with sets, once for each element.

Supported are type, class, id and attribute selectors, `:not()`, `:is()`, `:where()` and `:has()` of those,
`:nth-child()` and the like, all four combinators and lists. The last part may be followed by `::text` (the
text of the element itself, without that of nested ones) or `::attr(NAME)`, as in Scrapy.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from selectolax.lexbor import LexborHTMLParser, LexborNode, SelectolaxError

from tiptoe.fields.page_tree import PageTree
from tiptoe.fields.work_budget import WorkBudget

__all__ = ["CssError", "CssPath", "compile_css"]

CHARS_MAX: Final = 1_000
PARTS_MAX: Final = 20
LISTED_MAX: Final = 20
SCANNED, SQUARED = 8, 500
"""Number of elements, and of pairs of elements, that the parser examines in the time of one step."""

QUADRATIC: Final = frozenset({
    "has", "nth-child", "nth-last-child", "nth-of-type", "nth-last-of-type", "only-child", "only-of-type",
    "first-of-type", "last-of-type",
})  # fmt: skip
"""For these the parser examines the surroundings of each element, so their cost grows with the square."""

PSEUDO_CLASSES: Final = QUADRATIC | {"not", "is", "where", "first-child", "last-child", "empty", "root"}

_ENDING = re.compile(r"::(text|attr\(\s*([\w:-]+)\s*\))\s*\Z")
_PIECE = re.compile(
    r"""(?P<text>"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')|(?P<open>[(\[])|(?P<close>[)\]])"""
    r"""|(?P<combinator>\s*[>+~]\s*|\s+)|(?P<comma>\s*,\s*)|(?P<plain>\\.|[^\s>+~,()\[\]"'\\])""",
    re.DOTALL,
)
_PSEUDO = re.compile(r"(?<!\\):(:?)([\w-]+)(\()?")
_STRINGS = re.compile(r"""\[[^\]]*\]|"[^"]*"|'[^']*'""")
_probe: Final = LexborHTMLParser("<p></p>")


class CssError(ValueError):
    """A selector that cannot be used; says why, and what to try."""


@dataclass(frozen=True, slots=True)
class _Compound:
    """One part of a selector, and its combinator with the part before: ` `, `>`, `+`, `~`."""

    combinator: str
    compound: str
    is_quadratic: bool


@dataclass(frozen=True, slots=True)
class CssPath:
    """A compiled selector."""

    paths: tuple[tuple[_Compound, ...], ...]
    takes_own_text: bool = False
    attribute: str = ""

    def select(self, page: PageTree) -> list[LexborNode]:
        """Return the selected elements in the order of the page."""
        if len(self.paths) == 1:
            return _follow(page, self.paths[0])
        chosen = {node.mem_id: node for path in self.paths for node in _follow(page, path)}
        return page.in_order(list(chosen.values()))


def compile_css(selector: str) -> CssPath:
    """Compile a selector; CssError says what is wrong with it."""
    if len(selector) > CHARS_MAX:
        raise CssError(f"longer than {CHARS_MAX} characters")
    ending = _ENDING.search(selector)
    paths = _split(selector[: ending.start()] if ending else selector)
    if len(paths) > LISTED_MAX or max(map(len, paths)) > PARTS_MAX:
        raise CssError(f"too long; at most {LISTED_MAX} alternatives of {PARTS_MAX} parts")
    parts = tuple(tuple(_checked(combinator, compound) for combinator, compound in path) for path in paths)
    return CssPath(
        parts,
        takes_own_text=ending is not None and ending[1] == "text",
        attribute=(ending[2] or "").lower() if ending is not None else "",
    )


def _split(selector: str) -> list[list[tuple[str, str]]]:
    """Cut a selector into alternatives, and these into parts, each with the combinator before it."""
    paths: list[list[tuple[str, str]]] = [[]]
    compound, combinator, depth, position = "", " ", 0, 0
    selector = selector.strip()
    while position < len(selector):
        found = _PIECE.match(selector, position)
        if found is None:
            raise CssError(f"{selector[position : position + 20]!r} is not closed")
        position = found.end()
        depth += (found["open"] is not None) - (found["close"] is not None)
        if depth < 0:
            raise CssError(f"{found[0]!r} closes nothing")
        if depth == 0 and (found["combinator"] or found["comma"]):
            paths[-1].append((combinator, compound))
            compound, combinator = "", (found["combinator"] or " ").strip() or " "
            if found["comma"]:
                paths.append([])
        else:
            compound += found[0]
    if depth:
        raise CssError("a bracket is not closed")
    paths[-1].append((combinator, compound))
    return paths


def _checked(combinator: str, compound: str) -> _Compound:
    if not compound:
        raise CssError("a part of it is empty: there is nothing before or behind a comma, >, + or ~")
    plain = _STRINGS.sub("", compound)
    names = set()
    for found in _PSEUDO.finditer(plain):
        if found[1]:
            raise CssError(f"::{found[2]}: only ::text and ::attr(NAME) at the very end are understood")
        if found[2] not in PSEUDO_CLASSES:
            raise CssError(
                f":{found[2]} is not understood; use {', '.join(sorted(PSEUDO_CLASSES))}, or xpath"
            )
        names.add(found[2])
        if found[3]:
            _check_argument(found[2], plain[found.end() :])
    try:
        _probe.css(compound)
    except SelectolaxError:
        raise CssError(f"{compound!r} is no selector") from None
    return _Compound(combinator, compound, is_quadratic=bool(names & QUADRATIC))


def _check_argument(name: str, rest: str) -> None:
    """Refuse arguments that would make the parser backtrack."""
    argument = rest.partition(")")[0].strip()
    if name == "has":
        argument = argument.removeprefix(">").strip()
    if "(" in argument:
        raise CssError(f":{name}() may hold no other function; use xpath for this")
    if not name.startswith("nth-") and re.search(r"[^\s,]\s+[^\s,]|[>+~]", argument):
        raise CssError(
            f":{name}() may hold single elements only, such as .price or a[rel]; use xpath for this"
        )
    if name.startswith("nth-") and " of " in argument:
        raise CssError(f":{name}() may hold a number, odd, even or 2n+1")


# -- on a page -------------------------------------------------------------


def _follow(page: PageTree, path: tuple[_Compound, ...]) -> list[LexborNode]:
    chosen: list[LexborNode] = []
    budget, elements = page.budget, page.elements
    for number, part in enumerate(path):
        budget.spend(elements * elements // SQUARED if part.is_quadratic else elements // SCANNED)
        found = page.tree.css(part.compound)
        budget.spend(len(found))
        if number:
            stands = _RELATIONS[part.combinator]({node.mem_id for node in chosen}, budget)
            found = [node for node in found if stands(node)]
        if not found:
            return []
        chosen = found
    return chosen


Stands = Callable[[LexborNode], bool]


def _child_of(chosen: set[int], budget: WorkBudget) -> Stands:
    def stands(node: LexborNode) -> bool:
        budget.spend()
        return node.parent is not None and node.parent.mem_id in chosen

    return stands


def _next_to(chosen: set[int], budget: WorkBudget) -> Stands:
    def stands(node: LexborNode) -> bool:
        before = node.prev
        while before is not None and not before.is_element_node:
            budget.spend()
            before = before.prev
        return before is not None and before.mem_id in chosen

    return stands


def _inside(chosen: set[int], budget: WorkBudget) -> Stands:
    return _reaching(chosen, budget, lambda node: node.parent)


def _after(chosen: set[int], budget: WorkBudget) -> Stands:
    return _reaching(chosen, budget, lambda node: node.prev)


def _reaching(
    chosen: set[int], budget: WorkBudget, step: Callable[[LexborNode], LexborNode | None]
) -> Stands:
    """Return a test whether repeated steps reach a chosen element; no path is walked twice."""
    known: dict[int, bool] = {}

    def stands(node: LexborNode) -> bool:
        way: list[int] = []
        reached = False
        at = step(node)
        while at is not None:
            name = at.mem_id
            if name in chosen:
                reached = True
                break
            if (met := known.get(name)) is not None:
                reached = met
                break
            budget.spend()
            way.append(name)
            at = step(at)
        known.update(dict.fromkeys(way, reached))
        return reached

    return stands


_RELATIONS: Final = {" ": _inside, ">": _child_of, "+": _next_to, "~": _after}
