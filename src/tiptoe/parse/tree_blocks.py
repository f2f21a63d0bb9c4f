"""Where do the paragraphs of an HTML page stand?

The same paragraphs as `html.read_page` finds, with the elements around them: what
the search for the main content works on (`tiptoe.text.main_content`). One walk
over the tree, from node to node, which leaves the tree as it was.
"""

from collections.abc import Iterable
from itertools import chain
from typing import Final

from selectolax.lexbor import LexborDocumentOptions, LexborHTMLParser, LexborNode

from tiptoe.parse.abstract import Abstract
from tiptoe.parse.adjacency import KNOWN_TAG_ID_MAX, follows_link, follows_unknown, is_in_phrase, tag_number
from tiptoe.parse.hidden import Layout, find_layout, is_little, stays_hidden, waits_for_script
from tiptoe.parse.nesting import is_heavy
from tiptoe.parse.shadow import open_shadow_roots
from tiptoe.parse.tagblocks import read_tags
from tiptoe.text.elements import ROLES, SPACED, Role
from tiptoe.text.outline import Outline
from tiptoe.text.outlining import OutlineWriter

__all__ = ["outline_tree", "read_blocks"]

# What the walk does at an element; at inline ones, like `<b>`, it does nothing.
_BLOCK, _BREAK, _SPACE, _LINK, _LEFT_OUT, _INLINE, _LINE = range(7)
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


# Tag numbers are looked up twice as fast as names.
_NAME: Final = {tag_id: tag for tag in _kinds() if (tag_id := tag_number(tag)) <= KNOWN_TAG_ID_MAX}
_KIND: Final = {tag_id: _kinds()[tag] for tag_id, tag in _NAME.items()}
_VERBATIM: Final = {tag_number(tag) for tag, role in ROLES.items() if role is Role.VERBATIM}
_SPACED: Final = {tag_number(tag) for tag in SPACED}
_PARTING: Final = frozenset({_BLOCK, _BREAK, _LINE})
_ANCHOR: Final = tag_number("a")
_TEXT: Final = 2
_META: Final = tag_number("meta")
_SCRIPT: Final = tag_number("script")

_WITHOUT_EVENTS: Final = int(LexborDocumentOptions.WO_EVENTS)


def read_blocks(text: str, *, utf8: bytes | None = None) -> Outline:
    """Read the paragraphs of a page and their places; `utf8` is the same text as it came, if it came so."""
    shown = open_shadow_roots(text)
    if shown is not text:
        text, utf8 = shown, None
    if is_heavy(text):
        return read_tags(text)
    if utf8 is None:
        utf8 = text.encode("utf-8", "surrogatepass")
    tree = LexborHTMLParser(utf8, options=_WITHOUT_EVENTS)
    return outline_tree(tree, find_layout(tree.body, utf8) if tree.body is not None else Layout())


def outline_tree(tree: LexborHTMLParser, layout: Layout) -> Outline:
    """Read the paragraphs of a parsed page and their places."""
    shown = _outline(tree, layout.hidden, layout.blocks)
    if layout.hidden and is_little(shown.text):
        never = [node for node in layout.hidden if stays_hidden(node.tag)]
        revealed = _outline(tree, never, layout.blocks)
        if waits_for_script(shown.text, revealed.text):
            return revealed
    return shown


def _outline(tree: LexborHTMLParser, hidden: Iterable[LexborNode], blocks: Iterable[LexborNode]) -> Outline:
    writer, scripts = OutlineWriter(), []
    if tree.body is not None:
        styled = dict.fromkeys([node.mem_id for node in blocks], _BLOCK)
        styled |= dict.fromkeys([node.mem_id for node in hidden], _LEFT_OUT)
        scripts = _walk(tree.body, styled, writer)
    writer.outline.abstract = _read_abstract(tree.head, scripts)
    return writer.finish()


def _read_abstract(head: LexborNode | None, scripts: list[LexborNode]) -> str:
    """Read what the head and scripts of the body say about the page."""
    abstract = Abstract()
    for node in chain(head.iter() if head is not None else (), scripts):
        if node.tag_id == _META:
            abstract.add_meta(node.attributes)
        elif node.tag_id == _SCRIPT and Abstract.is_structured(node.attributes):
            abstract.add(node.text())
    return abstract.text


def _walk(body: LexborNode, styled: dict[int, int], writer: OutlineWriter) -> list[LexborNode]:
    """Walk through the body, except for what is hidden; return the scripts that stand on the way.

    `styled` has what attributes make of elements. The state says where a node
    stands: the number of the element it belongs to, doubled, plus one within a link.
    """
    pieces, add, kind_of = writer.pieces, writer.add, _KIND.get
    scripts = []
    is_after_link = False  # and no block has begun since
    later: list[tuple[LexborNode, int]] = []  # nodes to go on with, and their states
    node, state = body.first_child, 0
    while node is not None or later:
        if node is None:
            node, state = later.pop()
        tag_id = node.tag_id
        if tag_id == _TEXT:
            if pieces or not node.is_empty_text_node:
                add(node.text_content or "", state >> 1, state & 1)
            node = node.next
            continue
        kind, inner = kind_of(tag_id, _INLINE), state
        if styled:
            kind = styled.get(node.mem_id, kind)
        if kind == _BLOCK:
            inner = _enter(node, tag_id, state, writer, True)
            if tag_id == _ANCHOR:  # one that style makes a block
                inner |= 1
            is_after_link = False
        elif kind == _INLINE:
            if tag_id > KNOWN_TAG_ID_MAX:  # structure, too
                if (pieces or writer.lines) and follows_unknown(node):
                    add(" ", state >> 1, False) if is_in_phrase(node) else writer.end_paragraph()
                inner = _enter(node, tag_id, state, writer, False)
        elif kind == _LINK:
            if is_after_link and pieces and follows_link(node):
                add(" ", state >> 1, False)
            inner |= 1
            is_after_link = True
        elif kind == _LEFT_OUT:
            if tag_id in _SPACED:
                add(" ", state >> 1, False)
            elif tag_id == _SCRIPT:
                scripts.append(node)
            elif (usual := kind_of(tag_id)) in _PARTING:  # hidden: it parts what stands around it
                writer.end_line() if usual == _LINE else writer.end_paragraph()
            node = node.next
            continue
        elif kind == _SPACE:
            add(" ", state >> 1, False)
        else:
            writer.end_line() if kind == _LINE else writer.end_paragraph()
            is_after_link = False
        child = node.first_child
        node = node.next
        if child is not None:
            if node is not None:
                later.append((node, state))
            node, state = child, inner
    return scripts


def _enter(node: LexborNode, tag_id: int, state: int, writer: OutlineWriter, is_block: bool) -> int:
    """Open an element; return the state within it."""
    attribute = node.attributes.get
    tag = _NAME.get(tag_id) or node.tag or ""
    named = (tag, attribute("class"), attribute("id"), attribute("role"))
    return 2 * writer.open(state >> 1, named, is_block, tag_id in _VERBATIM) | (state & 1)
