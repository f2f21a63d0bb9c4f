"""The frontiers of all shards that an agent holds, presented to its keeper as one.

Each step belongs to the shard that it concerns. Shards come and go between steps: reports about a shard that
is no longer held are ignored, because its new holder has taken its visits back.

Moments are those of the agent's clock; they are converted to that of each shard (`ShardClock`).
"""

from collections import ChainMap
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from types import MappingProxyType

import msgspec

from tiptoe.cluster.awaited_servers import awaited_servers
from tiptoe.cluster.counter_sum import summed
from tiptoe.cluster.crawl_end import CrawlEnd
from tiptoe.cluster.grouping import grouped
from tiptoe.cluster.held_shard import HeldShard
from tiptoe.cluster.release_queue import ReleaseQueue
from tiptoe.cluster.shard_lookups import ShardLookups
from tiptoe.cluster.shard_turns import ShardTurns
from tiptoe.cluster.sharded_outputs import ShardedOutputs
from tiptoe.cluster.text_sharing import TextSharing, UnknownTexts
from tiptoe.cluster.visited_shards import VisitedShards
from tiptoe.errors import CrawlerError
from tiptoe.frontier.counters import Counters
from tiptoe.frontier.duplicity import Answered
from tiptoe.frontier.frontier_limits import Allotment
from tiptoe.frontier.host import HostRecord
from tiptoe.frontier.page_record import PageRecord
from tiptoe.frontier.patience import Trouble
from tiptoe.frontier.policy import FrontierPolicy
from tiptoe.frontier.residence import ShardPlan
from tiptoe.frontier.standing_orders import StandingOrders
from tiptoe.frontier.visits import shard_of_visit
from tiptoe.frontier.wishes import StandingWishes
from tiptoe.protocol.status import Cause, Waiting, WaitReason
from tiptoe.protocol.status_sum import sum_waits
from tiptoe.protocol.work import HostWork, Question, Report, Request, Visit
from tiptoe.store.tables import Ranges, Table
from tiptoe.url.address import host_of

__all__ = ["ShardedFrontier"]

Lookup = tuple[str, str, str]  # host, address, failure


