"""What is the state of a crawl, in one word, and what about it needs attention?

Pure: judged by its figures alone.
"""

import enum
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Final

import msgspec

from tiptoe.frontier.patience import Trouble
from tiptoe.observe.stops import Stop
from tiptoe.protocol.status import Status

__all__ = ["Attention", "CrawlState", "Urgency", "attention_of", "failed_requests", "state_of"]

FAILED_SHARE: Final = 0.5
"""Share of failed requests; above it, something is wrong with our network, our name server or the seeds."""

FAILED_FROM: Final = 100
LOGINS_SHOWN: Final = 5
TROUBLES: Final = frozenset(trouble.value for trouble in Trouble)


class CrawlState(enum.Enum):
    """The state of a crawl; the value is the word that is shown."""

    PLANNED = "planned"  # never started
    STARTING = "starting"
    RUNNING = "running"
    WAITING = "waiting"  # runs, but no request may be made at this moment
    PAUSED = "paused"
    STOPPING = "stopping"
    SILENT = "silent"  # runs, but does not answer
    FINISHED = "finished"
    LIMIT = "limit reached"
    STOPPED = "stopped"
    CRASHED = "crashed"
    LOST = "missing"  # its directory does not exist

    @property
    def is_alive(self) -> bool:
        """Whether the crawl has a running process."""
        return self in ALIVE


ALIVE: Final = frozenset(
    {CrawlState.STARTING, CrawlState.RUNNING, CrawlState.WAITING, CrawlState.PAUSED, CrawlState.STOPPING,
     CrawlState.SILENT}
)  # fmt: skip

ENDINGS: Final[Mapping[str, CrawlState]] = {
    Stop.FINISHED.value: CrawlState.FINISHED,
    Stop.PAGE_LIMIT.value: CrawlState.LIMIT,
    Stop.BYTE_LIMIT.value: CrawlState.LIMIT,
    Stop.TIME_LIMIT.value: CrawlState.LIMIT,
    Stop.PACKETS.value: CrawlState.LIMIT,
    Stop.OPERATOR.value: CrawlState.STOPPED,
    Stop.INTERRUPTED.value: CrawlState.STOPPED,
    Stop.UNREAD.value: CrawlState.STOPPED,
    Stop.NO_HARVESTERS.value: CrawlState.CRASHED,
    "": CrawlState.CRASHED,  # it had no time to say why
}


class Urgency(enum.IntEnum):
    """How urgently something needs attention."""

    NOTE = 1
    WARNING = 2
    FAULT = 3

    @property
    def word(self) -> str:
        return self.name.lower()


class Attention(msgspec.Struct, frozen=True):
    """Something that needs attention."""

    urgency: Urgency
    message: str


def state_of(
    status: Status | None, *, is_running: bool, is_answering: bool = True, pace: float = 0.0
) -> CrawlState:
    """Return the state of a crawl, given its last figures and its pages per second."""
    if is_running:
        if not is_answering:
            return CrawlState.SILENT if status is not None else CrawlState.STARTING
        if status is None:
            return CrawlState.STARTING
        if status.stopped_because:
            return CrawlState.STOPPING
        if status.holds:
            return CrawlState.PAUSED
        return CrawlState.RUNNING if status.open_visits or pace else CrawlState.WAITING
    if status is None:
        return CrawlState.PLANNED
    return ENDINGS.get(status.stopped_because, CrawlState.STOPPED)


def attention_of(
    state: CrawlState, status: Status | None, *, disk_free_share: float = 1.0
) -> list[Attention]:
    """Return what needs attention, most urgent first."""
    found = [*_of_state(state), *(_of_figures(state, status) if status is not None else ())]
    if state.is_alive and disk_free_share < 0.05:
        found.append(Attention(Urgency.WARNING, f"{disk_free_share:.0%} of its disk is free"))
    return sorted(found, key=lambda one: -one.urgency)


def _of_state(state: CrawlState) -> Iterator[Attention]:
    if state is CrawlState.CRASHED:
        yield Attention(
            Urgency.FAULT, "ended without saying why; start it again, nothing is lost; its log may tell"
        )
    elif state is CrawlState.SILENT:
        yield Attention(Urgency.FAULT, "its process is there and does not answer")
    elif state is CrawlState.LOST:
        yield Attention(Urgency.FAULT, "its directory is not there any more")


def _of_figures(state: CrawlState, status: Status) -> Iterator[Attention]:
    if state.is_alive:
        if "disk" in status.holds:
            yield Attention(Urgency.FAULT, "its disk is full: no requests until there is room")
        if "line" in status.holds:
            yield Attention(Urgency.FAULT, "nobody answers: our own connection seems to be down")
        if "operator" in status.holds:
            yield Attention(Urgency.NOTE, "paused by an operator")
        if not status.harvesters and status.seconds > 30:
            yield Attention(Urgency.FAULT, "no harvester is at work")
        for trouble in status.troubles:
            yield Attention(Urgency.FAULT, trouble)
        if status.segmenter:
            yield Attention(Urgency.WARNING, f"the segmenter fails: {status.segmenter}")
        for host, why in islice(status.login_faults.items(), LOGINS_SHOWN):
            yield Attention(Urgency.WARNING, f"{host}: the login did not work: {why}")
        if status.refused_peers:
            yield Attention(Urgency.NOTE, f"{status.refused_peers} callers were not let in at harvest.listen")
    if status.lost_harvesters:
        yield Attention(Urgency.WARNING, f"{status.lost_harvesters} harvesters died, and were replaced")
    if status.repaired:
        yield Attention(Urgency.WARNING, f"{len(status.repaired)} output files were damaged, and repaired")
    failed = failed_requests(status)
    if status.requests >= FAILED_FROM and failed > FAILED_SHARE * status.requests:
        yield Attention(Urgency.WARNING, f"{failed / status.requests:.0%} of its requests failed")


def failed_requests(status: Status) -> int:
    """Return how many requests got no answer, or an error."""
    return sum(
        count for name, count in status.outcomes.items() if name in TROUBLES or name.startswith("http_")
    )
