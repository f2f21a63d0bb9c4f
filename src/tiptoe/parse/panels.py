"""Is a hidden part of a page text that readers can open, or not?

Accordions, tabs and "read more" are text of the page: they are hidden only to save room. Notices, dialogs,
menus and forms are shown on some occasion, templates and spam never.

A *panel* is recognised by its role or names, or because a control refers to it (`aria-controls`); any other
element is read if it contains prose. An element that is mostly links or is named like an overlay is never
read.

Rule: no words of a human language, except in names: authors use English names whatever their language.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from tiptoe.text.density import count_unspaced, length_of
from tiptoe.text.punctuation import OTHER_ENDS
from tiptoe.text.signs import SIGNS, read_signs

__all__ = ["CHARS_MAX", "Prose", "is_overlay", "is_panel", "is_shown_later"]

CHARS_MAX: Final = 1_000
"""Maximum length of text read of a hidden element, which is judged by its beginning."""

PANEL_LINKED_MAX, PROSE_LINKED_MAX = 0.5, 0.3
"""Maximum share of the text in links, for panels and for other elements; above it an element is a menu."""

PROSE_LENGTH_MIN: Final = 100
SENTENCE_LENGTH_MIN, SENTENCE_LENGTH_MAX = 25, 400
UNMARKED_LENGTH_MIN: Final = 100
"""Minimum length of text in a script without spaces (Thai, Lao) that passes for prose without full stops."""

_ENDS = re.compile(rf"[.!?…](?=[\"')\]»“”’\s]|\Z)|[{re.escape(OTHER_ENDS)}]")
_PLACEHOLDER = re.compile(r"\{\{|\}\}|\{%|<%|\$\{|\[\[|\*\* ?\w+ ?\*\*|%\w+%")
_PANEL_ROLES: Final = frozenset({"tabpanel", "region"})
_OVERLAY_ROLES: Final = frozenset({"dialog", "alertdialog", "alert", "status", "menu", "tooltip", "listbox"})


def _bits(*signs: str) -> int:
    return sum(1 << SIGNS.index(sign) for sign in signs)


_PANEL: Final = _bits("panel")
_ANSWER = re.compile(r"\banswer|\bfaq", re.IGNORECASE)
_OVERLAY: Final = _bits(
    "overlay", "cookie", "login", "search", "menu", "nav", "<nav>", "advert", "newsletter", "cart", "form",
    "<form>", "button", "<button>", "share", "footer", "<footer>",
)  # fmt: skip
_OVERLAY_ABOVE: Final = _bits("overlay", "cookie", "menu", "nav", "<nav>")


@dataclass(frozen=True, slots=True)
class Prose:
    """What was counted in a hidden element."""

    length: int  # of all text
    linked: int  # of that in links
    ends: int  # of sentences
    unspaced: int
    has_placeholder: bool

    @classmethod
    def of(cls, texts: Iterable[str], linked_texts: Iterable[str]) -> "Prose":
        """Count the texts of an element, given as they are between its tags: outside and inside links."""
        text = " ".join(" ".join(texts).split())
        linked = length_of(" ".join(" ".join(linked_texts).split()))
        return cls(
            length=length_of(text) + linked,
            linked=linked,
            ends=len(_ENDS.findall(text)),
            unspaced=0 if text.isascii() else count_unspaced(text.encode("utf-8", "surrogatepass")),
            has_placeholder=_PLACEHOLDER.search(text) is not None,
        )

    @property
    def is_long(self) -> bool:
        """True if there are enough sentences to be worth reading by themselves."""
        if self.length < PROSE_LENGTH_MIN or self.linked > PROSE_LINKED_MAX * self.length:
            return False
        if self.unspaced >= UNMARKED_LENGTH_MIN:
            return True
        return SENTENCE_LENGTH_MIN * self.ends <= self.length <= SENTENCE_LENGTH_MAX * self.ends


def is_overlay(tag: str, attributes: Mapping[str, str | None], *, is_above: bool = False) -> bool:
    """Tell whether an element (or, with `is_above`, one around it) has the name or role of an overlay."""
    if tag == "dialog" or (attributes.get("role") or "").strip().lower() in _OVERLAY_ROLES:
        return True
    if (attributes.get("aria-modal") or "").strip().lower() == "true":
        return True
    return bool(_signs(tag, attributes) & (_OVERLAY_ABOVE if is_above else _OVERLAY))


def is_panel(tag: str, attributes: Mapping[str, str | None]) -> bool:
    """Tell whether an element has the role or name of a panel."""
    if (attributes.get("role") or "").strip().lower() in _PANEL_ROLES:
        return True
    if _signs(tag, attributes) & _PANEL:
        return True
    return any(_ANSWER.search(attributes.get(name) or "") for name in ("class", "id"))


def is_shown_later(prose: Prose, *, is_panel: bool) -> bool:
    """Tell whether this text, hidden in an element that is not an overlay, is text of the page."""
    if prose.has_placeholder or not prose.length:
        return False
    return prose.is_long or (is_panel and prose.linked <= PANEL_LINKED_MAX * prose.length)


def _signs(tag: str, attributes: Mapping[str, str | None]) -> int:
    names = [name for key in ("class", "id") if (name := attributes.get(key))]
    return read_signs(tag, " ".join(names)[:200])
