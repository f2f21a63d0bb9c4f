"""Is something that a page hides shown to whoever clicks, or to nobody?

Answers of an accordion, tabs and "read more" are text of the page: they are hidden only to save room.
Notices, dialogs, menus and forms wait for an occasion, and templates and spam for no reader at all.

A *panel* says what it is by its role or its names, or is known to a control (`aria-controls`); anything
else is read if it holds prose. What is mostly links, or has the name of an overlay, is neither.

Rule: no words of a human language. People name the parts of their pages in English whatever they write.
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
"""Maximum length of what is read of a hidden element; the rest is like its beginning."""

PANEL_LINKED_MAX, PROSE_LINKED_MAX = 0.5, 0.3
"""Shares of the text in links above which an element is a menu."""

PROSE_LENGTH_MIN: Final = 100
SENTENCE_LENGTH_MIN, SENTENCE_LENGTH_MAX = 25, 400
UNMARKED_LENGTH_MIN: Final = 100
"""Minimum length of a text that needs no full stops where its script has none (Thai, Lao)."""

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
        """Count the texts of an element, as they stand between its tags: those in links and all others."""
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
        """True if there is enough of sentences to be worth reading by itself."""
        if self.length < PROSE_LENGTH_MIN or self.linked > PROSE_LINKED_MAX * self.length:
            return False
        if self.unspaced >= UNMARKED_LENGTH_MIN:
            return True
        return SENTENCE_LENGTH_MIN * self.ends <= self.length <= SENTENCE_LENGTH_MAX * self.ends


def is_overlay(tag: str, attributes: Mapping[str, str | None], *, is_above: bool = False) -> bool:
    """Tell whether an element, or one above it, is named as what lies over a page or leads away from it."""
    if tag == "dialog" or (attributes.get("role") or "").strip().lower() in _OVERLAY_ROLES:
        return True
    if (attributes.get("aria-modal") or "").strip().lower() == "true":
        return True
    return bool(_signs(tag, attributes) & (_OVERLAY_ABOVE if is_above else _OVERLAY))


def is_panel(tag: str, attributes: Mapping[str, str | None]) -> bool:
    """Tell whether an element says itself that a control shows it."""
    if (attributes.get("role") or "").strip().lower() in _PANEL_ROLES:
        return True
    if _signs(tag, attributes) & _PANEL:
        return True
    return any(_ANSWER.search(attributes.get(name) or "") for name in ("class", "id"))


def is_shown_later(prose: Prose, *, is_panel: bool) -> bool:
    """Tell whether such a text, hidden in an element that is no overlay, is text of the page."""
    if prose.has_placeholder or not prose.length:
        return False
    return prose.is_long or (is_panel and prose.linked <= PANEL_LINKED_MAX * prose.length)


def _signs(tag: str, attributes: Mapping[str, str | None]) -> int:
    names = [name for key in ("class", "id") if (name := attributes.get(key))]
    return read_signs(tag, " ".join(names)[:200])
