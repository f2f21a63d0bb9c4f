"""Which parts of a page does nobody see, and which are shown in another way than usual?

Attributes say both. What they hide is not read, unless it is only folded away (`panels.py`), or is
nearly all there is to read: such a page is shown by a script when it has loaded, and its
readers see all of it.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final

from selectolax.lexbor import LexborNode

from tiptoe.parse.adjacency import known_numbers, tag_number
from tiptoe.parse.element_signs import STYLED
from tiptoe.parse.panels import CHARS_MAX, Prose, is_overlay, is_panel, is_shown_later
from tiptoe.parse.tokens import RAW, TOKEN, may_be_styled, raw_end, read_attributes
from tiptoe.parse.tree_search import TreeSearch
from tiptoe.text.elements import ROLES, ElementDisplay, Role, display_of

__all__ = ["Layout", "TagLayout", "find_layout", "is_little", "stays_hidden", "waits_for_script"]

LITTLE_PARAGRAPHS: Final = 50
LITTLE_CHARS: Final = 1_000
SHOWN_SHARE_MIN: Final = 0.1
"""Minimum share of the text that is shown; with less there is nothing to read, although pages hide a lot."""

REVEALED_CHARS_MIN: Final = 500
"""Minimum length of a text that was hidden as a whole; less is a notice rather than the page."""

STEPS_MAX, STEPS_EACH = 20_000, 150
"""Maximum number of nodes, or tags, that are looked at to judge what a page hides: all of it, and one
element."""

MENU_CHARS: Final = 100
"""Minimum length of the links of a menu; a third of it, at most, may stand outside of them."""

MARKUP_CHARS_MAX: Final = 12_000
"""Maximum length of what is read of one element that is judged by its tags."""

ANCESTORS_MAX: Final = 30
_TEXT: Final = 2
_LINK: Final = tag_number("a")
_LEFT_OUT_TAGS: Final = frozenset(tag for tag, role in ROLES.items() if role is Role.LEFT_OUT)
_LEFT_OUT: Final = known_numbers(_LEFT_OUT_TAGS)
_CONTROLS: Final = b"aria-controls"


@dataclass(frozen=True, slots=True)
class Layout:
    """What the attributes of a page say about how its elements are shown."""

    hidden: list[LexborNode] = field(default_factory=list)
    blocks: list[LexborNode] = field(default_factory=list)


def find_layout(search: TreeSearch, utf8: bytes) -> Layout:
    """Return the elements that the page, given as `utf8`, hides or makes blocks by attributes."""
    layout = Layout()
    if search.body is None or not _may_be_styled(utf8):
        return layout
    judge = _Judge(utf8)
    for node in search.find(STYLED):
        attributes = node.attributes
        display = display_of(node.tag or "", attributes)
        if display is ElementDisplay.NONE:
            if not judge.is_folded_away(node, attributes):
                layout.hidden.append(node)
        elif display is not ElementDisplay.AS_USUAL:
            layout.blocks.append(node)
            if display is ElementDisplay.BLOCK_OF_BLOCKS:
                layout.blocks.extend(node.iter())
    return layout


class _Judge:
    """Tells what of the hidden parts of one page is only folded away."""

    def __init__(self, utf8: bytes) -> None:
        self._utf8 = utf8
        self._steps_left = STEPS_MAX

    @cached_property
    def _controlled(self) -> frozenset[bytes]:
        """Ids of elements that controls of the page show."""
        return frozenset(_find_controlled(self._utf8)) if _CONTROLS in self._utf8 else frozenset()

    def is_folded_away(self, node: LexborNode, attributes: Mapping[str, str | None]) -> bool:
        """Tell whether a hidden element is text of the page."""
        tag = node.tag or ""
        if node.first_child is None or tag in _LEFT_OUT_TAGS or is_overlay(tag, attributes):
            return False
        prose = self._read(node)
        if not is_shown_later(prose, is_panel=True):
            return False
        # What costs least is asked first; most is settled by then.
        is_named = is_panel(tag, attributes)
        if not is_named and not is_shown_later(prose, is_panel=False) and not self._is_controlled(attributes):
            return False
        return not _is_under_overlay(node)

    def _is_controlled(self, attributes: Mapping[str, str | None]) -> bool:
        name = attributes.get("id") or ""
        return bool(name) and name.encode("utf-8", "surrogatepass") in self._controlled

    def _read(self, top: LexborNode) -> Prose:
        """Count the text of an element, or of its beginning."""
        texts: tuple[list[str], list[str]] = ([], [])
        steps, chars = min(STEPS_EACH, self._steps_left), [0, 0]
        self._steps_left -= steps
        later: list[tuple[LexborNode, bool]] = []
        node, is_linked = top.first_child, False
        # Of most menus some entries are enough.
        while steps > 0 and chars[0] < CHARS_MAX and chars[1] < MENU_CHARS + 3 * chars[0]:
            if node is None and not later:
                break
            if node is None:
                node, is_linked = later.pop()
            steps -= 1
            tag_id, following = node.tag_id, node.next
            if tag_id == _TEXT:
                text = (node.text_content or "").strip()
                if text:
                    texts[is_linked].append(text)
                    chars[is_linked] += len(text)
            elif tag_id not in _LEFT_OUT and (child := node.first_child) is not None:
                if following is not None:
                    later.append((following, is_linked))
                node, is_linked = child, is_linked or tag_id == _LINK
                continue
            node = following
        self._steps_left += steps
        return Prose.of(*texts)


def _find_controlled(utf8: bytes) -> Iterator[bytes]:
    """Yield the ids that `aria-controls` names."""
    place = utf8.find(_CONTROLS)
    while place >= 0:
        value = (
            utf8[place + len(_CONTROLS) : place + len(_CONTROLS) + 200].lstrip().removeprefix(b"=").lstrip()
        )
        quote = value[:1]
        if quote in (b'"', b"'"):
            yield from value[1:].partition(quote)[0].split()
        else:
            yield value.partition(b">")[0].partition(b" ")[0]
        place = utf8.find(_CONTROLS, place + 1)


def _is_under_overlay(node: LexborNode) -> bool:
    above = node.parent
    for _ in range(ANCESTORS_MAX):
        if above is None or above.tag in ("body", "html"):
            return False
        if is_overlay(above.tag or "", above.attributes, is_above=True):
            return True
        above = above.parent
    return False


class TagLayout:
    """The same for a page that is read tag by tag.

    `depth` is how many elements are open, the one in question included.
    """

    __slots__ = ("_grids", "_html", "_steps_left", "blocks", "is_revealed")

    def __init__(self, html: str, *, is_revealed: bool) -> None:
        self._html = html
        self._steps_left = STEPS_MAX
        self.blocks: list[tuple[int, str]] = []  # open elements that style makes blocks: depths and names
        self._grids: list[int] = []  # depths of those whose children are blocks
        self.is_revealed = is_revealed

    def start(self, name: str, attributes: str, end: int, depth: int) -> ElementDisplay:
        """Tell how an element is shown whose start tag ends at `end`; what is only folded away, as usual."""
        blocks, grids = self.blocks, self._grids
        if not blocks and not grids and not may_be_styled(name, attributes):
            return ElementDisplay.AS_USUAL
        while blocks and blocks[-1][0] >= depth:
            blocks.pop()
        while grids and grids[-1] >= depth:
            grids.pop()
        display = ElementDisplay.AS_USUAL
        if may_be_styled(name, attributes):
            display = self._display_of(name, read_attributes(attributes), end)
        if display is ElementDisplay.AS_USUAL and grids and grids[-1] == depth - 1:
            display = ElementDisplay.BLOCK
        if display is ElementDisplay.BLOCK_OF_BLOCKS:
            grids.append(depth)
        if display in (ElementDisplay.BLOCK, ElementDisplay.BLOCK_OF_BLOCKS) and name not in ROLES:
            blocks.append((depth, name))
        return display

    def end(self, name: str, depth: int) -> bool:
        """Tell whether an end tag ends an element that style makes a block."""
        if not self.blocks or self.blocks[-1] != (depth, name):
            return False
        self.blocks.pop()
        return True

    def _display_of(self, name: str, read: Mapping[str, str | None], end: int) -> ElementDisplay:
        display = display_of(name, read)
        if display is not ElementDisplay.NONE:
            return display
        if self.is_revealed and not stays_hidden(name):
            return ElementDisplay.AS_USUAL
        if is_overlay(name, read) or not is_shown_later(self._read(name, end), is_panel=is_panel(name, read)):
            return ElementDisplay.NONE
        return ElementDisplay.AS_USUAL

    def _read(self, name: str, begin: int) -> Prose:
        """Count the text of an element, or of its beginning."""
        texts: tuple[list[str], list[str]] = ([], [])
        html = self._html[begin : begin + MARKUP_CHARS_MAX]  # no search may run to the end of the page
        position, depth, chars, is_linked, left_out = 0, 1, CHARS_MAX, False, ""
        for _ in range(min(STEPS_EACH, self._steps_left)):
            found = TOKEN.search(html, position) if depth > 0 and chars > 0 else None
            if found is None:
                break
            self._steps_left -= 1
            if not left_out:
                texts[is_linked].append(html[position : found.start()])
                chars -= found.start() - position
            slash, tag, _, _ = found.groups()
            position = found.end()
            tag = (tag or "").lower()
            depth += (tag == name) * (-1 if slash else 1)
            if tag == "a":
                is_linked = not slash
            elif tag in RAW and not slash:
                position = raw_end(html, tag, position)
            elif tag in _LEFT_OUT_TAGS and left_out in ("", tag):
                left_out = "" if slash else tag
        return Prose.of(*texts)


def is_little(shown: Sequence[str]) -> bool:
    """Tell whether a page shows so little that it is worth while to look at what it hides."""
    return len(shown) <= LITTLE_PARAGRAPHS and sum(map(len, shown)) <= LITTLE_CHARS


def stays_hidden(tag: str | None) -> bool:
    """Tell whether such an element, when hidden, is shown only to those who ask for it."""
    return tag == "dialog"


def waits_for_script(shown: Sequence[str], revealed: Sequence[str]) -> bool:
    """Tell whether a page with these paragraphs, and these when nothing is hidden, is shown by a script."""
    chars = sum(map(len, revealed))
    return chars >= REVEALED_CHARS_MIN and sum(map(len, shown)) < SHOWN_SHARE_MIN * chars


def _may_be_styled(utf8: bytes) -> bool:
    """Tell whether the selector could find anything: asking it costs more than looking for its words."""
    # Nearly every page has one of these words in its scripts: then there is no need to search any further.
    if b"none" in utf8 or b"hidden" in utf8 or b"display" in utf8:
        return True
    lower = utf8.lower()
    return b"hidden" in lower or b"display" in lower or b"<dialog" in lower or b"&#" in lower
