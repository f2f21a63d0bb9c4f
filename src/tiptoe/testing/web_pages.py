"""What is the HTML of a page, and what is its text?

A page is the host's frame (head, navigation, footer: the same on all its pages)
around paragraphs put together from fragments. A new edition rewrites every third
paragraph and leaves the links alone.
"""

import html
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from tiptoe.testing.chance import MASK, Trait, draw_bytes, fraction, scramble
from tiptoe.testing.fragments import Fragments, make_fragments
from tiptoe.testing.graph import Graph, page_salt
from tiptoe.testing.shape import WebShape
from tiptoe.testing.vocabulary import WORDS
from tiptoe.testing.web_hosts import WebHost

__all__ = ["WebPages"]

FRAMES_REMEMBERED: Final = 32_768
FRAME_BYTES: Final = 2_000  # head and footer, without the navigation
NAVIGATION_LINK_BYTES: Final = 60
TEXT_LINK_BYTES: Final = 62  # address and words of a link
PIECES_PER_PARAGRAPH: Final = 3
PARAGRAPHS_PER_EDITION: Final = 3  # one in this many is rewritten

STYLE: Final = """<style>
body { max-width: 60em; margin: auto; font-family: serif; line-height: 1.5 }
nav ul { list-style: none; display: flex; flex-wrap: wrap } nav li { margin-right: 1em }
main p { text-align: justify } footer { color: #666; border-top: 1px solid #ccc }
</style>
"""
SCRIPT: Final = """<script>
document.addEventListener("DOMContentLoaded", function () {
  var links = document.querySelectorAll("main a");
  for (var i = 0; i < links.length; i++) { if (links[i].host !== location.host) links[i].rel = "external"; }
  var text = "<p>this is not a paragraph</p>"; window.lastText = text;
});
</script>
"""


@dataclass(frozen=True, slots=True)
class _Frame:
    """The markup around the title (which occurs twice) and the text on every page of a host."""

    before_title: bytes
    before_heading: bytes
    before_text: bytes
    after_text: bytes


