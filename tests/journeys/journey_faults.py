"""What goes wrong in a chaos run, and when? All of it is known before the run begins."""

import enum
import random
from dataclasses import dataclass

LEASE_SECONDS = 1.0
REQUESTS_BETWEEN = (25, 50)
"""So many requests lie between the beginnings of two faults."""


class Kind(enum.Enum):
    """What can go wrong."""

    KILL_KEEPER = "kill -9 the keeper"
    KILL_CREW = "kill -9 the keeper's own harvester"
    KILL_AWAY = "kill -9 a harvester that came over the network"
    KILL_ALL = "kill -9 everybody"
    FREEZE_KEEPER = "stop the keeper for longer than a lease"
    FREEZE_CREW = "stop the keeper's own harvester for longer than a lease"
    FREEZE_AWAY = "stop a harvester that came over the network for longer than a lease"
    FILL_KEEPER = "no room on disk for the keeper"
    FILL_HARVESTERS = "no room on disk for the harvesters"
    SLOW_DISK = "every process stands still again and again, as if a disk did not answer"
    CUT_LINE = "cut the line between keeper and harvesters"
    HALF_LINE = "cut the line, but only the keeper hears of it at once"
    HOLD_LINE = "let nothing pass between keeper and harvesters for a while"
    LOSE_REPLIES = "break answers of web servers off"
    HOLD_WEB = "let nothing pass between harvesters and the web for a while"


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing that goes wrong once so many requests have been made."""

    after_requests: int
    kind: Kind
    seconds: float  # how long it lasts
    bytes: tuple[int, ...]  # where lines and answers break

    def __str__(self) -> str:
        return f"after {self.after_requests} requests: {self.kind.value} ({self.seconds:.2f} s)"


@dataclass(frozen=True, slots=True)
class Plan:
    """Everything that chance decides about one run."""

    seed: int
    faults: tuple[Fault, ...]
    shares_disk: bool  # harvesters that come over the network write into the keeper's directory
    syncs: bool  # nothing is reported before the disk has it

    @property
    def requests(self) -> int:
        """How many requests the web should be good for, so that all of it can happen."""
        return int(self.faults[-1].after_requests * 1.25)


def draw_plan(seed: int, faults: int) -> Plan:
    """Draw what will happen; the same numbers give the same plan, every time and everywhere."""
    chance = random.Random(seed)
    shares_disk, syncs = chance.random() < 0.5, chance.random() < 0.5
    drawn: list[Fault] = []
    deck: list[Kind] = []
    moment = 10
    for _ in range(faults):
        if not deck:
            deck = chance.sample(list(Kind), len(Kind))
        drawn.append(_draw_fault(chance, moment, deck.pop()))
        moment += chance.randint(*REQUESTS_BETWEEN)
    return Plan(seed, tuple(drawn), shares_disk, syncs)


def _draw_fault(chance: random.Random, moment: int, kind: Kind) -> Fault:
    if kind in (Kind.FREEZE_KEEPER, Kind.FREEZE_CREW, Kind.FREEZE_AWAY):
        seconds = chance.uniform(1.1, 2.0) * LEASE_SECONDS
    else:
        seconds = chance.uniform(0.2, 1.4) * LEASE_SECONDS
    # Many small numbers: heads of frames and of answers are where a break hurts most.
    places = tuple(int(2 ** chance.uniform(0.0, 12.0)) - 1 for _ in range(3))
    return Fault(moment, kind, seconds, places)
