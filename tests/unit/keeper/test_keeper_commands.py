"""What an operator can ask of a running crawl."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest
from keeper_samples import make_keeper

from tiptoe.cluster.shard_labels import ShardLabels
from tiptoe.cluster.sharded_frontier import ShardedFrontier
from tiptoe.decide.scheduling import schedule_point
from tiptoe.errors import ProtocolError, SettingsError
from tiptoe.frontier.frontier import Frontier, FrontierPolicy
from tiptoe.frontier.politeness import Politeness
from tiptoe.keeper.commands import answer
from tiptoe.keeper.database import DATABASE
from tiptoe.keeper.directory import CrawlDirectory
from tiptoe.keeper.host_commands import carry_out, carry_out_stopped
from tiptoe.keeper.keeper import Keeper
from tiptoe.keeper.plan import KeeperPlan, Reconfiguration
from tiptoe.keeper.standstill import waiting_of
from tiptoe.observe.stops import Stop
from tiptoe.protocol.messages import Amend, Cancel, Hold
from tiptoe.protocol.operator import (
    AddSeeds,
    BlockHost,
    CloseExchange,
    Command,
    DescribeHost,
    Done,
    DownlistTaken,
    ExchangeOpened,
    Locate,
    Located,
    OpenExchange,
    PauseCrawl,
    Reconfigure,
    Reconfigured,
    ResumeCrawl,
    SeedsAdded,
    ShowStatus,
    SlowHost,
    StatusReply,
    StopCrawl,
    TakeDownlist,
    UnblockHost,
)
from tiptoe.protocol.work import Request
from tiptoe.store.memory import MemoryStore
from tiptoe.url.address import host_of
from tiptoe.url.scope import Scope

URL = "http://a.example/"


def said(keeper: Keeper, command: Command) -> str:
    """Return what is said of a command that is done."""
    told = answer(keeper, command)
    assert isinstance(told, Done)
    return told.message


def test_status_has_the_figures_of_frontier_and_keeper(tmp_path: Path) -> None:
    """The command line, the web page and scripts read these names."""
    keeper, _ = make_keeper(tmp_path, URL)
    told = answer(keeper, ShowStatus())
    assert isinstance(told, StatusReply)
    assert (told.status.urls, told.status.queued, told.status.harvesters) == (1, 1, 1)
    assert told.status.waiting == waiting_of(keeper, keeper.clock.now())


def test_a_blocked_host_is_left_at_once_and_can_come_back(tmp_path: Path) -> None:
    """Also by those who are in the middle of a visit (POL-10)."""
    keeper, peer = make_keeper(tmp_path, URL)
    answer(keeper, BlockHost(" A.Example. "))
    assert peer.told == [Cancel("a.example", 1)]
    assert keeper.frontier.visits(1, "h1-0001", 1000.0) == []
    answer(keeper, UnblockHost("a.example"))
    assert len(keeper.frontier.visits(1, "h1-0001", 1000.0)) == 1


def test_a_blocked_address_cancels_the_hosts_that_are_visited_there(tmp_path: Path) -> None:
    """Whoever complains often knows only the address."""
    keeper, peer = make_keeper(tmp_path, URL, "http://b.example/")
    assert len(keeper.frontier.visits(1, "h1-0001", 1000.0)) == 1
    answer(keeper, BlockHost("192.0.2.1"))
    assert {message.host for message in peer.told if isinstance(message, Cancel)} == {
        "a.example",
        "b.example",
    }
    keeper.frontier.lose("h1-0001", 1000.0)
    assert keeper.frontier.visits(1, "h1-0001", 9000.0) == []
    answer(keeper, UnblockHost("192.0.2.1"))
    assert len(keeper.frontier.visits(1, "h1-0001", 9000.0)) == 1


@pytest.mark.parametrize(
    ("url", "address", "named"),
    [
        ("http://xn--huser-gra.example/", "192.0.2.1", "Häuser.example"),
        ("http://a.example:8080/", "192.0.2.1", "a.example:8080"),
        (URL, "2001:db8::1", "2001:0DB8:0:0::1"),
        (URL, "192.0.2.1", "::ffff:192.0.2.1"),
        ("http://[2001:db8::1]/", "2001:db8::1", "[2001:0DB8::1]"),
    ],
)
def test_a_host_is_blocked_however_its_name_is_spelt(url: str, address: str, named: str) -> None:
    """What is blocked under a name that the crawl does not know is asked all the same (POL-10)."""
    frontier = Frontier(MemoryStore(), FrontierPolicy())
    frontier.add([Request(url)], 0.0)
    frontier.resolved_all([(host_of(url), address, "")], 0.0)
    carry_out(frontier, BlockHost(named), 1.0)
    frontier.tick(10.0)
    assert frontier.visits(1, "h1-0001", 10.0) == []


def test_a_slowed_host_has_its_new_pace_in_the_next_visit(tmp_path: Path) -> None:
    """The one under way ends."""
    keeper, peer = make_keeper(tmp_path, URL)
    answer(keeper, SlowHost("a.example", 30.0))
    assert peer.told == [Cancel("a.example", 1)]
    (visit,) = keeper.frontier.visits(1, "h1-0001", 1000.0)
    assert visit.hosts[0].delay == 30.0


def test_a_slowed_address_slows_all_its_hosts(tmp_path: Path) -> None:
    """And what was configured remains the least."""
    keeper, _ = make_keeper(tmp_path, URL, "http://b.example/")
    answer(keeper, SlowHost("192.0.2.1", 40.0))
    (visit,) = keeper.frontier.visits(1, "h1-0001", 1000.0)
    assert [work.delay for work in visit.hosts] == [40.0, 40.0]


@pytest.mark.parametrize(
    "command",
    [
        BlockHost(""),
        BlockHost("http://a.example/"),
        SlowHost("a.example", -1.0),
        DescribeHost("never.example"),
    ],
)
def test_senseless_wishes_are_refused(tmp_path: Path, command: Command) -> None:
    """And the crawl goes on as before."""
    keeper, peer = make_keeper(tmp_path, URL)
    with pytest.raises(ProtocolError):
        answer(keeper, command)
    assert peer.told == []


def test_a_pause_holds_everybody_until_the_last_reason_is_gone(tmp_path: Path) -> None:
    """The disk may be full as well."""
    keeper, peer = make_keeper(tmp_path, URL)
    answer(keeper, PauseCrawl())
    keeper.hold("disk")
    assert peer.told == [Hold(True, 1), Hold(True, 2)]
    answer(keeper, ResumeCrawl())
    assert keeper.holds == {"disk"}
    assert peer.told[2:] == []
    keeper.go_on("disk")
    assert peer.told[2:] == [Hold(False, 3)]


def test_what_is_known_of_a_host_is_told(tmp_path: Path) -> None:
    """The first question of anybody who looks into a complaint."""
    keeper, _ = make_keeper(tmp_path, URL)
    assert "<Host a.example parked 1 waiting" in str(said(keeper, DescribeHost("a.example")))


def test_where_a_host_and_a_page_are_is_told(tmp_path: Path) -> None:
    """`tiptoe why` on a running crawl."""
    keeper, _ = make_keeper(tmp_path, URL)
    answer(keeper, PauseCrawl())
    located = answer(keeper, Locate("a.example", URL))
    assert isinstance(located, Located)
    found = located.whereabouts
    assert found.host is not None
    assert found.page is not None
    assert (found.host.state, found.page.queued_in, found.holds) == ("parked", 0, ["operator"])
    unknown = answer(keeper, Locate("never.example"))
    assert isinstance(unknown, Located)
    assert (unknown.whereabouts.host, unknown.whereabouts.page) == (None, None)


def test_stop_ends_the_run_with_its_reason(tmp_path: Path) -> None:
    """The summary says who ended the crawl."""
    keeper, _ = make_keeper(tmp_path)
    answer(keeper, StopCrawl())
    assert keeper.figures.stopped_because is Stop.OPERATOR


def test_a_command_that_changes_nothing_says_so(tmp_path: Path) -> None:
    keeper, _ = make_keeper(tmp_path, URL)
    assert answer(keeper, UnblockHost("a.example")) == Done("a.example was not blocked")
    assert answer(keeper, UnblockHost("z.example")) == Done("z.example was not blocked")
    assert keeper.frontier.host("z.example") is None


def test_only_a_change_is_promised_from_the_next_start_on(tmp_path: Path) -> None:
    """What was so before does not begin with the next start."""
    directory = CrawlDirectory(tmp_path)
    directory.claim([URL])
    directory.release()
    (tmp_path / DATABASE).mkdir()
    later = ", from the next start of the crawl on"
    told = [
        carry_out_stopped(tmp_path, command)
        for command in (UnblockHost("a.example"), BlockHost("a.example"), UnblockHost("a.example"))
    ]
    assert told == [
        "a.example was not blocked",
        f"a.example gets no more requests{later}",
        f"a.example may be visited again{later}",
    ]


def test_a_delay_shorter_than_the_usual_one_is_not_promised(tmp_path: Path) -> None:
    """The settings stay the least that is kept."""
    keeper, _ = make_keeper(tmp_path, URL)
    told = said(keeper, SlowHost("a.example", 0.001))
    usual = keeper.frontier.policy.politeness.req_delay
    assert told == f"a.example gets requests as often as the settings say, at most every {usual:g} s"


def test_a_delay_of_nothing_means_the_usual_pace_not_none(tmp_path: Path) -> None:
    keeper, _ = make_keeper(tmp_path, URL)
    told = said(keeper, SlowHost("a.example", 0.0))
    assert told == "a.example gets requests as often as the settings say"


def slower(plan: KeeperPlan, given: Mapping[str, str]) -> Reconfiguration:
    """Take any change for a slower pace; refuse an empty one."""
    if not given:
        raise SettingsError("nothing given")
    new = replace(plan, settings={"politeness": {"req_delay": 30.0}}, seconds_max=9.0)
    changes = {"politeness.req_delay": ("2s", "30s")} if "politeness.req_delay" in given else {}
    policy = FrontierPolicy(
        politeness=Politeness(req_delay=30.0, max_hosts=2, max_reqs=5, general_pause=60.0)
    )
    return Reconfiguration(changes=changes, plan=new, policy=policy)


def test_changed_settings_hold_for_the_next_visit_and_reach_every_harvester(tmp_path: Path) -> None:
    """Also those who come later: they are welcomed with the plan."""
    keeper, peer = make_keeper(tmp_path, URL, change=slower)
    told = answer(keeper, Reconfigure({"politeness.req_delay": "30s"}))
    assert told == Reconfigured({"politeness.req_delay": ("2s", "30s")})
    assert peer.told == [Amend({"politeness": {"req_delay": 30.0}}, 1)]
    assert (keeper.plan.settings, keeper.plan.seconds_max) == ({"politeness": {"req_delay": 30.0}}, 9.0)
    (visit,) = keeper.frontier.visits(1, "h1-0001", 1000.0)
    assert visit.hosts[0].delay == 30.0


def test_what_is_refused_or_changes_nothing_ends_no_visit(tmp_path: Path) -> None:
    keeper, peer = make_keeper(tmp_path, URL, change=slower)
    with pytest.raises(ProtocolError):
        answer(keeper, Reconfigure({}))
    assert answer(keeper, Reconfigure({"crawl.max_pages": "1"})) == Reconfigured({})
    assert peer.told == []
    assert keeper.plan.settings == {}


def test_seeds_are_added_once_and_stay_known(tmp_path: Path) -> None:
    """The next run has to know them, and nothing begins with some of them."""
    keeper, _ = make_keeper(tmp_path, URL)
    directory = CrawlDirectory(keeper.plan.directory)
    directory.claim([URL])
    try:
        assert answer(keeper, AddSeeds(["http://B.example:80", URL])) == SeedsAdded(1)
        assert answer(keeper, AddSeeds(["http://b.example/"])) == SeedsAdded(0)
        with pytest.raises(ProtocolError, match="is no address"):
            answer(keeper, AddSeeds(["http://c.example/", "nonsense"]))
        with pytest.raises(ProtocolError, match="at most 10000"):
            answer(keeper, AddSeeds(["http://c.example/"] * 10_001))
    finally:
        directory.release()
    assert directory.known_seeds() == [URL, "http://b.example/"]


def test_a_crawl_that_stays_near_its_seeds_takes_no_others_while_it_runs(tmp_path: Path) -> None:
    """Its harvesters know the places by now; such a seed would be dropped, and nobody told."""
    schedule = schedule_point(Scope(seed_hosts=frozenset({"a.example"})))
    frontier = Frontier(MemoryStore(), FrontierPolicy(schedule=schedule))
    keeper, _ = make_keeper(tmp_path, URL, frontier=frontier)
    with pytest.raises(ProtocolError, match=r"stays near its seeds .* stop it"):
        answer(keeper, AddSeeds(["http://b.example/"]))


def test_what_others_have_is_dropped_from_the_queue(tmp_path: Path) -> None:
    """In whatever form they write an address; what makes none is passed over."""
    keeper, _ = make_keeper(tmp_path, URL)
    assert answer(keeper, TakeDownlist(["HTTP://A.example", "nonsense"])) == DownlistTaken(1)
    assert answer(keeper, TakeDownlist([URL])) == DownlistTaken(0)
    assert keeper.frontier.visits(1, "h1-0001", 1000.0) == []
    with pytest.raises(ProtocolError, match="at most 1000 addresses"):
        answer(keeper, TakeDownlist([URL] * 1001))


def test_a_crawl_that_waits_for_no_exchange_says_so(tmp_path: Path) -> None:
    keeper, _ = make_keeper(tmp_path, URL)
    opened = answer(keeper, OpenExchange())
    assert isinstance(opened, ExchangeOpened)
    assert opened.number == 0
    assert "may be asked for" in said(keeper, CloseExchange(1))


@pytest.mark.parametrize(
    "command",
    [
        PauseCrawl(), ResumeCrawl(), BlockHost("a.example"), UnblockHost("a.example"),
        SlowHost("a.example", 60.0), Reconfigure({"politeness.req_delay": "60s"}),
    ],
)  # fmt: skip
def test_one_machine_of_many_refuses_what_all_have_to_hear(tmp_path: Path, command: Command) -> None:
    """The others would go on, and a resume that is told to all would not reach a pause of one."""
    keeper, _ = make_keeper(tmp_path, URL)
    keeper.plan = replace(keeper.plan, shared_settings=frozenset({"politeness.req_delay"}))
    keeper.frontier = ShardedFrontier(
        FrontierPolicy(), shards=4, plan=ShardLabels(4), offset=0.0, shard_of_file=lambda name: None
    )
    with pytest.raises(ProtocolError, match="several machines share this crawl"):
        answer(keeper, command)
    assert not keeper.holds
