"""Where does an element whose content is not read end, if it has no end tag?

Nearly where the HTML standard says: with an element around it, or before a tag that
it cannot contain (`<ruby>漢字<rt>かんじ</ruby>` is complete as it is). For pages
that are read tag by tag (`flat.py`, `tagblocks.py`). Only the last few open elements
are ever searched, so that no page can make it slow.
"""

from typing import Final

from tiptoe.parse.tokens import RAW
from tiptoe.text.elements import ROLES, Role

__all__ = ["CELLS", "ENDED_BY", "LOOK_BACK_MAX", "PARAGRAPH", "TABLE_PARTS", "Hiding"]

LOOK_BACK_MAX: Final = 50
"""Maximum distance between an end tag and the element that it ends, counted from the innermost one."""

CELLS: Final = frozenset({"td", "th", "caption"})
_ROWS_AND_CELLS: Final = frozenset({*CELLS, "tr"})
TABLE_PARTS: Final = frozenset({*_ROWS_AND_CELLS, "table", "tbody", "thead", "tfoot"})
PARAGRAPH: Final = frozenset({"p"})
ENDED_BY: Final = {
    "li": frozenset({"li", "p"}),
    "dt": frozenset({"dt", "dd", "p"}),
    "dd": frozenset({"dt", "dd", "p"}),
    "option": frozenset({"option"}),
    "td": frozenset({*CELLS, "p"}),
    "th": frozenset({*CELLS, "p"}),
    "tr": frozenset({*_ROWS_AND_CELLS, "p"}),
}
"""The open elements that a start tag ends; the start tags of other blocks end an open paragraph."""

_BLOCKS: Final = frozenset(tag for tag, role in ROLES.items() if role in (Role.BLOCK, Role.VERBATIM))
_INLINE_BLOCKS: Final = frozenset({"dialog", "legend", "meter", "progress", "optgroup", "option"})
_TEXT_IN_DRAWINGS: Final = frozenset(
    {"foreignobject", "desc", "annotation-xml", "mi", "mo", "mn", "ms", "mtext"}
)
_CLOSED_IN: Final = _TEXT_IN_DRAWINGS | CELLS | {"table", "object", "applet", "marquee", "template", "select"}
"""Not ended by end tags of elements around them, except that the end tags of table parts end cells."""

_FIRM: Final = _BLOCKS - _INLINE_BLOCKS | _CLOSED_IN | TABLE_PARTS | {"noscript"}
"""Not ended by the end tag of an inline element around them."""

_ENDS: Final = ENDED_BY | dict.fromkeys(_BLOCKS - ENDED_BY.keys() - _INLINE_BLOCKS - {"button"}, PARAGRAPH)
_EMPTY: Final = frozenset(
    (
        "area", "base", "basefont", "bgsound", "br", "col", "embed", "frame", "hr", "img", "input", "keygen",
        "link", "meta", "param", "source", "track", "wbr", "html", "head", "body",
    )
)  # fmt: skip
"""Elements whose end tags are ignored."""
_CHILDLESS: Final = _EMPTY | RAW

_READINGS: Final = frozenset({"rb", "rt", "rtc", "rp"})
_NO_CHOICES: Final = TABLE_PARTS | {"input", "keygen", "textarea", "select"}
_NOT_DRAWN: Final = frozenset(
    (
        "b", "big", "blockquote", "body", "br", "center", "code", "dd", "div", "dl", "dt", "em", "embed",
        "h1", "h2", "h3", "h4", "h5", "h6", "head", "hr", "i", "img", "li", "listing", "menu", "meta", "nobr",
        "ol", "p", "pre", "ruby", "s", "small", "span", "strong", "strike", "sub", "sup", "table", "tt", "u",
        "ul", "var",
    )
)  # fmt: skip
_ENDED_AT: Final = {
    **dict.fromkeys(("rt", "rp"), _READINGS),
    "select": _NO_CHOICES,
    **dict.fromkeys(("svg", "math"), _NOT_DRAWN),
}
"""Start tags that end the element that hides its content, at any depth within it."""


class Hiding:
    """The open elements while a page is read, and the one among them, if any, that hides its content.

    The reader of the page reports each tag. `name` is the name of the hiding
    element; it is empty where text is read.
    """

    __slots__ = ("depth", "name", "namesakes", "open")

    def __init__(self) -> None:
        self.open: list[str] = []
        self.name = ""
        self.depth = 0  # number of elements around the hiding one
        self.namesakes = 0  # open elements of its name, itself included

    def start(self, name: str) -> bool:
        """Enter an element; return whether it is to be read."""
        ends = bool(self.name) and name in _ENDED_AT.get(self.name, ()) and self._is_direct()
        if ends:
            self._cut(self.depth)
        if name in _ENDS:
            self._end_before(_ENDS[name])
        if ends and name == "select":  # a nested start tag counts as the end tag of the first
            return False
        if name not in _CHILDLESS:
            self.open.append(name)
            self.namesakes += name == self.name
        return not self.name

    def hide(self, name: str) -> None:
        """Hide the content of the element that was just entered, if it can have any."""
        if name not in _CHILDLESS:
            self.name, self.depth, self.namesakes = name, len(self.open) - 1, 1

    def end(self, name: str) -> bool:
        """Handle an end tag; return whether it belongs to an element that is read."""
        opened = self.open
        if not self.name and opened and opened[-1] == name:  # as nearly always
            opened.pop()
            return True
        if name == self.name:
            self.namesakes -= 1
            # Even if other elements are open in it: within it, most ends are not tracked.
            self._cut(self.depth) if not self.namesakes else self._close(name)
            return False
        self._close(name)
        return not self.name

    def _is_direct(self) -> bool:
        """Tell whether this is not inside an element for text within a drawing."""
        if self.name not in ("svg", "math"):
            return True
        begin = max(self.depth, len(self.open) - LOOK_BACK_MAX)
        return _TEXT_IN_DRAWINGS.isdisjoint(self.open[begin:])

    def _close(self, name: str) -> None:
        """Close the innermost element of a name, and all within it, unless a firm one is in between."""
        opened = self.open
        for height in range(len(opened) - 1, max(-1, len(opened) - 1 - LOOK_BACK_MAX), -1):
            inner = opened[height]
            if inner == name:
                self._cut(height)
                return
            if inner in _FIRM and (name not in _FIRM or (inner in _CLOSED_IN and name not in TABLE_PARTS)):
                return

    def _end_before(self, ended: frozenset[str]) -> None:
        """Close the elements that end before a start tag, and all within them."""
        opened = self.open
        if not opened or (opened[-1] in _FIRM and opened[-1] not in ended):
            return
        height = len(opened) - 1
        lowest = max(-1, height - LOOK_BACK_MAX)
        while height > lowest:
            if opened[height] in ended:
                self._cut(height)
            elif opened[height] in _FIRM:
                return
            height -= 1

    def _cut(self, height: int) -> None:
        del self.open[height:]
        if self.name and height <= self.depth:
            self.name = ""
