"""What does each HTML element do to the text around it?

One table; an element that is not in it is inline: it neither ends a paragraph
nor adds a space, and its text is read (`<b>`, `<span>`, `<q>`, unknown ones).
The choices are those of a corpus: running text in, controls and code out.
"""

import enum
import re
from collections.abc import Mapping
from typing import Final

__all__ = ["ROLES", "SPACED", "ElementDisplay", "Role", "display_of"]


class Role(enum.Enum):
    """What an element means for paragraphs."""

    BLOCK = "block"  # ends the paragraph before it and after it
    BREAK = "break"  # ends the paragraph before it
    LINE = "line"  # ends a line; two of them end the paragraph
    VERBATIM = "verbatim"  # a block whose line breaks end paragraphs too
    SPACE = "space"  # separates words; has no text
    LEFT_OUT = "left_out"  # neither it nor anything inside it is text


_BLOCKS = (
    # sections, headings and grouping: display:block in the HTML standard's style sheet
    "address article aside blockquote center dd details dialog dir div dl dt fieldset figcaption figure "
    "footer form h1 h2 h3 h4 h5 h6 header hgroup legend li main marquee menu nav ol p search section "
    "summary ul "
    "table "
    # inline-block to a browser, but never part of the sentence beside it
    "button meter progress optgroup option"
)
# A cell is followed by a cell or by the end of its table: the parser leaves nothing else there.
_BREAKS = "hr caption td th"
_LINES = "br"
_VERBATIM = "pre listing"
_SPACES = "input"

_LEFT_OUT: Mapping[str, str] = {
    # element(s)                    why
    "script style":                 "code",
    "template":                     "not shown until a script makes use of it",
    "svg":                          "drawing; its title and labels describe pictures",
    "math annotation":              "formulas are not words, and annotations repeat them as TeX",
    "object applet canvas audio video": "what stands inside is for browsers that cannot show it",
    "iframe noembed noframes xmp plaintext": "the parser reads them raw: tags would get through as text",
    "textarea":                     "raw as well; holds embed codes and drafts, not prose",
    "select datalist":              "lists of choices",
    "title":                        "read as metadata; in the body it belongs to a drawing",
    "rp rt rtc":                    "readings above ruby text would double the words",
}  # fmt: skip


def _roles() -> dict[str, Role]:
    roles = dict.fromkeys(_BLOCKS.split(), Role.BLOCK)
    roles |= dict.fromkeys(_BREAKS.split(), Role.BREAK)
    roles |= dict.fromkeys(_LINES.split(), Role.LINE)
    roles |= dict.fromkeys(_VERBATIM.split(), Role.VERBATIM)
    roles |= dict.fromkeys(_SPACES.split(), Role.SPACE)
    for names in _LEFT_OUT:
        roles |= dict.fromkeys(names.split(), Role.LEFT_OUT)
    return roles


ROLES: Final[Mapping[str, Role]] = _roles()

SPACED: Final = frozenset({"select", "textarea", "object", "applet", "canvas", "audio", "video", "iframe"})
"""What is left out but takes up room between two words; scripts and readings may stand within one."""


class ElementDisplay(enum.Enum):
    """How an element is shown, as far as its own attributes say more than its name."""

    AS_USUAL = "as usual"
    NONE = "none"
    BLOCK = "block"
    BLOCK_OF_BLOCKS = "block of blocks"  # its children are blocks, too


_DISPLAYS: Final[Mapping[str, ElementDisplay]] = {
    "none": ElementDisplay.NONE,
    **dict.fromkeys(
        ("block", "flow-root", "list-item", "table", "table-row", "table-cell", "table-caption",
         "table-row-group", "table-header-group", "table-footer-group"), ElementDisplay.BLOCK,
    ),
    **dict.fromkeys(
        ("flex", "grid", "inline-flex", "inline-grid", "-webkit-flex", "-webkit-box", "-ms-flexbox",
         "-ms-grid"), ElementDisplay.BLOCK_OF_BLOCKS,
    ),
}  # fmt: skip


_DISPLAY = re.compile(r"(?<![\w-])display\s*:\s*([\w-]+)", re.IGNORECASE)


def display_of(tag: str, attributes: Mapping[str, str | None]) -> ElementDisplay:
    """Tell how an element is shown, as its own attributes have it.

    `aria-hidden` hides from screen readers what is shown to everybody else, and
    `hidden=until-found` is meant to be found: both are shown. So is a body that
    waits for a script to show it, and what React streams (`<div hidden id="S:0">`)
    for its script to put in place.
    """
    if tag == "body":
        return ElementDisplay.AS_USUAL
    if "hidden" in attributes and not (attributes.get("id") or "").startswith("S:"):
        is_found = (attributes["hidden"] or "").strip().lower() == "until-found"
        return ElementDisplay.AS_USUAL if is_found else ElementDisplay.NONE
    style = attributes.get("style")
    if style:
        # The last word counts, and whether it is important does not matter here.
        values = _DISPLAY.findall(style)
        if values and (value := values[-1].lower()) in _DISPLAYS:
            return _DISPLAYS[value]
    return ElementDisplay.NONE if tag == "dialog" and "open" not in attributes else ElementDisplay.AS_USUAL
