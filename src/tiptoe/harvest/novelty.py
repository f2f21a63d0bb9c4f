"""Does this page say anything that its host has not said lately?

A page has new text when a paragraph of it is new that reads like one: long, and with a mark at its end, or
very long. Titles and menus do not; and figures do not make it new, or every day of an empty calendar would
be. Told the paragraphs of each page, it remembers the last ones of each host. Pure, and bounded: it forgets
the host it heard of longest ago.
"""

from collections import OrderedDict
from collections.abc import Iterable
from typing import Final

from tiptoe.text.density import DENSE_FROM, IDEOGRAPH_LENGTH, length_of

__all__ = ["Novelty"]

CHARS_MIN: Final = 50
"""Menus and captions are shorter, sentences longer."""

DENSE_CHARS_MIN: Final = int(CHARS_MIN / IDEOGRAPH_LENGTH)
"""The same in the scripts that say most with a character; what ends in another is not in such a script."""

LONG_CHARS: Final = 200
"""No title is that long; some scripts have no mark at the end of a sentence."""

MARKS: Final = (*".!?…:;。！？؟।۔", '."', ".”", ".“", ".»", ".)")

CHARS_COMPARED: Final = 200
"""What begins alike is alike, as far as this is concerned."""

HOSTS_MAX: Final = 2_000
PARAGRAPHS_MAX: Final = 100
"""What stands on every page of a site is found again on each, and so never forgotten."""

NEW_KEPT: Final = 3
"""Of the new paragraphs of a page the first ones are enough to know it by."""

_DIGITS: Final = b"0123456789"


class Novelty:
    """The last long paragraphs of the last hosts."""

    def __init__(self) -> None:
        self._hosts: OrderedDict[str, OrderedDict[int, None]] = OrderedDict()

    def is_new(self, host: str, paragraphs: Iterable[str]) -> bool:
        """Note the paragraphs of a page; say whether one of them is long, and new."""
        said = self._of(host)
        new = 0
        for paragraph in paragraphs:
            size = len(paragraph)
            if size < DENSE_CHARS_MIN or (size < CHARS_MIN and paragraph[-1] < DENSE_FROM):
                continue
            if size < CHARS_MIN:
                size = length_of(paragraph)
            if size < CHARS_MIN or (size < LONG_CHARS and not paragraph.endswith(MARKS)):
                continue
            start = paragraph[:CHARS_COMPARED].encode("utf-8", "surrogatepass").translate(None, _DIGITS)
            key = hash(start)
            if key in said:
                said.move_to_end(key)
                continue
            said[key] = None
            new += 1
            if new == NEW_KEPT:
                break
        while len(said) > PARAGRAPHS_MAX:
            said.popitem(last=False)
        return new > 0

    def _of(self, host: str) -> OrderedDict[int, None]:
        said = self._hosts.get(host)
        if said is None:
            said = self._hosts[host] = OrderedDict()
            if len(self._hosts) > HOSTS_MAX:
                self._hosts.popitem(last=False)
        else:
            self._hosts.move_to_end(host)
        return said
