"""Why a crawl stands still, as its log and its status tell."""

from datetime import UTC
from pathlib import Path

from keeper_samples import KeptLog, SetClock, make_keeper

from tiptoe.frontier.patience import Trouble
from tiptoe.keeper.keeper import Keeper
from tiptoe.keeper.overview import status_of
from tiptoe.keeper.phrases import waiting_text
from tiptoe.keeper.standstill import Standstill, waiting_of
from tiptoe.protocol.messages import Lookup
from tiptoe.protocol.status import Cause, Waiting, WaitReason
from tiptoe.protocol.work import Request

REST = WaitReason(cause=Cause.REST, count=3, next_at=1100.0)
PEACE = WaitReason(cause=Cause.PEACE, count=1, next_at=1100.0, host="a.example")


def causes(keeper: Keeper) -> list[Cause]:
    return [reason.cause for reason in waiting_of(keeper, keeper.clock.now()).reasons]


def lines(standstill: Standstill, *steps: tuple[float, list[WaitReason], bool]) -> None:
    for now, reasons, is_still in steps:
        standstill.note(Waiting(reasons=reasons, next_at=1100.0), now, is_still=is_still)


def why(now: float, *reasons: WaitReason) -> str:
    return waiting_text(Waiting(reasons=list(reasons), next_at=1100.0), now, zone=UTC)


def test_a_crawl_that_stands_still_tells_the_log_why_and_that_it_goes_on() -> None:
    log = KeptLog()
    standstill = Standstill(log)
    lines(standstill, (1000.0, [REST], True), (1001.0, [REST], True))
    assert log.events == []  # pauses of some seconds are how it goes
    lines(standstill, (1006.0, [REST], True), (1007.0, [REST], True), (1008.0, [REST, PEACE], True))
    assert log.events == [
        ("crawl.waits", {"why": why(1006.0, REST)}),
        ("crawl.waits", {"why": why(1008.0, REST, PEACE)}),
    ]
    lines(standstill, (1101.0, [], False), (1102.0, [REST], False))
    assert log.events[2:] == [("crawl.goes_on", {})]


def test_a_log_of_weeks_is_told_the_same_now_and_then() -> None:
    log = KeptLog()
    standstill = Standstill(log)
    lines(standstill, *((1000.0 + second, [REST], True) for second in range(3600)))
    assert {event for event, _ in log.events} == {"crawl.waits"}
    assert 5 <= len(log.events) <= 7


def test_holds_of_the_keeper_come_first(tmp_path: Path) -> None:
    keeper, _ = make_keeper(tmp_path, "http://a.example/")
    keeper.hold("operator")
    keeper.hold("disk")
    assert causes(keeper)[:2] == [Cause.OPERATOR, Cause.DISK]


def test_a_full_disk_of_a_harvester_is_a_full_disk(tmp_path: Path) -> None:
    keeper, _ = make_keeper(tmp_path, "http://a.example/")
    (harvester,) = keeper.roster.members.values()
    harvester.trouble = "no room"
    assert causes(keeper)[0] is Cause.DISK


def test_everybody_rests_after_a_crash(tmp_path: Path) -> None:
    keeper, _ = make_keeper(tmp_path, "http://a.example/")
    keeper.rests_until = 1300.0
    waiting = waiting_of(keeper, 1000.0)
    assert waiting.reasons[0] == WaitReason(cause=Cause.RESTART, next_at=1300.0)
    assert waiting.next_at == 1300.0


def test_a_line_that_is_down_says_when_it_is_tried(tmp_path: Path) -> None:
    keeper, _ = make_keeper(tmp_path, "http://a.example/")
    for number in range(20):
        keeper.outage_guard.outage_detector.fell_silent(f"192.0.2.{number}", was_well=True, now=1000.0)
    reason = waiting_of(keeper, 1000.0).reasons[0]
    assert (reason.cause, reason.next_at) == (Cause.LINE, 1030.0)


def test_a_name_server_that_is_down_is_told_from_names(tmp_path: Path) -> None:
    keeper, _ = make_keeper(tmp_path)
    names = [f"h{number}.example" for number in range(20)]
    keeper.frontier.add([Request(f"http://{name}/") for name in names], 1000.0)
    keeper.frontier.new_hosts(100)
    keeper.outage_guard.sift_lookups([Lookup(name, failure="dns_failed") for name in names], 1000.0)
    assert Cause.NAMES in causes(keeper)
    assert keeper.outage_guard.confirmed_troubles(1000.0) == frozenset()


def test_harvesters_that_have_their_hands_full_are_a_reason(tmp_path: Path) -> None:
    keeper, _ = make_keeper(tmp_path, "http://a.example/")
    (harvester,) = keeper.roster.members.values()
    harvester.visits = set(range(10))
    assert causes(keeper)[0] is Cause.HARVESTERS


def test_nobody_says_when_a_crawl_continues_while_a_host_is_visited(tmp_path: Path) -> None:
    keeper, _ = make_keeper(tmp_path, "http://a.example/")
    keeper.rests_until = 1300.0
    assert "in 5 min" in waiting_text(waiting_of(keeper, 1000.0), 1000.0)
    (harvester,) = keeper.roster.members.values()
    harvester.visits = {1}
    waiting = waiting_of(keeper, 1000.0)
    assert waiting.next_at == 1000.0
    assert "continues in" not in waiting_text(waiting, 1000.0)


def test_silence_is_certain_only_while_others_answer(tmp_path: Path) -> None:
    """A name server or line that is down must not be mistaken for dead hosts."""
    keeper, _ = make_keeper(tmp_path)
    outage_guard = keeper.outage_guard
    assert outage_guard.confirmed_troubles(1000.0) == {
        Trouble.NO_SUCH_HOST,
        Trouble.REFUSED,
        Trouble.TLS_FAILED,
    }
    outage_guard.sift_lookups([Lookup("a.example", "192.0.2.1")], 1000.0)
    assert Trouble.DNS_FAILED in outage_guard.confirmed_troubles(1000.0)
    outage_guard.outage_detector.answered("192.0.2.1", 1000.0)
    assert {Trouble.UNREACHABLE, Trouble.TIMED_OUT} <= outage_guard.confirmed_troubles(1000.0)
    assert Trouble.TIMED_OUT not in outage_guard.confirmed_troubles(1000.0 + 3600.0)
    assert Trouble.DNS_FAILED not in outage_guard.confirmed_troubles(1000.0 + 3600.0)


def test_a_keeper_gives_dead_names_up_soon(tmp_path: Path) -> None:
    keeper, _ = make_keeper(tmp_path)
    assert isinstance(keeper.clock, SetClock)
    keeper.frontier.add([Request("http://dead.example/")], 1000.0)
    for _ in range(200):
        keeper.hand_out()
        keeper.frontier.resolved_all([("dead.example", "", "no_such_host")], keeper.clock.at)
        if keeper.frontier.is_finished():
            break
        keeper.clock.at += 1.0
    assert keeper.clock.at <= 1070.0
    assert status_of(keeper).gone_hosts == {"no_such_host": 1}
