"""How is a stranger's text shown with the words marked that somebody looked for?

Each piece is cleaned and escaped by itself; the marks between the pieces are the only markup, and ours.
"""

import re
from collections.abc import Iterator, Sequence

from markupsafe import Markup

from tiptoe.catalog.search import Passage
from tiptoe.control.shown_text import shown

__all__ = ["coded", "marked", "paragraphs_of"]


def marked(passage: Passage) -> Markup:
    """Return a passage with its marks as markup."""
    pieces: list[Markup] = []
    place = 0
    for start, end in passage.marks:
        pieces.append(Markup("{}<mark>{}</mark>").format(
            shown(passage.text[place:start]), shown(passage.text[start:end])
        ))  # fmt: skip
        place = end
    return Markup("").join([*pieces, shown(passage.text[place:])])


def coded(text: str) -> Markup:
    """Return our own words with what stands in backquotes, commands and the like, as code."""
    pieces = re.split("`([^`]+)`", text)
    codes = (Markup("<code>{}</code>").format(shown(piece)) for piece in pieces[1::2])
    return Markup("").join(
        piece for plain in pieces[::2] for piece in (Markup.escape(shown(plain)), next(codes, Markup("")))
    )


def paragraphs_of(text: str, places: Sequence[tuple[int, int]], chars_max: int) -> Iterator[Passage]:
    """Yield a text paragraph by paragraph, with what is marked in each, up to so many characters."""
    begin = number = 0
    for paragraph in text[:chars_max].split("\n"):
        end = begin + len(paragraph)
        marks: list[tuple[int, int]] = []
        while number < len(places) and places[number][0] < end:
            start, stop = places[number]
            marks.append((start - begin, min(stop, end) - begin))
            number += 1
        if paragraph.strip():
            yield Passage(paragraph, tuple(marks))
        begin = end + 1
