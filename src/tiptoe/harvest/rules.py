"""May we ask this origin for that path?

Asks for robots.txt (and the text-and-data-mining reservation) of an origin
when the keeper did not send fresh rules along. Redirects within the host are
followed as requests like any other; those to another host are the keeper's
business.
"""

from collections.abc import Awaitable, Callable

import msgspec

from tiptoe.fetch.coding import decode_body
from tiptoe.fetch.outcome import Answer, Failed
from tiptoe.fetch.robots import Robots
from tiptoe.frontier.messages import Purpose, Request, Result, RobotsNote, RobotsState
from tiptoe.frontier.patience import PATIENCE, trouble_of
from tiptoe.harvest.journey import log_robots, retry_after, robots_note
from tiptoe.harvest.lane import Lane
from tiptoe.harvest.tools import Tools
from tiptoe.parse.rights import read_tdmrep
from tiptoe.url.address import host_of, split_url

__all__ = ["RulesReader", "is_allowed", "is_exempt"]

HOPS_MAX = 5
TDMREP_PATH = "/.well-known/tdmrep.json"
TDMREP_BYTES_MAX = 1 << 20

Ask = Callable[[Lane, Request, str], Awaitable[Answer | Failed | None]]
"""Make one request of a lane, politely; None when the visit ends before it."""


def is_exempt(request: Request) -> bool:
    """Whether a request needs no leave: files of this machine, and the rules themselves."""
    return request.url.startswith("file:") or request.purpose is Purpose.ROBOTS


def is_allowed(note: RobotsNote, url: str) -> bool:
    """Whether these rules let us ask for a URL."""
    if not note.rules:
        return True
    return Robots(rules=tuple(note.rules)).allows(split_url(url).path)


class RulesReader:
    """Gets the rules of an origin in the course of a visit."""

    def __init__(self, ask: Ask, tell: Callable[[Result], None], tools: Tools, *, reads_tdmrep: bool) -> None:
        self._ask = ask
        self._tell = tell
        self._tools = tools
        self._reads_tdmrep = reads_tdmrep

    async def read(self, lane: Lane, origin: str, known: RobotsNote | None = None) -> RobotsNote | None:
        """Return the rules of an origin, or None when the visit ended before they were there.

        Of what is `known` already only the rest is asked for. The keeper hears of everything that was asked.
        """
        request = Request(f"{origin}/robots.txt", Purpose.ROBOTS)
        note = known or await self._robots(lane, request)
        if note is None:
            return None
        if known is None:
            log_robots(request, note, self._tools)
        if note.state is RobotsState.RULES:
            lane.rules[origin] = note  # its Crawl-delay counts from here on
            if self._reads_tdmrep and is_allowed(note, origin + TDMREP_PATH):
                note = await self._with_reservation(lane, origin, note)
            elif note.is_partial:
                note = msgspec.structs.replace(note, is_partial=False)
            lane.rules[origin] = note
        self._tell(Result(request, robots=note))
        return note

    async def _robots(self, lane: Lane, request: Request) -> RobotsNote | None:
        url = request.url
        for _ in range(HOPS_MAX + 1):
            answer = await self._errand(lane, url, "robots")
            if answer is None:
                return None
            if isinstance(answer, Failed):
                return RobotsNote(RobotsState.UNREACHABLE)
            note = robots_note(answer, self._tools)
            if note.state is not RobotsState.MOVED:
                return note
            if host_of(note.location) != lane.host or note.location.startswith("file:"):
                return note
            url = note.location
        return RobotsNote(RobotsState.RULES)  # too many hops: as if there were none (RFC 9309, 2.3.1.2)

    async def _with_reservation(self, lane: Lane, origin: str, note: RobotsNote) -> RobotsNote:
        answer = await self._errand(lane, origin + TDMREP_PATH, "tdmrep")
        if answer is None:
            return msgspec.structs.replace(note, is_partial=True)
        note = msgspec.structs.replace(note, is_partial=False)
        if isinstance(answer, Answer) and answer.status == 200:
            decoded = decode_body(answer.body, answer.headers.get("content-encoding"), TDMREP_BYTES_MAX)
            rules = [(rule.location_pattern, rule.reserved) for rule in read_tdmrep(decoded.data)]
            return msgspec.structs.replace(note, tdm=rules)
        return note

    async def _errand(self, lane: Lane, url: str, purpose: str) -> Answer | Failed | None:
        request = Request(url, Purpose.ERRAND)
        answer = await self._ask(lane, request, purpose)
        if isinstance(answer, Answer):
            if self._tools.keeps_archive:
                self._tools.outputs.warc.write_exchange(answer, metadata={"purpose": purpose})
            self._tell_errand(lane, _errand_result(request, answer))
        elif answer is not None:
            self._tell_errand(lane, Result(request, failure=answer.failure.value, seconds=answer.seconds))
        return answer

    def _tell_errand(self, lane: Lane, result: Result) -> None:
        """Tell of an errand; a host in trouble is left alone, whatever it was asked for."""
        trouble = trouble_of(result.status, result.failure)
        if result.retry_after or (trouble is not None and PATIENCE[trouble].host_waits):
            lane.is_left = True
        self._tell(result)


def _errand_result(request: Request, answer: Answer) -> Result:
    return Result(
        request,
        status=answer.status,
        seconds=answer.seconds,
        body_bytes=len(answer.body),
        retry_after=retry_after(answer) if answer.status >= 300 else 0.0,
    )
