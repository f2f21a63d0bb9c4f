"""What does an HTML page contain: text, links, metadata?

One parse and one pass over the elements. The pass puts marks into the tree where
paragraphs begin and end; then everything that is not text is removed, and the whole
text of the tree is read at once. That is much faster than going from text node to text node.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import partial
from typing import Final, TypeAlias

from selectolax.lexbor import LexborDocumentOptions, LexborHTMLParser, LexborNode

from tiptoe.parse.adjacency import (
    KNOWN_TAG_ID_MAX,
    LINK_TAG_ID,
    follows_link,
    follows_unknown,
    is_in_phrase,
)
from tiptoe.parse.flat import flatten
from tiptoe.parse.headings import read_headings
from tiptoe.parse.hidden import find_layout, is_little, stays_hidden, waits_for_script
from tiptoe.parse.jsonld import StructuredData
from tiptoe.parse.metadata import read_named
from tiptoe.parse.nesting import is_heavy
from tiptoe.parse.page_evidence import find_structured
from tiptoe.parse.page_metadata import PageMetadata, read_top
from tiptoe.parse.self_description import SelfDescription, describe_tree
from tiptoe.parse.shadow import open_shadow_roots
from tiptoe.parse.tagblocks import read_tags
from tiptoe.parse.tree_blocks import MARKS, outline_tree, put_after, put_before, writes_marks
from tiptoe.parse.tree_findings import HEADING_TAG_ID, READ, TreeFindings, by_tag_id, text_shown
from tiptoe.parse.tree_search import TreeSearch, find_all
from tiptoe.text.elements import ROLES, SPACED, Role
from tiptoe.text.outline import Outline
from tiptoe.text.paragraphs import LINE, MARK, VERBATIM_BEGIN, VERBATIM_END, split_paragraphs

try:
    from tiptoe.parse.element_kinds import element_marker
except ImportError:  # see setup.py
    _MARKER = None
else:
    _MARKER = element_marker(ROLES)

__all__ = ["NO_DETAILS", "Details", "InspectTree", "Page", "mark_uncompiled", "read_page"]

InspectTree: TypeAlias = Callable[[LexborHTMLParser, StructuredData], None]


@dataclass(slots=True, kw_only=True)
class Page:
    """What was read from one page; URLs are as written there."""

    title: str | None  # of the title element
    described: PageMetadata  # what the page says about itself
    base_href: str | None
    links: list[str]  # to follow, each once, in document order
    nofollow_links: int
    no_page_links: int  # script, mail and the like
    links_beyond: int  # too many or too long
    feeds: list[str]
    directives: list[str]  # contents of meta robots, for all robots and for ours
    tdm_reservation: bool | None
    paragraphs: list[str]
    is_cut: bool  # there was more text than we read of one page
    meta: dict[str, str]  # contents of META tags by name, if requested
    headings: list[tuple[int, str]]  # with their levels, if requested
    outline: Outline | None  # paragraphs with the elements around them, if requested


@dataclass(frozen=True, slots=True)
class Details:
    """What is read from a page on request, besides its text and links."""

    has_meta: bool = True
    has_headings: bool = True
    inspect: InspectTree | None = None  # sees the tree as the parser left it, unless the page is heavy


NO_DETAILS: Final = Details(has_meta=False, has_headings=False)


@dataclass(slots=True, kw_only=True)
class _Content:
    """What was taken from a tree."""

    title: str | None
    description: SelfDescription
    paragraphs: list[str]  # one more than the maximum if there are too many
    has_shadow_root: bool
    meta: dict[str, str]
    headings: list[tuple[int, str]]
    outline: Outline | None = None


# Tag numbers are looked up twice as fast as names.
_ROLE: Final = by_tag_id(ROLES)
_SPACED: Final = by_tag_id(dict.fromkeys(SPACED, True))
PARAGRAPHS_MAX: Final = 200_000
"""Maximum number of paragraphs; the page is cut there. No book has so many, but a compressed page of a few
kilobytes may have millions."""

_WITHOUT_EVENTS: Final = int(LexborDocumentOptions.WO_EVENTS)


def read_page(
    text: str, *, agent: str, utf8: bytes | None = None, is_outlined: bool = False,
    details: Details = NO_DETAILS,
) -> Page:  # fmt: skip
    """Read a page; `agent` is the product token by which a page may address us.

    `utf8` is the same text as bytes, if it arrived in UTF-8; it saves encoding the text for the parser.
    """
    outline, is_cut = None, False
    if utf8 is None:
        utf8 = _utf8(text)
    if is_heavy(utf8):
        details = replace(details, inspect=None)  # a flattened page has no nested elements to inspect
        text = open_shadow_roots(text)
        outline = read_tags(text) if is_outlined else None
        flat = flatten(text)
        text, utf8, is_cut = flat.html, _utf8(flat.html), flat.is_cut
    read = _read_outlined if is_outlined and outline is None else _read_tree
    content = read(utf8, agent=agent, details=details)
    if content.has_shadow_root:  # rare; checking every page beforehand would cost more
        utf8 = _utf8(open_shadow_roots(text))
        content = read(utf8, agent=agent, details=details)
    links, metadata, outline = (
        content.description.links,
        content.description.metadata,
        outline or content.outline,
    )
    paragraphs = content.paragraphs
    read_top(content.description.described, paragraphs)
    if len(paragraphs) > PARAGRAPHS_MAX or (outline is not None and outline.is_cut):
        is_cut = True
    return Page(
        title=content.title,
        described=content.description.described,
        base_href=links.base_href,
        links=list(links.follow),
        nofollow_links=links.nofollow,
        no_page_links=links.no_page,
        links_beyond=links.beyond,
        feeds=list(links.feeds),
        directives=metadata.directives,
        tdm_reservation=metadata.tdm_reservation,
        paragraphs=paragraphs[:PARAGRAPHS_MAX],
        is_cut=is_cut,
        meta=content.meta,
        headings=content.headings,
        outline=outline,
    )


def _utf8(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def _read_tree(utf8: bytes, *, agent: str, details: Details) -> _Content:
    """Parse a page and read everything except its outline.

    The tree is freed here: it may be twenty times as large as the page, and paragraphs need memory as well.
    """
    tree = LexborHTMLParser(utf8, options=_WITHOUT_EVENTS)
    headings = read_headings(tree) if details.has_headings else []  # before there are marks
    structured = _inspect(tree, details)
    search = TreeSearch(tree)
    # Before there are marks, which would count as text.
    layout = find_layout(search, utf8)
    findings = _mark_elements(search)
    title = findings.title()
    description = describe_tree(search, findings, title, agent=agent, structured=structured)
    marked, has_hidden = _marked_text(search, findings, layout.blocks, layout.hidden), bool(layout.hidden)
    del tree, search, layout
    paragraphs = _paragraphs(marked, has_hidden, utf8)
    return _content(findings, description, details, title=title, paragraphs=paragraphs, headings=headings)


def _read_outlined(utf8: bytes, *, agent: str, details: Details) -> _Content:
    """Parse a page and read everything; its paragraphs are those of its outline."""
    tree = LexborHTMLParser(utf8, options=_WITHOUT_EVENTS)
    headings = read_headings(tree) if details.has_headings else []
    structured = _inspect(tree, details)
    describe = partial(describe_tree, agent=agent, structured=structured, marks=MARKS)
    outline, findings, title, description = outline_tree(tree, utf8, describe)
    assert description is not None
    del tree
    content = _content(
        findings, description, details, title=title, paragraphs=outline.text, headings=headings
    )
    content.outline = outline
    if outline.is_cut or writes_marks(utf8):
        content.paragraphs = _read_tree(utf8, agent=agent, details=NO_DETAILS).paragraphs
    return content


def _inspect(tree: LexborHTMLParser, details: Details) -> StructuredData | None:
    """Pass the tree to `details.inspect`, if any; return the structured data read for it."""
    if details.inspect is None:
        return None
    structured = find_structured(find_all("script", tree.root))
    details.inspect(tree, structured)
    return structured


def _content(
    findings: TreeFindings, description: SelfDescription, details: Details, *, title: str | None,
    paragraphs: list[str], headings: list[tuple[int, str]],
) -> _Content:  # fmt: skip
    return _Content(
        title=title,
        description=description,
        paragraphs=paragraphs,
        has_shadow_root=findings.has_shadow_root,
        meta=read_named(description.metadata.elements) if details.has_meta else {},
        headings=headings,
    )


def _mark_elements(search: TreeSearch) -> TreeFindings:
    """Put marks around blocks; collect elements that are read or left out."""
    findings = TreeFindings()
    if search.root is None:
        return findings
    if _MARKER is None or search.compiled is None:
        mark_uncompiled(search.root, findings)
    else:
        _MARKER.mark_paragraphs(search.compiled, findings, _mark_unknown)
    return findings


def _mark_unknown(node: LexborNode) -> None:
    """Separate an element of an unknown name from one directly before it."""
    if follows_unknown(node):
        put_before(node, " " if is_in_phrase(node) else MARK)


def mark_uncompiled(root: LexborNode, findings: TreeFindings) -> None:
    """Put the marks, without the compiled module."""
    add_element = findings.elements.append
    block, link, role_of, known_max = Role.BLOCK, LINK_TAG_ID, _ROLE.get, KNOWN_TAG_ID_MAX
    is_after_link = False  # and no block has begun since
    # Nothing may leave the tree while it is walked; marks may be added, as they are not elements.
    for node in root.traverse():
        tag_id = node.tag_id
        if tag_id == link:
            add_element(("a", node.attributes))
            if is_after_link and follows_link(node):
                put_before(node, " ")
            is_after_link = True
            continue
        role = role_of(tag_id)
        if role is None:
            if tag_id in READ:
                findings.read(node, tag_id)
            elif tag_id > known_max:
                _mark_unknown(node)
        elif role is block:
            is_after_link = False
            put_before(node, MARK)
            put_after(node, MARK)
            if tag_id == HEADING_TAG_ID:
                findings.headings.append(node)
        elif role is Role.LEFT_OUT:
            findings.leave_out(node, tag_id)
            if tag_id in _SPACED:
                put_before(node, " ")
        elif role is Role.BREAK:
            is_after_link = False
            put_before(node, MARK)
        elif role is Role.LINE:
            is_after_link = False
            put_before(node, LINE)
        elif role is Role.SPACE:
            put_before(node, " ")
        else:
            put_before(node, VERBATIM_BEGIN)
            put_after(node, VERBATIM_END)


def _marked_text(
    search: TreeSearch, findings: TreeFindings, blocks: Iterable[LexborNode], hidden: Iterable[LexborNode]
) -> str:
    """Return the text that is shown, with marks in it."""
    if search.body is None:
        return ""
    _mark_blocks(blocks)
    return text_shown(search, findings, hidden, _MARKER)


def _mark_blocks(nodes: Iterable[LexborNode]) -> None:
    """Put marks around elements that style makes blocks."""
    for node in nodes:
        if node.tag_id not in _ROLE:
            put_before(node, MARK)
            put_after(node, MARK)


def _paragraphs(marked: str, has_hidden: bool, utf8: bytes) -> list[str]:
    """Return the paragraphs of a page; one more than the maximum if there are too many."""
    shown = split_paragraphs(marked, PARAGRAPHS_MAX + 1)
    if has_hidden and is_little(shown):
        revealed = split_paragraphs(_reveal(utf8), PARAGRAPHS_MAX + 1)
        if waits_for_script(shown, revealed):
            return revealed
    return shown


def _reveal(utf8: bytes) -> str:
    """Read the marked text again, including hidden elements."""
    tree = LexborHTMLParser(utf8, options=_WITHOUT_EVENTS)
    search = TreeSearch(tree)
    layout = find_layout(search, utf8)
    never = [node for node in layout.hidden if stays_hidden(node.tag)]
    return _marked_text(search, _mark_elements(search), layout.blocks, never)
