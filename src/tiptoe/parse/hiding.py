"""Where does an element end whose content is not read, if nobody closes it?

Where the HTML standard has it, nearly: with an element around it, or before a tag
that cannot stand in it (`<ruby>漢字<rt>かんじ</ruby>` is complete as it is). For pages
that are read tag by tag (`flat.py`, `tagblocks.py`); the list of open elements
is never searched far, so that no page can make it slow.
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
"""What a start tag ends if it is the innermost element; other blocks end an open paragraph."""

_BLOCKS: Final = frozenset(tag for tag, role in ROLES.items() if role in (Role.BLOCK, Role.VERBATIM))
_INLINE_BLOCKS: Final = frozenset({"dialog", "legend", "meter", "progress", "optgroup", "option"})
_TEXT_IN_DRAWINGS: Final = frozenset(
    {"foreignobject", "desc", "annotation-xml", "mi", "mo", "mn", "ms", "mtext"}
)
_CLOSED_IN: Final = _TEXT_IN_DRAWINGS | CELLS | {"table", "object", "applet", "marquee", "template", "select"}
"""No end tag of an element around one of these ends it; but those of a table end its cells."""

_FIRM: Final = _BLOCKS - _INLINE_BLOCKS | _CLOSED_IN | TABLE_PARTS | {"noscript"}
"""The end of an inline element around one of these does not end it."""

_ENDS: Final = ENDED_BY | dict.fromkeys(_BLOCKS - ENDED_BY.keys() - _INLINE_BLOCKS - {"button"}, PARAGRAPH)
_EMPTY: Final = frozenset(
    (
        "area", "base", "basefont", "bgsound", "br", "col", "embed", "frame", "hr", "img", "input", "keygen",
        "link", "meta", "param", "source", "track", "wbr", "html", "head", "body",
    )
)  # fmt: skip
"""No end tag of these ends anything."""
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
"""Start tags that end what hides, wherever in it they stand."""


class Hiding:
    """The elements that are open while a page is read, and the one among them that hides what is read.

    Whoever reads the page tells of each tag. `name` is that of the element
    which hides; it is empty where text is to be read.
    """

    __slots__ = ("depth", "name", "namesakes", "open")

    def __init__(self) -> None:
        self.open: list[str] = []
        self.name = ""
        self.depth = 0  # how many elements stand around the one that hides
        self.namesakes = 0  # open elements of its name, itself included

    def start(self, name: str) -> bool:
        """Enter an element; return whether it is to be read."""
        ends = bool(self.name) and name in _ENDED_AT.get(self.name, ()) and self._is_direct()
        if ends:
            self._cut(self.depth)
        if name in _ENDS:
            self._end_before(_ENDS[name])
        if ends and name == "select":  # the first ends here, and this is taken for its end tag
            return False
        if name not in _CHILDLESS:
            self.open.append(name)
            self.namesakes += name == self.name
        return not self.name

    def hide(self, name: str) -> None:
        """Read nothing of the element that was just entered, if anything can stand in it."""
        if name not in _CHILDLESS:
            self.name, self.depth, self.namesakes = name, len(self.open) - 1, 1

    def end(self, name: str) -> bool:
        """Act on an end tag; return whether it ends something that is read."""
        opened = self.open
        if not self.name and opened and opened[-1] == name:  # as nearly always
            opened.pop()
            return True
        if name == self.name:
            self.namesakes -= 1
            # Whatever else is open in it: most that is written there ends without our knowing.
            self._cut(self.depth) if not self.namesakes else self._close(name)
            return False
        self._close(name)
        return not self.name

    def _is_direct(self) -> bool:
        """Tell whether no text stands in a drawing here."""
        if self.name not in ("svg", "math"):
            return True
        begin = max(self.depth, len(self.open) - LOOK_BACK_MAX)
        return _TEXT_IN_DRAWINGS.isdisjoint(self.open[begin:])

    def _close(self, name: str) -> None:
        """Close the innermost element of a name, and all within it, if nothing stands in between."""
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
