"""How is the text of shadow trees read?

`<template shadowrootmode=open>` is not a template: browsers show its content as that of the element around
it. It is renamed, so that the parser reads it like any other element.

Rule: linear on any input; nested templates keep their matching end tags.
"""

import re
from typing import Final

__all__ = ["open_shadow_roots"]

SHOWN: Final = "shadow-root"
"""The new name of such a template, which no other element has."""

_MODE = re.compile(r"""\sshadowrootmode\s*=\s*["']?\s*(?:open|closed)\b""", re.IGNORECASE)
_TOKEN = re.compile(
    r"<!--(?s:.*?)(?:-->|\Z)"
    r"|<(script|style|textarea|title)\b(?s:.*?)(?:</\1\b|\Z)"
    r"|<(/?)template\b([^<>]*+)>",
    re.IGNORECASE,
)


def open_shadow_roots(html: str) -> str:
    """Return the page with its shadow trees turned into ordinary elements."""
    if "shadowrootmode" not in html:
        return html
    renamed: list[bool] = []  # for each open template, the innermost last

    def rename(found: re.Match[str]) -> str:
        slash, attributes = found[2], found[3]
        if attributes is None:
            return found[0]
        if not slash:
            renamed.append(_MODE.search(attributes) is not None)
            return f"<{SHOWN}{attributes}>" if renamed[-1] else found[0]
        return f"</{SHOWN}>" if renamed and renamed.pop() else found[0]

    return _TOKEN.sub(rename, html)
