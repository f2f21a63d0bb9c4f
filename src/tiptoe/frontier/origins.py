"""Which origins of a host are to be left out because their rules cannot be had?

A host is one to us, its origins (schemes and ports) have rules of their own. When those of one cannot be had
while the host answers at another, it is this origin that is in trouble: its requests wait, in the end they
are dropped, and the rest of the host goes on.

Arithmetic on the record of a host: no store, no clock.
"""

from tiptoe.frontier.host import ORIGINS_MAX, HostRecord, Shut
from tiptoe.frontier.patience import PATIENCE, Trouble
from tiptoe.frontier.politeness import Politeness
from tiptoe.frontier.troubles import host_wait

__all__ = ["ROW_MAX", "find_shut", "note_missing_rules", "open_origin"]

ROW_MAX = PATIENCE[Trouble.ROBOTS_UNREACHABLE].row


def note_missing_rules(record: HostRecord, origin: str, rules: Politeness, now: float) -> None:
    """The rules of an origin could not be had, once more: it waits, after some tries for a long time."""
    troubles = record.shut_origins[origin].troubles + 1 if origin in record.shut_origins else 1
    wait = host_wait(rules, Trouble.ROBOTS_UNREACHABLE, troubles - 1, origin)
    until = now + (rules.robots_expiry if troubles >= ROW_MAX else wait)
    record.shut_origins = {**record.shut_origins, origin: Shut(troubles, until)}
    while len(record.shut_origins) > ORIGINS_MAX:
        mildest = min(record.shut_origins, key=lambda name: record.shut_origins[name].troubles)
        del record.shut_origins[mildest]


def open_origin(record: HostRecord, origin: str) -> None:
    """The rules of an origin are here."""
    if origin in record.shut_origins:
        record.shut_origins = {name: shut for name, shut in record.shut_origins.items() if name != origin}


def find_shut(record: HostRecord, origin: str, now: float) -> Shut | None:
    """Return how an origin is shut, if it is, and the host has answered elsewhere since that began.

    Else nobody can say whose trouble it is: the whole host waits for it.
    """
    shut = record.shut_origins.get(origin)
    return shut if shut is not None and shut.until > now and shut.troubles > record.robots_troubles else None
