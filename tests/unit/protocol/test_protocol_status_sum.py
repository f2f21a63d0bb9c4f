"""The figures of several agents are those of one crawl."""

import msgspec
import pytest

from tiptoe.protocol.status import Cause, Status, Waiting, WaitReason
from tiptoe.protocol.status_sum import sum_statuses

HERE = Status(
    pages=10, hosts=3, harvesters=2, seconds=50.0, now=1000.0, started_at=950.0, cpu_seconds=1.5,
    outcomes={"http_200": 9, "http_404": 1}, holds=["operator"], encoding="utf-8",
    waiting=Waiting(
        reasons=[
            WaitReason(cause=Cause.REST, count=4, next_at=1030.0, host="a.example"),
            WaitReason(cause=Cause.LOOKUP, count=1),
        ],
        next_at=1030.0,
        more_hosts=5,
    ),
)  # fmt: skip
THERE = Status(
    pages=7, hosts=2, harvesters=1, seconds=80.0, now=1300.0, started_at=1220.0, cpu_seconds=0.5,
    outcomes={"http_200": 7}, holds=["operator", "disk"], troubles=["a full disk"], segmenter="refused",
    waiting=Waiting(
        reasons=[
            WaitReason(cause=Cause.REST, count=2, next_at=1305.0, host="b.example"),
            WaitReason(cause=Cause.TROUBLE, count=1, trouble="timed_out"),
        ],
        next_at=1305.0,
        more_hosts=1,
    ),
)  # fmt: skip


def test_counts_add_up() -> None:
    total = sum_statuses([HERE, THERE])
    assert (total.pages, total.hosts, total.harvesters, total.cpu_seconds) == (17, 5, 3, 2.0)
    assert total.outcomes == {"http_200": 16, "http_404": 1}
    assert (total.holds, total.troubles) == (["operator", "disk"], ["a full disk"])
    assert (total.segmenter, total.seconds) == ("refused", 80.0)


def test_moments_are_those_of_the_first_clock() -> None:
    """The other clock is five minutes ahead: its next moment is five seconds from now, not 305."""
    total = sum_statuses([HERE, THERE])
    assert (total.now, total.waiting.next_at, total.waiting.more_hosts) == (1000.0, 1005.0, 6)
    assert total.waiting.reasons == [
        WaitReason(cause=Cause.REST, count=6, next_at=1005.0, host="b.example"),
        WaitReason(cause=Cause.LOOKUP, count=1),
        WaitReason(cause=Cause.TROUBLE, count=1, trouble="timed_out"),
    ]


def test_one_agent_alone_is_the_crawl() -> None:
    assert sum_statuses([HERE]) == HERE
    assert sum_statuses([]) == Status()


def test_a_crawl_has_ended_when_all_its_agents_have() -> None:
    ended = msgspec.structs.replace(HERE, stopped_because="done")
    assert sum_statuses([ended, THERE]).stopped_because == ""
    assert sum_statuses([ended, ended]).stopped_because == "done"


@pytest.mark.parametrize("name", [field.name for field in msgspec.structs.fields(Status)])
def test_no_figure_is_forgotten(name: str) -> None:
    """A field that is added to `Status` has to say how it adds up."""
    either = {"now", "started_at", "encoding"}  # those of the first
    field = next(field for field in msgspec.structs.fields(Status) if field.name == name)
    samples: dict[object, object] = {
        int: 3, float: 3.0, str: "x", list[str]: ["x"], dict[str, int]: {"x": 3},
        dict[str, float]: {"x": 3.0}, dict[str, str]: {"x": "y"}, Waiting: Waiting(more_hosts=3),
    }  # fmt: skip
    other = msgspec.structs.replace(Status(stopped_because="x"), **{name: samples[field.type]})
    total = sum_statuses([Status(stopped_because="x"), other])
    assert name in either or getattr(total, name) == samples[field.type]