class WebPages:
    """The HTML of every page of a web, and the truth about its text."""

    def __init__(self, shape: WebShape, graph: Graph) -> None:
        self._shape = shape
        self._graph = graph
        self._frame_of = lru_cache(FRAMES_REMEMBERED)(self._make_frame)
        self._fragments_of = lru_cache(None)(self._make_fragments)  # one per language and charset

    def render(self, host: WebHost, number: int, edition: int = 0) -> bytes:
        """Return a page as it is sent."""
        fragments = self._fragments_of(host.language, host.charset)
        frame = self._frame_of(host)
        links = self._graph.links_in_text(host, number)
        title = fragments.titles_markup[page_salt(host, number) & 255] + b" %d" % number
        pieces = [frame.before_title, title, self._meta_of(host, number), frame.before_heading]
        pieces += (title, frame.before_text)
        openings, anchors = fragments.openings_markup, fragments.anchors_markup
        middles, closings = fragments.middles_markup, fragments.closings_markup
        link = iter(links)
        drawn = self._draw(host, number, edition)
        for a, b, c, d, e in () if host.is_terse else drawn:
            pieces += (openings[a], next(link), anchors[b], middles[c], next(link), anchors[d], closings[e])
        for _, b, _, d, _ in drawn if host.is_terse else ():
            pieces += (b'<p><a href="', next(link), anchors[b], b"</p>\n")
            pieces += (b'<p><a href="', next(link), anchors[d], b"</p>\n")
        if self._shape.list_share and (listed := self._graph.links_in_list(host, number)):
            pieces.append(b"<ul>\n")
            for place, address in enumerate(listed):
                pieces += (b'<li><a href="', address, anchors[place & 255], b"</li>\n")
            pieces.append(b"</ul>\n")
        pieces.append(frame.after_text)
        return b"".join(pieces)

    def paragraphs(self, host: WebHost, number: int, edition: int = 0) -> list[str]:
        """Return what a perfect extractor finds: the heading, then the paragraphs."""
        pool = self._fragments_of(host.language, host.charset)
        title = f"{pool.titles[page_salt(host, number) & 255]} {number}"
        drawn = self._draw(host, number, edition)
        if host.is_terse:
            return [title, *(pool.anchors[word] for _, b, _, d, _ in drawn for word in (b, d))]
        return [
            title,
            *(
                f"{pool.openings[a]} {pool.anchors[b]} {pool.middles[c]} {pool.anchors[d]} {pool.closings[e]}"
                for a, b, c, d, e in drawn
            ),
        ]

    def furniture(self, host: WebHost) -> set[str]:
        """Return what may surround the text on a friendly host's pages: menu, lists of links, footer."""
        words = WORDS[host.language]
        anchors = self._fragments_of(host.language, host.charset).anchors
        return {words.home, words.notice, f"© {host.name} · {words.home}", *anchors}

    def is_indexable(self, host: WebHost, number: int) -> bool:
        """True unless the page asks not to be stored."""
        share = self._shape.noindex_share
        return not share or fraction(page_salt(host, number), Trait.META) >= share

    def is_followable(self, host: WebHost, number: int) -> bool:
        """True unless the page asks robots not to follow its links."""
        share = self._shape.nofollow_share
        return not share or fraction(page_salt(host, number), Trait.META) < 1.0 - share

    def _draw(self, host: WebHost, number: int, edition: int) -> list[bytes]:
        """Return five bytes per paragraph, each the index of one of its pieces."""
        salt, count = page_salt(host, number), self._graph.paragraph_count(host, number)
        article = self._graph.article_of(host, number)
        if article is not None:
            salt = scramble(self._shape.seed + article & MASK)
        if not edition:
            drawn = draw_bytes(salt, Trait.TEXT, 5 * count)
            return [drawn[i : i + 5] for i in range(0, 5 * count, 5)]
        # A paragraph is as written in the last edition, up to this one, that rewrote it.
        written = range(edition, edition - PARAGRAPHS_PER_EDITION, -1)
        drafts = [draw_bytes(salt + max(0, turn), Trait.TEXT, 5 * count) for turn in written]
        return [drafts[(edition - i) % PARAGRAPHS_PER_EDITION][5 * i : 5 * i + 5] for i in range(count)]

    def _meta_of(self, host: WebHost, number: int) -> bytes:
        wishes = [] if self.is_indexable(host, number) else ["noindex"]
        if not self.is_followable(host, number):
            wishes.append("nofollow")
        if not wishes:
            return b"</title>\n"
        return f'</title>\n<meta name="robots" content="{", ".join(wishes)}">\n'.encode()

    def _make_fragments(self, language: str, charset: str) -> Fragments:
        graph, shape = self._graph, self._shape
        text_bytes = shape.page_bytes - FRAME_BYTES - NAVIGATION_LINK_BYTES * graph.navigation_links
        text_bytes -= 2 * TEXT_LINK_BYTES * graph.paragraphs_mean
        pieces = PIECES_PER_PARAGRAPH * graph.paragraphs_mean
        return make_fragments(language, charset, text_bytes // pieces, shape.seed)

    def _make_frame(self, host: WebHost) -> _Frame:
        words = WORDS[host.language]
        fragments = self._fragments_of(host.language, host.charset)
        meta = f'<meta charset="{host.meta_charset}">\n' if host.meta_charset else ""
        before = f'<!DOCTYPE html>\n<html lang="{host.language}">\n<head>\n{meta}<title>'
        heading = (
            f'<meta name="description" content="{html.escape(fragments.titles[host.salt & 255])}">\n'
            f"{STYLE}</head>\n<body>\n<header>\n<nav><ul>\n{self._navigation_of(host, fragments)}"
            "</ul></nav>\n</header>\n<main>\n<h1>"
        )
        after = (
            f"</main>\n<footer>\n<p>{words.notice}</p>\n{self._hostile_links_of(host)}"
            f'<p>&copy; {host.name} &middot; <a href="/#top">{words.home}</a></p>\n'
            f"</footer>\n{SCRIPT}</body>\n</html>\n"
        )
        charset = host.charset
        return _Frame(before.encode(charset), heading.encode(charset), b"</h1>\n", after.encode(charset))

    def _navigation_of(self, host: WebHost, fragments: Fragments) -> str:
        items = [f'<li><a href="/">{WORDS[host.language].home}</a></li>\n']
        for number in range(1, min(self._graph.navigation_links, host.pages)):
            label = html.escape(fragments.anchors[host.salt + number & 255])
            items.append(f'<li><a href="{self._graph.path_of(host, number).decode()}">{label}</a></li>\n')
        return "".join(items)

    def _hostile_links_of(self, host: WebHost) -> str:
        names = self._shape.hostile_names if host.is_hostile else ()
        return "".join(f'<p><a href="/hostile/{name}/">{name}</a></p>\n' for name in names)
