"""Robots that share no cluster, in virtual time: nothing is downloaded twice."""

import random
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rehearsal import Rehearsal

from tiptoe.frontier.frontier import FrontierPolicy
from tiptoe.frontier.politeness import Politeness
from tiptoe.keeper.downlist_lists import lines_of, take_downlist
from tiptoe.observe.downlist_file import ListHead, read_lines, write_list
from tiptoe.observe.downlist_merge import merge_lists
from tiptoe.url.dropped import Dropped

RULES = Politeness(req_delay=1.0, max_hosts=2, max_reqs=8, general_pause=10.0, backoff_first=5.0)
CLAIMING = FrontierPolicy(politeness=RULES, awaits_exchanges=True)
HOSTS = [f"h{number}.example" for number in range(6)]
PAGES = [f"http://{host}/{page}" for host in HOSTS for page in range(8)]
ADDRESSES = {host: f"192.0.2.{number // 2}" for number, host in enumerate(HOSTS)}


def web(chance: random.Random) -> dict[str, list[str]]:
    return {page: chance.sample(PAGES, 6) for page in PAGES}


class Robots:
    """Several robots and the one list that they keep together."""

    def __init__(self, folder: Path, links: dict[str, list[str]], policy: FrontierPolicy = CLAIMING) -> None:
        self.folder = folder
        self.links = links
        self.policy = policy
        self.robots: dict[str, Rehearsal] = {}
        self.marks: dict[str, float] = {}
        self.left: list[Rehearsal] = []

    def join(self, name: str, *seeds: str, now: float = 1000.0) -> None:
        self.robots[name] = Rehearsal(self.links, ADDRESSES, self.policy, now=now)
        self.robots[name].add(*seeds)

    def run(self, until: float) -> None:
        """Let everybody go on until then."""
        for robot in self.robots.values():
            for _ in range(10_000):
                if robot.frontier.is_finished() or robot.now >= until:
                    break
                robot.step()
            robot.now = max(robot.now, until)

    def exchange(self, chance: random.Random, *, overlap: float = 0.0) -> None:
        """Tell each other; some of them go on while the lists are on their way."""
        numbers, lists = {}, []
        for name, robot in self.robots.items():
            numbers[name] = robot.frontier.exchanges.open()
            lines = lines_of(
                robot.store, name, since=self.marks.get(name, 0.0), has_claims=bool(numbers[name])
            )
            path = self.folder / f"{name}.list"
            write_list(path, ListHead(robot=name, mark=robot.now), list(lines))
            self.marks[name] = robot.now
            lists.append(path)
            self.run(max(robot.now for robot in self.robots.values()) + overlap * chance.random())
        known = self.folder / "known"
        merge_lists(lists, known, known=known if known.exists() else None)
        for name, robot in self.robots.items():
            others = [line.url for line in read_lines(known) if line.robot != name]
            take_downlist(robot.frontier, others[:500], robot.now)
            robot.frontier.check()
            robot.frontier.exchanges.close(numbers[name])

    def downloads(self) -> Counter[str]:
        return Counter(url for robot in self.robots.values() for url in robot.fetched)


@settings(max_examples=8, deadline=None)
@given(chance=st.randoms(use_true_random=False), seeds=st.integers(1, 6), late=st.booleans())
def test_nothing_is_downloaded_twice_and_nothing_is_forgotten(
    tmp_path_factory: pytest.TempPathFactory, chance: random.Random, seeds: int, late: bool
) -> None:
    """Whatever the robots begin with, whoever joins later, and however long lists are on their way."""
    links = web(chance)
    robots = Robots(tmp_path_factory.mktemp("robots"), links)
    first = [chance.sample(PAGES, seeds) for _ in range(3)]
    for name, some in zip("cab", first, strict=True):
        robots.join(name, *some)
    for number in range(200):
        robots.run(max(robot.now for robot in robots.robots.values()) + chance.uniform(1.0, 30.0))
        robots.exchange(chance, overlap=chance.choice([0.0, 10.0]))
        if late and number == 3:
            first.append(chance.sample(PAGES, seeds))
            now = max(robot.now for robot in robots.robots.values())
            robots.join("d", *first[-1], now=now)
        if number > 4 and all(robot.frontier.is_finished() for robot in robots.robots.values()):
            break
    else:
        raise AssertionError("they do not come to an end")
    assert {url: count for url, count in robots.downloads().items() if count > 1} == {}
    reachable = set()
    waiting = [url for some in first for url in some]
    while waiting:
        if (url := waiting.pop()) not in reachable:
            reachable.add(url)
            waiting += links[url]
    assert set(robots.downloads()) == reachable


def test_before_the_first_exchange_nobody_is_asked(tmp_path: Path) -> None:
    robots = Robots(tmp_path, {})
    robots.join("a", PAGES[0])
    robots.run(1500.0)
    robot = robots.robots["a"]
    assert (robot.asked, robot.frontier.is_finished()) == ([], False)
    robots.exchange(random.Random(0))
    robots.run(1600.0)
    assert robot.fetched == [PAGES[0]]
    assert robot.frontier.is_finished()


def test_without_claims_only_what_both_met_between_two_exchanges_is_had_twice(tmp_path: Path) -> None:
    """Lists alone are better than nothing: what one has is dropped from the queues of the others."""
    robots = Robots(tmp_path, {}, FrontierPolicy(politeness=RULES))
    robots.join("a", *PAGES[:8])
    robots.run(1200.0)
    robots.join("b", *PAGES[:12], now=1200.0)
    robots.exchange(random.Random(0))
    robots.run(2000.0)
    assert sorted(robots.robots["b"].fetched) == sorted(PAGES[8:12])
    assert robots.robots["b"].frontier.counters.totals.discards[Dropped.DOWNLIST] == 8


def test_what_is_under_way_is_not_taken_away(tmp_path: Path) -> None:
    """Its answer is on its way: it is settled as if nobody had said anything."""
    robot = Rehearsal({}, ADDRESSES, FrontierPolicy(politeness=RULES))
    robot.add(PAGES[0])
    robot.begin()
    assert robot.frontier.mark_downloaded([PAGES[0]], robot.now) == 0
    robot.end_first()
    page = robot.frontier.page(PAGES[0])
    assert page is not None
    assert page.outcome == "ok"
    assert robot.frontier.mark_downloaded([PAGES[0]], robot.now) == 0, "what we have is known better"


def test_an_exchange_that_was_never_opened_closes_nothing() -> None:
    """Nobody can be let go by a number that is made up."""
    robot = Rehearsal({}, ADDRESSES, CLAIMING)
    robot.add(PAGES[0])
    robot.frontier.exchanges.close(99)
    robot.round()
    assert robot.asked == []
    assert robot.frontier.exchanges.open() == 1
