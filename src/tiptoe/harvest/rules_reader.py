"""What are the rules of this origin?

Fetches robots.txt (and the text-and-data-mining reservation) of an origin when the
keeper did not send fresh rules along. Redirects within the host are followed, by
requests like any other; those to another host are left to the keeper.

Rule: rules that cannot be read are no permission. If there is a file but we cannot get
all of it, we stay out until we can.
"""

import asyncio
from collections.abc import Awaitable, Callable

import msgspec

from tiptoe.decide.fetching import PendingRequest
from tiptoe.errors import DiskFull
from tiptoe.fetch.coding import decode_body
from tiptoe.fetch.outcome import Answer, Failed
from tiptoe.harvest.document import Reading
from tiptoe.harvest.draft import Draft
from tiptoe.harvest.lane import Lane
from tiptoe.harvest.outbox import FULL_DISK_SECONDS
from tiptoe.harvest.robots_note import is_whole, robots_note
from tiptoe.harvest.tools import Tools
from tiptoe.parse.rights import read_tdmrep
from tiptoe.protocol.work import Purpose, Request, RobotsNote, RobotsState
from tiptoe.url.address import host_of, origin_of
from tiptoe.write.requestlog import RequestLog

__all__ = ["RulesReader", "is_exempt", "log_robots"]

HOPS_MAX = 5
TDMREP_PATH = "/.well-known/tdmrep.json"
UNAVAILABLE = frozenset({408, 425, 429, 502, 503, 504})
"""Statuses after which the file is tried again later. With other errors, many sites answer for files that do
not exist."""
TDMREP_BYTES_MAX = 1 << 20

Ask = Callable[[Lane, Request, str], Awaitable[Answer | Failed | None]]
"""Make one request of a lane at its pace; None when the visit ends first."""


def is_exempt(request: Request) -> bool:
    """Whether a request needs no permission: files of this machine, and the rules themselves."""
    return request.url.startswith("file:") or request.purpose is Purpose.ROBOTS


async def log_robots(request: Request, note: RobotsNote, log: RequestLog) -> None:
    """Log the rules of a robots.txt under the origin they apply to; on a full disk, wait for room."""
    # A line may have a megabyte, so it must not pile up in memory: flush the previous one first.
    while True:
        try:
            log.flush()
            break
        except DiskFull:
            await asyncio.sleep(FULL_DISK_SECONDS)
    log.write_robots(
        request.for_origin or origin_of(request.url),
        note.state.value,
        crawl_delay=note.crawl_delay,
        rules=note.rules,
    )


class RulesReader:
    """Fetches the rules of an origin during a visit."""

    def __init__(
        self, ask: Ask, tell: Callable[[Draft], None], tools: Tools, log: RequestLog, *, reads_tdmrep: bool
    ) -> None:
        self._ask = ask
        self._tell = tell
        self._tools = tools
        self._log = log
        self._reads_tdmrep = reads_tdmrep

    async def read(self, lane: Lane, origin: str, known: RobotsNote | None = None) -> RobotsNote | None:
        """Return the rules of an origin, or None when the visit ended before they arrived.

        If some of them are `known`, only the rest is fetched. Every request is reported to the keeper.
        """
        request = Request(f"{origin}/robots.txt", Purpose.ROBOTS)
        note = known or await self._robots(lane, request)
        if note is None:
            return None
        if known is None:
            await log_robots(request, note, self._log)
        hindrance = None
        if note.state is RobotsState.RULES:
            lane.rules[origin] = note  # its Crawl-delay applies from here on
            note, hindrance = await self._with_reservation(lane, request, note)
            lane.rules[origin] = note
        # Known rules are not told again: that would reset the keeper's count of failed attempts for the rest.
        for news in (note, hindrance):
            if news is not None and news != known:
                self._tell(Draft(request, reading=Reading(robots=news)))
        return note

    async def _robots(self, lane: Lane, request: Request) -> RobotsNote | None:
        url = request.url
        for _ in range(HOPS_MAX + 1):
            answer = await self._request(lane, url, "robots")
            if answer is None:
                return None
            if isinstance(answer, Failed):
                return RobotsNote(RobotsState.UNREACHABLE)
            self._tools.busy.begin(url)
            note = robots_note(answer, self._tools)
            self._tools.busy.end()
            if note.state is not RobotsState.MOVED:
                return note
            if host_of(note.location) != lane.host or note.location.startswith("file:"):
                return note
            url = note.location
        return RobotsNote(RobotsState.RULES)  # too many hops: no rules (RFC 9309, 2.3.1.2)

    async def _with_reservation(
        self, lane: Lane, request: Request, note: RobotsNote
    ) -> tuple[RobotsNote, RobotsNote | None]:
        """Add the reservation to the rules; return them, and a second note if it could not be read.

        The keeper then waits as for an unreachable robots.txt, but only the reservation is fetched again.
        """
        origin = origin_of(request.url)
        url = origin + TDMREP_PATH
        refused = self._tools.fetch.refusal(PendingRequest(url, lane.robots_of(origin)))
        if not self._reads_tdmrep or refused is not None:
            return msgspec.structs.replace(note, is_partial=False), None
        partial = msgspec.structs.replace(note, is_partial=True)
        if note.crawl_delay and note != partial:  # must be known even if we are lost meanwhile
            self._tell(Draft(request, reading=Reading(robots=partial)))
        answer = await self._request(lane, url, "tdmrep")
        reserved = self._reserved(answer) if answer is not None else None
        if reserved is not None:
            return msgspec.structs.replace(note, tdm=reserved, is_partial=False), None
        hindrance = RobotsNote(RobotsState.UNREACHABLE) if answer is not None else None
        return partial, hindrance

    def _reserved(self, answer: Answer | Failed) -> list[tuple[str, bool]] | None:
        """Return what a site reserves, nothing if it has no tdmrep.json; None if that is unknown."""
        if isinstance(answer, Failed) or answer.status in UNAVAILABLE:
            return None
        if answer.status != 200:
            return []
        self._tools.busy.begin(answer.url)
        decoded = decode_body(answer.body, answer.headers.get("content-encoding"), TDMREP_BYTES_MAX)
        rules = read_tdmrep(decoded.data, is_whole=is_whole(answer, decoded))
        self._tools.busy.end()
        return None if rules is None else [(rule.location_pattern, rule.reserved) for rule in rules]

    async def _request(self, lane: Lane, url: str, purpose: str) -> Answer | Failed | None:
        request = Request(url, Purpose.RULES_REQUEST)
        answer = await self._ask(lane, request, purpose)
        if answer is not None:
            self._tell(Draft(request, answer, rules_request=purpose))
        return answer
