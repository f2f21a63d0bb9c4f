"""A crawl on many machines: real servers, real agents, and everything that can happen to them.

    PYTHONPATH=tests python tests/journeys/journey_cluster.py --agents 4 --hosts 2000 --seconds 120 --seed 7

Each agent has a directory of its own, as on a machine of its own. Agents are killed, stopped and interrupted;
one is lost with its disk; servers of the cluster are killed and stopped, never more than one at a time. With
`--links`, the lines between members and servers are cut and held up as well. What happens follows from the
seed. In the end everybody is let be, and the crawl comes to its end.
"""

import argparse
import contextlib
import json
import os
import random
import shutil
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import quote

import psutil
from journey_crawl import Crawl, Pace, Stage, simulated_web, wait_until, whole_lines
from journey_relay import Relay, Side

from nats_servers import PASSWORD, USER, clustered_servers
from tiptoe.cli.exits import Exit
from tiptoe.cluster.nats_server import NatsServer
from tiptoe.testing.recorder import Arrival
from tiptoe.testing.shape import WebShape

__all__ = ["ClusterChaos", "ClusterStage", "cluster_stage", "web_of"]

PACE = Pace(req_delay=0.3, max_reqs=10, general_pause=0.6)
SHARDS = 16
LEASE_SECONDS = 8.0
HARVESTERS_TOO = 0.5
"""How often the harvesters of a stopped agent are stopped as well."""
GOOD_END = "nothing left to request"
CUTS = ("cut", "cut", "hold", "hold")
"""Of the lines of one agent: broken, one party not hearing of it; or nothing passes, and all of it later."""
FAULTS = ("kill", "kill", "stop", "stop", "interrupt", "server_kill", "server_stop")
TAKEOVER_SECONDS = 10.0
"""After a lease, the hosts of a dead agent are to be asked again within this."""
TOLERANCE_SECONDS = 0.01
"""Of a pause that two machines count one after the other."""


