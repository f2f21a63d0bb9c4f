"""Can a peer's message be trusted?

The decoder checks types; this module checks what the frontier takes for granted beyond
them. A message is validated before its step begins: a step that fails half-way ends the
keeper, while a message that makes no sense only ends the connection of its sender.

Rule: O(1) for each result, for each host it links to and for each URL it names apart from links, which arrive
by the thousand a second.
"""

import hmac
import ipaddress
import re
from collections.abc import Mapping
from typing import Final

from tiptoe.errors import ProtocolError
from tiptoe.frontier.patience import FAILURES
from tiptoe.protocol.messages import (
    PROTOCOL_VERSION,
    Denial,
    Hello,
    Inquiry,
    Lookup,
    News,
    Refusal,
    Resolutions,
)
from tiptoe.protocol.work import Purpose, Question, Report, Request, Result
from tiptoe.url.address import KEY_BYTES, host_of
from tiptoe.url.dropped import Dropped
from tiptoe.write.output_kinds import harvester_of

__all__ = ["refusal_of", "validate"]

PAGE_KEY_BYTES: Final = 2 * KEY_BYTES
REASONS: Final = frozenset(Dropped)
MARK_MAX: Final = 1 << 63
PLAIN_NAME: Final = re.compile(r"\w[\w.-]{0,63}", re.ASCII)
"""Valid name of a harvester; its files are named after it."""

REFUSALS: Final[Mapping[Denial, str]] = {
    Denial.VERSION: "this keeper speaks version {ours}, you speak {yours}",
    Denial.TOKEN: "wrong token; the right one stands in the file that harvest.token_file names",
    Denial.ROLE: "commands are taken on the machine of the keeper only",
    Denial.NAME: "a harvester's name is at most 64 letters, digits, '_', '.' and '-'; choose another --name",
    Denial.CRAWL: "this keeper serves another crawl than the one whose files lie there; choose another --out",
}


def refusal_of(hello: Hello, token: str, *, needs_token: bool, crawl: str = "") -> Refusal | None:
    """Return why a peer is not let in; None if it is."""
    why = _denial_of(hello, token, needs_token=needs_token, crawl=crawl)
    if why is None:
        return None
    text = REFUSALS[why].format(ours=PROTOCOL_VERSION, yours=hello.version)
    return Refusal(text, why)


def _denial_of(hello: Hello, token: str, *, needs_token: bool, crawl: str) -> Denial | None:
    if hello.version != PROTOCOL_VERSION:
        return Denial.VERSION
    if needs_token and not hmac.compare_digest(hello.token.encode(), token.encode()):
        return Denial.TOKEN
    if needs_token and hello.role != "harvester":
        return Denial.ROLE
    if hello.role == "harvester" and not PLAIN_NAME.fullmatch(hello.name):
        return Denial.NAME
    if hello.crawl not in ("", crawl):
        return Denial.CRAWL
    return None


def validate(message: object, incarnation: str) -> None:
    """Raise ProtocolError if a harvester's message cannot be true."""
    try:
        if isinstance(message, News):
            for report in message.reports:
                _validate_report(report)
            _validate_marks(message.marks, incarnation)
            _validate_discards(message.discards)
            if message.judged is not None and min(message.judged.rated, message.judged.missed) < 0:
                raise ProtocolError("fewer than no texts were judged")
        elif isinstance(message, Resolutions):
            for lookup in message.lookups:
                _validate_lookup(lookup)
        elif isinstance(message, Inquiry):
            for question in message.questions:
                _validate_url(question)
    except ValueError as error:  # from a bad URL or port
        raise ProtocolError(f"a message that makes no sense: {error}") from error


def _validate_report(report: Report) -> None:
    for result in report.results:
        _validate_result(result)
    for request in report.returned:
        _validate_url(request)


def _validate_result(result: Result) -> None:
    _validate_url(result.request)
    if result.failure and result.failure not in FAILURES:
        raise ProtocolError(f"{result.failure!r}: a failure that this keeper does not know")
    if result.source not in (None, Purpose.SITEMAP, Purpose.FEED):
        raise ProtocolError(f"{result.request.url}: not a page, and no source of links either")
    for url in (result.redirect, *result.feeds, *result.sitemaps, *result.requisites):
        host_of(url)
    for hint in result.hints:
        host_of(hint.url)
    if result.robots is not None:
        for url in (result.request.for_origin, result.robots.location, *result.robots.sitemaps):
            host_of(url)
    for links in result.links:
        if len(links.keys) != PAGE_KEY_BYTES * len(links.urls):
            raise ProtocolError(f"{links.host}: {len(links.urls)} links, and {len(links.keys)} bytes of keys")


def _validate_url(asked: Request | Question) -> None:
    host_of(asked.url)


def _validate_lookup(lookup: Lookup) -> None:
    if lookup.address:
        if lookup.host:  # file: URLs have no host, so no address either
            ipaddress.ip_address(lookup.address)
    elif lookup.failure not in FAILURES:
        raise ProtocolError(f"{lookup.host}: neither an address nor a failure that this keeper knows")


def _validate_discards(discards: Mapping[str, int]) -> None:
    """Raise ProtocolError for unknown reasons or negative counts: they are added up for good, by name."""
    for name, count in discards.items():
        if name not in REASONS or count < 0:
            raise ProtocolError(f"{name!r}: {count} drops for a reason that this keeper does not know")


def _validate_marks(marks: Mapping[str, int], incarnation: str) -> None:
    """Raise ProtocolError for marks of others' files: a mark without a file would break every start."""
    for name, size in marks.items():
        if not f"-{harvester_of(name)}".endswith(f"-{incarnation}"):
            raise ProtocolError(f"{name!r}: a mark for a file that this harvester does not write")
        if not 0 <= size < MARK_MAX:
            raise ProtocolError(f"{name!r}: a mark at {size} bytes")
