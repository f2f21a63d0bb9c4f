"""Several frontiers of one crawl, with mail between them that is late, lost and doubled, in virtual time.

What their servers saw is judged over all of them.
"""

import random
from collections import Counter, defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import pairwise

from tiptoe.cluster.shard_labels import ShardLabels
from tiptoe.experiment.frontier_player import FrontierPlayer, PlayedRequest, PlayedVisit, links_to
from tiptoe.frontier.frontier import Frontier, FrontierPolicy
from tiptoe.frontier.mail import ShardMail
from tiptoe.frontier.politeness import Politeness
from tiptoe.frontier.residence import ShardPlan
from tiptoe.protocol.work import Purpose, Request, Result, RobotsNote, RobotsState
from tiptoe.store.memory import MemoryStore
from tiptoe.url.address import host_of, url_key

__all__ = ["BRISK", "DAY", "PATIENT", "Cluster", "SharedWeb"]

HOUR = 3600.0
DAY = 24 * HOUR

PATIENT = Politeness(req_delay=5.0, general_pause=9 * HOUR, max_reqs=4, max_hosts=2)
"""Rules under which a small crawl lasts for days, so that addresses expire in it."""

BRISK = Politeness(req_delay=5.0, general_pause=HOUR / 4, max_reqs=4, max_hosts=2)
"""Rules under which no host is given up before others have had their turn, who have its rules."""


