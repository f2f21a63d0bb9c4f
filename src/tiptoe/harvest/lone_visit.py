"""How is a single page fetched while no crawl runs?

As in a visit of the crawl: the rules of its host come first, the pace is that of the crawl, and every request
is in the request log. No redirect is followed, and nothing of the page is kept. The caller makes sure that
nothing else makes requests to this address, and lets it rest afterwards.
"""

import asyncio
from dataclasses import dataclass
from typing import Final

from tiptoe.decide.fetching import PendingRequest
from tiptoe.fetch.outcome import Answer, Failed
from tiptoe.frontier.politeness import rest_seconds
from tiptoe.harvest.draft import Draft
from tiptoe.harvest.journey import fetch
from tiptoe.harvest.lane import Lane
from tiptoe.harvest.request_context import RequestContext
from tiptoe.harvest.retry_after import retry_after
from tiptoe.harvest.rules_reader import RulesReader
from tiptoe.harvest.tools import Tools
from tiptoe.protocol.work import Purpose, Request, RobotsNote, RobotsState
from tiptoe.url.address import host_of, origin_of

__all__ = ["LonePage", "LoneVisit"]

PAUSE_SECONDS_MAX: Final = 20.0
"""Maximum pause between two requests, in seconds; for a longer one we give up, since a person is waiting."""

OVERLOADED: Final = frozenset({429, 503})


@dataclass(frozen=True, slots=True)
class LonePage:
    """The outcome of a visit."""

    answer: Answer | Failed | None
    hindrance: str = ""  # why the page was not requested, if it was not


class LoneVisit:
    """A visit for one page; can be made only once."""

    def __init__(
        self, url: str, address: str, tools: Tools, *, number: int, slowed_to: float, reads_tdmrep: bool
    ) -> None:
        """`number` identifies the visit in the request log; no other visit of this crawl may have it."""
        self._url = url
        self._address = address
        self._tools = tools
        self._number = number
        self._lane = Lane(host_of(url), tools.politeness, slowed_to, tools.politeness.max_reqs)
        self._outputs = tools.outputs.begin_visit(0)
        self._rules = RulesReader(
            self._ask_for_rules, self._log_nothing, tools, self._outputs.requests, reads_tdmrep=reads_tdmrep
        )
        self._peace_seconds = 0.0

    @property
    def rest_seconds(self) -> float:
        """How long the address must be left alone after the visit."""
        return max(rest_seconds(self._tools.politeness, self._lane.pause), self._peace_seconds)

    async def make(self) -> LonePage:
        """Fetch the page, if its host permits it."""
        try:
            return await self._make()
        finally:
            self._tools.outputs.end_visit(self._outputs)

    async def _make(self) -> LonePage:
        origin = origin_of(self._url)
        note = await self._rules.read(self._lane, origin)
        if note is None:
            return LonePage(None, self._no_turn())
        if note.state is RobotsState.MOVED:
            return LonePage(None, f"{origin}/robots.txt has moved to another host: {note.location}")
        if note.state is RobotsState.UNREACHABLE or note.is_partial:
            return LonePage(None, f"the rules of {origin} cannot be read, so nothing else is requested")
        if self._tools.fetch.refusal(PendingRequest(self._url, self._lane.robots_of(origin), Purpose.PAGE)):
            return LonePage(None, f"{origin}/robots.txt forbids it")
        if self._peace_seconds or not await self._turn():
            return LonePage(None, self._no_turn())
        return LonePage(await self._ask(Request(self._url), note, "allowed"))

    def _no_turn(self) -> str:
        if self._peace_seconds:
            return f"its server wants to be left alone for {self._peace_seconds:.0f} s"
        if self._lane.budget <= 0:
            return "politeness.max_reqs leaves no request for it after those for the rules of its host"
        return f"its server is asked every {self._lane.pause:.0f} s, which is too long to wait for here"

    async def _ask_for_rules(self, lane: Lane, request: Request, purpose: str) -> Answer | Failed | None:
        if self._peace_seconds or not await self._turn():
            return None
        return await self._ask(request, None, "exempt", purpose)

    async def _turn(self) -> bool:
        """Wait until the next request may be made; False if that is too far away or the budget is spent."""
        wait = self._lane.next_at - self._tools.time()
        if self._lane.budget <= 0 or wait > PAUSE_SECONDS_MAX:
            return False
        await asyncio.sleep(max(wait, 0.0))
        return True

    async def _ask(
        self, request: Request, rules: RobotsNote | None, decision: str, rules_request: str = ""
    ) -> Answer | Failed:
        lane = self._lane
        context = RequestContext(
            visit=self._number, host=lane.host, address=self._address, delay=lane.pause, rules=rules,
            decision=decision, rules_request=rules_request,
        )  # fmt: skip
        lane.spend()
        answer = await fetch(request, context, self._tools)
        lane.answered(self._tools.time(), answer.seconds)
        if isinstance(answer, Answer):
            self._note_wait(answer)
        return answer

    def _note_wait(self, answer: Answer) -> None:
        """Note how long the server wants to be left alone."""
        rules = self._tools.politeness
        wish = min(retry_after(answer), rules.retry_after_max)
        if answer.status in OVERLOADED:
            wish = max(wish, rules.backoff_first)
        self._peace_seconds = max(self._peace_seconds, wish)

    def _log_nothing(self, draft: Draft) -> None:
        """Do nothing: no keeper is running."""
