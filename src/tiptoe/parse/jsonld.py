"""What do the structured data of a page say?

JSON-LD in scripts: objects with types, nested, or listed in a graph and referring to each other by `@id`.
Nothing is looked up elsewhere: names are taken to be those of schema.org. Pages often make mistakes; whatever
is readable is read. Size, number and depth of objects are bounded.
"""

import json
import re
from collections.abc import Iterable, Iterator
from typing import Any, Final, TypeAlias

import msgspec

__all__ = ["Node", "StructuredData", "types_of"]

Node: TypeAlias = dict[str, Any]

SCRIPT_CHARS_MAX: Final = 300_000
SCRIPTS_CHARS_MAX: Final = 600_000
SCRIPTS_MAX: Final = 50
NODES_MAX: Final = 3_000
DEPTH_MAX: Final = 20
LISTED_MAX: Final = 200
"""Maximum number of items read from one list."""

_OPENINGS: Final = ("<!--", "//<![CDATA[", "// <![CDATA[", "/*<![CDATA[*/", "<![CDATA[")
_ENDINGS: Final = ("-->", "//]]>", "// ]]>", "/*]]>*/", "]]>", ";")
"""Wrapped around JSON by pages that hide it from old browsers."""

_TRAILING_COMMA = re.compile(r",(\s*[}\]])")
_decode: Final = msgspec.json.Decoder().decode


class StructuredData:
    """All objects of a page, outer ones before those nested in them."""

    def __init__(self, scripts: Iterable[str] = ()) -> None:
        self.nodes: list[Node] = []
        self._by_id: dict[str, Node] = {}
        chars_left = SCRIPTS_CHARS_MAX
        for number, script in enumerate(scripts):
            chars_left -= len(script)
            if number >= SCRIPTS_MAX or chars_left < 0:
                break
            self._collect(_read_script(script))

    def __bool__(self) -> bool:
        return bool(self.nodes)

    def resolve(self, value: object) -> object:
        """Return the object that a reference points to; any other value as it is."""
        if isinstance(value, dict) and "@id" in value and len(value) <= 2:  # with its type, at most
            target = value["@id"]
            return self._by_id.get(target, value) if isinstance(target, str) else value
        return value

    def each(self, value: object) -> Iterator[object]:
        """Yield a value, or each item of a list, with references resolved."""
        if isinstance(value, list):
            for item in value[:LISTED_MAX]:
                yield self.resolve(item)
        elif value is not None:
            yield self.resolve(value)

    def _collect(self, value: object) -> None:
        """Collect the objects in a value, breadth first; not recursively, since it may be nested deeply."""
        level = [value]
        for _ in range(DEPTH_MAX):
            below: list[object] = []
            for one in level:
                if isinstance(one, list):
                    below += one
                elif isinstance(one, dict):
                    self._add(one)
                    below += [inner for inner in one.values() if isinstance(inner, dict | list)]
                if len(self.nodes) >= NODES_MAX or len(below) > NODES_MAX:
                    return
            if not below:
                return
            level = below

    def _add(self, node: Node) -> None:
        if len(node) > 1 or "@id" not in node:
            self.nodes.append(node)
            name = node.get("@id")
            if isinstance(name, str) and len(node) > len(self._by_id.get(name, ())):
                self._by_id[name] = node


def types_of(node: Node) -> list[str]:
    """Return the types of an object, without the vocabulary in front of them."""
    given = node.get("@type")
    listed = given if isinstance(given, list) else [given]
    return [one.rpartition("/")[2].rpartition(":")[2] for one in listed if isinstance(one, str)]


def _read_script(text: str) -> object:
    """Return the content of a script; None if it is not JSON, or too long."""
    if len(text) > SCRIPT_CHARS_MAX:
        return None
    try:
        return _decode(text)
    except (msgspec.DecodeError, ValueError, RecursionError):
        return _read_faulty(text)


def _read_faulty(text: str) -> object:
    """Read JSON with the usual mistakes: in a comment, with line breaks in strings, with trailing commas."""
    text = text.strip()
    for opening, ending in zip(_OPENINGS, _ENDINGS, strict=False):
        text = text.removeprefix(opening).removesuffix(ending).strip()
    text = _TRAILING_COMMA.sub(r"\1", text.removesuffix(_ENDINGS[-1]))
    try:
        return json.loads(text, strict=False)
    except (ValueError, RecursionError):
        return None
