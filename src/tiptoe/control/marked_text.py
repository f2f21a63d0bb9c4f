"""How is text from the web shown with the words of a search marked?

Each piece is cleaned and escaped separately; the only markup are our own marks between the pieces.
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
    """Return a text of ours as markup, with parts in backquotes, such as commands, as code."""
    pieces = re.split("`([^`]+)`", text)
    codes = (Markup("<code>{}</code>").format(shown(piece)) for piece in pieces[1::2])
    return Markup("").join(
        piece for plain in pieces[::2] for piece in (Markup.escape(shown(plain)), next(codes, Markup("")))
    )


def paragraphs_of(text: str, places: Sequence[tuple[int, int]], chars_max: int) -> Iterator[Passage]:
    """Yield a text paragraph by paragraph, with the marks in each, up to this many characters."""
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
