"""What do the operator's rules consist of?

Plain values. They are passed to harvesters, and to the next run, as lines of a setting: one line of JSON for
each field (`to_lines`, `from_lines`).
"""

import json
from collections.abc import Iterable
from typing import Final

import msgspec

from tiptoe.errors import SettingsError

__all__ = ["LINE_CHARS_MAX", "SELECTORS", "TYPES", "FieldRule", "PageRule", "from_lines", "to_lines"]

LINE_CHARS_MAX: Final = 10_000
"""Maximum length of a line of a setting, and so of a field with the hosts and paths of its rule."""

SELECTORS: Final = ("css", "xpath", "jsonld", "meta")
TYPES: Final = ("text", "list", "number", "date", "url")


class FieldRule(msgspec.Struct, frozen=True, kw_only=True):
    """Where to find the value of a field; of several selectors the first that finds one counts."""

    name: str
    type: str = "text"
    selectors: tuple[tuple[str, str], ...]  # kind and selector
    attribute: str = ""  # take this attribute of the element, not its text
    decimal: str = ""  # the decimal sign; empty: determined from each number


class PageRule(msgspec.Struct, frozen=True, kw_only=True):
    """Fields of the pages of some hosts and paths."""

    name: str
    hosts: tuple[str, ...] = ()  # each including its subdomains; empty: all hosts
    paths: tuple[str, ...] = ()  # `*` matches anything, a final `$` the end; empty: all
    fields: tuple[FieldRule, ...]


_decode: Final = msgspec.json.Decoder(PageRule).decode


def to_lines(rules: Iterable[PageRule]) -> list[str]:
    """Return rules as lines of text, one for each field: a whole rule may be too long for a line."""
    return [
        json.dumps(msgspec.to_builtins(msgspec.structs.replace(rule, fields=(one,))))
        for rule in rules
        for one in rule.fields
    ]


def from_lines(lines: Iterable[str]) -> list[PageRule]:
    """Return the rules in these lines; SettingsError if they are not what `to_lines` returns."""
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
