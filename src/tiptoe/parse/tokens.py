"""Where do tags, comments and raw elements begin and end?

Follows the HTML standard's tokenizer, with expressions that never backtrack: any
page is cut into tokens in linear time. For pages whose tree cannot be built in
bounded time (`flat.py`, `tagblocks.py`).
"""

import re
from html import unescape
from itertools import islice
from typing import Final

from tiptoe.parse.nesting import attribute_pattern

__all__ = [
    "CHARS_MAX",
    "RAW",
    "TAGS_MAX",
    "TOKEN",
    "may_be_styled",
    "raw_end",
    "raw_links",
    "read_attributes",
]

TAGS_MAX: Final = 120_000
"""Maximum number of tags of a page that is read tag by tag; the rest is ignored."""

CHARS_MAX: Final = 4_000_000
ATTRIBUTES_READ_MAX: Final = 100

TOKEN: Final = re.compile(
    rf"<(?:(/?)([a-zA-Z][^\s/>]*+)((?:{attribute_pattern(captured=False)})*+)[\s/]*+(>?)"
    r"|!--(?:-?>|(?s:.*?)(?:--!?>|\Z))|[!?/][^>]*+>?)"
)
"""A tag (slash, name, attributes, bracket), a comment, or a declaration."""

_ATTRIBUTE = re.compile(attribute_pattern(captured=True))
_SCRIPT_TOKEN = re.compile(r"<!--(?:-?>)?|-->|<(/?)script(?=[\s/>])", re.IGNORECASE)
_RAW_END: Final = {
    name: re.compile(rf"</{name}(?=[\s/>])", re.IGNORECASE)
    for name in ("style", "xmp", "iframe", "noembed", "noframes", "textarea", "title")
}

RAW: Final = frozenset({*_RAW_END, "script", "plaintext"})
"""Elements whose content is not markup."""

_LINKING: Final = {"a": "a", "area": "a", "frame": "frame", "iframe": "frame"}
_ENDLESS: Final = frozenset(
    (
        "p", "li", "dt", "dd", "td", "th", "tr", "option", "optgroup", "body", "html", "img", "input", "br",
        "hr", "meta", "link", "area", "base", "col", "embed", "source", "track", "wbr", "param", "frame",
    )
)  # fmt: skip
"""Elements without end tags, or often without; since their end is unknown, `hidden` is ignored on them."""


def raw_end(html: str, name: str, position: int) -> int:
    """Return where the content of a raw element ends, if it begins at `position`."""
    if name == "plaintext":
        return len(html)
    if name == "script":
        return _script_end(html, position)
    ending = _RAW_END[name].search(html, position)
    return ending.start() if ending else len(html)


def _script_end(html: str, position: int) -> int:
    """Find where a script ends; inside `<!--` a nested pair of script tags does not end it."""
    commented = nested = False
    for found in _SCRIPT_TOKEN.finditer(html, position):
        match found[0].lower():
            case "</script" if not nested:
                return found.start()
            case "</script":
                nested = False
            case "<script":
                nested = commented
            case "<!--":
                commented = True
            case "-->":
                commented = nested = False
    return len(html)


def may_be_styled(name: str, attributes: str) -> bool:
    """Tell whether an element could be displayed differently than usual, which most are not."""
    if not attributes:
        return name == "dialog"
    lower = attributes.lower()
    return ("hidden" in lower or "display" in lower or name == "dialog") and name not in _ENDLESS


def raw_links(markup: str) -> list[tuple[str, dict[str, str | None]]]:
    """Return the links in the content of a raw element (`<noframes>`), which some readers see."""
    links: list[tuple[str, dict[str, str | None]]] = []
    for found in islice(TOKEN.finditer(markup[:CHARS_MAX]), TAGS_MAX):
        slash, name, attributes, bracket = found.groups()
        if bracket and not slash and (name := name.lower()) in _LINKING:
            read = read_attributes(attributes)
            links.append((_LINKING[name], {key: unescape(value or "") for key, value in read.items()}))
    return links


def read_attributes(attributes: str) -> dict[str, str | None]:
    """Return the attributes of a tag as written; the first of a name counts."""
    read: dict[str, str | None] = {}
    found = _ATTRIBUTE.match(attributes)
    # Matched one after the other: a search would start over at each space after the last one.
    while found and len(read) < ATTRIBUTES_READ_MAX:
        name, double, single, bare = found.groups()
        read.setdefault(name.lower(), double or single or bare)
        found = _ATTRIBUTE.match(attributes, found.end())
    return read
