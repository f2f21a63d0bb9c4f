"""Which links of a resource are followed? The functions of Enumerate."""

import re
from collections.abc import Callable, Sequence
from itertools import islice
from typing import Final

from tiptoe.filters.definition import Directive
from tiptoe.filters.resource import Resource

__all__ = ["Choose", "chooser_of"]

LINKS_MAX: Final = 1024
"""Maximum number of links followed from one resource, unless a directive gives another."""

HREF_CHARS_MAX: Final = 4_096
_WRITTEN: Final = re.compile(rf"URL:[ \t<]*([^\s<>\"]{{1,{HREF_CHARS_MAX}}})")

Choose = Callable[[Resource, Sequence[str]], Sequence[str]]
"""Returns which links of a resource, as written there, to follow."""


def chooser_of(line: Directive) -> Choose:
    """Return the function that carries out a directive of Enumerate."""
    most = int(line.parameters.get("max", LINKS_MAX))
    wanted = line.parameters.get("type")
    if line.function == "enumerate-urls":
        return lambda resource, links: links[:most] if wanted in (None, resource.type) else ()
    if line.function == "enumerate-urls-from-text":
        return lambda resource, links: _written_in(resource, most)
    raise ValueError(f"{line.place}: {line.function} is no function of Enumerate")


def _written_in(resource: Resource, most: int) -> list[str]:
    """Return the URLs in a text."""
    if resource.facts is None:
        return []
    found = (match[1] for paragraph in resource.facts.paragraphs for match in _WRITTEN.finditer(paragraph))
    return list(islice(dict.fromkeys(found), most))
