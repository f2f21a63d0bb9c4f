"""Which rules apply to a page, and which values do they find?

Rules are found by host, then by path. If several have the same field, the first in the file that finds a
value counts.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Final

from selectolax.lexbor import LexborNode

from tiptoe.fields.css_path import compile_css
from tiptoe.fields.field_rule import FieldRule, PageRule
from tiptoe.fields.field_value import FieldValue, read_value
from tiptoe.fields.jsonld_path import compile_jsonld
from tiptoe.fields.page_tree import PageTree
from tiptoe.fields.work_budget import TooCostly
from tiptoe.fields.xpath import compile_xpath
from tiptoe.fields.xpath_values import Attribute, to_text
from tiptoe.parse.rights import matches_path
from tiptoe.text.elements import ROLES, Role
from tiptoe.url.address import split_url
from tiptoe.url.whatwg import whatwg_join

__all__ = ["FieldFinding", "PageFields", "RuleBook", "compile_selector"]

VALUES_MAX: Final = 1_000
"""Maximum number of nodes whose texts are examined for one field."""

LINKS: Final = ("href", "src", "data-src")
"""Attributes in which an element has the URL it stands for."""

Texts = Callable[[PageTree], Iterable[str]]


@dataclass(frozen=True, slots=True)
class FieldFinding:
    """What one rule found for a field, or why it found nothing."""

    rule: str
    field: str
    value: FieldValue
    selector: str = ""  # the one that found the value
    is_cut_off: bool = False  # the work allowed for one page was used up


@dataclass(slots=True)
class PageFields:
    """The fields of a page, and how they were found."""

    values: dict[str, FieldValue] = field(default_factory=dict)
    findings: list[FieldFinding] = field(default_factory=list)

    @property
    def cut_off(self) -> list[str]:
        """The rules that ran out of work budget."""
        return [f"{one.rule}.{one.field}" for one in self.findings if one.is_cut_off]


class _Field:
    """A field of a rule with its selectors ready for use."""

    def __init__(self, rule: FieldRule) -> None:
        self.rule = rule
        self.selectors = [
            (f"{kind} = {selector}", compile_selector(kind, selector, rule))
            for kind, selector in rule.selectors
        ]


class RuleBook:
    """All rules of an operator."""

    def __init__(self, rules: Iterable[PageRule]) -> None:
        self._rules = [(rule, [_Field(one) for one in rule.fields]) for rule in rules]
        self._by_host: dict[str, list[int]] = {}
        for number, (rule, _) in enumerate(self._rules):
            for host in rule.hosts or ("",):
                self._by_host.setdefault(host.lower().rstrip("."), []).append(number)
        self.names = list(dict.fromkeys(one.rule.name for _, fields in self._rules for one in fields))
        """Names of all fields, in the order of the file: every document has all of them."""

    def rules_for(self, url: str) -> Iterator[PageRule]:
        """Yield the rules that apply to a page, in order."""
        return (rule for rule, _ in self._meant_for(url))

    def read(self, page: PageTree, *, is_anywhere: bool = False) -> PageFields:
        """Return the fields of a page, by the rules that apply to it, or by all if `is_anywhere`."""
        read = PageFields(dict.fromkeys(self.names))
        base = (whatwg_join(page.url or None, page.base) or page.url) if page.base else page.url
        for rule, fields in self._rules if is_anywhere else self._meant_for(page.url):
            for one in fields:
                if read.values[one.rule.name] is None:
                    found = _find(rule.name, one, page, base)
                    read.findings.append(found)
                    read.values[one.rule.name] = found.value
        return read

    def _meant_for(self, url: str) -> Iterator[tuple[PageRule, list[_Field]]]:
        address = split_url(url)
        numbers = set(self._by_host.get("", ()))
        host = address.host.rstrip(".")
        while host:
            numbers.update(self._by_host.get(host, ()))
            host = host.partition(".")[2]
        for number in sorted(numbers):
            rule, _ = self._rules[number]
            if not rule.paths or any(matches_path(path, address.path) for path in rule.paths):
                yield self._rules[number]


def _find(rule: str, one: _Field, page: PageTree, base: str) -> FieldFinding:
    try:
        for written, texts in one.selectors:
            value = read_value(one.rule, texts(page), base)
            if value is not None:
                return FieldFinding(rule, one.rule.name, value, written)
    except TooCostly:
        return FieldFinding(rule, one.rule.name, None, is_cut_off=True)
    return FieldFinding(rule, one.rule.name, None)


def compile_selector(kind: str, selector: str, rule: FieldRule) -> Texts:
    """Return a function that finds the texts for a field; ValueError says what is wrong with the selector."""
    match kind:
        case "css":
            css = compile_css(selector)
            attribute = css.attribute or rule.attribute
            return lambda page: (
                text
                for node in css.select(page)[:VALUES_MAX]
                for text in _texts_of(node, rule, attribute, page, takes_own=css.takes_own_text)
            )
        case "xpath":
            xpath = compile_xpath(selector)

            def texts(page: PageTree) -> Iterator[str]:
                found = xpath.select(page)
                for node in found[:VALUES_MAX] if isinstance(found, list) else ():
                    if isinstance(node, Attribute):
                        yield node.value
                    else:
                        yield from _texts_of(node, rule, rule.attribute, page)
                if not isinstance(found, list):
                    yield to_text(found, page.budget)

            return texts
        case "jsonld":
            return compile_jsonld(selector).select
        case _:
            name = selector.strip().lower()
            if not name:
                raise ValueError("empty; it names a META tag, such as article:section")
            return lambda page: page.meta.get(name, ())


def _texts_of(
    node: LexborNode, rule: FieldRule, attribute: str, page: PageTree, *, takes_own: bool = False
) -> Iterator[str]:
    """Yield the texts of a node: an attribute, a URL, or its content."""
    if node.is_element_node and (attribute or rule.type == "url"):
        attributes = node.attributes
        names = (attribute,) if attribute else LINKS
        said = next((value for name in names if (value := attributes.get(name))), "")
        if said or attribute:
            yield page.budget.spend_text(said)
            return
    if takes_own:
        yield "".join(_own_texts(node, page))
    elif node.is_element_node:
        yield "".join(_shown(node, page))
    else:
        yield page.budget.spend_text(node.text_lexbor() or "")


def _own_texts(node: LexborNode, page: PageTree) -> Iterator[str]:
    for part in node.iter(include_text=True):
        page.budget.spend()
        if part.is_text_node:
            yield part.text_lexbor() or ""


def _shown(node: LexborNode, page: PageTree) -> Iterator[str]:
    """Yield the visible text of an element: without code, and with a blank at the end of a block or line."""
    is_code = False
    for part in node.traverse(include_text=True):
        page.budget.spend()
        if part.is_text_node:
            if not is_code:
                yield page.budget.spend_text(part.text_lexbor() or "")
            is_code = False
        else:
            role = ROLES.get(part.tag or "")
            is_code = role is Role.LEFT_OUT
            if role is not None:
                yield " "
