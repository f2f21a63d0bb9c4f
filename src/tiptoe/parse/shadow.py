"""Where does the text of shadow trees stand?

`<template shadowrootmode=open>` is no template: browsers show what stands in it as the content of the element
around it. Under another name the parser reads it like any element, in its place.

Rule: linear on any input; templates within templates keep their ends.
"""

import re
from typing import Final

__all__ = ["open_shadow_roots"]

SHOWN: Final = "shadow-root"
"""The name of what was such a template; nobody else's."""

_MODE = re.compile(r"""\sshadowrootmode\s*=\s*["']?\s*(?:open|closed)\b""", re.IGNORECASE)
_TOKEN = re.compile(
    r"<!--(?s:.*?)(?:-->|\Z)"
    r"|<(script|style|textarea|title)\b(?s:.*?)(?:</\1\b|\Z)"
    r"|<(/?)template\b([^<>]*+)>",
    re.IGNORECASE,
)


def open_shadow_roots(html: str) -> str:
    """Return a page in which shadow trees are elements."""
    if "shadowrootmode" not in html:
        return html
    renamed: list[bool] = []  # of the templates that are open, the innermost last

    def rename(found: re.Match[str]) -> str:
        slash, attributes = found[2], found[3]
        if attributes is None:
            return found[0]
        if not slash:
            renamed.append(_MODE.search(attributes) is not None)
            return f"<{SHOWN}{attributes}>" if renamed[-1] else found[0]
        return f"</{SHOWN}>" if renamed and renamed.pop() else found[0]

    return _TOKEN.sub(rename, html)
