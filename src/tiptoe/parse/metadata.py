"""What does a page say about itself in its `<meta>` and `<html>` tags?

Only what is declared: a language is what the page claims, robots directives
are given as written, a reservation of rights as far as it can be read.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final

from tiptoe.parse.links import Attributes, Element
from tiptoe.parse.rights import read_reservation
from tiptoe.text.paragraphs import clean

__all__ = ["Metadata", "read_metadata", "read_title"]

TITLE_CHARS_MAX: Final = 500
DESCRIPTION_CHARS_MAX: Final = 2_000
DIRECTIVES_MAX: Final = 20
DIRECTIVE_CHARS_MAX: Final = 1_000

_LANGUAGE = re.compile(r"\s*([a-zA-Z]{2,8}(?:[-_][a-zA-Z0-9]{1,8}){0,4})(?![\w-])")


@dataclass(slots=True)
class Metadata:
    """What a page declares."""

    language: str | None = None  # as BCP 47 writes it
    description: str | None = None
    directives: list[str] = field(default_factory=list)  # robots directives for all and for us
    tdm_reservation: bool | None = None


def read_metadata(elements: Iterable[Element], *, agent: str) -> Metadata:
    """Read the `meta` and `html` elements among those given; `agent` is our product token."""
    metadata = Metadata()
    languages: dict[str, str] = {}
    robots = ("robots", agent.lower())
    for tag, attributes in elements:
        if tag == "html":
            languages.setdefault("lang", attributes.get("lang") or attributes.get("xml:lang") or "")
        elif tag == "meta" and (content := attributes.get("content")):
            _read_meta(metadata, languages, _meta_name(attributes), content, robots)
    for source in ("lang", "content-language", "og:locale"):
        if found := _LANGUAGE.match(languages.get(source, "")[:100]):
            metadata.language = found[1].replace("_", "-")
            break
    return metadata


def read_title(text: str) -> str | None:
    """Return the text of a title element on one line, cut to a sensible length."""
    return clean(text[: 10 * TITLE_CHARS_MAX])[:TITLE_CHARS_MAX].rstrip() or None


def _meta_name(attributes: Attributes) -> str:
    name = attributes.get("name") or attributes.get("http-equiv") or attributes.get("property") or ""
    return name.strip().lower()


def _read_meta(
    metadata: Metadata, languages: dict[str, str], name: str, content: str, robots: tuple[str, str]
) -> None:
    if name in robots:
        if len(metadata.directives) < DIRECTIVES_MAX:
            metadata.directives.append(content[:DIRECTIVE_CHARS_MAX].strip())
    elif name == "description" or (name == "og:description" and metadata.description is None):
        metadata.description = clean(content[: 2 * DESCRIPTION_CHARS_MAX])[:DESCRIPTION_CHARS_MAX] or None
    elif name in ("content-language", "og:locale"):
        languages.setdefault(name, content)
    elif name == "tdm-reservation" and metadata.tdm_reservation is None:
        metadata.tdm_reservation = read_reservation(content)
