"""Within which elements are the paragraphs of an HTML page?

The same paragraphs as `html.read_page` finds, with the elements around them: the input of
the search for the main content (`tiptoe.text.main_content`).

One pass puts marks around each structural element, the opening mark with the number of the
element; then the whole text of the tree is read at once, and the marks are read from that:
half the cost of walking from node to node. A page can write marks, too, but gains nothing:
numbers must increase, and elements must nest.
"""

import re
from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

from selectolax.lexbor import LexborDocumentOptions, LexborHTMLParser, LexborNode

from tiptoe.parse.abstract import Abstract
from tiptoe.parse.adjacency import KNOWN_TAG_ID_MAX, is_in_phrase
from tiptoe.parse.hidden import find_layout, is_little, stays_hidden, waits_for_script
from tiptoe.parse.nesting import is_heavy
from tiptoe.parse.self_description import SelfDescriber, SelfDescription
from tiptoe.parse.shadow import open_shadow_roots
from tiptoe.parse.tagblocks import read_tags
from tiptoe.parse.tree_findings import HEADING_TAG_ID, READ, TreeFindings, by_tag_id, text_shown
from tiptoe.parse.tree_search import TreeSearch
from tiptoe.text.elements import ROLES, SPACED, Role
from tiptoe.text.outline import Outline
from tiptoe.text.outlining import DEPTH_MAX, Named, OutlineWriter
from tiptoe.text.paragraphs import MARK

try:
    from tiptoe.text.compiled_outline import read_marks
except ImportError:  # see setup.py
    IS_COMPILED = False
else:
    IS_COMPILED = True

try:
    from tiptoe.parse.compiled_tags import has_reference
except ImportError:
    has_reference = None  # type: ignore[assignment]

try:
    from tiptoe.parse.element_kinds import element_marker
except ImportError:
    _MARKER = None
else:
    # Rows and cells end a paragraph anyway; as elements they tell tables from text.
    _MARKER = element_marker({**ROLES, **dict.fromkeys(("tr", "td", "th", "caption"), Role.BLOCK)})

__all__ = [
    "CODES",
    "IS_COMPILED",
    "MARKS",
    "REFERENCE",
    "VERBATIM",
    "Marking",
    "Outlined",
    "outline_tree",
    "put_after",
    "put_before",
    "read_blocks",
    "read_marks_uncompiled",
    "writes_marks",
]

# These methods also accept nodes. Specialised for text here, they need not check the type at each call,
# which takes as long as the rest.
put_before: Final = LexborNode.insert_before[str]  # type: ignore[index]
put_after: Final = LexborNode.insert_after[str]  # type: ignore[index]

# What the pass does at an element; at inline ones, like `<b>`, it does nothing.
_BLOCK, _BREAK, _SPACE, _LINK, _LEFT_OUT, _LINE = range(6)
_KIND_OF_ROLE: Final = {
    Role.BLOCK: _BLOCK,
    Role.VERBATIM: _BLOCK,
    Role.BREAK: _BREAK,
    Role.LINE: _LINE,
    Role.SPACE: _SPACE,
    Role.LEFT_OUT: _LEFT_OUT,
}


def _kinds() -> dict[str, int]:
    kinds = {tag: _KIND_OF_ROLE[role] for tag, role in ROLES.items()}
    # Rows and cells end a paragraph anyway; as elements they tell tables from text.
    kinds |= dict.fromkeys(("tr", "td", "th", "caption"), _BLOCK) | {"a": _LINK}
    return kinds


_KIND: Final = by_tag_id(_kinds())
_NAME: Final = by_tag_id({tag: tag for tag in _kinds()})
_BARE: Final[dict[int, Named]] = {tag_id: (tag, None, None, None) for tag_id, tag in _NAME.items()}
_IS_USUAL: Final = by_tag_id(dict.fromkeys(ROLES, True))
_SPACED: Final = by_tag_id(dict.fromkeys(SPACED, True))
VERBATIM: Final = frozenset(tag for tag, role in ROLES.items() if role is Role.VERBATIM)
_TEXT, _COMMENT = 2, 4
_WITHOUT_EVENTS: Final = int(LexborDocumentOptions.WO_EVENTS)

# The second character of a mark says what it means; at the start of an element, a third is its number.
_OPEN, _OPEN_INLINE, _CLOSE, _CLOSE_INLINE, _LINK_BEGIN, _LINK_END, _LINE_END, _END = (
    "\x0e\x0f\x10\x11\x12\x13\x14\x15"
)
MARKS: Final = re.compile(rf"{MARK}(?:[{_OPEN}{_OPEN_INLINE}].?|[{_CLOSE}-{_END}])", re.DOTALL)
_NUMBERS_FROM: Final = 0x100
"""The code point of the first number. Pages with so many elements that code points would run out (55,000) are
read tag by tag."""

PIECES_MAX: Final = 100_000
"""Maximum number of pieces that a text is cut into at a time."""

CODES: Final = bytes((*range(0x0E, 0x16), 0x1D, 0x1E))
"""The characters that marks are made of."""

