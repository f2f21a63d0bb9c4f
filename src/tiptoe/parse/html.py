"""What stands on an HTML page: text, links, metadata?

One parse and one pass over the elements. The pass puts marks into the tree where
paragraphs begin and end, takes out what is not text, and then the tree is
asked for its whole text at once: far fewer steps than a walk from text to text.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final, TypeVar

from selectolax.lexbor import LexborDocumentOptions, LexborHTMLParser, LexborNode

from tiptoe.parse.adjacency import (
    KNOWN_TAG_ID_MAX,
    LINK_TAG_ID,
    follows_link,
    follows_unknown,
    is_in_phrase,
    tag_number,
)
from tiptoe.parse.flat import flatten
from tiptoe.parse.hidden import Layout, find_layout, is_little, stays_hidden, waits_for_script
from tiptoe.parse.links import Element, Links, find_links
from tiptoe.parse.metadata import Metadata, read_metadata, read_title
from tiptoe.parse.nesting import is_heavy
from tiptoe.parse.shadow import open_shadow_roots
from tiptoe.parse.tagblocks import read_tags
from tiptoe.parse.tokens import raw_links
from tiptoe.parse.tree_blocks import outline_tree
from tiptoe.text.elements import ROLES, SPACED, Role
from tiptoe.text.outline import Outline
from tiptoe.text.paragraphs import LINE, MARK, VERBATIM_BEGIN, VERBATIM_END, split_paragraphs

__all__ = ["Page", "read_page"]


@dataclass(slots=True, kw_only=True)
class Page:
    """What was read from one page; addresses are as written there."""

    title: str | None
    language: str | None  # declared, not detected
    description: str | None
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
    outline: Outline | None  # where they stand, if that was asked for


@dataclass(slots=True)
class _Findings:
    """What the pass over the elements came upon."""

    elements: list[Element] = field(default_factory=list)  # with attributes, for links and metadata
    titles: list[LexborNode] = field(default_factory=list)
    left_out: list[LexborNode] = field(default_factory=list)
    has_shadow_root: bool = False


@dataclass(slots=True, kw_only=True)
class _Content:
    """What was taken from a tree."""

    title: str | None
    links: Links
    metadata: Metadata
    marked: str  # the text that is shown, with marks between paragraphs
    has_hidden: bool
    has_shadow_root: bool
    outline: Outline | None


Entry = TypeVar("Entry")


def _by_tag_id(table: Mapping[str, Entry]) -> dict[int, Entry]:
    numbered = {tag_number(tag): entry for tag, entry in table.items()}
    return {tag_id: entry for tag_id, entry in numbered.items() if tag_id <= KNOWN_TAG_ID_MAX}


# Tag numbers are looked up twice as fast as names.
_ROLE: Final = _by_tag_id(ROLES)
_SPACED: Final = _by_tag_id(dict.fromkeys(SPACED, True))
_READ: Final = _by_tag_id(
    {
        "area": "a",
        "link": "link",
        "meta": "meta",
        "base": "base",
        "frame": "frame",
        "iframe": "frame",
        "html": "html",
        "title": "title",
        "noframes": "noframes",
        "template": "template",
    }
)
# These take nodes as well; told here that it will be text, they need not find out at each call,
# which takes them as long as the rest.
_put_before: Final = LexborNode.insert_before[str]  # type: ignore[index]
_put_after: Final = LexborNode.insert_after[str]  # type: ignore[index]
TITLES_MAX: Final = 20
PARAGRAPHS_MAX: Final = 200_000
"""Maximum number of paragraphs, more than any book has; a compressed page of a few kilobytes may have
millions."""

ANCESTORS_MAX: Final = 50
_WITHOUT_EVENTS: Final = int(LexborDocumentOptions.WO_EVENTS)


def read_page(text: str, *, agent: str, utf8: bytes | None = None, is_outlined: bool = False) -> Page:
    """Read a page; `agent` is the product token by which a page may address us.

    `utf8` is the same text as it came, if it came so: the parser wants bytes.
    """
    outline, is_cut = None, False
    if is_heavy(text):
        text = open_shadow_roots(text)
        outline = read_tags(text) if is_outlined else None
        flat = flatten(text)
        text, utf8, is_cut = flat.html, None, flat.is_cut
    if utf8 is None:
        utf8 = text.encode("utf-8", "surrogatepass")
    content = _read_tree(utf8, agent=agent, is_outlined=is_outlined and outline is None)
    if content.has_shadow_root:  # hardly any page; searching all of them for one would cost more
        utf8 = open_shadow_roots(text).encode("utf-8", "surrogatepass")
        content = _read_tree(utf8, agent=agent, is_outlined=is_outlined and outline is None)
    links, metadata, outline = content.links, content.metadata, outline or content.outline
    paragraphs = _paragraphs(content, utf8)
    if len(paragraphs) > PARAGRAPHS_MAX or (outline is not None and outline.is_cut):
        is_cut = True
    return Page(
        title=content.title,
        language=metadata.language,
        description=metadata.description,
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
        outline=outline,
    )


def _read_tree(utf8: bytes, *, agent: str, is_outlined: bool) -> _Content:
    """Parse a page and take all that is needed.

    The tree ends here: it may be twenty times as large as the page, and paragraphs need room as well.
    """
    tree = LexborHTMLParser(utf8, options=_WITHOUT_EVENTS)
    outline, hidden = None, None
    if is_outlined:  # before marks are put into the tree
        layout = find_layout(tree.body, utf8) if tree.body is not None else Layout()
        outline, hidden = outline_tree(tree, layout), {node.mem_id for node in layout.hidden}
    findings = _mark_elements(tree)
    title = _title(findings.titles)
    marked, has_hidden = _marked_text(tree, findings.left_out, utf8, hidden)
    return _Content(
        title=title,
        links=find_links(findings.elements),
        metadata=read_metadata(findings.elements, agent=agent),
        marked=marked,
        has_hidden=has_hidden,
        has_shadow_root=findings.has_shadow_root,
        outline=outline,
    )


def _mark_elements(tree: LexborHTMLParser) -> _Findings:
    """Put marks around blocks; collect what is read or left out."""
    findings = _Findings()
    add_element = findings.elements.append
    block, link, read_as, role_of, known_max = Role.BLOCK, LINK_TAG_ID, _READ.get, _ROLE.get, KNOWN_TAG_ID_MAX
    is_after_link = False  # and no block has begun since
    if tree.root is None:
        return findings
    # Nothing may leave the tree while it is walked; marks may enter, for they are no elements.
    for node in tree.root.traverse():
        tag_id = node.tag_id
        if tag_id == link:
            add_element(("a", node.attributes))
            if is_after_link and follows_link(node):
                _put_before(node, " ")
            is_after_link = True
            continue
        role = role_of(tag_id)
        if role is None:
            read = read_as(tag_id)
            if read is not None:
                add_element((read, node.attributes))
            elif tag_id > known_max and follows_unknown(node):
                _put_before(node, " " if is_in_phrase(node) else MARK)
        elif role is block:
            is_after_link = False
            _put_before(node, MARK)
            _put_after(node, MARK)
        elif role is Role.LEFT_OUT:
            findings.left_out.append(node)
            if tag_id in _SPACED:
                _put_before(node, " ")
            if tag_id in _READ:
                _read_left_out(findings, node)
        elif role is Role.BREAK:
            is_after_link = False
            _put_before(node, MARK)
        elif role is Role.LINE:
            is_after_link = False
            _put_before(node, LINE)
        elif role is Role.SPACE:
            _put_before(node, " ")
        else:
            _put_before(node, VERBATIM_BEGIN)
            _put_after(node, VERBATIM_END)
    return findings


def _read_left_out(findings: _Findings, node: LexborNode) -> None:
    match node.tag:
        case "title":
            findings.titles.append(node)
        case "template":
            findings.has_shadow_root |= "shadowrootmode" in node.attributes
        case "noframes":
            findings.elements += raw_links(node.text())
        case _:
            findings.elements.append(("frame", node.attributes))


def _title(nodes: list[LexborNode]) -> str | None:
    """Return the first title that is the page's and not a drawing's."""
    for node in nodes[:TITLES_MAX]:
        if not _is_drawn(node):
            return read_title(node.text())
    return None


def _is_drawn(node: LexborNode) -> bool:
    above = node.parent
    for _ in range(ANCESTORS_MAX):
        if above is None or above.tag in ("head", "body"):
            return False
        if above.tag == "svg":
            return True
        above = above.parent
    return True


def _marked_text(
    tree: LexborHTMLParser, left_out: list[LexborNode], utf8: bytes, hidden: set[int] | None
) -> tuple[str, bool]:
    """Return the text that is shown, with marks in it, and whether there is hidden text as well."""
    body = tree.body
    if body is None:
        return "", False
    _take_out(left_out)
    layout = find_layout(body, utf8, hidden)
    _mark_blocks(layout.blocks)
    _take_out(layout.hidden)
    return _text_of(body), bool(layout.hidden)


def _mark_blocks(nodes: list[LexborNode]) -> None:
    """Put marks around elements that style makes blocks."""
    for node in nodes:
        if node.tag_id not in _ROLE:
            _put_before(node, MARK)
            _put_after(node, MARK)


def _paragraphs(content: _Content, utf8: bytes) -> list[str]:
    """Return the paragraphs of a page; one more than are read if there are more."""
    shown = split_paragraphs(content.marked, PARAGRAPHS_MAX + 1)
    if content.has_hidden and is_little(shown):
        revealed = split_paragraphs(_reveal(utf8), PARAGRAPHS_MAX + 1)
        if waits_for_script(shown, revealed):
            return revealed
    return shown


def _reveal(utf8: bytes) -> str:
    """Read the marked text again, with what is hidden."""
    tree = LexborHTMLParser(utf8, options=_WITHOUT_EVENTS)
    _take_out(_mark_elements(tree).left_out)
    if tree.body is None:
        return ""
    layout = find_layout(tree.body, utf8)
    _mark_blocks(layout.blocks)
    _take_out(node for node in layout.hidden if stays_hidden(node.tag))
    return _text_of(tree.body)


def _take_out(nodes: Iterable[LexborNode]) -> None:
    for node in nodes:
        node.decompose(recursive=False)


def _text_of(body: LexborNode) -> str:
    # The DOM's own text content: half the price of text(), which asks every node by itself.
    return body.text_lexbor() or ""
