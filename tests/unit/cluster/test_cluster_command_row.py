"""The row of commands that an operator has given to a crawl on many machines."""

import pytest

from tiptoe.cluster.command_row import (
    SETTLED_SECONDS,
    SHOWN_MAX,
    TARGETS_MAX,
    WISHES_MAX,
    ClusterCommand,
    CommandRow,
    ForgetTarget,
    GivenCommand,
    checked,
    encoded,
)
from tiptoe.errors import ProtocolError
from tiptoe.frontier.standing_orders import StandingOrder
from tiptoe.frontier.wishes import NotedWish, NumberedWish
from tiptoe.protocol.operator import (
    BlockHost,
    PauseCrawl,
    Reconfigure,
    ResumeCrawl,
    SlowHost,
    StopCrawl,
    UnblockHost,
)

HOST = "a.example"


def row_of(*commands: ClusterCommand, given_at: float = 0.0) -> CommandRow:
    given = (
        GivenCommand(number, command, "op", given_at, f"t{number}")
        for number, command in enumerate(commands, start=1)
    )
    return CommandRow(given)


def test_the_last_word_about_a_host_is_what_stands() -> None:
    row = row_of(BlockHost(HOST), SlowHost(HOST, 9.0), BlockHost("192.0.2.1"), UnblockHost(HOST))
    assert row.standing_orders() == [
        StandingOrder(2, HOST, slowed_to=9.0),
        StandingOrder(3, "192.0.2.1", is_address=True, is_blocked=True),
        StandingOrder(4, HOST, is_blocked=False),
    ]


@pytest.mark.parametrize(
    ("commands", "is_paused"),
    [
        ([], False),
        ([PauseCrawl()], True),
        ([PauseCrawl(), PauseCrawl(), ResumeCrawl()], False),
        ([ResumeCrawl(), PauseCrawl(), BlockHost(HOST)], True),
    ],
)
def test_the_last_word_about_the_crawl_is_what_stands(
    commands: list[ClusterCommand], is_paused: bool
) -> None:
    assert row_of(*commands).is_paused is is_paused


def test_a_command_is_read_as_it_was_given() -> None:
    given = GivenCommand(3, Reconfigure({"crawl.max_pages": "7"}), "op", 5.0, "token")
    row = CommandRow()
    assert row.add(encoded(given)) == 3
    assert row.after(0) == [given]
    assert row.after(3) == []
    row.remove("command.3")
    assert (len(row), row.last) == (0, 0)


def test_what_is_no_command_is_refused() -> None:
    with pytest.raises(ProtocolError, match="cannot be read"):
        CommandRow().add(b"\x93\x01\x91\xa5dance\xa0")


@pytest.mark.parametrize(
    ("command", "complaint"),
    [
        (BlockHost("http://a.example/"), "no host name"),
        (UnblockHost("  "), "no host name"),
        (SlowHost(HOST, -1.0), "from 0"),
        (SlowHost(HOST, float("nan")), "from 0"),
        (Reconfigure({}), "no setting"),
        (ForgetTarget("http://", "a letter"), "nothing that can be forgotten; name a host"),
    ],
)
def test_a_command_that_makes_no_sense_is_refused(command: ClusterCommand, complaint: str) -> None:
    with pytest.raises(ProtocolError, match=complaint):
        checked(command)


def test_hosts_are_named_as_frontiers_know_them() -> None:
    assert checked(BlockHost(" A.Example. ")) == BlockHost(HOST)
    assert checked(SlowHost("A.example", 3.0)) == SlowHost(HOST, 3.0)
    assert checked(StopCrawl()) == StopCrawl()


def test_the_next_command_has_the_next_number() -> None:
    row = row_of(PauseCrawl(), ResumeCrawl())
    assert row.next(StopCrawl(), "op", 1.0, "t") == GivenCommand(3, StopCrawl(), "op", 1.0, "t")


def test_there_is_a_bound_for_what_is_ordered_about_hosts() -> None:
    row = row_of(*(BlockHost(f"h{number}.example") for number in range(TARGETS_MAX)))
    with pytest.raises(ProtocolError, match="settings"):
        row.next(BlockHost("one-more.example"), "op", 0.0, "t")
    assert row.next(UnblockHost("h5.example"), "op", 0.0, "t").number == TARGETS_MAX + 1
    assert row.next(PauseCrawl(), "op", 0.0, "t").number == TARGETS_MAX + 1


def test_what_is_in_force_is_never_outdated() -> None:
    later: list[ClusterCommand] = [PauseCrawl(), ResumeCrawl()] * SHOWN_MAX
    row = row_of(
        BlockHost(HOST), BlockHost("b.example"), SlowHost(HOST, 5.0), UnblockHost("b.example"), *later
    )
    outdated = row.outdated(2 * SETTLED_SECONDS, obeyed=row.last)
    assert 1 not in outdated
    assert 3 not in outdated
    assert {2, 4} <= set(outdated), "blocked and let go again: as if nothing had been"
    assert row.last not in outdated
    assert len(row) - len(outdated) == SHOWN_MAX + 2


def test_what_somebody_may_not_know_yet_is_kept() -> None:
    """A host in the mail, an agent that is cut off: they have to hear that it is allowed again."""
    row = row_of(UnblockHost(HOST), StopCrawl(), *([PauseCrawl()] * SHOWN_MAX), given_at=1000.0)
    late = 1001.0 + SETTLED_SECONDS
    assert row.outdated(1001.0, obeyed=row.last) == []
    assert row.outdated(late, obeyed=0) == []
    assert row.outdated(late, obeyed=1) == [1]
    assert row.outdated(late, obeyed=2) == [1, 2]


def test_a_wish_to_be_forgotten_stands_for_good_in_its_last_form() -> None:
    """A host may be on its way for a day, and a member away for a year."""
    row = row_of(
        ForgetTarget(HOST, "a letter"), ForgetTarget("b.example", "another"), ForgetTarget(HOST, "a second"),
        *[PauseCrawl()] * SHOWN_MAX, given_at=5.0,
    )  # fmt: skip
    assert row.wishes() == [
        NumberedWish(2, NotedWish("b.example", "another", 5.0)),
        NumberedWish(3, NotedWish(HOST, "a second", 5.0)),
    ]
    assert row.outdated(1e9, obeyed=row.last) == [1]
    assert row.standing_orders() == []


def test_a_wish_is_stored_in_its_standard_form() -> None:
    assert checked(ForgetTarget(" WWW.A.Example ", "a letter")) == ForgetTarget("www.a.example", "a letter")


def test_the_number_of_wishes_is_bounded() -> None:
    row = row_of(*(ForgetTarget(f"h{number}.example", "") for number in range(WISHES_MAX)))
    with pytest.raises(ProtocolError, match="are forgotten by command already"):
        row.next(ForgetTarget(HOST, ""), "op", 0.0, "token")
    assert row.next(BlockHost(HOST), "op", 0.0, "token").number == WISHES_MAX + 1
