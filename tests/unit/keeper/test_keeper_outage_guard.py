"""Who pays when our own line is down? Nobody."""

from pathlib import Path

import pytest
from keeper_samples import SetClock, make_keeper

from tiptoe.frontier.host import HostState
from tiptoe.keeper.commands import answer
from tiptoe.keeper.overview import status_of
from tiptoe.protocol.messages import Lookup, News, Resolutions, Work
from tiptoe.protocol.operator import ResumeCrawl
from tiptoe.protocol.work import Purpose, Report, Request, Result, RobotsNote, RobotsState, Visit

HOSTS = [f"h{number}.example" for number in range(12)]
PAGES = 100
HOUR = 3600.0


class Crawl:
    """A keeper on a clock that is set, and a harvester that reports at once what it is told to."""

    def __init__(self, directory: Path, hosts: list[str] = HOSTS) -> None:
        self.keeper, self.peer = make_keeper(directory)
        self.clock = self.keeper.clock
        assert isinstance(self.clock, SetClock)
        (self.member,) = self.keeper.roster.members.values()
        frontier = self.keeper.frontier
        urls = [f"http://{host}/{page}" for host in hosts for page in range(PAGES)]
        frontier.add([Request(url) for url in urls], self.clock.at)
        for number, host in enumerate(frontier.new_hosts(100)):
            frontier.resolved_all([(host, f"192.0.2.{number}", "")], self.clock.at)
        self.visits = 0
        self.names: list[str] = []  # that were to be looked up, by the time

    def run(
        self, seconds: float, failure: str = "", *, robots: bool = False, lookup: str | None = None
    ) -> None:
        """Let time pass; every request ends like this, and so does every look-up unless it is told apart."""
        assert isinstance(self.clock, SetClock)
        end = self.clock.at + seconds
        while self.clock.at < end:
            self.clock.at += 5.0
            self.keeper.hand_out()
            works = [message for message in self.peer.told if isinstance(message, Work)]
            for visit in self.take():
                self.visits += 1
                self.report(visit, failure, robots=robots)
            hosts = [host for work in works for host in work.hosts]
            self.look_up(hosts, failure if lookup is None else lookup)
        self.keeper.frontier.check()

    def take(self) -> list[Visit]:
        told, self.peer.told[:] = list(self.peer.told), []
        return [visit for message in told if isinstance(message, Work) for visit in message.visits]

    def report(self, visit: Visit, failure: str, *, robots: bool) -> None:
        results, returned = [], []
        for work in visit.hosts:
            first, *rest = work.requests
            if not failure:
                results += [Result(request, status=200, text_chars=100) for request in work.requests]
            elif robots:
                rules = Request(f"http://{work.host}/robots.txt", Purpose.RULES_REQUEST)
                note = RobotsNote(RobotsState.UNREACHABLE)
                asked = Request(rules.url, Purpose.ROBOTS)
                results += [Result(rules, failure=failure), Result(asked, robots=note)]
                returned += work.requests
            else:
                results.append(Result(first, failure=failure))
                returned += rest
        news = News([Report(visit.id, results, returned, is_done=True, wants_more=False)])
        self.keeper.hear(self.member, self.peer, news)  # type: ignore[arg-type]

    def look_up(self, hosts: list[str], failure: str) -> None:
        self.names += hosts
        if hosts:
            address = "" if failure else f"198.51.100.{len(self.names) % 250}"
            said = Resolutions([Lookup(host, address, failure) for host in hosts])
            self.keeper.hear(self.member, self.peer, said)  # type: ignore[arg-type]

    def gone(self) -> list[str]:
        records = [self.keeper.frontier.host(host) for host in HOSTS]
        return [record.host for record in records if record and record.state is HostState.GONE]


@pytest.fixture
def crawl(tmp_path: Path) -> Crawl:
    crawl = Crawl(tmp_path)
    crawl.run(600.0)
    return crawl


@pytest.mark.parametrize("robots", [False, True])
@pytest.mark.parametrize("failure", ["refused", "unreachable", "timed_out", "dns_failed", "no_such_host"])
def test_three_hours_without_a_line_cost_no_host_and_no_page(
    crawl: Crawl, failure: str, robots: bool
) -> None:
    """All hosts would be given up within the first hour or two."""
    crawl.run(3 * HOUR, failure, robots=robots)
    assert crawl.gone() == []
    assert status_of(crawl.keeper).holds == ["line"]
    crawl.run(4 * HOUR)
    assert status_of(crawl.keeper).holds == []
    assert crawl.keeper.frontier.counters.totals.pages == len(HOSTS) * PAGES
    assert crawl.keeper.frontier.is_finished()


def test_without_this_hosts_are_given_up(crawl: Crawl, monkeypatch: pytest.MonkeyPatch) -> None:
    """So that the test above can fail."""
    monkeypatch.setattr(crawl.keeper.outage_guard, "sift", lambda reports, now: reports)
    crawl.run(3 * HOUR, "refused")
    assert crawl.gone() == HOSTS


