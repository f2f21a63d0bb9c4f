"""What do structured data contain at a path such as `Product.offers.price`?

A path is a type, or `*` for any, followed by names of properties. All items of lists are followed, and
references are resolved. The value is a text, a number, or the name of an object.
"""

import re
from collections.abc import Iterator
from typing import Final

from tiptoe.fields.page_tree import PageTree
from tiptoe.parse.jsonld import types_of

__all__ = ["JsonldError", "JsonldPath", "compile_jsonld"]

VALUES_MAX: Final = 200
NAMES_MAX: Final = 10
_NAME = re.compile(r"@?[\w:-]+")


class JsonldError(ValueError):
    """A path that cannot be used; says why, and what to try."""


class JsonldPath:
    """A compiled path."""

    def __init__(self, type: str, names: tuple[str, ...]) -> None:
        self._type = type
        self._names = names

    def select(self, page: PageTree) -> list[str]:
        """Return the values at this path, in order."""
        found: list[str] = []
        for node in page.structured.nodes:
            page.budget.spend()
            if self._type == "*" or self._type in types_of(node):
                for value in self._follow(page, node, self._names):
                    if (text := _text(value)) is not None:
                        found.append(text)
                    if len(found) >= VALUES_MAX:
                        return found
        return found

    def _follow(self, page: PageTree, value: object, names: tuple[str, ...]) -> Iterator[object]:
        if not names:
            yield value
        elif isinstance(value, dict):
            for inner in page.structured.each(value.get(names[0])):
                page.budget.spend()
                yield from self._follow(page, inner, names[1:])


def compile_jsonld(path: str) -> JsonldPath:
    """Compile a path; JsonldError says what is wrong with it."""
    type, *names = path.strip().split(".")
    if not names:
        raise JsonldError(f"{path!r} has no property; a path looks like Product.offers.price or *.isbn")
    if len(names) > NAMES_MAX:
        raise JsonldError(f"more than {NAMES_MAX} properties")
    for name in names if type == "*" else (type, *names):
        if not _NAME.fullmatch(name):
            raise JsonldError(f"{name!r} is no name of a type or property, as Product and price are")
    return JsonldPath(type, tuple(names))


def _text(value: object) -> str | None:
    if isinstance(value, dict):
        value = value.get("name") or value.get("@value") or value.get("@id")
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return repr(value)
    return value if isinstance(value, str) else None
