"""How is an outline built while a page is read from top to bottom?

The reader of the page reports which elements open and the text in them; the writer
cuts the text into paragraphs where a block ends or begins.
"""

from typing import Final, TypeAlias

from tiptoe.text.line_breaks import go_on, joint
from tiptoe.text.outline import Name, Outline
from tiptoe.text.paragraphs import clean

__all__ = [
    "BROKEN_LINES_MAX",
    "DEPTH_MAX",
    "LINES_MAX",
    "PARAGRAPHS_MAX",
    "WORDS_CHARS_MAX",
    "Named",
    "OutlineWriter",
    "name_of",
]

PARAGRAPHS_MAX: Final = 20_000
"""Maximum number of paragraphs; later ones are ignored."""

BROKEN_LINES_MAX: Final = 5_000
"""Maximum number of line breaks in a paragraph; above it the paragraph ends."""

LINES_MAX: Final = 200_000
"""Maximum number of lines read of one preformatted text, including empty ones."""

DEPTH_MAX: Final = 200
"""Maximum depth; deeper elements count as children of their last ancestor within it."""

WORDS_CHARS_MAX: Final = 200
"""Maximum length that is kept of an element's class, id and role."""

Named: TypeAlias = tuple[str, str | None, str | None, str | None]
"""The tag of an element, and its class, id and role if it has them."""


class OutlineWriter:
    """An outline while it is written; one paragraph at a time is open.

    The body is open from the beginning, as element 0. Elements need not be
    closed, since each text is added with the element it belongs to.
    """

    __slots__ = (
        "block",
        "elements",
        "lines",
        "linked_chars",
        "numbers",
        "outline",
        "pieces",
        "place",
        "shapes",
    )  # fmt: skip

    def __init__(self) -> None:
        self.outline = Outline()
        self.numbers: dict[Named, int] = {("body", None, None, None): 0}
        self.shapes: dict[tuple[int, int], int] = {}
        # name, parent, depth, shape, first paragraph, innermost block (perhaps itself), is it verbatim?
        self.elements = [(0, 0, 0, 0, 0, 0, False)]
        self.lines: list[tuple[str, int, int]] = []  # of the open paragraph: text, place, linked characters
        self.pieces: list[str] = []  # of the open paragraph, or of its last line
        self.place = 0  # element in which the open paragraph began
        self.block = 0  # block in which it began
        self.linked_chars = 0

    def open(self, parent: int, named: Named, is_block: bool, is_verbatim: bool) -> int:
        """Enter an element; return its number. A block ends the open paragraph."""
        if is_block and (self.pieces or self.lines):
            self.end_paragraph()
        elements, numbers, shapes = self.elements, self.numbers, self.shapes
        _, above, depth, shape, _, block, was_verbatim = elements[parent]
        if depth == DEPTH_MAX:
            parent, depth = above, depth - 1
        # Most names and shapes have been seen before: get() is cheaper than setdefault().
        number = numbers.get(named)
        if number is None:
            number = numbers[named] = len(numbers)
        path = (shape, number)
        shape = shapes.get(path, 0)
        if not shape:
            shape = shapes[path] = len(shapes) + 1
        element = len(elements)
        elements.append(
            (
                number,
                parent,
                depth + 1,
                shape,
                len(self.outline.text),
                element if is_block else block,
                is_verbatim or was_verbatim,
            )
        )
        return element

    def add(self, text: str, element: int, is_linked: bool | int) -> None:
        """Add a text to the open paragraph, or to a new one if a block has ended since."""
        pieces = self.pieces
        _, _, _, _, _, block, is_verbatim = self.elements[element]
        if block != self.block and (pieces or self.lines):
            self.end_paragraph()
        if not pieces:
            if text.isspace():
                return
            self.place, self.block = element, block
        if is_linked:
            self.linked_chars += len(text.strip())
        if is_verbatim and "\n" in text:
            text, *lines = text.split("\n", LINES_MAX)
            if len(lines) == LINES_MAX:
                lines[-1] = ""  # the last piece has all the lines above the maximum
                self.outline.is_cut = True
            for line in lines:
                pieces.append(text)
                self.end_paragraph()
                self.place, text = element, line
        pieces.append(text)

    def end_paragraph(self) -> None:
        """End the open paragraph, if there is text in it."""
        pieces, outline = self.pieces, self.outline
        text = (pieces[0] if len(pieces) == 1 else "".join(pieces)).strip()
        if text and ("  " in text or not text.isprintable()):
            text = clean(text)
        if self.lines:
            if text:
                self.lines.append((text, self.place, self.linked_chars))
            self._put_lines()
        elif text and len(outline.text) == PARAGRAPHS_MAX:
            outline.is_cut = True
        elif text:  # as nearly always
            outline.text.append(text)
            outline.place.append(self.place)
            outline.linked_chars.append(min(self.linked_chars, len(text)))
        pieces.clear()
        self.linked_chars = 0

    def end_line(self) -> None:
        """End a line of the open paragraph; an empty one ends the paragraph."""
        if not self.pieces or self.elements[self.place][-1] or len(self.lines) == BROKEN_LINES_MAX:
            self.end_paragraph()
            return
        text = clean("".join(self.pieces))
        if text:
            self.lines.append((text, self.place, self.linked_chars))
            self.pieces.clear()
            self.linked_chars = 0
        else:
            self.end_paragraph()

    def _put_lines(self) -> None:
        """Enter the lines of a paragraph as one paragraph, or as several where sentences end."""
        lines, self.lines = self.lines, []
        texts: list[str] = []
        place = linked_chars = 0
        for (text, own_place, linked), goes_on in zip(lines, go_on([line[0] for line in lines]), strict=True):
            if texts and not goes_on:
                self._put("".join(texts), place, linked_chars)
                texts.clear()
            if texts:
                texts += (joint(texts[-1], text), text)
                linked_chars += linked
            else:
                texts.append(text)
                place, linked_chars = own_place, linked
        self._put("".join(texts), place, linked_chars)

    def _put(self, text: str, place: int, linked_chars: int) -> None:
        outline = self.outline
        if len(outline.text) == PARAGRAPHS_MAX:
            outline.is_cut = True
            return
        outline.text.append(text)
        outline.place.append(place)
        outline.linked_chars.append(min(linked_chars, len(text)))

    def finish(self) -> Outline:
        """Enter the elements; each ends after the last paragraph in it or in one of its children."""
        self.end_paragraph()
        outline = self.outline
        outline.names = [name_of(*named) for named in self.numbers]
        name, parent, depth, shape, first, _, _ = zip(*self.elements, strict=True)
        outline.name, outline.parent, outline.depth, outline.shape = name, parent, depth, shape
        end = list(first)
        outline.first, outline.end = first, end
        for paragraph, place in enumerate(outline.place, 1):
            end[place] = paragraph
        for element in range(len(end) - 1, 0, -1):
            above, last = parent[element], end[element]
            if last > end[above]:
                end[above] = last
        return outline


def name_of(tag: str, class_name: str | None, identity: str | None, role: str | None) -> Name:
    """Return the name of an element, given its tag, class, id and role."""
    if identity or role:
        words = " ".join([word for word in (class_name, identity, role) if word])
    else:
        words = class_name or ""
    return Name(tag, words[:WORDS_CHARS_MAX])