def web_of(hosts: int, addresses: int, *, pages_per_host: int, seed: int = 7) -> WebShape:
    """Return a friendly web."""
    return WebShape(
        seed=seed, hosts=hosts, hosts_per_address=max(1, hosts // addresses), pages_per_host=pages_per_host,
        pages_spread=0.0, page_bytes=3_000, links_per_page=12, external_share=0.3, redirect_share=0.03,
        gone_share=0.03, robots_share=0.2, latency_seconds=0.02,
    )  # fmt: skip


@dataclass(frozen=True, slots=True)
class Death:
    """An agent that was killed, or lost with its disk."""

    at: float
    agent: str
    hosts: frozenset[str]  # that it had asked shortly before


def seconds_unasked(deaths: Iterable[Death], arrivals: Iterable[Arrival]) -> list[float]:
    """Return for how long each host of a dead agent was not asked, of those that were asked again.

    Others had nothing left to be asked for; one whose agents die one after the other counts for each.
    """
    moments: dict[str, list[float]] = {}
    for arrival in arrivals:
        moments.setdefault(arrival.host, []).append(arrival.arrived_at)
    found = []
    for death in deaths:
        for host in death.hosts:
            # What was on its way at that moment is no sign of life.
            later = [at for at in moments.get(host, ()) if at > death.at + 2 * PACE.req_delay]
            if later:
                found.append(min(later) - death.at)
    return sorted(found)


def takeover_said(seconds: list[float]) -> str:
    """Say how soon hosts of dead agents were asked again, beside what is allowed."""
    if not seconds:
        return "no host of a dead agent was asked again"
    bar = LEASE_SECONDS + TAKEOVER_SECONDS
    late = sum(one > bar for one in seconds)
    median, most = seconds[len(seconds) // 2], seconds[int(0.95 * (len(seconds) - 1))]
    return (
        f"hosts of dead agents asked again: {len(seconds)}, after {median:.1f} s (median), "
        f"{most:.1f} s (95 %), {seconds[-1]:.1f} s (last); "
        f"later than lease + {TAKEOVER_SECONDS:g} s = {bar:g} s: {late}"
    )


@dataclass(slots=True)
class ClusterStage:
    """Servers, a web, and the agents that crawl it."""

    stage: Stage
    servers: list[NatsServer]
    agents: dict[str, Crawl] = field(default_factory=dict)
    burnt: list[Path] = field(default_factory=list)
    links: dict[str, list[Relay]] | None = None  # of each agent to the servers; None: it has none of its own
    stack: contextlib.ExitStack = field(default_factory=contextlib.ExitStack)

    @property
    def address(self) -> str:
        """Where members find the servers."""
        return self._address([server.options.port for server in self.servers])

    def _address(self, ports: Iterable[int]) -> str:
        places = [f"127.0.0.1:{port}" for port in ports]
        return f"nats://{USER}:{quote(PASSWORD)}@{','.join(places)}"

    def address_for(self, name: str) -> str:
        """Where one member finds them."""
        if self.links is None:
            return self.address
        if name not in self.links:
            targets = [("127.0.0.1", server.options.port) for server in self.servers]
            self.links[name] = [self.stack.enter_context(Relay(target)) for target in targets]
        return self._address(relay.port for relay in self.links[name])

    def agent(self, name: str) -> Crawl:
        """Return an agent that is yet to start."""
        crawl = self.stage.crawl(name=name, pace=PACE)
        crawl.settings.update({
            "cluster.servers": self.address_for(name), "cluster.agent": name, "cluster.shards": SHARDS,
            "cluster.lease": f"{LEASE_SECONDS}s",
        })  # fmt: skip
        crawl.folder = self.stage.folder / f"{name}-console"
        crawl.folder.mkdir(exist_ok=True)
        self.agents[name] = crawl
        return crawl

    def start(self, *names: str, crawl_name: str = "") -> list[Crawl]:
        """Start agents and return them; without a name the crawl has that of the robot."""
        agents = [self.agent(name) for name in names]
        for crawl in agents if crawl_name else ():
            crawl.settings["cluster.crawl"] = crawl_name
        for crawl in agents:
            crawl.start()
        return agents

    def wait_for_pages(self, count: int) -> None:
        """Wait until the logs of all agents together tell of so many requests."""
        wait_until(
            lambda: sum(crawl.request_lines() for crawl in self.agents.values()) >= count, f"{count} requests"
        )

    def urls(self) -> list[str]:
        """Return the address of every document in the corpora of all agents, sorted."""
        return sorted(url for crawl in self.agents.values() for url in crawl.urls())

    def open_files(self) -> list[Path]:
        """Return the output files of all agents that are not finished."""
        return [path for crawl in self.agents.values() for path in crawl.open_files()]


@contextlib.contextmanager
def cluster_stage(
    folder: Path, shape: WebShape, *, seconds: float = 300.0, has_links: bool = False
) -> Iterator[ClusterStage]:
    """Run three servers and a web while the `with` lasts; with links, members have no other way to them."""
    with (
        clustered_servers(folder / "servers", tells_of_others=not has_links) as servers,
        contextlib.ExitStack() as stack,
        simulated_web(folder, shape, seconds=seconds) as stage,
    ):
        yield ClusterStage(stage, servers, links={} if has_links else None, stack=stack)


class ClusterChaos:
    """One run: agents, and the faults that befall them."""

    def __init__(
        self, cluster: ClusterStage, *, agents: int, seed: int, say: Callable[[str], None],
        faults: tuple[str, ...] = (),
    ) -> None:  # fmt: skip
        """`faults` are the only ones that happen, if there are any; then no agent is lost with its disk."""
        self._cluster = cluster
        self._faults = faults
        self.deaths: list[Death] = []
        self._chance = random.Random(seed)
        self._say = say
        self._until: dict[str, float] = {}  # when those that were stopped or killed go on
        self._stopped: set[str] = set()
        for number in range(1, agents + 1):
            cluster.agent(f"m{number}")

    def run(self, seconds: float, *, every: float) -> list[str]:
        """Let everything happen for so long, then the crawl come to its end; return what is wrong."""
        cluster = self._cluster
        for crawl in cluster.agents.values():
            crawl.start()
        ends_at = time.monotonic() + seconds
        burns_at = float("inf") if self._faults else time.monotonic() + seconds / 2
        next_at = time.monotonic() + 2 * every
        while time.monotonic() < ends_at and self._tend():
            now = time.monotonic()
            if burns_at <= now:
                burns_at = float("inf")
                self._burn(self._chance.choice(list(cluster.agents)))
            elif next_at <= now:
                next_at = now + self._chance.uniform(0.5, 1.5) * every
                usual = FAULTS if cluster.links is None else (*FAULTS, *CUTS)
                self._inject(self._chance.choice(self._faults or usual))
            time.sleep(0.05)
        self._say("everybody is let be")
        self._until = dict.fromkeys(self._until, 0.0)
        wait_until(lambda: not self._tend(), "the end of the crawl")
        return self._wrong()

    # -- tending ---------------------------------------------------------

    def _tend(self) -> bool:
        """Bring back whose time has come; False when the whole crawl has ended well."""
        for name in [name for name, until in self._until.items() if until <= time.monotonic()]:
            del self._until[name]
            self._bring_back(name)
        is_over = True
        for name, crawl in self._cluster.agents.items():
            assert crawl.process is not None
            if name in self._until or crawl.process.poll() is None:
                is_over = False
            elif crawl.process.returncode != Exit.DONE or GOOD_END not in crawl.console:
                self._say(f"{name} has ended with code {crawl.process.returncode}; it is started again")
                crawl.start()
                is_over = False
        return not is_over

    def _bring_back(self, name: str) -> None:
        server = self._server(name)
        if name in self._stopped:
            self._stopped.discard(name)
            if server is not None:
                self._signal_server(server, signal.SIGCONT)
            else:
                self._signal(name, signal.SIGCONT)
        elif server is not None:
            server.start()
        else:
            self._cluster.agents[name].start()

    def _server(self, name: str) -> NatsServer | None:
        return next((one for one in self._cluster.servers if one.options.name == name), None)

    # -- disturbing ------------------------------------------------------

    def _inject(self, kind: str) -> None:
        if kind.startswith("server"):
            self._disturb_server(kind)
            return
        if kind in CUTS:
            self._disturb_links(kind)
            return
        free = [
            name
            for name, crawl in self._cluster.agents.items()
            if name not in self._until and crawl.process is not None and crawl.process.poll() is None
        ]
        if not free:
            return
        name, away = self._chance.choice(free), self._chance.uniform(0.5, 2.5) * LEASE_SECONDS
        self._say(f"{kind} {name} for {away:.1f} s")
        crawl = self._cluster.agents[name]
        if kind == "kill":
            self._kill(name)
        elif kind == "stop":
            self._stopped.add(name)
            self._signal(name, signal.SIGSTOP)
        else:
            crawl.interrupt()
            crawl.wait()
        self._until[name] = time.monotonic() + away

    def _disturb_server(self, kind: str) -> None:
        if any(self._server(name) for name in self._until):
            return  # of three, two have to be there
        server = self._chance.choice(self._cluster.servers)
        away = self._chance.uniform(0.5, 2.0) * LEASE_SECONDS
        self._say(f"{kind} {server.options.name} for {away:.1f} s")
        if kind == "server_kill":
            server.kill()
        else:
            self._stopped.add(server.options.name)
            self._signal_server(server, signal.SIGSTOP)
        self._until[server.options.name] = time.monotonic() + away

    def _disturb_links(self, kind: str) -> None:
        links = self._cluster.links
        assert links is not None
        name = self._chance.choice(list(links))
        away = self._chance.uniform(0.3, 2.0) * LEASE_SECONDS
        self._say(f"{kind} of {name} for {away:.1f} s")
        for relay in links[name]:
            if kind == "cut":
                relay.cut(after_bytes=self._chance.randrange(4000), side=Side.UP, hold_seconds=away)
            relay.hold_up(away)

    def _burn(self, name: str) -> None:
        """Lose an agent with its disk; another one comes in its place, under another name."""
        cluster = self._cluster
        self._say(f"{name} is lost with its disk")
        crawl = cluster.agents[name]
        if name in self._stopped:
            self._stopped.discard(name)
            self._signal(name, signal.SIGCONT)
        self._until.pop(name, None)
        if crawl.process is not None and crawl.process.poll() is None:
            self._kill(name)
        ashes = crawl.out.with_name(f"{name}-burnt")
        if crawl.out.exists():  # else it has not joined yet
            shutil.move(crawl.out, ashes)
            cluster.burnt.append(ashes)
        del cluster.agents[name]
        cluster.agent(f"{name}b").start()

    def _kill(self, name: str) -> None:
        """End an agent and its harvesters on the spot, and note whom it was asking."""
        crawl = self._cluster.agents[name]
        crawl.kill_all()
        now = time.time()
        asked = {entry.host for entry in crawl.requests() if entry.started_at > now - LEASE_SECONDS}
        self.deaths.append(Death(now, name, frozenset(asked)))

    def _signal(self, name: str, number: signal.Signals) -> None:
        crawl = self._cluster.agents[name]
        if crawl.process is not None and crawl.process.poll() is None:
            is_whole = self._chance.random() < HARVESTERS_TOO or number is signal.SIGCONT
            for process in crawl.harvesters() if is_whole else ():
                with contextlib.suppress(psutil.NoSuchProcess):
                    process.send_signal(number)
            crawl.process.send_signal(number)

    def _signal_server(self, server: NatsServer, number: signal.Signals) -> None:
        os.kill(server.pid, number)

    # -- judging ---------------------------------------------------------

    def _wrong(self) -> list[str]:
        cluster = self._cluster
        wrong = [
            f"{name}: {crawl.console[-2000:]}"
            for name, crawl in cluster.agents.items()
            if "Traceback" in crawl.console
        ]
        found = Counter(cluster.urls())
        lost = Counter(url for ashes in cluster.burnt for url in urls_in(ashes))
        wrong += [f"{url}: {count} times in the corpora" for url, count in found.items() if count > 1]
        truth = set(cluster.stage.truth())
        if missing := truth - found.keys() - lost.keys():
            wrong.append(f"{len(missing)} pages are missing: {sorted(missing)[:5]}")
        if invented := found.keys() - truth:
            wrong.append(f"{len(invented)} pages should not be there: {sorted(invented)[:5]}")
        wrong += [f"not finished: {path.name}" for path in cluster.open_files()]
        return wrong


def urls_in(directory: Path) -> list[str]:
    """Return the address of every whole line in the corpus of a directory."""
    return [json.loads(line)["url"] for line in whole_lines((directory / "corpus").glob("*"))]


def main() -> int:
    form = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=form)
    parser.add_argument("--agents", type=int, default=4)
    parser.add_argument("--hosts", type=int, default=2000)
    parser.add_argument("--addresses", type=int, default=400)
    parser.add_argument("--pages-per-host", type=int, default=6)
    parser.add_argument("--seconds", type=float, default=120.0)
    parser.add_argument("--every", type=float, default=4.0, help="seconds between two faults, about")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", nargs="*", default=[], choices=sorted(set(FAULTS)), help="no other faults")
    parser.add_argument("--links", action="store_true", help="cut and hold up lines as well")
    options = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="tiptoe-cluster-"))
    shape = web_of(options.hosts, options.addresses, pages_per_host=options.pages_per_host)
    with cluster_stage(folder, shape, seconds=3600.0, has_links=options.links) as cluster:
        chaos = ClusterChaos(
            cluster, agents=options.agents, seed=options.seed, say=print, faults=tuple(options.only)
        )
        wrong = chaos.run(options.seconds, every=options.every)
    violations = cluster.stage.violations(PACE, tolerance=TOLERANCE_SECONDS)
    print(f"{len(cluster.stage.arrivals())} requests, {len(violations)} violations; wrong: {wrong[:20]}")
    print(takeover_said(seconds_unasked(chaos.deaths, cluster.stage.arrivals())))
    for violation in violations[:10]:
        print(violation)
    if not wrong and not violations:
        shutil.rmtree(folder)
    return 1 if wrong or violations else 0


if __name__ == "__main__":
    sys.exit(main())
