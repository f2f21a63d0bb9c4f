"""Does the segmenter answer?

A crawl goes on without it, and unrated texts can be rated later. But the operator has to know: so messages
say when the segmenter falls silent, how many texts are affected so far, and when it is back.
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
"""Stands for the check at the start of the crawl, in place of a harvester's name."""

FAULT_CHARS_MAX: Final = 200
CHECK_SECONDS_MAX: Final = 10.0


def segmenter_url(settings: Mapping[str, Mapping[str, object]]) -> str:
    """Return the URL of a crawl's segmenter; empty if it is built in, or there is none."""
    own = settings.get("segmenter", {})
    return "" if own.get("off") else str(own.get("url", ""))


def probe(url: str, timeout_seconds: float) -> str:
    """Call a segmenter; return what is wrong, or nothing if it answers. Blocks: not for an event loop."""
    # Imported here because it loads libcurl, and few crawls have an external segmenter.
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
    """Return a message from outside, shortened and without control characters."""
    return printable(fault[:FAULT_CHARS_MAX])


class SegmenterWatch:
    """Follows whether texts get rated, and tells the operator when that changes."""

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
        """Why the segmenter does not answer; empty if it does, as far as is known."""
        return next(iter(self._faults.values()), "")

    def looked(self, fault: str) -> None:
        """Take the result of the check at the start of the crawl."""
        if not self.rated:
            self._note(START, fault)

    def hear(self, harvester: str, judged: Judged | None) -> None:
        """Take a harvester's report on the rating of its texts."""
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
        self._faults = {name: one for name, one in self._faults.items() if name in present and name != who}
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
