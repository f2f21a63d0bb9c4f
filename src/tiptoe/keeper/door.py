"""Which connections from other machines are accepted, and what is logged about the others?

Anybody who can reach `harvest.listen` can connect. Until a caller has shown the token it is a *stranger*: it
costs a file descriptor and some memory, and has a few seconds to say who it is. So the number of strangers is
limited, in all and for each address. No I/O and no clock: told who connects, it says who is turned away.
"""

import enum
from collections import Counter, OrderedDict

from tiptoe.observe.eventlog import EventLog
from tiptoe.observe.printable import printable

__all__ = ["Door", "RefusalLog", "TurnedAway", "strangers_allowed"]

STRANGERS_MAX = 64
STRANGERS_PER_ADDRESS = 16
"""Maximum number of strangers from one address; above it, further ones are turned away and connect later."""

FILES_SHARE = 8
"""Strangers may use one in this many of the files that the process may open; the rest are for harvesters."""

KNOWN_MAX = 1024
LINES_AT_ONCE = 20
SECONDS_PER_LINE = 6.0
FACT_CHARS_MAX = 200


class TurnedAway(enum.Enum):
    """Why a caller is turned away before it has said anything."""

    ADDRESS_IS_CROWDED = "too_many_of_its_address"
    DOOR_IS_CROWDED = "too_many_strangers"


def strangers_allowed(files_max: int) -> int:
    """Return how many strangers a process may let in that can open this many files."""
    return max(1, min(STRANGERS_MAX, files_max // FILES_SHARE))


class Door:
    """Counts strangers and limits their number.

    An address is *known* once a caller from it has shown the token: strangers from elsewhere cannot keep its
    callers out. There are at most `strangers_max` strangers from unknown addresses, and at most `per_address`
    from any one address.
    """

    def __init__(
        self, *, strangers_max: int = STRANGERS_MAX, per_address: int = STRANGERS_PER_ADDRESS
    ) -> None:
        self._strangers_max = strangers_max
        self._per_address = min(per_address, strangers_max)
        self._waiting: Counter[str] = Counter()  # address -> strangers
        self._known: OrderedDict[str, None] = OrderedDict()

    def __len__(self) -> int:
        return self._waiting.total()

    def knock(self, address: str) -> TurnedAway | None:
        """Let a stranger in until `leave`, or return why it is turned away."""
        if self._waiting[address] >= self._per_address:
            return TurnedAway.ADDRESS_IS_CROWDED
        if address not in self._known and self._unknown() >= self._strangers_max:
            return TurnedAway.DOOR_IS_CROWDED
        self._waiting[address] += 1
        return None

    def leave(self, address: str, *, has_shown_token: bool) -> None:
        """Note that a caller has gone, or is a stranger no longer."""
        self._waiting[address] -= 1
        if not self._waiting[address]:
            del self._waiting[address]
        if has_shown_token:
            self._known[address] = None
            self._known.move_to_end(address)
            if len(self._known) > KNOWN_MAX:
                self._known.popitem(last=False)

    def _unknown(self) -> int:
        return sum(count for address, count in self._waiting.items() if address not in self._known)


class RefusalLog:
    """Logs who was not let in, and why; only a few lines a minute, however many call."""

    def __init__(self, log: EventLog) -> None:
        self._log = log
        self._room = float(LINES_AT_ONCE)
        self._noted_at = 0.0
        self._unnoted = 0
        self.count = 0

    def note(self, event: str, now: float, **facts: object) -> None:
        """Log an event, or only count it if there were many lately; the next line then gives that number."""
        self.count += 1
        self._room += max(now - self._noted_at, 0.0) / SECONDS_PER_LINE
        self._room = min(self._room, float(LINES_AT_ONCE))
        self._noted_at = now
        if self._room < 1.0:
            self._unnoted += 1
            return
        self._room -= 1.0
        values = {name: _short(fact) for name, fact in facts.items()}
        if self._unnoted:
            values["unnoted_before"] = str(self._unnoted)
            self._unnoted = 0
        self._log.note(event, **values)

    def close(self) -> None:
        """Log how many events were left out since the last line."""
        if self._unnoted:
            self._log.note("peer.refused", unnoted=self._unnoted)
            self._unnoted = 0


def _short(fact: object) -> str:
    """Return words of a stranger as one short line without control characters."""
    return printable(str(fact)[:FACT_CHARS_MAX], "?")
