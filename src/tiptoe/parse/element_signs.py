"""Which attributes tell that an element is worth a look?

Each question about a page is a few signs, one of which is enough. They are a CSS selector as well as rows for
the one pass that looks for all of them (`tree_search.py`).
"""

from dataclasses import dataclass
from enum import IntEnum
from typing import Final

from tiptoe.parse.adjacency import tag_number

__all__ = ["ALL_SIGNS", "BYLINES", "DATED", "MICRODATA", "STYLED", "Match", "Sign", "Signs"]


class Match(IntEnum):
    """What is asked of an attribute; as in `compiled_elements.pyx`."""

    PRESENT = 0
    ABSENT = 1
    WORD = 2  # in a list of words, in any case
    PART = 3
    PART_ANY_CASE = 4


_SELECTORS: Final = {
    Match.PRESENT: "{0.tag}[{0.attribute}]",
    Match.ABSENT: "{0.tag}:not([{0.attribute}])",
    Match.WORD: '{0.tag}[{0.attribute}~="{0.value}"]',
    Match.PART: '{0.tag}[{0.attribute}*="{0.value}"]',
    Match.PART_ANY_CASE: '{0.tag}[{0.attribute}*="{0.value}" i]',
}


@dataclass(frozen=True, slots=True)
class Sign:
    """What one attribute of an element is to be like; names and values in small letters."""

    attribute: str
    match: Match = Match.PRESENT
    value: str = ""
    tag: str = ""  # of the element; empty: any


class Signs:
    """Signs one of which is enough, anywhere or only in the body of a page."""

    def __init__(self, *signs: Sign, in_body: bool = False) -> None:
        self.selector = ",".join(_SELECTORS[sign.match].format(sign) for sign in signs)
        self.in_body = in_body
        self.rows = tuple(
            (
                sign.attribute.encode(),
                int(sign.match),
                sign.value.encode(),
                tag_number(sign.tag) if sign.tag else 0,
            )
            for sign in signs
        )


STYLED: Final = Signs(
    Sign("hidden"),
    Sign("style", Match.PART_ANY_CASE, "display"),
    Sign("open", Match.ABSENT, tag="dialog"),
    in_body=True,
)
"""Elements that may be shown in another way than usual; `elements.display_of` has the last word on each."""

MICRODATA: Final = Signs(Sign("itemprop"))
BYLINES: Final = Signs(
    Sign("rel", Match.WORD, "author"),
    Sign("class", Match.PART_ANY_CASE, "author"),
    Sign("class", Match.PART_ANY_CASE, "byline"),
    Sign("href", Match.PART, "/author/", tag="a"),
)
DATED: Final = Signs(
    Sign("class", Match.PART_ANY_CASE, "date"),
    Sign("class", Match.PART_ANY_CASE, "publish"),
)
ALL_SIGNS: Final = (STYLED, MICRODATA, BYLINES, DATED)
