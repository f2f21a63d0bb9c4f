"""What does a page say about itself in its `<meta>` and `<html>` tags?

Only what is declared: the language is what the page claims, robots directives are
returned as written, a reservation of rights only if its value is valid.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final

from tiptoe.parse.links import Attributes, Element
from tiptoe.parse.page_metadata import META_NAMES
from tiptoe.parse.rights import read_reservation
from tiptoe.text.paragraphs import clean

__all__ = ["Metadata", "read_metadata", "read_named", "read_title"]

DECLARING: Final = ("meta", "html")
TITLE_CHARS_MAX: Final = 500
VALUE_CHARS_MAX: Final = 5_000
VALUES_MAX: Final = 50
"""Maximum number of values of one name, such as authors; further ones are ignored."""

DIRECTIVES_MAX: Final = 20
DIRECTIVE_CHARS_MAX: Final = 1_000
NAMED_MAX: Final = 100
NAMED_CHARS_MAX: Final = 2_000
NAME_CHARS_MAX: Final = 100
NAMED_BY: Final = ("name", "http-equiv", "property", "itemprop")
AS_HEADERS: Final = frozenset({"expires", "content-language", "last-modified"})
"""Header fields that a page may declare itself with `http-equiv`."""

_LANGUAGE = re.compile(r"\s*([a-zA-Z]{2,8}(?:[-_][a-zA-Z0-9]{1,8}){0,4})(?![\w-])")


@dataclass(slots=True)
class Metadata:
    """What a page declares in its tags."""

    language: str | None = None  # in the form of BCP 47
    named: dict[str, list[str]] = field(default_factory=dict)  # descriptions of the page, by name
    directives: list[str] = field(default_factory=list)  # robots directives for all and for us
    tdm_reservation: bool | None = None
    elements: list[Element] = field(default_factory=list)  # the `meta` and `html` elements


def read_metadata(elements: Iterable[Element], *, agent: str) -> Metadata:
    """Read the `meta` and `html` elements among those given; `agent` is our product token."""
    # Nearly all elements are links: they are skipped once, for all who read the others.
    metadata = Metadata(elements=[element for element in elements if element[0] in DECLARING])
    languages: dict[str, str] = {}
    robots = ("robots", "x-robots-tag", agent.lower())  # some pages use the header's name by mistake
    for tag, attributes in metadata.elements:
        if tag == "html":
            languages.setdefault("lang", attributes.get("lang") or attributes.get("xml:lang") or "")
        elif content := attributes.get("content"):
            for name in _meta_names(attributes):
                _read_meta(metadata, languages, name, content, robots)
    for source in ("lang", "content-language", "og:locale"):
        if found := _LANGUAGE.match(languages.get(source, "")[:100]):
            metadata.language = found[1].replace("_", "-")
            break
    return metadata


def read_named(elements: Iterable[Element]) -> dict[str, str]:
    """Return the contents of META tags, by their names in lower case; the first of each name counts."""
    named: dict[str, str] = {}
    for tag, attributes in elements:
        if tag != "meta" or not (content := attributes.get("content")):
            continue
        name = (attributes.get("name") or "").strip().lower()
        if not name:
            name = (attributes.get("http-equiv") or "").strip().lower()
            name = name if name in AS_HEADERS else ""
        if name and len(name) <= NAME_CHARS_MAX and name not in named:
            named[name] = clean(content[: 2 * NAMED_CHARS_MAX])[:NAMED_CHARS_MAX]
            if len(named) >= NAMED_MAX:
                break
    return named


def read_title(text: str) -> str | None:
    """Return the text of a title element on one line, cut to a sensible length."""
    return clean(text[: 10 * TITLE_CHARS_MAX])[:TITLE_CHARS_MAX].rstrip() or None


def _meta_names(attributes: Attributes) -> dict[str, None]:
    """Return the names of a tag; it may have one in each vocabulary: `name=title property=og:title`."""
    return dict.fromkeys([value.strip().lower() for key in NAMED_BY if (value := attributes.get(key))])


def _read_meta(
    metadata: Metadata, languages: dict[str, str], name: str, content: str, robots: tuple[str, ...]
) -> None:
    if name in robots:
        if len(metadata.directives) < DIRECTIVES_MAX:
            metadata.directives.append(content[:DIRECTIVE_CHARS_MAX].strip())
    elif name in META_NAMES:
        said = metadata.named.setdefault(name, [])
        if len(said) < VALUES_MAX:
            said.append(content[:VALUE_CHARS_MAX])
    elif name in ("content-language", "og:locale"):
        languages.setdefault(name, content)
    elif name == "tdm-reservation" and metadata.tdm_reservation is None:
        metadata.tdm_reservation = read_reservation(content)