@dataclass
class SharedWeb:
    """Hosts on shared addresses, some of which change, with everything that ties hosts to each other."""

    seed: int
    hosts: int
    rotating: float = 0.1  # share of names with several addresses, in changing order
    changing: float = 0.4  # share of names that get another address every day
    moving_rules: float = 0.15  # share of hosts whose robots.txt is at another one
    failing: float = 0.03  # share of pages that are not there at the first try
    served: Counter[str] = field(default_factory=Counter)

    @property
    def addresses(self) -> int:
        return max(2, self.hosts // 4)

    def chance(self, *salt: object) -> random.Random:
        return random.Random(repr((self.seed, salt)))

    def names(self) -> list[str]:
        return [f"h{number}.example" for number in range(self.hosts)]

    def addresses_of(self, host: str, now: float) -> list[str]:
        """Answer as its name server does."""
        chance, day = self.chance("dns", host), int(now // DAY)
        kind = chance.random()
        numbers = [chance.randrange(self.addresses) for _ in range(3)]
        if kind < self.changing:
            numbers = [self.chance("moved", host, day).randrange(self.addresses)]
        elif kind < self.changing + self.rotating:
            self.chance("rotated", host, now).shuffle(numbers)
        else:
            numbers = numbers[:1]
        return [f"198.18.{self.seed % 256}.{number * 11}" for number in numbers]

    def look_up(self, host: str, last: str, now: float) -> str:
        """Answer as a harvester does: an address that is still among those of a name is kept."""
        found = self.addresses_of(host, now)
        return last if last in found else found[0]

    def pages(self, host: str) -> int:
        return self.chance("pages", host).randint(1, 9)

    def page(self, chance: random.Random) -> str:
        host = f"h{chance.randrange(self.hosts)}.example"
        return f"http://{host}/p{chance.randrange(self.pages(host))}"

    def answer(self, request: Request, now: float) -> Result:
        """Answer a request."""
        url = request.url
        self.served[url] += 1
        if request.purpose is Purpose.ROBOTS:
            return Result(request, status=200, robots=RobotsNote(RobotsState.RULES))
        chance = self.chance("page", url)
        if chance.random() < self.failing and self.served[url] == 1:
            return Result(request, status=500)
        host = host_of(url)
        if request.purpose is Purpose.SITEMAP:
            listed = url.rpartition("/")[2].removesuffix(".xml")
            links = links_to(f"http://{listed}/p{number}" for number in range(self.pages(listed)))
            return Result(request, status=200, links=links)
        if chance.random() < 0.1:
            return Result(request, status=301, redirect=self.page(chance))
        own = [f"http://{host}/p{chance.randrange(self.pages(host))}" for _ in range(3)]
        links = links_to(own + [self.page(chance) for _ in range(chance.randrange(6))])
        # Hosts of the same last digit have the same pages.
        text = url_key(url[-2:] + host[-9:])
        return Result(request, status=200, body_bytes=900, text_chars=300, text_hash=text, links=links)

    def rules(self, origin: str) -> RobotsNote:
        """Return what robots.txt says: some have moved to other hosts, some name sitemaps there."""
        chance = self.chance("rules", origin)
        kind, other = chance.random(), f"h{chance.randrange(self.hosts)}.example"
        if kind < self.moving_rules and other != host_of(origin):
            return RobotsNote(RobotsState.MOVED, location=f"http://{other}/robots.txt")
        maps = [f"http://{other}/{host_of(origin)}.xml"] if kind > 0.8 else []
        return RobotsNote(RobotsState.RULES, crawl_delay=7.0 if kind > 0.9 else 0.0, sitemaps=maps)


class ShardPlayer(FrontierPlayer):
    """The harvester of one shard."""

    web: SharedWeb

    def look_up(self, names_max: int = 200) -> bool:
        names = self.frontier.new_hosts(names_max)
        last = self.frontier.last_addresses(names)
        found = [(name, self.web.look_up(name, last.get(name, ""), self.now), "") for name in names]
        self.frontier.resolved_all(found, self.now)
        return bool(names)

    def read_rules(self, rules: Request, origin: str, walk: PlayedVisit, now: float) -> bool:
        note = self.web.rules(origin)
        walk.results.append(Result(rules, status=200, robots=note))
        if note.state is RobotsState.RULES:
            walk.known.add(origin)
        return note.state is RobotsState.RULES


@dataclass
class Cluster:
    """Frontiers and the mail between them; no clock but `now`."""

    web: SharedWeb
    shards: int
    policy: FrontierPolicy
    seed: int = 0
    lost: float = 0.0  # share of mails
    doubled: float = 0.0
    delay_max: float = 1.0
    crashes: float = 0.0  # share of turns
    is_checked: bool = False
    now: float = 1e6
    answer: Callable[[Request, float], Result] | None = None
    plan: ShardPlan | None = None  # None: all shards alike
    stores: list[MemoryStore] = field(default_factory=list)  # of an earlier crawl; none: a new one

    def __post_init__(self) -> None:
        self.chance = random.Random(self.seed)
        self.asked: list[PlayedRequest] = []
        self.stores = self.stores or [MemoryStore() for _ in range(self.shards)]
        self.players = [self._player(shard) for shard in range(self.shards)]
        self._sent: list[dict[int, int]] = [{} for _ in range(self.shards)]
        self._on_their_way: list[tuple[float, ShardMail]] = []
        self._repeat_at = [0.0] * self.shards
        self.cut_off: Counter[str] = Counter()  # URLs of visits that ended with their frontier
        self.mails = self.repeated = 0

    def _player(self, shard: int) -> ShardPlayer:
        frontier = Frontier(
            self.stores[shard],
            self.policy,
            shard=shard,
            plan=self.plan or (ShardLabels(self.shards) if self.shards > 1 else None),
        )
        player = ShardPlayer(
            frontier, self.answer or self.web.answer, lambda host: "", self.now,
            visits_max=50, record=self.asked.append,
        )  # fmt: skip
        player.web = self.web
        return player

    def restart(self) -> None:
        """Let all frontiers begin anew, with what they have stored."""
        self.players = [self._player(shard) for shard in range(self.shards)]

    @property
    def frontiers(self) -> list[Frontier]:
        return [player.frontier for player in self.players]

    def add(self, *urls: str) -> None:
        """Tell any of the frontiers of seeds."""
        for url in urls:
            self.players[self.chance.randrange(self.shards)].add(url)

    def run(self, *, until: float = float("inf"), turns_max: int = 200_000) -> None:
        """Crawl until nothing is left, or so long."""
        for _ in range(turns_max):
            self._turn()
            if self._is_over():
                return
            self.now = max(self.now, self._next_at())
            if self.now >= until:
                return
        raise AssertionError(f"not finished after {turns_max} turns: {self.frontiers}")

    def rest(self) -> None:
        """Let the visits under way end, begin no others, and deliver all mail; end all runs in good order."""
        while True:
            for shard, player in enumerate(self.players):
                while player.ends_at is not None and player.ends_at <= self.now:
                    player.end_first()
                player.now = self.now
                player.frontier.tick(self.now)
                self._send(shard)
            self._deliver()
            moments = [player.ends_at for player in self.players if player.ends_at is not None]
            moments += [at for at, _ in self._on_their_way]
            if any(frontier.outgoing(mails_max=1) for frontier in self.frontiers):
                moments.append(self.now + 2 * self.delay_max)
            if not moments:
                break
            self.now = max(self.now + 0.001, min(moments))
        for frontier in self.frontiers:
            frontier.runs.begin("played", 0.0, now=self.now, rest=0.0)
            frontier.runs.end(now=self.now)

    def _turn(self) -> None:
        for shard in self.chance.sample(range(self.shards), self.shards):
            player = self.players[shard]
            player.now = self.now
            while player.ends_at is not None and player.ends_at <= self.now:
                player.end_first()
            player.now = self.now
            if self._may_begin(player):
                player.begin()
            if self.chance.random() < self.crashes:
                self._crash(shard)
            self._send(shard)
            if self.is_checked:
                self.players[shard].frontier.check()
        self._deliver()

    def _may_begin(self, player: ShardPlayer) -> bool:
        next_at, gauges = player.frontier.next_at(), player.frontier.counters.gauges
        if next_at is None:  # those that wait may not be on the bench yet
            return gauges.new_hosts + gauges.parked_hosts > 0
        return gauges.new_hosts > 0 or next_at <= self.now

    def _crash(self, shard: int) -> None:
        """Let a frontier die, and its harvester with it; another one begins where it was."""
        cut = set(self.players[shard].under_way())
        for played in [played for played in self.asked if played.visit in cut]:
            if played.at > self.now:
                self.asked.remove(played)
            else:
                self.cut_off[played.url] += 1
        self.players[shard] = self._player(shard)
        self.players[shard].frontier.recover(self.now, grace=1.0)
        self._sent[shard] = {}

    def _send(self, shard: int) -> None:
        frontier, sent = self.players[shard].frontier, self._sent[shard]
        if self.now >= self._repeat_at[shard]:
            sent.clear()  # whatever was not heard of is sent again
            self._repeat_at[shard] = self.now + 2 * self.delay_max
        for mail in frontier.outgoing(sent, mails_max=8):
            sent[mail.receiver] = mail.number
            self.mails += 1
            for _ in range(1 + (self.chance.random() < self.doubled)):
                if self.chance.random() >= self.lost:
                    arrives_at = self.now + self.chance.random() * self.delay_max
                    self._on_their_way.append((arrives_at, mail))

    def _deliver(self) -> None:
        arrived = [mail for at, mail in self._on_their_way if at <= self.now]
        self._on_their_way = [(at, mail) for at, mail in self._on_their_way if at > self.now]
        for mail in arrived:
            receiver = self.players[mail.receiver].frontier
            receiver.receive([mail], self.now)
            if self.is_checked:
                receiver.check()
            if self.chance.random() >= self.lost:
                self.players[mail.sender].frontier.delivered({mail.receiver: receiver.received(mail.sender)})

    def _next_at(self) -> float:
        moments = [at for at, _ in self._on_their_way]
        for shard, player in enumerate(self.players):
            moments += [at for at in (player.ends_at, player.frontier.next_at()) if at is not None]
            if player.frontier.outgoing(mails_max=1):
                moments.append(self._repeat_at[shard])
        later = [at for at in moments if at > self.now]
        is_now = len(later) < len(moments) or any(
            frontier.counters.gauges.new_hosts for frontier in self.frontiers
        )
        return self.now + 0.001 if is_now or not later else min(later)

    def _is_over(self) -> bool:
        return not self._on_their_way and all(frontier.is_finished() for frontier in self.frontiers)

    # -- what the servers saw --------------------------------------------

    def pages(self) -> Counter[str]:
        """Return how often each page was asked for."""
        return Counter(played.url for played in self.asked if not played.url.endswith("robots.txt"))

    def judge(self, rules: Politeness) -> None:
        """State that no host and no address was asked before its time, whoever asked."""
        by_address: dict[str, list[PlayedRequest]] = defaultdict(list)
        by_host: dict[str, list[PlayedRequest]] = defaultdict(list)
        for played in sorted(self.asked, key=lambda played: played.at):
            by_address[played.address].append(played)
            by_host[played.host].append(played)
        for address, requests in by_address.items():
            for before, later in pairwise(requests):
                pause = rules.general_pause if before.visit != later.visit else 0.0
                assert later.at >= before.ended_at + pause - 0.01, f"{address}: {before} {later}"
        for host, requests in by_host.items():
            for before, later in pairwise(requests):
                assert later.at >= before.ended_at + rules.req_delay - 0.01, f"{host}: {before} {later}"
