"""What would a page look like in plainer markup?

Many sites, old ones above all, have no elements that say what they contain, write paragraphs as text between
line breaks, or give their elements names that mean nothing.
"""

import re

import numpy as np

__all__ = ["plain"]

DIVISIONS_SHARE, BREAKS_SHARE, NAMELESS_SHARE = 0.7, 0.6, 0.35
"""Shares of pages that lose their structural elements, their paragraphs, and the names of their elements."""

_STRUCTURAL = re.compile(r"<(/?)(?:article|main|section|aside|nav|header|footer|figure|figcaption)\b", re.I)
_PARAGRAPH_BEGIN = re.compile(r"<p(?:\s[^>]*)?>", re.I)
_PARAGRAPH_END = re.compile(r"</p\s*>", re.I)
_NAME = re.compile(r"""\s(?:class|id|role|itemprop)\s*=\s*(?:"[^"]*"|'[^']*'|[^\s>]+)""", re.I)


def plain(html: str, chance: np.random.Generator) -> str:
    """Return the page with a random choice of these changes; its text stays the same."""
    divisions, breaks, nameless = chance.random(3)
    if divisions < DIVISIONS_SHARE:
        html = _STRUCTURAL.sub(r"<\1div", html)
    if breaks < BREAKS_SHARE:
        html = _PARAGRAPH_END.sub("<br><br>", _PARAGRAPH_BEGIN.sub("", html))
    if nameless < NAMELESS_SHARE:
        html = _NAME.sub("", html)
    return html
