"""Within which elements are the paragraphs of a page whose tree cannot be built in bounded time?

Such a page is read tag by tag, with the same limits as in `flat.py` and a list of
open elements of which only the last few are ever searched. On pages that are merely
big, the elements are nearly those of the parser; on pages made to be slow, it does
not matter.
"""

import re
from html import unescape
from itertools import islice
from typing import Final

from tiptoe.parse.abstract import Abstract
from tiptoe.parse.adjacency import PHRASES
from tiptoe.parse.hidden import TagLayout, is_little, waits_for_script
from tiptoe.parse.hiding import CELLS, ENDED_BY, LOOK_BACK_MAX, PARAGRAPH, TABLE_PARTS, Hiding
from tiptoe.parse.tokens import CHARS_MAX, RAW, TAGS_MAX, TOKEN, raw_end, read_attributes
from tiptoe.text.elements import ROLES, SPACED, ElementDisplay, Role
from tiptoe.text.outline import Outline
from tiptoe.text.outlining import Named, OutlineWriter

__all__ = ["read_tags"]

# Members of an enumeration are slow to look up, and each tag needs several.
_BREAK, _SPACE, _VERBATIM, _LEFT_OUT, _LINE = (
    Role.BREAK, Role.SPACE, Role.VERBATIM, Role.LEFT_OUT, Role.LINE,
)  # fmt: skip
_SELF_CLOSING: Final = frozenset({"svg", "math"})
_NAMING = re.compile(
    r"""(?<![^\s"'/])(class|id|role)\s*+=\s*+(?:"([^"]*+)"|'([^']*+)'|([^\s>"']++))""", re.IGNORECASE
)


def read_tags(html: str) -> Outline:
    """Read the paragraphs of a page and their places in linear time."""
    html = html[:CHARS_MAX]
    reading = _Reading(html)
    shown = reading.run(html)
    if reading.has_hidden and is_little(shown.text):
        revealed = _Reading(html, is_revealed=True).run(html)
        if waits_for_script(shown.text, revealed.text):
            return revealed
    return shown


class _Reading:
    """Turns one page into an outline without building a tree."""

    def __init__(self, html: str, *, is_revealed: bool = False) -> None:
        self.layout = TagLayout(html, is_revealed=is_revealed)
        self.has_hidden = False
        self.writer = OutlineWriter()
        self.abstract = Abstract()
        self.open = [("body", 0)]  # names and numbers of elements
        self.named: dict[tuple[str, str], Named] = {}  # of tags and their attributes as written
        self.is_linked = False
        self.left = ""  # name of the link or unknown element that was just left
        self.hiding = Hiding()

    def run(self, html: str) -> Outline:
        """Read tag by tag; comments and raw elements are skipped as a whole."""
        position, tags_left = 0, TAGS_MAX
        while position < len(html) and tags_left > 0:
            position, tags_left = self._run(html, position, tags_left)
        self.writer.outline.abstract = self.abstract.text
        return self.writer.finish()

    def _run(self, html: str, begin: int, tags_left: int) -> tuple[int, int]:
        """Read from `begin` to a raw element; return where to continue, and how many tags may follow."""
        position = begin
        for found in islice(TOKEN.finditer(html, begin), tags_left):
            if found.start() > position and not self.hiding.name:
                self._text(html[position : found.start()])
            slash, name, attributes, bracket = found.groups()
            position = found.end()
            tags_left -= 1
            if name is None:
                continue
            if not bracket:
                return len(html), 0  # a tag that never ends is dropped, as browsers do
            name = name.lower()
            if slash:
                self._end(name)
                continue
            if name not in _SELF_CLOSING or not found[0].endswith("/>"):
                self._start(name, attributes, position)
            if name in RAW:
                return self._skip_raw(html, name, attributes, position), tags_left
        if tags_left and not self.hiding.name:
            self._text(html[position:])
        return len(html), 0

    def _skip_raw(self, html: str, name: str, attributes: str, position: int) -> int:
        end = raw_end(html, name, position)
        if name == "script" and not self.hiding.name and Abstract.is_structured(read_attributes(attributes)):
            self.abstract.add(html[position:end])
        return end

    def _text(self, text: str) -> None:
        if not self.writer.pieces and text.isspace():
            return
        self.left = ""
        if "&" in text:
            text = unescape(text)
        self.writer.add(text, self.open[-1][1], self.is_linked)

    def _start(self, name: str, attributes: str, end: int) -> None:
        parent = self.hiding.open[-1] if self.hiding.open else ""
        if not self.hiding.start(name):
            return
        role = ROLES.get(name)
        if role is _SPACE or name in SPACED:
            self._text(" ")
        if role is _LEFT_OUT:
            self.hiding.hide(name)
            return
        display = self.layout.start(name, attributes, end, len(self.hiding.open))
        if display is ElementDisplay.NONE:
            self.has_hidden = True
            self.hiding.hide(name)
            if role:
                self.writer.end_paragraph()
        elif name == "a" and display is ElementDisplay.AS_USUAL:
            if self.left == "a":
                self._text(" ")
            self.is_linked = True
        elif role is _LINE:
            self.writer.end_line()
        elif role is _BREAK and name not in CELLS:
            self.writer.end_paragraph()
            if name == "hr":
                self._end_before(PARAGRAPH)
        elif (role and role is not _SPACE) or name == "tr":
            self._end_before(ENDED_BY.get(name, PARAGRAPH))
            self._open(name, attributes, True, role is _VERBATIM)
        elif display is not ElementDisplay.AS_USUAL:
            self.is_linked = self.is_linked or name == "a"
            self._open(name, attributes, True, False)
        elif name == "meta":
            self._meta(attributes)
        elif "-" in name:
            if "-" in self.left:
                self._text(" ") if parent in PHRASES else self.writer.end_paragraph()
            self._open(name, attributes, False, False)

    def _meta(self, attributes: str) -> None:
        read = read_attributes(attributes)
        self.abstract.add_meta({name: unescape(value or "") for name, value in read.items()})

    def _open(self, name: str, attributes: str, is_block: bool, is_verbatim: bool) -> None:
        tag = (name, attributes)
        # Big pages repeat the same tags.
        named = self.named.get(tag)
        if named is None:
            named = self.named[tag] = _named(name, attributes)
        element = self.writer.open(self.open[-1][1], named, is_block, is_verbatim)
        self.open.append((name, element))

    def _end(self, name: str) -> None:
        is_styled = bool(self.layout.blocks) and self.layout.end(name, len(self.hiding.open))
        if not self.hiding.end(name):
            return
        if name == "a":
            self.is_linked = False
        if name == "a" or "-" in name:
            self.left = name
        if name in ROLES or name == "tr" or "-" in name or is_styled:
            self._close(name)

    def _close(self, name: str) -> None:
        """Close the innermost element of a name, and all within it."""
        if self.open[-1][0] == name != "body":
            self.open.pop()
            return
        for back in range(1, min(len(self.open), LOOK_BACK_MAX + 1)):
            opened = self.open[-back][0]
            if opened == name:
                del self.open[-back:]
                return
            if opened in CELLS and name not in TABLE_PARTS:
                return

    def _end_before(self, ended: frozenset[str]) -> None:
        while self.open[-1][0] in ended:
            self.open.pop()


def _named(name: str, attributes: str) -> Named:
    """Return the tag with class, id and role."""
    if not attributes:
        return (name, None, None, None)
    found: dict[str, str] = {}
    for attribute, double, single, bare in _NAMING.findall(attributes):
        found.setdefault(attribute.lower(), double or single or bare)
    return (name, found.get("class"), found.get("id"), found.get("role"))