_WRITTEN: Final = tuple(bytes((code,)) for code in CODES)
REFERENCE: Final = re.compile(
    rb"&#(?:0*+(?:1[4-9]|2[01]|29|30)(?![0-9])|[xX]0*+(?:[eEfF]|1[0-5dDeE])(?![0-9a-fA-F]))"
)


class Outlined(NamedTuple):
    """What was read from a tree, which is no longer usable."""

    outline: Outline
    findings: TreeFindings
    title: str | None
    said: SelfDescription | None  # if requested


def writes_marks(utf8: bytes) -> bool:
    """Tell whether a page itself contains the characters of our marks."""
    return any(mark in utf8 for mark in _WRITTEN) or _refers_to_marks(utf8)


def _refers_to_marks(utf8: bytes) -> bool:
    if has_reference is not None:
        return has_reference(utf8, CODES)
    return REFERENCE.search(utf8) is not None


def read_blocks(text: str, *, utf8: bytes | None = None) -> Outline:
    """Read the paragraphs of a page and their places; `utf8` is the same text, if it arrived in UTF-8."""
    shown = open_shadow_roots(text)
    if shown is not text:
        text, utf8 = shown, None
    if utf8 is None:
        utf8 = text.encode("utf-8", "surrogatepass")
    if is_heavy(utf8):
        return read_tags(text)
    return outline_tree(LexborHTMLParser(utf8, options=_WITHOUT_EVENTS), utf8).outline


def outline_tree(tree: LexborHTMLParser, utf8: bytes, describe: SelfDescriber | None = None) -> Outlined:
    """Read the paragraphs of a parsed page, given also as `utf8`, and their places."""
    # Before there are marks, which would count as text.
    search = TreeSearch(tree)
    layout = find_layout(search, utf8)
    shown = _outline(search, layout.blocks, layout.hidden, describe)
    if layout.hidden and is_little(shown.outline.text):
        again = LexborHTMLParser(utf8, options=_WITHOUT_EVENTS)
        search = TreeSearch(again)
        layout = find_layout(search, utf8)
        never = [node for node in layout.hidden if stays_hidden(node.tag)]
        revealed = _outline(search, layout.blocks, never, describe)
        if waits_for_script(shown.outline.text, revealed.outline.text):
            return revealed
    return shown


def _outline(
    search: TreeSearch, blocks: Iterable[LexborNode], hidden: list[LexborNode],
    describe: SelfDescriber | None,
) -> Outlined:  # fmt: skip
    marking = Marking({node.mem_id for node in blocks})
    if _MARKER is not None and search.compiled is not None:
        _MARKER.mark_outline(search.compiled, marking)
    elif search.root is not None:
        marking.mark(search.root)
    findings = marking.findings
    title, abstract = findings.title(), _read_abstract(findings, {node.mem_id for node in hidden})
    said = describe(search, findings, title) if describe is not None else None
    marked = text_shown(search, findings, hidden, _MARKER)
    outline = _read_marks(marked, marking.names)
    outline.abstract = abstract
    return Outlined(outline, findings, title, said)


def _read_abstract(findings: TreeFindings, hidden: set[int]) -> str:
    """Read what descriptions and structured data say about the page."""
    abstract = Abstract()
    for tag, attributes in findings.elements:
        if tag == "meta":
            abstract.add_meta(attributes)
    for node in findings.scripts:
        if Abstract.is_structured(node.attributes) and not _is_in(hidden, node):
            abstract.add(node.text())
    return abstract.text


def _is_in(hidden: set[int], node: LexborNode) -> bool:
    above = node.parent if hidden else None
    for _ in range(DEPTH_MAX):
        if above is None or above.mem_id in hidden:
            return above is not None
        above = above.parent
    return False


