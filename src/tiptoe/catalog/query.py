"""What can a query to a catalog express?

A query is a tree of conditions; `query_parser` makes one from what people type, and each index translates it
into its own terms. The fields and their forms are declared here once.
"""

import enum
from collections.abc import Iterator, Mapping
from typing import Final

import msgspec

__all__ = [
    "DEFAULT_FIELDS", "EXACT_FIELDS", "FIELDS", "OWN_FIELD_PREFIX", "AllOf", "AnyOf", "AnyPage", "Condition",
    "FieldForm", "HasValue", "HasWords", "NoneOf", "WithinRange", "has_scores", "looked_for_in",
    "words_sought",
]  # fmt: skip

OWN_FIELD_PREFIX: Final = "field."
"""Prefix of the names of fields that filters have given to pages."""


class FieldForm(enum.Enum):
    """The form of the values of a field."""

    WORDS = enum.auto()  # words and phrases
    VALUE = enum.auto()  # one of few values, matched as a whole
    NUMBER = enum.auto()
    SHARE = enum.auto()  # 0 to 1
    DAY = enum.auto()  # a moment, searched by days


FIELDS: Final[Mapping[str, FieldForm]] = {
    "title": FieldForm.WORDS,
    "text": FieldForm.WORDS,
    "description": FieldForm.WORDS,
    "keywords": FieldForm.WORDS,
    "author": FieldForm.WORDS,
    "classification": FieldForm.WORDS,
    "url": FieldForm.WORDS,
    "lang": FieldForm.VALUE,
    "site": FieldForm.VALUE,
    "type": FieldForm.VALUE,
    "date": FieldForm.DAY,
    "modified": FieldForm.DAY,
    "length": FieldForm.NUMBER,
    "depth": FieldForm.NUMBER,
    "usability": FieldForm.SHARE,
}
"""All fields, by their names in queries."""

DEFAULT_FIELDS: Final[Mapping[str, float]] = {
    "title": 3.0, "keywords": 2.0, "description": 2.0, "author": 1.0, "text": 1.0,
}  # fmt: skip
"""The fields in which a word without a field is searched, with their weights."""

EXACT_FIELDS: Final = ("", "title", "text")
"""Fields whose words are also stored as they are spelt; the empty name stands for title and text."""


class HasWords(msgspec.Struct, frozen=True, tag="words"):
    """These words are consecutive in a field or, without one, in any of `DEFAULT_FIELDS`."""

    words: tuple[str, ...]
    field: str = ""
    is_exact: bool = False  # with the same diacritics
    is_prefix: bool = False  # the last one may be continued


class HasValue(msgspec.Struct, frozen=True, tag="value"):
    """A field has this value."""

    field: str
    value: str


class WithinRange(msgspec.Struct, frozen=True, tag="range"):
    """A number is within these bounds, inclusive; days are in milliseconds, shares in millionths."""

    field: str
    low: int | None = None
    high: int | None = None


class AnyPage(msgspec.Struct, frozen=True, tag="any"):
    """Every page."""


class AllOf(msgspec.Struct, frozen=True, tag="all"):
    """All of these hold."""

    parts: tuple["Condition", ...]


class AnyOf(msgspec.Struct, frozen=True, tag="either"):
    """At least one of these holds."""

    parts: tuple["Condition", ...]


class NoneOf(msgspec.Struct, frozen=True, tag="not"):
    """This does not hold."""

    part: "Condition"


Condition = HasWords | HasValue | WithinRange | AnyPage | AllOf | AnyOf | NoneOf


def words_sought(condition: Condition, fields: frozenset[str]) -> Iterator[HasWords]:
    """Yield the words by which a page is found in these fields, without those that it must not have."""
    match condition:
        case HasWords(field=field):
            if field in fields or not field:
                yield condition
        case AllOf(parts=parts) | AnyOf(parts=parts):
            for part in parts:
                yield from words_sought(part, fields)


def looked_for_in(condition: Condition, field: str) -> Condition:
    """Return a query whose words must be in one field, unless they name another."""
    match condition:
        case HasWords(field=""):
            return msgspec.structs.replace(condition, field=field)
        case AllOf(parts=parts):
            return AllOf(tuple(looked_for_in(part, field) for part in parts))
        case AnyOf(parts=parts):
            return AnyOf(tuple(looked_for_in(part, field) for part in parts))
        case NoneOf(part=part):
            return NoneOf(looked_for_in(part, field))
    return condition


def has_scores(condition: Condition) -> bool:
    """Return whether some pages match a query better than others."""
    return next(words_sought(condition, frozenset(FIELDS)), None) is not None
