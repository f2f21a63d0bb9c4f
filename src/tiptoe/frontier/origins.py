"""Which origins of a host are to be left out because their rules cannot be fetched?

The crawl treats a host as one, but each of its origins (schemes and ports) has rules of its own. If the rules
of one cannot be fetched while the host answers at another, only this origin is in trouble: its requests wait
and are dropped in the end, while the rest of the host goes on.
"""

from tiptoe.frontier.host import ORIGINS_MAX, HostRecord, Shut
from tiptoe.frontier.page_record import PageRecord
from tiptoe.frontier.patience import PATIENCE, Trouble
from tiptoe.frontier.politeness import Politeness
from tiptoe.frontier.step import Step
from tiptoe.frontier.troubles import host_wait
from tiptoe.protocol.work import Purpose, Request
from tiptoe.url.address import host_key, host_of, origin_of, page_key

__all__ = ["Origins", "note_missing_rules", "open_origin", "robots_key"]

TROUBLES_MAX = PATIENCE[Trouble.ROBOTS_UNREACHABLE].give_up_after


def note_missing_rules(record: HostRecord, origin: str, rules: Politeness, now: float) -> None:
    """Note that the rules of an origin could not be fetched: it has to wait, after several tries for long."""
    troubles = record.shut_origins[origin].troubles + 1 if origin in record.shut_origins else 1
    wait = host_wait(rules, Trouble.ROBOTS_UNREACHABLE, troubles - 1, origin)
    until = now + (rules.robots_expiry if troubles >= TROUBLES_MAX else wait)
    record.shut_origins = {**record.shut_origins, origin: Shut(troubles, until)}
    while len(record.shut_origins) > ORIGINS_MAX:
        mildest = min(record.shut_origins, key=lambda name: record.shut_origins[name].troubles)
        del record.shut_origins[mildest]


def robots_key(origin: str) -> bytes:
    """Return the key of the rules of an origin; the keys of one host are adjacent."""
    return host_key(host_of(origin)) + origin.encode()


def open_origin(record: HostRecord, origin: str) -> None:
    """Note that the rules of an origin were fetched: it is no longer shut."""
    if origin in record.shut_origins:
        record.shut_origins = {name: shut for name, shut in record.shut_origins.items() if name != origin}


def _find_shut(record: HostRecord, origin: str, now: float) -> Shut | None:
    """Return how an origin is shut, if it is and the host has answered elsewhere since that began.

    If it has not, the trouble may be that of the whole host, and all of it waits.
    """
    shut = record.shut_origins.get(origin)
    return shut if shut is not None and shut.until > now and shut.troubles > record.robots_troubles else None


class Origins:
    """Keeps requests to shut origins out of visits."""

    def __init__(self, step: Step) -> None:
        self._step = step

    def sift(self, record: HostRecord, requests: list[Request], now: float) -> list[Request]:
        """Defer, or in the end drop, requests to origins that are shut; return the rest."""
        kept = []
        for request in requests:
            shut = _find_shut(record, origin_of(request.url), now)
            if shut is None or request.purpose is Purpose.ROBOTS:
                kept.append(request)
            elif shut.troubles < TROUBLES_MAX:
                self._step.due.put(self._step.batch, request, shut.until)
            else:
                self._drop(request)
        # Other origins first: if they answer, only this origin is in trouble and not the host.
        return sorted(kept, key=lambda request: origin_of(request.url) in record.shut_origins)

    def _drop(self, request: Request) -> None:
        outcome = Trouble.ROBOTS_UNREACHABLE.value
        page = PageRecord(request.url, outcome=outcome, depth=request.depth, tries=request.tries)
        self._step.pages.put(self._step.batch, page_key(request.url), page)
        self._step.discard(outcome)
