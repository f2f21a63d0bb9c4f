"""What can be asked of a catalog?

A query is a tree of conditions; `query_parser` makes one from what people type, and each index turns it into
its own terms. The names of the fields, and what each of them holds, are declared here once.
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
"""Before the name of a field that filters have given to pages."""


class FieldForm(enum.Enum):
    """What can be asked of a field."""

    WORDS = enum.auto()  # words and phrases
    VALUE = enum.auto()  # one of few values, as a whole
    NUMBER = enum.auto()
    SHARE = enum.auto()  # 0 to 1
    DAY = enum.auto()  # a moment, asked for by days


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
"""Every field by the name that stands in a query."""

DEFAULT_FIELDS: Final[Mapping[str, float]] = {
    "title": 3.0, "keywords": 2.0, "description": 2.0, "author": 1.0, "text": 1.0,
}  # fmt: skip
"""Where a word is looked for that names no field, and how much it counts there."""

EXACT_FIELDS: Final = ("", "title", "text")
"""Of which fields words are also kept as they are spelt; none stands for title and text."""


class HasWords(msgspec.Struct, frozen=True, tag="words"):
    """These words stand one after the other in a field; without one, in any of `DEFAULT_FIELDS`."""

    words: tuple[str, ...]
    field: str = ""
    is_exact: bool = False  # with the same diacritics
    is_prefix: bool = False  # the last one may go on


class HasValue(msgspec.Struct, frozen=True, tag="value"):
    """A field has this value."""

    field: str
    value: str


class WithinRange(msgspec.Struct, frozen=True, tag="range"):
    """A number lies within these bounds, themselves included; days are milliseconds, shares millionths."""

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
    """Yield the words that a page is found by in some of these fields; not those it must not have."""
    match condition:
        case HasWords(field=field):
            if field in fields or not field:
                yield condition
        case AllOf(parts=parts) | AnyOf(parts=parts):
            for part in parts:
                yield from words_sought(part, fields)


def looked_for_in(condition: Condition, field: str) -> Condition:
    """Return a query whose words have to stand in one field, unless they name another."""
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
    """Whether some pages answer a query better than others."""
    return next(words_sought(condition, frozenset(FIELDS)), None) is not None
