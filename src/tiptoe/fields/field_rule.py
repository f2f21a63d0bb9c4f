"""What do the operator's rules say?

Plain values. They travel to harvesters, and to the next run, as lines of a setting: one line of JSON for each
field (`to_lines`, `from_lines`).
"""

import json
from collections.abc import Iterable
from typing import Final

import msgspec

from tiptoe.errors import SettingsError

__all__ = ["LINE_CHARS_MAX", "SELECTORS", "TYPES", "FieldRule", "PageRule", "from_lines", "to_lines"]

LINE_CHARS_MAX: Final = 10_000
"""Maximum length of a line of a setting: so long may a field be, with the hosts and paths of its rule."""

SELECTORS: Final = ("css", "xpath", "jsonld", "meta")
TYPES: Final = ("text", "list", "number", "date", "url")


class FieldRule(msgspec.Struct, frozen=True, kw_only=True):
    """Where the value of a field stands; of several places the first that has one counts."""

    name: str
    type: str = "text"
    selectors: tuple[tuple[str, str], ...]  # kind and selector
    attribute: str = ""  # of the element, in place of its text
    decimal: str = ""  # the sign before decimals; empty: found out from each number


class PageRule(msgspec.Struct, frozen=True, kw_only=True):
    """Fields of the pages of some hosts and paths."""

    name: str
    hosts: tuple[str, ...] = ()  # each with all hosts below it; none: all there are
    paths: tuple[str, ...] = ()  # `*` is anything, `$` at the end is the end; none: all
    fields: tuple[FieldRule, ...]


_decode: Final = msgspec.json.Decoder(PageRule).decode


def to_lines(rules: Iterable[PageRule]) -> list[str]:
    """Return rules as lines of text, one for each field: no line of a setting is as long as a rule may be."""
    return [
        json.dumps(msgspec.to_builtins(msgspec.structs.replace(rule, fields=(one,))))
        for rule in rules
        for one in rule.fields
    ]


def from_lines(lines: Iterable[str]) -> list[PageRule]:
    """Return the rules that these lines hold; SettingsError if they are not what `to_lines` gives."""
    rules: list[PageRule] = []
    for number, line in enumerate(lines, start=1):
        try:
            read = _decode(line)
        except msgspec.DecodeError as error:
            raise SettingsError(f"text.field_rules, line {number}: {error}; give --fields again") from None
        if rules and rules[-1].name == read.name:
            read = msgspec.structs.replace(read, fields=(*rules.pop().fields, *read.fields))
        rules.append(read)
    return rules
