"""What else is needed to display a page as it was, and which of it is fetched?

Images, style sheets, scripts, fonts and media, as configured, and whatever style sheets refer to in turn.
They are requests like any other: robots.txt, pauses and budgets apply. They go into the archive and never
into the corpus, and no links are followed from them except to what they need themselves.
"""

from dataclasses import dataclass, field
from typing import Final

from tiptoe.fetch.coding import decode_body
from tiptoe.fetch.outcome import Answer
from tiptoe.harvest.document import Reading
from tiptoe.harvest.mediatype import declared_charset, media_type
from tiptoe.parse.charset import decode
from tiptoe.parse.url_places import AddressRole, addresses_in
from tiptoe.url.address import host_of

__all__ = ["ROLES_BY_CHOICE", "Requisites"]

PICTURE: Final = frozenset({AddressRole.IMAGE})
PAGE: Final = PICTURE | {AddressRole.STYLE, AddressRole.SCRIPT, AddressRole.FONT}
ROLES_BY_CHOICE: Final = {"none": frozenset[AddressRole](), "images": PICTURE, "page": PAGE}
ROLES_BY_CHOICE["all"] = PAGE | {AddressRole.MEDIA}
"""What is fetched, by the value of `fetch.requisites`."""

STYLE_TYPE: Final = "text/css"
TOLD_MAX: Final = 100_000
"""Maximum URLs remembered as told; above it all are forgotten. Pages of a site mostly need the same ones."""


@dataclass(slots=True)
class Requisites:
    """Which requisites are wanted, and which the keeper was told about lately."""

    roles: frozenset[AddressRole]
    are_elsewhere: bool = True  # may lie on other hosts
    count_max: int = 200  # of one page
    bytes_max: int = 5 << 20  # of one requisite
    _told: set[str] = field(default_factory=set)

    def of_page(self, markup: str) -> list[str]:
        """Return the requisites of a page, as written there."""
        return self._chosen(markup, is_style=False)

    def of_answer(self, answer: Answer) -> Reading:
        """Read a requisite: a style sheet may need others."""
        if media_type(answer) != STYLE_TYPE or not 200 <= answer.status < 300:
            return Reading()
        body = decode_body(answer.body, answer.headers.get("content-encoding"), self.bytes_max).data
        style = decode(body, declared_charset(answer), is_html=False).text
        return Reading(requisites=self._chosen(style, is_style=True))

    def _chosen(self, text: str, *, is_style: bool) -> list[str]:
        found = addresses_in(text, is_style=is_style)
        named = dict.fromkeys(value for role, value in found if role in self.roles)
        return [value for value in named if value and not value.startswith(("data:", "#"))]

    def fresh(self, urls: list[str], page: str) -> list[str]:
        """Return those of these canonical URLs that the keeper may not know yet."""
        own = host_of(page)
        fresh = [
            url for url in urls if url not in self._told and (self.are_elsewhere or host_of(url) == own)
        ][: self.count_max]
        if len(self._told) + len(fresh) > TOLD_MAX:
            self._told.clear()
        self._told.update(fresh)
        return fresh
