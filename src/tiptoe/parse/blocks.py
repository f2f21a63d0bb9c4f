"""Where do the paragraphs of an HTML page stand?

The same paragraphs as `html.read_page` finds, with the elements around them: what
the search for the main content works on (`tiptoe.text.main_content`). One walk
over the tree, from node to node, which leaves the tree as it was.
"""

from itertools import chain
from typing import Final

from selectolax.lexbor import LexborDocumentOptions, LexborHTMLParser, LexborNode

from tiptoe.parse.abstract import Abstract
from tiptoe.parse.hidden import find_hidden
from tiptoe.parse.nesting import is_heavy
from tiptoe.parse.tagblocks import read_tags
from tiptoe.text.blocks import ROLES, Role
from tiptoe.text.outline import Outline
from tiptoe.text.outlining import OutlineWriter

__all__ = ["outline_tree", "read_blocks"]

# What the walk does at an element; at inline ones, like `<b>`, it does nothing.
_BLOCK, _BREAK, _LINK, _LEFT_OUT, _INLINE = range(5)
_KIND_OF_ROLE: Final = {
    Role.BLOCK: _BLOCK,
    Role.VERBATIM: _BLOCK,
    Role.BREAK: _BREAK,
    Role.LEFT_OUT: _LEFT_OUT,
}

_KNOWN_MAX: Final = 1_000
"""The parser numbers the elements it knows; the number of others, like `<x-post>`, is a memory address."""


def _tag_id(tag: str) -> int:
    tag_id: int = LexborHTMLParser("").create_node(tag).tag_id
    return tag_id


def _kinds() -> dict[int, int]:
    kinds = {tag: _KIND_OF_ROLE[role] for tag, role in ROLES.items()}
    # Rows and cells end a paragraph anyway; as elements they tell tables from text.
    kinds |= dict.fromkeys(("tr", "td", "th", "caption"), _BLOCK) | {"a": _LINK}
    return {tag_id: kind for tag, kind in kinds.items() if (tag_id := _tag_id(tag)) <= _KNOWN_MAX}


# Tag numbers are looked up twice as fast as names.
_KIND: Final = _kinds()
_VERBATIM: Final = {_tag_id(tag) for tag, role in ROLES.items() if role is Role.VERBATIM}
_TEXT: Final = 2
_META: Final = _tag_id("meta")
_SCRIPT: Final = _tag_id("script")

_WITHOUT_EVENTS: Final = int(LexborDocumentOptions.WO_EVENTS)
_NOT_TEXT: Final = -1


def read_blocks(text: str, *, utf8: bytes | None = None) -> Outline:
    """Read the paragraphs of a page and their places; `utf8` is the same text as it came, if it came so."""
    if is_heavy(text):
        return read_tags(text)
    if utf8 is None:
        utf8 = text.encode("utf-8", "surrogatepass")
    return outline_tree(LexborHTMLParser(utf8, options=_WITHOUT_EVENTS), utf8)


def outline_tree(tree: LexborHTMLParser, utf8: bytes) -> Outline:
    """Read the paragraphs of a parsed page and their places; `utf8` is what the tree was made from."""
    body, writer, scripts = tree.body, OutlineWriter(), []
    if body is not None:
        scripts = _walk(body, {node.mem_id for node in find_hidden(body, utf8)}, writer)
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


def _walk(body: LexborNode, hidden: set[int], writer: OutlineWriter) -> list[LexborNode]:
    """Walk through the body, except for what is hidden; return the scripts that stand on the way.

    Each node has a state that its children inherit: the number of the element it
    belongs to, doubled, plus one within a link; or `_NOT_TEXT`.
    """
    states = {body.mem_id: 0}
    scripts = []
    pieces, add, kind_of = writer.pieces, writer.add, _KIND.get
    nodes = body.traverse(include_text=True)
    next(nodes)  # the body itself
    for node in nodes:
        state = states[node.parent.mem_id]  # type: ignore[union-attr]  # within the body all have parents
        tag_id = node.tag_id
        if tag_id == _TEXT:
            if state != _NOT_TEXT:
                text = node.text_content or ""
                if pieces or not text.isspace():
                    add(text, state >> 1, state & 1)
            continue
        address = node.mem_id
        if state != _NOT_TEXT:
            kind = kind_of(tag_id, _INLINE)
            if kind == _BLOCK or tag_id > _KNOWN_MAX:
                state = _enter(node, tag_id, state, writer)
            elif kind == _LINK:
                state |= 1
            elif kind == _BREAK:
                writer.end_paragraph()
            elif kind == _LEFT_OUT:
                state = _NOT_TEXT
                if tag_id == _SCRIPT:
                    scripts.append(node)
            if address in hidden:
                state = _NOT_TEXT
        states[address] = state
    return scripts


def _enter(node: LexborNode, tag_id: int, state: int, writer: OutlineWriter) -> int:
    """Open an element; return the state within it."""
    attribute = node.attributes.get
    named = (node.tag or "", attribute("class"), attribute("id"), attribute("role"))
    is_block = tag_id <= _KNOWN_MAX  # those that the parser does not know are structure, too
    return 2 * writer.open(state >> 1, named, is_block, tag_id in _VERBATIM) | (state & 1)
