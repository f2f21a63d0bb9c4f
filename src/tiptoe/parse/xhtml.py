"""How does a page written as XML look to a parser of HTML?

XML ends an element that is empty with `/>`; HTML passes over that sign, and an empty `title` or `script`
swallows the rest of the page. Written out as a start and an end tag both read the same.

Rule: linear on any input. Within a tag of XML stands no `<`, so no tag is looked for beyond the next one.
"""

import re
from typing import Final

__all__ = ["close_empty_elements"]

VOID: Final = frozenset(
    {"area", "base", "basefont", "bgsound", "br", "col", "command", "embed", "frame", "hr", "img", "input",
     "keygen", "link", "meta", "param", "source", "track", "wbr"}
)  # fmt: skip
"""Elements without an end tag; HTML knows that they are empty."""

# A slash at the end of a value without quotes is part of it: `<a href=http://a.example/>`.
# Atomic, not possessive: when a repeat fails half-way, `*+` of Python 3.11 goes on from there.
_ATTRIBUTES: Final = r"""(?>(?:[^<>"'=/]++|/(?!>)|=\s*+(?:"[^"<]*+"|'[^'<]*+'|[^\s<>"'][^\s<>]*+)?)*)"""
_TOKEN = re.compile(
    r"<!--.*?(?:-->|\Z)"
    r"|<!\[CDATA\[.*?(?:\]\]>|\Z)"
    rf"|<(?:script|style)(?=[\s>]){_ATTRIBUTES}>.*?(?:</(?:script|style)|\Z)"  # what they write is no tag
    rf"|<([a-z][^\s<>\"'=/]*+){_ATTRIBUTES}/>",
    re.DOTALL | re.IGNORECASE,
)


def close_empty_elements(xhtml: str) -> str:
    """Return a page with `<name/>` written as `<name></name>`, but for elements that have no end tag."""
    return _TOKEN.sub(_close, xhtml) if "/>" in xhtml else xhtml


def _close(found: re.Match[str]) -> str:
    name = found[1]
    if name is None or name.lower() in VOID:
        return found[0]
    return f"{found[0][:-2]}></{name}>"
