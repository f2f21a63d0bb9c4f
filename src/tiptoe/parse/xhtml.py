"""How must a page written as XML be changed for an HTML parser?

XML ends an empty element with `/>`. HTML ignores that, so that an empty `title` or `script` swallows the rest
of the page; a start tag and an end tag read the same in both. And a CDATA section contains text, while HTML
takes it for a comment: its text is written with character references instead.

Rule: linear on any input. A tag of XML contains no `<`, so the search for its end stops at the next one.
"""

import re
from html import escape
from typing import Final

__all__ = ["as_html"]

_CDATA: Final = "<![CDATA["
VOID: Final = frozenset(
    {"area", "base", "basefont", "bgsound", "br", "col", "command", "embed", "frame", "hr", "img", "input",
     "keygen", "link", "meta", "param", "source", "track", "wbr"}
)  # fmt: skip
"""Elements without an end tag, which HTML knows to be empty."""

# A slash at the end of a value without quotes is part of it: `<a href=http://a.example/>`.
# Atomic, not possessive: when a repeat fails half-way, `*+` of Python 3.11 continues from there.
_ATTRIBUTES: Final = r"""(?>(?:[^<>"'=/]++|/(?!>)|=\s*+(?:"[^"<]*+"|'[^'<]*+'|[^\s<>"'][^\s<>]*+)?)*)"""
_TOKEN = re.compile(
    r"<!--.*?(?:-->|\Z)"
    r"|<!\[CDATA\[.*?(?:\]\]>|\Z)"
    rf"|<(?:script|style)(?=[\s>]){_ATTRIBUTES}>.*?(?:</(?:script|style)|\Z)"  # their content has no tags
    rf"|<([a-z][^\s<>\"'=/]*+){_ATTRIBUTES}/>",
    re.DOTALL | re.IGNORECASE,
)


def as_html(xhtml: str) -> str:
    """Return a page with `<name/>` written as `<name></name>`, and CDATA sections as text."""
    return _TOKEN.sub(_rewrite, xhtml) if "/>" in xhtml or _CDATA in xhtml else xhtml


def _rewrite(found: re.Match[str]) -> str:
    token, name = found[0], found[1]
    if token.startswith(_CDATA):
        return escape(token[len(_CDATA) :].removesuffix("]]>"), quote=False)
    if name is None or name.lower() in VOID:
        return token
    return f"{token[:-2]}></{name}>"
