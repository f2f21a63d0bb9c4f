"""Who pays when our name server does not answer? Nobody."""

import io
from pathlib import Path

import pytest
from keeper_samples import SetClock, make_keeper

from tiptoe.frontier.host import HostRecord, HostState
from tiptoe.keeper.commands import answer
from tiptoe.keeper.dns_outage import TRIAL_NAMES, DnsOutage
from tiptoe.observe.eventlog import EventLog
from tiptoe.protocol.messages import Lookup, Resolutions, Work
from tiptoe.protocol.operator import ResumeCrawl
from tiptoe.protocol.work import Request

MINUTE, HOUR = 60.0, 3600.0
HOSTS = [f"n{number}.example" for number in range(50)]


def lookups(hosts: list[str], failure: str) -> list[Lookup]:
    return [Lookup(host, "" if failure else "192.0.2.1", failure) for host in hosts]


class Crawl:
    """A keeper with names to look up, and a harvester that says at once what came of it."""

    def __init__(self, directory: Path) -> None:
        self.keeper, self.peer = make_keeper(directory)
        (self.member,) = self.keeper.roster.members.values()
        self.keeper.frontier.add([Request(f"http://{host}/") for host in HOSTS], self.keeper.clock.now())
        self.names: list[str] = []

    def run(self, seconds: float, failure: str = "") -> None:
        clock = self.keeper.clock
        assert isinstance(clock, SetClock)
        end = clock.at + seconds
        while clock.at < end:
            clock.at += 5.0
            self.keeper.hand_out()
            told, self.peer.told[:] = list(self.peer.told), []
            hosts = [host for message in told if isinstance(message, Work) for host in message.hosts]
            self.names += hosts
            if hosts:
                self.keeper.hear(self.member, self.peer, Resolutions(lookups(hosts, failure)))  # type: ignore[arg-type]
        self.keeper.frontier.check()

    def states(self) -> set[HostState]:
        return {record.state for host in HOSTS if (record := self.keeper.frontier.host(host))}


@pytest.fixture
def crawl(tmp_path: Path) -> Crawl:
    return Crawl(tmp_path)


def test_hours_without_a_name_server_cost_no_host(crawl: Crawl) -> None:
    """All would be given up within forty minutes."""
    crawl.run(6 * HOUR, "dns_failed")
    assert HostState.GONE not in crawl.states()
    assert crawl.keeper.outage_guard.names.are_down
    crawl.run(HOUR)
    assert not crawl.keeper.outage_guard.names.are_down
    assert crawl.states() == {HostState.PARKED, HostState.VISITED}


def test_meanwhile_only_a_few_names_are_tried(crawl: Crawl) -> None:
    crawl.run(MINUTE, "dns_failed")
    crawl.names.clear()
    crawl.run(HOUR, "dns_failed")
    assert TRIAL_NAMES <= len(crawl.names) <= 11 * TRIAL_NAMES
    assert set(crawl.names) == set(HOSTS)


def test_after_a_day_the_names_are_to_blame_after_all(crawl: Crawl) -> None:
    """Else a crawl of which only such names are left would never end."""
    crawl.run(28 * HOUR, "dns_failed")
    assert crawl.states() == {HostState.GONE}
    assert crawl.keeper.frontier.is_finished()


def test_names_that_do_not_exist_are_given_up_as_ever(crawl: Crawl) -> None:
    crawl.run(6 * HOUR, "no_such_host")
    assert crawl.states() == {HostState.GONE}


def test_resume_means_look_them_up(crawl: Crawl) -> None:
    crawl.run(MINUTE, "dns_failed")
    assert crawl.keeper.outage_guard.names.are_down
    answer(crawl.keeper, ResumeCrawl())
    assert not crawl.keeper.outage_guard.names.are_down


class Hosts(dict[str, HostRecord]):
    """Hosts as the frontier knows them."""

    def names(self) -> DnsOutage:
        return DnsOutage(self.get, EventLog("keeper", io.StringIO()), backoff_first=MINUTE)


def strangers(count: int = 50, **known: float) -> Hosts:
    hosts = Hosts()
    for host in HOSTS[:count]:
        hosts[host] = HostRecord(host)
        for name, value in known.items():
            setattr(hosts[host], name, value)
    return hosts


def test_one_answer_together_with_failures_is_enough_to_trust_the_name_server() -> None:
    """A farm of hosts loses its name server: they fail together, and others do not."""
    names = strangers().names()
    said = [*lookups(HOSTS[:1], ""), *lookups(HOSTS[1:], "dns_failed")]
    assert names.sift(said, 1.0) == (said, [])


@pytest.mark.parametrize(
    "said", [Lookup("a.example", failure="no_such_host"), Lookup("a.example", "192.0.2.1")]
)
def test_whatever_a_name_server_says_it_is_there(said: Lookup) -> None:
    names = strangers().names()
    names.sift(lookups(HOSTS, "dns_failed"), 1.0)
    assert names.are_down
    names.sift([said], 2.0)
    assert not names.are_down


@pytest.mark.parametrize(
    "said",
    [
        Lookup("", "local"),
        Lookup("192.0.2.7", "192.0.2.7"),
        Lookup("[2001:db8::1]", "2001:db8::1"),
        Lookup("a_.example", failure="bad_url"),
    ],
)
def test_what_no_name_server_was_asked_for_proves_nothing(said: Lookup) -> None:
    names = strangers().names()
    names.sift(lookups(HOSTS, "dns_failed"), 1.0)
    assert names.sift([said], 2.0) == ([said], [])
    assert names.are_down


def test_a_few_names_say_nothing_about_our_name_server() -> None:
    names = strangers().names()
    few = lookups(HOSTS[:9], "dns_failed")
    assert names.sift(few, 1.0) == (few, [])
    assert names.sift(few, 2.0) == (few, [])


def test_names_that_failed_before_say_nothing_about_our_name_server() -> None:
    """Those that are left at the end of a crawl are tried again and again."""
    names = strangers(troubles=1).names()
    said = lookups(HOSTS, "dns_failed")
    assert names.sift(said, 1.0) == (said, [])


def test_names_that_had_an_address_are_tried_before_those_nobody_knows() -> None:
    """Links lead to many names that do not work: they would never tell that ours does."""
    hosts = strangers()
    for host in HOSTS[40:42]:
        hosts[host].resolved_at = 5.0
    assert set(hosts.names().choose(HOSTS, 3)) == set(HOSTS[40:42])


def test_other_names_are_chosen_at_each_trial() -> None:
    names = strangers().names()
    assert {host for _ in range(5) for host in names.choose(HOSTS, 10)} == set(HOSTS)
    assert names.choose([], 10) == []
