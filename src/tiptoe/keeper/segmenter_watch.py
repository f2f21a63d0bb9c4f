"""Does the segmenter answer?

A crawl goes on without it, and texts that nobody judged can be rated later. But somebody has to know: whoever
started it hears when the segmenter falls silent, how many texts that has cost so far, and when it is back.
"""

from collections.abc import Callable, Mapping
from typing import Final

import msgspec

from tiptoe.keeper.crawl_frontier import CrawlFrontier
from tiptoe.keeper.plan import RunRecord
from tiptoe.keeper.roster import Roster
from tiptoe.observe.amounts import counted
from tiptoe.observe.eventlog import EventLog
from tiptoe.observe.printable import printable
from tiptoe.protocol.messages import Judged
from tiptoe.segment.segmenter_protocol import ABOUT_PATH, About

__all__ = ["SegmenterWatch", "probe", "segmenter_url"]

START: Final = "start"
"""Stands among the harvesters for the look at the start of the crawl."""

FAULT_CHARS_MAX: Final = 200
CHECK_SECONDS_MAX: Final = 10.0


def segmenter_url(settings: Mapping[str, Mapping[str, object]]) -> str:
    """Return where the segmenter of a crawl lives; empty when it is built in, or there is none."""
    own = settings.get("segmenter", {})
    return "" if own.get("off") else str(own.get("url", ""))


def probe(url: str, timeout_seconds: float) -> str:
    """Ask a segmenter who it is; return what is wrong, nothing when it answers. It blocks: not for a loop."""
    # Here, not above: it brings libcurl along, and few crawls have a segmenter elsewhere.
    from tiptoe.segment.caller import Broken, Caller

    with Caller(url, min(timeout_seconds, CHECK_SECONDS_MAX)) as caller:
        try:
            came = caller.call(ABOUT_PATH)
        except Broken as problem:
            return str(problem).removeprefix("no answer: ")
    if came.status != 200:
        return f"status {came.status}"
    try:
        msgspec.json.decode(came.body, type=About)
    except msgspec.DecodeError:
        return "what answers there is no segmenter"
    return ""


def plain(fault: str) -> str:
    """Return what a stranger caused to be said, in bounds and without control characters."""
    return printable(fault[:FAULT_CHARS_MAX])


class SegmenterWatch:
    """Hears how texts fare, and tells people when that changes."""

    def __init__(
        self,
        frontier: CrawlFrontier,
        url: str,
        roster: Roster,
        log: EventLog,
        figures: RunRecord,
        *,
        directory: str,
    ) -> None:
        self.url = url
        self._miss: Callable[[int], None] = frontier.miss_ratings
        self._frontier = frontier
        self._roster = roster
        self._log = log
        self._figures = figures
        self._directory = directory
        self._faults: dict[str, str] = {}  # by harvester
        self.rated = 0  # in this run

    @property
    def fault(self) -> str:
        """Why the segmenter does not answer; empty when it does, or nobody knows better."""
        return next(iter(self._faults.values()), "")

    def looked(self, fault: str) -> None:
        """Somebody looked at the start of the crawl whether it answers."""
        if not self.rated:
            self._note(START, fault)

    def hear(self, harvester: str, judged: Judged | None) -> None:
        """A harvester tells how its texts fared."""
        if judged is None:
            return
        if judged.missed:
            self._miss(judged.missed)
        self.rated += judged.rated
        if judged.rated:
            self._faults.pop(START, None)
        self._note(harvester, judged.fault)

    def _note(self, who: str, fault: str) -> None:
        was_down = bool(self._faults)
        present = {START, who, *(member.name for member in self._roster.members.values())}
        self._faults = {name: said for name, said in self._faults.items() if name in present and name != who}
        if fault:
            self._faults[who] = fault = plain(fault)
        if self._faults and not was_down:
            self._log.note("segmenter.down", url=self.url, reason=fault)
            self._figures.notices.append(
                f"the segmenter at {self.url} does not answer ({fault}): texts are kept, and can be rated "
                f"later with `tiptoe segmenter catch-up {self._directory}`"
            )
        elif was_down and not self._faults:
            unjudged = counted(self._frontier.counters.totals.unjudged, "text")
            self._log.note("segmenter.back", url=self.url, unjudged=self._frontier.counters.totals.unjudged)
            self._figures.notices.append(
                f"the segmenter at {self.url} answers again; {unjudged} not judged so far"
            )
