"""A keeper without sockets, over a frontier in memory."""

import io
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from tiptoe.frontier.frontier import Frontier, FrontierPolicy
from tiptoe.frontier.politeness import Politeness
from tiptoe.keeper.clock import Clock
from tiptoe.keeper.commands import answer
from tiptoe.keeper.keeper import Keeper, KeeperPlan
from tiptoe.keeper.plan import Reconfiguration, unchangeable
from tiptoe.keeper.roster import Member
from tiptoe.keeper.supervisor import Supervisor
from tiptoe.observe.eventlog import EventLog
from tiptoe.protocol.messages import Hello
from tiptoe.protocol.work import Request
from tiptoe.store.memory import MemoryStore
from tiptoe.store.tables import Store

RULES = Politeness(req_delay=2.0, max_hosts=2, max_reqs=5, general_pause=60.0)


class SetClock(Clock):
    """A clock that shows what it was set to."""

    def __init__(self, at: float = 1000.0) -> None:
        super().__init__()
        self.at = at

    def now(self) -> float:
        return self.at


class KeptLog(EventLog):
    """A log whose events can be looked at."""

    def __init__(self) -> None:
        super().__init__("keeper", io.StringIO())
        self.events: list[tuple[str, dict[str, object]]] = []

    def note(self, event: str, **facts: object) -> None:
        self.events.append((event, facts))


@dataclass
class Peer:
    """A harvester's end of the wire: keeps what it was told."""

    told: list[object] = field(default_factory=list)

    def send(self, message: object) -> None:
        self.told.append(message)

    def close(self) -> None:
        """Nothing to let go of."""


class LateFrontier(Frontier):
    """A frontier whose steps are committed when the test says so."""

    def __init__(self, store: Store, policy: FrontierPolicy, *, shard: int = 0) -> None:
        super().__init__(store, policy, shard=shard)
        self.uncommitted: list[Callable[[], None]] = []

    def after_commit(self, act: Callable[[], None], *, or_lost: bool = False) -> None:
        self.uncommitted.append(act)

    def commit(self) -> None:
        acts, self.uncommitted = self.uncommitted, []
        for act in acts:
            act()


def member_of(number: int = 1, **changes: object) -> Member:
    """Return a harvester as the roster sees it."""
    fields: dict[str, object] = {"heard_at": 0.0, "visits_max": 10, "packets_max": 0, "is_ready": True}
    return Member(f"h{number}-0001", f"h{number}", 100 + number, **(fields | changes))  # type: ignore[arg-type]


def make_keeper(
    directory: Path,
    *urls: str,
    change: Callable[..., Reconfiguration] = unchangeable,
    frontier: Frontier | None = None,
    may_echo: Callable[[str], bool] = lambda incarnation: True,
) -> tuple[Keeper, Peer]:
    """Return a keeper with these URLs to ask for, and one harvester that listens."""
    frontier = frontier or Frontier(MemoryStore(), FrontierPolicy(politeness=RULES))
    log = KeptLog()
    clock = SetClock()
    keeper = Keeper(
        frontier,
        KeeperPlan(directory=directory, settings={}, visits_per_harvester=10),
        Supervisor(["true"], log),
        log,
        clock,
        repair=lambda *_, **__: [],
        answer=answer,
        change=change,
        may_echo=may_echo,
    )
    peer = Peer()
    member = keeper.let_in(peer, Hello("harvester", "h1", pid=101))  # type: ignore[arg-type]
    keeper.roster.heard(member.incarnation, clock.now())
    peer.told.clear()  # its welcome
    frontier.add([Request(url) for url in urls], clock.now())
    for host in frontier.new_hosts(100):
        frontier.resolved_all([(host, "192.0.2.1", "")], clock.now())
    frontier.tick(clock.now())
    return keeper, peer
