"""What does a filter know about a resource?

*Sources* are named values inside the robot; *fields* make up the description. They are separate: a source
becomes a field only if a directive says so.

    MetaData   url protocol host path depth csid, the names of the filters; ip once it is known
    Data       also content-type content-charset content-length content-encoding content-language expires
               last-modified, and the META tags of the page
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from tiptoe.url.address import UrlParts, split_url

__all__ = ["Heading", "PageFacts", "Resource", "port_of"]

DEFAULT_PORTS: Final = {"http": 80, "https": 443, "ftp": 21}
HEADER_SOURCES: Final = ("content-encoding", "content-language", "expires", "last-modified")
SOURCE_CHARS_MAX: Final = 2_000
OURS: Final = frozenset({"type", "md5", "ip", "rd-expires", "rd-last-modified"})
"""Sources that are set by functions: no page may set them."""

Heading = tuple[int, str]
"""A heading: its level from 1 to 6, and its text."""


@dataclass(slots=True, kw_only=True)
class PageFacts:
    """The contents of an answer; anything that may be endless is limited where it is read."""

    headers: Mapping[str, str]  # by lower-case name
    media_type: str = ""  # empty: its server does not give one
    charset: str = ""
    body: bytes = b""  # content coding undone
    meta: Mapping[str, str] = field(default_factory=dict)  # by lower-case name
    title: str = ""
    headings: Sequence[Heading] = ()
    paragraphs: Sequence[str] = ()  # of its text, as far as it may be indexed
    is_partial: bool = False  # a part must not be indexed: what is stored is more than these
    moment: float = 0.0  # when it was fetched, seconds since 1970


def port_of(parts: UrlParts) -> int:
    """Return the port of a URL; 0 if its scheme has none."""
    return parts.port or DEFAULT_PORTS.get(parts.scheme, 0)


class Resource:
    """One resource in one chain.

    Functions of other packages get this object: they read and set `sources`, in Generate `fields`, in
    Enumerate `links`; `facts` is None until the answer is known.
    """

    __slots__ = ("_host_port", "depth", "facts", "fields", "ip", "links", "sources", "url")

    def __init__(self, url: str, depth: int, base: Mapping[str, str], *, ip: str | None = None) -> None:
        parts = split_url(url)
        scheme, host = parts.scheme, parts.host
        self.url = url
        self.depth = depth
        self.ip = ip  # None: not known yet
        self._host_port = port_of(parts)
        self.sources: dict[str, str] = {
            **base,
            "url": url,
            "protocol": scheme,
            "host": host,
            "path": parts.path.partition("?")[0],
            "depth": str(depth),
        }
        if ip:
            self.sources["ip"] = ip
        self.facts: PageFacts | None = None
        self.fields: dict[str, list[str]] = {}
        self.links: list[str] = []

    @property
    def port(self) -> int:
        """The port of the URL; 0 if its scheme has none."""
        return self._host_port

    @property
    def host_and_port(self) -> str:
        """Host and port as `name:80`, the other form in which filters may write a host."""
        return f"{self.sources.get('host', '')}:{self._host_port}"

    def receive(self, facts: PageFacts) -> None:
        """Add the sources from an answer; its headers take precedence over its META tags."""
        self.facts = facts
        sources = self.sources
        for name, value in facts.meta.items():
            if name not in OURS:
                sources.setdefault(name, value[:SOURCE_CHARS_MAX])
        for name in HEADER_SOURCES:
            if given := facts.headers.get(name):
                sources[name] = given[:SOURCE_CHARS_MAX]
        sources["content-length"] = str(len(facts.body))
        if facts.media_type:
            sources["content-type"] = facts.media_type
        else:
            sources.pop("content-type", None)
        if facts.charset:
            sources["content-charset"] = facts.charset

    @property
    def type(self) -> str:
        """The type that directives use: the assigned one, else the server's, else `unknown`."""
        return self.sources.get("type") or self.sources.get("content-type") or "unknown"

    def add_field(self, name: str, values: Iterable[str]) -> None:
        """Add values to a field of the description."""
        known = self.fields.setdefault(name, [])
        known += [value for value in values if value and value not in known]