class Marking:
    """The pass that puts marks into a tree; `styled` are the elements that style turns into blocks."""

    __slots__ = ("findings", "names", "styled")

    def __init__(self, styled: set[int]) -> None:
        self.styled = styled
        self.findings = TreeFindings()
        self.names: list[Named] = []  # names of the elements, by number

    def mark(self, root: LexborNode) -> None:
        """Put marks around structural elements, and where paragraphs and lines end."""
        findings, styled, names = self.findings, self.styled, self.names
        add_element, add_name = findings.elements.append, names.append
        kind_of, name_of, known_max = _KIND.get, _NAME.get, KNOWN_TAG_ID_MAX
        # Nothing may leave the tree while it is walked; marks may be added, as they are not elements.
        for node in root.traverse():
            tag_id = node.tag_id
            kind = kind_of(tag_id)
            if styled and tag_id not in _IS_USUAL and node.mem_id in styled:
                self.mark_styled(node, tag_id)
            elif kind == _BLOCK:
                put_before(node, f"\x1e\x0e{chr(256 + len(names))}")
                put_after(node, "\x1e\x10")
                attributes = node.attributes
                if attributes:
                    attribute = attributes.get
                    add_name((name_of(tag_id, ""), attribute("class"), attribute("id"), attribute("role")))
                else:
                    add_name(_BARE[tag_id])
                if tag_id == HEADING_TAG_ID:
                    findings.headings.append(node)
            elif kind == _LINK:
                add_element(("a", node.attributes))
                put_before(node, "\x1e\x12")
                put_after(node, "\x1e\x13")
            elif kind is None:
                if tag_id > known_max:  # unknown elements are structural, too
                    self.mark_unknown(node)
                elif tag_id in READ:
                    findings.read(node, tag_id)
            elif kind == _LEFT_OUT:
                findings.leave_out(node, tag_id)
                if tag_id in _SPACED:
                    put_before(node, " ")
            elif kind == _LINE:
                put_before(node, "\x1e\x14")
            elif kind == _BREAK:
                put_before(node, "\x1e\x15")
            else:
                put_before(node, " ")

    def mark_styled(self, node: LexborNode, tag_id: int) -> None:
        """Mark an inline element that style turns into a block."""
        put_before(node, f"{MARK}{_OPEN}{self._number()}")
        put_after(node, f"{MARK}{_CLOSE}")
        attributes = node.attributes
        self._name(_NAME.get(tag_id) or node.tag or "", attributes)
        if _KIND.get(tag_id) == _LINK:
            self.findings.elements.append(("a", attributes))
            put_before(node, f"{MARK}{_LINK_BEGIN}")
            put_after(node, f"{MARK}{_LINK_END}")
        elif tag_id in READ:
            self.findings.read(node, tag_id)

    def mark_unknown(self, node: LexborNode) -> None:
        """Mark an element of an unknown name: it is structural, but does not end a paragraph."""
        if _follows_marked(node):
            put_before(node, " " if is_in_phrase(node) else f"{MARK}{_END}")
        put_before(node, f"{MARK}{_OPEN_INLINE}{self._number()}")
        put_after(node, f"{MARK}{_CLOSE_INLINE}")
        self._name(node.tag or "", node.attributes)

    def _number(self) -> str:
        return chr(_NUMBERS_FROM + len(self.names))

    def _name(self, tag: str, attributes: dict[str, str | None]) -> None:
        attribute = attributes.get
        self.names.append((tag, attribute("class"), attribute("id"), attribute("role")))


def _follows_marked(node: LexborNode) -> bool:
    """Tell whether an unknown element directly follows another one, which already has its marks."""
    before = node.prev
    while before is not None and before.tag_id == _COMMENT:
        before = before.prev
    return before is not None and before.tag_id == _TEXT and before.text_content == f"{MARK}{_CLOSE_INLINE}"


def _read_marks(marked: str, names: list[Named]) -> Outline:
    """Return the outline of a text with marks in it; `names` has those of the elements, by number."""
    if not IS_COMPILED:
        return read_marks_uncompiled(marked, names)
    return read_marks(marked, names, VERBATIM)


def read_marks_uncompiled(marked: str, names: list[Named]) -> Outline:
    """Return the same without the compiled module."""
    writer = OutlineWriter()
    pieces, open_element, verbatim = writer.pieces, writer.open, VERBATIM
    element, open_elements = 0, [0]  # the innermost one, and all around it
    verbatim_depth = 0  # number of open elements at which the verbatim one has ended; 0 outside of one
    last = -1  # number of an element
    is_linked = is_after_link = False
    for piece in _pieces(marked):
        mark, text = piece[0], piece[1:]
        if mark == "\x10" or mark == "\x11":
            if mark == "\x10":
                is_after_link = False
                if pieces or writer.lines:
                    writer.end_paragraph()
            if element:
                open_elements.pop()
                element = open_elements[-1]
                if len(open_elements) == verbatim_depth:
                    verbatim_depth = 0
        elif mark == "\x0e" or mark == "\x0f":
            number, text = ord(text[:1] or "\x00") - 256, text[1:]
            if last < number < len(names):
                last, named = number, names[number]
                is_verbatim = named[0] in verbatim
                if is_verbatim and not verbatim_depth:
                    verbatim_depth = len(open_elements)
                element = open_element(element, named, mark == "\x0e", is_verbatim)
                open_elements.append(element)
            if mark == "\x0e":
                is_after_link = False
        elif mark == "\x12":
            if is_after_link and pieces:
                pieces.append(" ")
            is_linked = True
        elif mark == "\x13":
            is_linked, is_after_link = False, True
        else:
            writer.end_line() if mark == "\x14" else writer.end_paragraph()  # also a mark by the page
            is_after_link = False
        if text:
            is_after_link = False
            if verbatim_depth:
                writer.add(text, element, is_linked)
            elif pieces or not text.isspace():  # `writer.add` would do the same, in twice the time
                if not pieces:
                    writer.place = element
                pieces.append(text)
                if is_linked:
                    writer.linked_chars += len(text.strip())
    return writer.finish()


def _pieces(marked: str) -> Iterator[str]:
    """Yield the text after each mark, with the mark's second character; a mark is added at the beginning."""
    marked = f"{_END}{marked}"
    while marked:
        pieces = marked.split(MARK, PIECES_MAX)
        marked = pieces.pop() if len(pieces) > PIECES_MAX else ""
        # If a page writes marks itself, there may be nothing between two of them.
        yield from filter(None, pieces)