class ShardedFrontier:
    """Which URL is requested next, and when, in the shards that are held."""

    def __init__(
        self, policy: FrontierPolicy, *, shards: int, plan: ShardPlan, offset: float,
        shard_of_file: Callable[[str], int | None],
    ) -> None:  # fmt: skip
        self.policy = policy
        self.ending: CrawlEnd | None = None  # of the whole crawl, as soon as it is over
        self.is_idle = False  # the whole crawl has nothing left, and goes on as the operator wants
        self.is_over = False  # it is over, but something is still to be forgotten: no visit begins
        self.orders = StandingOrders()  # of the operator, for all shards
        self.wishes = StandingWishes()  # of owners, for all shards
        self.texts: TextSharing = UnknownTexts()  # of the whole crawl
        self.engine_trouble: Callable[[], str] = lambda: ""  # what keeps the engine from confirming leases
        self.shards = shards
        self.plan = plan
        self._offset = offset  # from the count of this machine to the agent's clock
        self._held: dict[int, HeldShard] = {}
        self._shard_of_file = shard_of_file
        self.outputs = ShardedOutputs(self._held, self._moment, shard_of_file)
        self._turns = ShardTurns()
        self._releases = ReleaseQueue()
        self._let_out: list[HeldShard] = []  # shards of the last step
        self._lookups = ShardLookups()
        self._visited = VisitedShards()
        self._has_names: dict[int, None] = {}  # shards that may have names to look up
        self._kept: Counters | None = None

    def __repr__(self) -> str:
        return f"<ShardedFrontier {len(self._held)} of {self.shards} shards>"

    # -- shards come and go ------------------------------------------------

    @property
    def held(self) -> Collection[HeldShard]:
        """The shards that are held, in no particular order."""
        return self._held.values()

    def held_shard(self, shard: int) -> HeldShard | None:
        """Return a shard, if it is held."""
        return self._held.get(shard)

    def take(self, held: HeldShard) -> None:
        """Begin to use a shard that is now held."""
        assert held.shard not in self._held, f"{held} is held already"
        self._held[held.shard] = held
        # Until the quota of this shard is known, it gets nothing of what is limited.
        pages, size = (0 if limit else None for limit in (self.policy.pages_max, self.policy.bytes_max))
        held.frontier.allot(Allotment(pages=pages, body_bytes=size))
        self._touch(held)
        self.texts.take(held)

    def drop(self, shard: int) -> HeldShard | None:
        """Stop using a shard: nothing more is released for it, and reports about its visits are too late."""
        held = self._held.pop(shard, None)
        if held is not None:
            self._turns.forget(shard)
            self._has_names.pop(shard, None)
            self._lookups.drop(shard)
            self._releases.lose(held)
            self.texts.drop(held)
        return held

    def mail_came(self, held: HeldShard) -> None:
        """Note that a shard has received mail."""
        if self._held.get(held.shard) is held:
            self._touch(held)

    def _touch(self, held: HeldShard) -> None:
        self._turns.touch(held.shard)
        self._has_names[held.shard] = None
        held.changed.set()

    def _moment(self, held: HeldShard, now: float) -> float:
        """Return the time in a shard."""
        return held.clock.now(now - self._offset)

    def _steps(self, shards: Iterable[int], now: float) -> Iterator[tuple[HeldShard, float]]:
        """Yield those of these shards that are held, each with its moment, for one step each."""
        self._let_out = [self._held[shard] for shard in shards if shard in self._held]
        for held in self._let_out:
            self._touch(held)
            yield held, self._moment(held, now)

    def _all(self, now: float = 0.0) -> Iterator[tuple[HeldShard, float]]:
        return self._steps(list(self._held), now)

    def _near(self, host: str) -> int:
        """Return the home of a host, or a shard that forwards what is meant for it."""
        home = self.plan.home(host)
        if not self._held:
            raise CrawlerError("no shard is held here at the moment")
        return home if home in self._held else next(iter(self._held))

    # -- what goes out -----------------------------------------------------

    def after_commit(self, act: Callable[[], object], *, or_lost: bool = False) -> None:
        """Carry out an action that follows from the last step once that step is stored in the engine.

        This requires that the shards concerned are certainly held; if all are lost before, `or_lost` decides.
        """
        concerned = [held for held in self._let_out if self._held.get(held.shard) is held]
        if concerned or not self._let_out or or_lost:
            self._releases.put(act, concerned, or_lost=or_lost)

    def may_go_on(self, harvester: str) -> bool:
        """Return whether a harvester may go on with all its visits."""
        return all(held.is_certain for held in self.held if harvester in held.visits.values())

    # -- sources -----------------------------------------------------------

    def add(self, requests: list[Request], now: float) -> int:
        """Queue seeds; return how many were new, among hosts that live in the shards held here."""
        by_shard = grouped(requests, lambda request: self._near(host_of(request.url)))
        steps = self._steps(by_shard, now)
        return sum(held.frontier.add(by_shard[held.shard], moment) for held, moment in steps)

    def mark_downloaded(self, urls: list[str], now: float) -> int:
        """Note URLs that others have fetched; return how many were of hosts in the shards held here."""
        by_shard = grouped(urls, lambda url: self._near(host_of(url)))
        steps = self._steps(by_shard, now)
        return sum(held.frontier.mark_downloaded(by_shard[held.shard], moment) for held, moment in steps)

    # -- names -------------------------------------------------------------

    def wants_hosts(self) -> bool:
        """Return whether there may be names to look up, and room for their hosts."""
        return any(self._wants_names(self._held[shard]) for shard in self._has_names)

    def _wants_names(self, held: HeldShard) -> bool:
        return not held.is_closing and held.frontier.wants_hosts()

    def new_hosts(self, wanted: int) -> list[str]:
        """Hand out hosts whose address is to be looked up."""
        names: list[str] = []
        self._let_out = []  # no step is written
        for shard in list(self._has_names):
            held, room = self._held[shard], wanted - len(names)
            if room <= 0:
                break
            if not self._wants_names(held):
                continue
            found = held.frontier.new_hosts(room)
            self._lookups.begin(shard, found)
            names += found
            del self._has_names[shard]
            if len(found) == room:
                self._has_names[shard] = None  # behind the others
        return list(dict.fromkeys(names))

    def resolved_all(self, lookups: list[Lookup], now: float) -> None:
        """Record the results of lookups: host, address and failure of each."""
        by_shard = self._lookups.end(lookups, lambda lookup: lookup[0])
        for held, moment in self._steps(by_shard, now):
            held.frontier.resolved_all(by_shard[held.shard], moment)

    def forget_resolving(self, hosts: list[str]) -> None:
        """Look up the names again that a lost harvester was looking up."""
        by_shard = self._lookups.end(hosts, lambda host: host)
        for held, _ in self._steps(by_shard, 0.0):
            held.frontier.forget_resolving(by_shard[held.shard])

    def last_addresses(self, hosts: Iterable[str]) -> dict[str, str]:
        """Return the addresses that earlier lookups found for hosts, as far as there were any."""
        found: dict[str, str] = {}
        by_shard = grouped(hosts, self._lookups.first_of)
        for shard, some in by_shard.items():
            if shard in self._held:
                found |= self._held[shard].frontier.last_addresses(some)
        return found

    # -- visits ------------------------------------------------------------

    def visits(self, wanted: int, harvester: str, now: float) -> list[Visit]:
        """Lease up to this many visits that may begin now, all of one shard; the next call uses another."""
        for shard in self._turns.in_turn() if wanted > 0 and not self.is_over else ():
            held = self._held[shard]
            moment = self._moment(held, now)
            visits = held.frontier.visits(wanted, harvester, moment) if held.may_begin(moment) else []
            if visits:
                for visit in visits:
                    visit.time = held.time(moment)
                held.visits.update((visit.id, harvester) for visit in visits)
                self._visited.note(shard, [work for visit in visits for work in visit.hosts])
                self._turns.had_turn(shard)
                self._let_out = [held]
                self._touch(held)
                return visits
            self._turns.has_nothing(shard)
        return []

    def report(
        self, reports: list[Report], marks: dict[str, int], now: float, *,
        discards: Mapping[str, int] = MappingProxyType({}),
    ) -> dict[int, list[HostWork]]:  # fmt: skip
        """Settle reports of harvesters; return further work for each visit that wants it (none = it ends)."""
        by_shard = grouped(reports, lambda report: shard_of_visit(report.visit))
        sizes = grouped(marks, lambda name: self._shard_of_file(name) or 0)
        answers: dict[int, list[HostWork]] = {
            report.visit: [] for report in reports if report.is_done and not self._is_open(report.visit)
        }
        for held, moment in self._steps(dict.fromkeys([*by_shard, *sizes]), now):
            some = by_shard.get(held.shard, [])
            if not held.may_begin(moment):
                some = [msgspec.structs.replace(report, wants_more=False) for report in some]
            grown = {name: marks[name] for name in sizes.get(held.shard, ())}
            answers |= held.frontier.report(some, grown, moment, discards=discards)
            discards = {}  # they belong to no shard, so the first one counts them
            self.texts.settled(held, [result for report in some for result in report.results])
            for report in some:
                self._visited.note(held.shard, answers.get(report.visit, ()))
                if report.is_done and not answers.get(report.visit):
                    held.visits.pop(report.visit, None)
        return answers

    def _is_open(self, visit: int) -> bool:
        held = self._held.get(shard_of_visit(visit))
        return held is not None and visit in held.visits

    def lose(
        self, harvester: str, now: float, *, suspects: frozenset[str] = frozenset(), grace: float = 0.0
    ) -> int:
        """End the leases of a lost harvester and queue its work again; return the number of requests."""
        lost = 0
        concerned = [held.shard for held in self.held if harvester in held.visits.values()]
        for held, moment in self._steps(concerned, now):
            lost += held.frontier.lose(harvester, moment, suspects=suspects, grace=grace)
            self.texts.settled(held)
            held.visits = {visit: holder for visit, holder in held.visits.items() if holder != harvester}
        return lost

    # -- texts -------------------------------------------------------------

    def claim_paragraphs(self, questions: list[Question], answered: Answered) -> None:
        """Answer which paragraphs of pages under way are known in any shard, and claim the others."""
        self.texts.ask(questions, answered)

    def find_known_paragraphs(self, questions: list[Question], answered: Answered) -> None:
        """Answer which paragraphs of texts that come from no visit are known; nothing is claimed."""
        self.texts.ask(questions, answered, is_look=True)

    def pages_of(self, url: str) -> tuple[int, int]:
        """Return the shard in which a page is settled (-1 if none here) and how many pages its host has."""
        shard = self._shard_of_host(host := host_of(url))
        record = self._held[shard].frontier.host(host) if shard >= 0 else None
        return shard, record.pages if record is not None else 0

    def _shard_of_host(self, host: str) -> int:
        """Return the shard that is held and knows a host; -1 when there is none."""
        if (visited := self._visited.shard_of(host)) in self._held:
            return visited
        return next((held.shard for held in self.held if held.frontier.host(host) is not None), -1)

    def learn(self, texts: Iterable[tuple[str, bytes]]) -> None:
        """Record texts that are in the corpus, each with its URL and fingerprint."""
        by_shard = grouped(texts, lambda text: self._near(host_of(text[0])))
        for held, _ in self._steps(by_shard, 0.0):
            held.frontier.learn(by_shard[held.shard])
            self.texts.settled(held, hurries=True)

    def miss_ratings(self, texts: int) -> None:
        """Count texts that no segmenter has judged in time."""
        for held in list(self.held)[:1]:
            held.frontier.miss_ratings(texts)

    # -- time --------------------------------------------------------------

    def tick(self, now: float, confirmed_troubles: AbstractSet[Trouble] = frozenset()) -> None:
        """Requeue what is due in shards that are due or changed; carry out releases that had to wait.

        With `confirmed_troubles` (see `endgame`) all shards are examined if no visit is under way.
        """
        self._releases.flush()
        is_idle = bool(confirmed_troubles) and not any(held.visits for held in self.held)
        for shard in list(self._held) if is_idle else self._turns.take_due(now):
            held = self._held[shard]
            moment = self._moment(held, now)
            held.frontier.tick(moment, confirmed_troubles if is_idle else frozenset())
            held.changed.set()
            self._has_names[shard] = None
            next_at = held.frontier.next_at()
            self._turns.looked(shard, None if next_at is None else next_at + now - moment, now)

    def next_at(self) -> float | None:
        """Return the next moment at which something becomes possible."""
        return self._turns.next_at()

    def is_limited(self) -> bool:
        """Return whether the whole crawl has reached a limit of pages or bytes."""
        return self.ending in (CrawlEnd.PAGES, CrawlEnd.BYTES)

    def has_bytes_enough(self) -> bool:
        """Return whether the whole crawl has reached its limit of bytes."""
        return self.ending is CrawlEnd.BYTES

    def is_finished(self) -> bool:
        """Return whether nothing is left to do in the whole crawl."""
        return self.ending is not None and not self.is_late

    @property
    def is_late(self) -> bool:
        """Whether the whole crawl has reached its time limit."""
        return self.ending is CrawlEnd.TIME

    def waiting(self, now: float) -> Waiting:
        """Return what is waited for in the shards that are held."""
        moments = [(held, self._moment(held, now)) for held in self.held]
        waits = [(awaited_servers(self.held, self.engine_trouble()), now)]
        waits += [(held.frontier.waiting(moment), moment) for held, moment in moments]
        if self.is_idle:
            waits.append((Waiting(reasons=[WaitReason(cause=Cause.IDLE)]), now))
        return msgspec.structs.replace(sum_waits(waits, now), next_at=self.next_at())

    def join_round(self, number: int, count: float) -> None:
        """Begin a round of the whole crawl in all shards that have not begun it."""
        behind = [held.shard for held in self.held if held.frontier.rounds.number < number]
        now = count + self._offset
        for held, moment in self._steps(behind, now):
            held.frontier.rounds.join(number, moment)

    # -- figures and the operator --------------------------------------------

    @property
    def counters(self) -> Counters:
        """The counters of the shards that are held, current or as of `keep_counters`."""
        return self._kept or summed(held.frontier.counters for held in self.held)

    def keep_counters(self) -> None:
        """Keep reporting the counters of this moment while the shards are given away."""
        self._kept = summed(held.frontier.counters for held in self.held)

    @property
    def given_up(self) -> Mapping[str, str]:
        """Some hosts that were given up in this run, with the reason."""
        return ChainMap(*(dict(held.frontier.given_up) for held in self.held))

    def block(self, host: str, now: float, *, is_blocked: bool = True) -> None:
        """Block a host at once, or unblock it; its queue stays."""
        for held, moment in self._all(now):
            held.frontier.block(host, moment, is_blocked=is_blocked)

    def block_address(self, gate: str, *, is_blocked: bool = True) -> None:
        """Block an address at once, or unblock it."""
        for held, _ in self._all():
            held.frontier.block_address(gate, is_blocked=is_blocked)

    def slow(self, host: str, delay: float, now: float = 0.0) -> None:
        """Set the minimum delay between requests to a host; 0 = as configured."""
        for held, moment in self._all(now):
            held.frontier.slow(host, delay, moment)

    def slow_address(self, gate: str, delay: float) -> None:
        """Set the minimum delay between requests to the hosts of an address; 0 = as configured."""
        for held, _ in self._all():
            held.frontier.slow_address(gate, delay)

    def obey(self, count: float) -> list[str]:
        """Carry out new standing orders; return the hosts whose visits must end."""
        steps = self._all(count + self._offset)
        return list(dict.fromkeys(host for held, moment in steps for host in held.obey(moment)))

    def allot(self, held: HeldShard, allotment: Allotment, *, visits_per_day: float) -> None:
        """Give a shard its part of the crawl's limits, and of its revisits (0: unchanged)."""
        held.frontier.allot(allotment, visits_per_day=visits_per_day)
        self._touch(held)

    def reconfigure(self, policy: FrontierPolicy) -> None:
        """Apply a new policy, also to shards that are taken later."""
        self.policy = policy
        for held, _ in self._all():
            held.frontier.reconfigure(policy)

    def visited_hosts(self, gate: str = "") -> list[str]:
        """Return the hosts that are being visited: all, or those of one address."""
        return [host for held in self.held for host in held.frontier.visited_hosts(gate)]

    def host(self, host: str) -> HostRecord | None:
        """Return the record of a host, if it lives in a shard that is held."""
        visited = self._held.get(self._visited.shard_of(host))
        if visited is not None and (record := visited.frontier.host(host)) is not None:
            return record
        return next((found for held in self.held if (found := held.frontier.host(host))), None)

    def tables_of(self, host: str) -> Ranges | None:
        """Return the tables with all rows of a host, if it lives in a shard that is held."""
        return next((held.log.store for held in self.held if held.frontier.host(host)), None)

    def page_at(self, key: bytes) -> PageRecord | None:
        """Return the record of the page with this key, if it belongs to a shard that is held."""
        return next((found for held in self.held if (found := held.frontier.page_at(key))), None)

    def check(self) -> None:
        """Assert every invariant; between steps only."""
        for held in self.held:
            held.frontier.check()
            leases = sum(1 for _ in held.log.store.scan(Table.LEASE))
            assert leases == len(held.visits), f"{held}, and {leases} leases"
        self.texts.check()
