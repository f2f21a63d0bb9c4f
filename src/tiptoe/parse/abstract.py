"""What does a page say about itself to machines?

Its descriptions (`<meta>`) and its structured data (JSON-LD) as they are written. They
are not parsed; paragraphs are only searched for in them (`tiptoe.text.quoted`).
"""

from collections.abc import Mapping
from typing import Final

__all__ = ["Abstract"]

CHARS_MAX: Final = 20_000
"""Maximum length of all descriptions together; the rest is ignored."""

_DESCRIPTIONS: Final = frozenset({"description", "og:description"})
_STRUCTURED: Final = "application/ld+json"


class Abstract:
    """The descriptions and structured data found so far."""

    __slots__ = ("chars_left", "found")

    def __init__(self) -> None:
        self.found: list[str] = []
        self.chars_left = CHARS_MAX

    def add(self, text: str) -> None:
        """Add a description or structured data."""
        if self.chars_left > 0 and text:
            self.found.append(text[: self.chars_left])
            self.chars_left -= len(text)

    def add_meta(self, attributes: Mapping[str, str | None]) -> None:
        """Add what a `<meta>` says, if it is a description."""
        kind = attributes.get("name") or attributes.get("property") or ""
        if kind.lower() in _DESCRIPTIONS:
            self.add(attributes.get("content") or "")

    @staticmethod
    def is_structured(attributes: Mapping[str, str | None]) -> bool:
        """Tell whether a script with such attributes contains structured data."""
        return (attributes.get("type") or "").strip().lower() == _STRUCTURED

    @property
    def text(self) -> str:
        """What was found, on lines of its own."""
        return "\n".join(self.found)