def test_while_cut_off_only_a_few_visits_are_made(crawl: Crawl) -> None:
    """Nobody else's server is hammered either, should we be wrong."""
    crawl.run(60.0, "refused")
    crawl.visits = 0
    crawl.run(HOUR, "refused")
    assert 3 <= crawl.visits <= 30


def test_the_line_is_back_as_soon_as_anybody_answers(crawl: Crawl) -> None:
    crawl.run(HOUR, "refused")
    pages = crawl.keeper.frontier.counters.totals.pages
    crawl.run(700.0)
    assert crawl.keeper.frontier.counters.totals.pages > pages
    assert status_of(crawl.keeper).holds == []


def test_resume_means_go_on(crawl: Crawl) -> None:
    crawl.run(HOUR, "refused")
    answer(crawl.keeper, ResumeCrawl())
    assert status_of(crawl.keeper).holds == []


def test_one_host_that_dies_among_others_is_given_up_as_ever(tmp_path: Path) -> None:
    crawl = Crawl(tmp_path)
    crawl.run(600.0)
    dead = HOSTS[0]
    assert isinstance(crawl.clock, SetClock)
    for _ in range(int(12 * HOUR / 60)):
        crawl.clock.at += 60.0
        crawl.keeper.hand_out()
        for visit in crawl.take():
            is_dead = any(work.host == dead for work in visit.hosts)
            crawl.report(visit, "refused" if is_dead else "", robots=False)
    assert crawl.gone() == [dead]


def test_visits_that_were_still_answered_and_then_broke_off_count(crawl: Crawl) -> None:
    """The line goes down in the middle of visits: their last answers are reported with the first failures."""
    reports = []
    for visit in range(12):
        host = f"h{visit}.example"
        ok = Result(Request(f"http://{host}/x"), status=200)
        reports.append(Report(visit, [ok, Result(Request(f"http://{host}/y"), failure="refused")]))
    sifted = crawl.keeper.outage_guard.sift(reports, crawl.keeper.clock.now())
    assert [len(report.results) for report in sifted] == [1] * 12
    assert [request.url for report in sifted for request in report.returned] == [
        f"http://{host}/y" for host in HOSTS
    ]


def test_names_that_could_not_be_looked_up_meanwhile_are_looked_up_again(crawl: Crawl) -> None:
    crawl.run(60.0, "refused")
    keeper, peer = crawl.keeper, crawl.peer
    keeper.frontier.add([Request("http://new.example/")], keeper.clock.now())
    assert keeper.frontier.new_hosts(10) == ["new.example"]
    said = Resolutions([Lookup("new.example", failure="no_such_host")])
    for _ in range(5):
        keeper.hear(crawl.member, peer, said)  # type: ignore[arg-type]
    record = keeper.frontier.host("new.example")
    assert record is not None
    assert (record.state, record.troubles) == (HostState.NEW, 0)
    assert keeper.frontier.new_hosts(10) == ["new.example"]


def test_no_name_is_looked_up_while_we_are_cut_off(crawl: Crawl) -> None:
    crawl.run(60.0, "refused")
    crawl.keeper.frontier.add([Request("http://new.example/")], crawl.keeper.clock.now())
    crawl.keeper.hand_out()
    assert [message.hosts for message in crawl.peer.told if isinstance(message, Work) and message.hosts] == []


def test_an_outage_that_outlives_all_addresses_ends_when_the_line_is_back(crawl: Crawl) -> None:
    """Addresses hold for a day; then nobody can be visited before names are looked up again."""
    crawl.run(25 * HOUR, "unreachable", lookup="dns_failed")
    assert status_of(crawl.keeper).new_hosts == len(HOSTS)
    assert crawl.gone() == []
    crawl.run(0.5 * HOUR)
    assert status_of(crawl.keeper).holds == []
    crawl.run(4 * HOUR)
    assert crawl.keeper.frontier.counters.totals.pages == len(HOSTS) * PAGES
    assert crawl.keeper.frontier.is_finished()


def test_while_cut_off_only_a_few_names_are_looked_up_and_not_always_the_same(crawl: Crawl) -> None:
    crawl.run(24.5 * HOUR, "unreachable", lookup="dns_failed")
    crawl.names.clear()
    crawl.run(HOUR, "unreachable", lookup="dns_failed")
    assert 3 <= len(crawl.names) <= 7 * 3
    assert set(crawl.names) == set(HOSTS)


def test_a_name_that_can_be_looked_up_does_not_prove_the_line(crawl: Crawl) -> None:
    """A name server in our own house knows names for hours: each time all would be visited, and pay."""
    crawl.run(30 * HOUR, "unreachable", lookup="")
    assert crawl.names
    assert crawl.gone() == []
    assert status_of(crawl.keeper).holds == ["line"]


def test_after_days_the_crawl_goes_on_though_there_is_nobody_to_try(crawl: Crawl) -> None:
    """No visit to make and no name to look up: still the time is over some day, and the log says so."""
    crawl.run(HOUR, "unreachable")
    for host in HOSTS:
        crawl.keeper.frontier.block(host, crawl.keeper.clock.now())
    assert isinstance(crawl.clock, SetClock)
    crawl.clock.at += 73 * HOUR
    crawl.run(60.0)
    assert status_of(crawl.keeper).holds == []
