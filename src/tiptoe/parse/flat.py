"""How is a page read whose tree cannot be built in bounded time?

It is rewritten, in linear time, without any nesting: a `<hr>` marks where a block began
or ended, links and metadata become empty elements, and all other tags except line breaks
are dropped. The parser reads the same text from it in the same order, at a cost that no page
can drive up. Only the structure is lost, no text.
"""

import re
from dataclasses import dataclass
from typing import Final

from tiptoe.parse.adjacency import PHRASES
from tiptoe.parse.hidden import TagLayout, is_little, waits_for_script
from tiptoe.parse.hiding import Hiding
from tiptoe.parse.tokens import CHARS_MAX, RAW, TAGS_MAX, TOKEN, raw_end, raw_links, read_attributes
from tiptoe.text.elements import ROLES, SPACED, ElementDisplay, Role
from tiptoe.text.paragraphs import MARK

__all__ = ["TAGS_MAX", "Flat", "flatten"]

KEPT_MAX: Final = 20_000
"""Maximum number of links and metadata that are kept: twice as many links as are read of a page."""

BREAK, LINE = "<hr>", "<br>"

_KEPT: Final = {
    "html": ("lang", "xml:lang"),
    "base": ("href",),
    "meta": ("name", "property", "http-equiv", "content"),
    "link": ("rel", "type", "href"),
    "a": ("href", "rel"),
    "area": ("href", "rel"),
    "frame": ("src",),
    "iframe": ("src",),
}
"""Tags that are kept, with those of their attributes that are read later."""

_CLOSED: Final = frozenset({"a", "iframe"})
_SELF_CLOSING: Final = frozenset({"svg", "math"})


@dataclass(frozen=True, slots=True)
class Flat:
    """A page rewritten without nesting."""

    html: str
    is_cut: bool  # it was longer than is read tag by tag


def flatten(html: str) -> Flat:
    """Rewrite the page so that no element has children; text, links and metadata stay."""
    is_long = len(html) > CHARS_MAX
    html = html[:CHARS_MAX]
    page = _Flattening(html)
    shown = page.run()
    if page.has_hidden and is_little(page.texts()):
        page_revealed = _Flattening(html, is_revealed=True)
        revealed = page_revealed.run()
        if waits_for_script(page.texts(), page_revealed.texts()):
            return Flat(revealed, is_long or page_revealed.is_cut)
    return Flat(shown, is_long or page.is_cut)


class _Flattening:
    """Turns one page into flat markup."""

    def __init__(self, html: str, *, is_revealed: bool = False) -> None:
        self.html = html
        self.layout = TagLayout(html, is_revealed=is_revealed)
        self.has_hidden = False
        self.is_cut = False
        self.flat: list[str] = []
        self.hiding = Hiding()
        self.verbatim_depth = 0
        self.left = ""  # name of the link or unknown element that was just left
        self.kept = 0

    def run(self) -> str:
        """Read tag by tag; comments and raw elements are skipped as a whole."""
        html, position = self.html, 0
        for _ in range(TAGS_MAX):
            found = TOKEN.search(html, position)
            if found is None:
                self._text(html[position:])
                break
            if found.start() > position and not self.hiding.name:
                self._text(html[position : found.start()])
            position = self._token(found)
        else:
            self.is_cut = position < len(html)
        return "".join(self.flat)

    def texts(self) -> list[str]:
        """Return the texts between the tags written so far."""
        return [text for piece in self.flat if not piece.startswith("<") and (text := piece.strip())]

    def _text(self, text: str) -> None:
        if not text or self.hiding.name or (text.isspace() and self._is_broken):
            return
        self.left = ""
        text = text.replace("<", "&lt;")
        # A mark, unlike a tag, adds no node to the tree, and there may be millions of lines.
        self.flat.append(text.replace("\n", MARK) if self.verbatim_depth else text)

    def _break(self) -> None:
        self.left = ""
        if self.flat and self.flat[-1] == LINE:
            self.flat[-1] = BREAK
        elif not self._is_broken:  # one is enough, and each is a node of the tree
            self.flat.append(BREAK)

    def _end_line(self) -> None:
        if self._is_broken or self.verbatim_depth:
            self._break()
        else:
            self.left = ""
            self.flat.append(LINE)

    @property
    def _is_broken(self) -> bool:
        return bool(self.flat) and self.flat[-1] in (BREAK, LINE)

    def _token(self, found: re.Match[str]) -> int:
        """Handle one tag or comment; return where to continue reading."""
        slash, name, attributes, end = found.groups()
        if name is None:
            return found.end()
        if not end:
            return len(self.html)  # a tag that never ends is dropped, as browsers do
        name = name.lower()
        if slash:
            self._end(name)
            return found.end()
        if name not in _SELF_CLOSING or not found[0].endswith("/>"):
            self._start(name, attributes, found.end())
        return self._skip_raw(name, found.end()) if name in RAW else found.end()

    def _skip_raw(self, name: str, position: int) -> int:
        """Skip an element whose content is not markup, but keep the title and the links of `<noframes>`."""
        end = raw_end(self.html, name, position)
        if name == "title" and not self.hiding.name:
            self.flat.append(f"<title>{self.html[position:end]}</title>")
        elif name == "noframes" and self.kept < KEPT_MAX:
            links = raw_links(self.html[position:end])[: KEPT_MAX - self.kept]
            self.kept += len(links)
            self.flat += [_rewrite("a" if kind == "a" else "iframe", read) for kind, read in links]
        return end

    def _start(self, name: str, attributes: str, end: int) -> None:
        role = ROLES.get(name)
        parent = self.hiding.open[-1] if self.hiding.open else ""
        if name in _KEPT and self.kept < KEPT_MAX:
            self.kept += 1
            self.flat.append(_rewrite(name, read_attributes(attributes)))
        if not self.hiding.start(name):
            return
        if role is Role.SPACE or name in SPACED:
            self._text(" ")
        if role is Role.LEFT_OUT:
            self.hiding.hide(name)
            return
        display = self.layout.start(name, attributes, end, len(self.hiding.open))
        if display is ElementDisplay.NONE:
            self.has_hidden = True
            self.hiding.hide(name)
            if role:
                self._break()
        elif role is Role.LINE:
            self._end_line()
        elif (role and role is not Role.SPACE) or display is not ElementDisplay.AS_USUAL:
            self._break()
            self.verbatim_depth += role is Role.VERBATIM
        elif self.left:
            self._part(name, parent)

    def _part(self, name: str, parent: str) -> None:
        """Separate the words of two links, or of two unknown elements, with nothing between them."""
        if name == self.left == "a":
            self._text(" ")
        elif "-" in name and "-" in self.left:
            self._text(" ") if parent in PHRASES else self._break()

    def _end(self, name: str) -> None:
        is_styled = bool(self.layout.blocks) and self.layout.end(name, len(self.hiding.open))
        if not self.hiding.end(name):
            return
        role = ROLES.get(name)
        if role is Role.BLOCK or role is Role.VERBATIM:
            self._break()
            if role is Role.VERBATIM and self.verbatim_depth:
                self.verbatim_depth -= 1
        elif is_styled:
            self._break()
        elif name == "a" or "-" in name:
            self.left = name


def _rewrite(name: str, attributes: dict[str, str | None]) -> str:
    kept = "".join(
        f' {key}="{value.replace(chr(34), "&quot;")}"'
        for key in _KEPT[name]
        if (value := attributes.get(key))
    )
    return f"<{name}{kept}></{name}>" if name in _CLOSED else f"<{name}{kept}>"
