"""Whether the segmenter answers, as people hear of it."""

import asyncio
from pathlib import Path

import pytest
from keeper_samples import KeptLog, make_keeper, member_of

from tiptoe.errors import ProtocolError
from tiptoe.keeper.keeper import Keeper
from tiptoe.keeper.overview import status_of
from tiptoe.keeper.segmenter_watch import SegmenterWatch, plain, probe, segmenter_url
from tiptoe.keeper.validation import validate
from tiptoe.protocol.messages import Judged, News
from tiptoe.segment.segmenter_service import SegmenterReply, Service
from tiptoe.segment.segmenters import scorer_for
from tiptoe.segment.server import Server

URL = "http://127.0.0.1:8750"


def watched(tmp_path: Path) -> tuple[Keeper, SegmenterWatch, KeptLog]:
    keeper, _ = make_keeper(tmp_path)
    log = KeptLog()
    watch = SegmenterWatch(keeper.frontier, URL, keeper.roster, log, keeper.figures, directory="czech")
    keeper.segmenter = watch
    return keeper, watch, log


def test_a_segmenter_that_is_not_there_is_said_at_the_start(tmp_path: Path) -> None:
    """Before the first text: a mistyped port is the likeliest mistake."""
    keeper, watch, log = watched(tmp_path)
    watch.looked("no answer: connection refused")
    (notice,) = keeper.figures.notices
    assert f"the segmenter at {URL} does not answer (no answer: connection refused)" in notice
    assert "tiptoe segmenter catch-up czech" in notice
    assert [event for event, _ in log.events] == ["segmenter.down"]
    assert status_of(keeper).segmenter == "no answer: connection refused"


def test_one_that_answers_is_not_mentioned(tmp_path: Path) -> None:
    keeper, watch, log = watched(tmp_path)
    watch.looked("")
    watch.hear("h1", Judged(rated=5))
    watch.hear("h1", None)
    assert (list(keeper.figures.notices), log.events, watch.fault) == ([], [], "")


def test_texts_that_were_not_judged_are_counted_and_its_return_is_told(tmp_path: Path) -> None:
    keeper, watch, log = watched(tmp_path)
    watch.hear("h1", Judged(rated=3, missed=2, fault="status 500"))
    watch.hear("h1", Judged(missed=4, fault="status 500"))
    assert len(keeper.figures.notices) == 1
    assert status_of(keeper).unjudged == keeper.frontier.counters.totals.unjudged == 6
    watch.hear("h1", Judged(rated=1))
    assert keeper.figures.notices[-1] == f"the segmenter at {URL} answers again; 6 texts not judged so far"
    assert [event for event, _ in log.events] == ["segmenter.down", "segmenter.back"]
    assert status_of(keeper).segmenter == ""


def test_it_is_back_when_it_answers_all_harvesters(tmp_path: Path) -> None:
    """Else two of them would tell the opposite in turn."""
    keeper, watch, _ = watched(tmp_path)
    keeper.roster.join(member_of(2))
    watch.looked("no answer")
    watch.hear("h1", Judged(missed=1, fault="no answer"))
    watch.hear("h2", Judged(rated=1))
    assert watch.fault == "no answer"
    watch.hear("h1", Judged(rated=1))
    assert watch.fault == ""
    assert len(keeper.figures.notices) == 2


def test_what_a_harvester_thought_that_is_gone_does_not_count(tmp_path: Path) -> None:
    keeper, watch, _ = watched(tmp_path)
    watch.hear("h9", Judged(missed=1, fault="no answer"))
    watch.hear("h1", Judged(rated=1))
    assert watch.fault == ""
    assert keeper.frontier.counters.totals.unjudged == 1


def test_a_look_that_comes_late_does_not_contradict_what_was_heard(tmp_path: Path) -> None:
    _, watch, log = watched(tmp_path)
    watch.hear("h1", Judged(rated=1))
    watch.looked("no answer")
    assert (watch.fault, log.events) == ("", [])


def test_a_harvester_cannot_make_the_terminal_do_anything() -> None:
    assert plain("\x1b[2J" + "x" * 1000) == "\N{REPLACEMENT CHARACTER}[2J" + "x" * 196


@pytest.mark.parametrize("judged", [Judged(rated=-1), Judged(missed=-5)])
def test_fewer_than_no_texts_are_refused(judged: Judged) -> None:
    with pytest.raises(ProtocolError, match="fewer than no texts"):
        validate(News([], judged=judged), "h1-0001")


@pytest.mark.parametrize(
    ("own", "url"),
    [({}, ""), ({"url": URL}, URL), ({"url": URL, "off": True}, ""), ({"url": "", "off": False}, "")],
)
def test_only_a_segmenter_that_lives_elsewhere_is_watched(own: dict[str, object], url: str) -> None:
    assert segmenter_url({"segmenter": own}) == url


async def probed(respond: object) -> str:
    async with Server(respond, "127.0.0.1", 0) as server:  # type: ignore[arg-type]
        return await asyncio.to_thread(probe, f"http://127.0.0.1:{server.port}/", 5.0)


def test_a_segmenter_is_asked_who_it_is() -> None:
    assert asyncio.run(probed(Service(scorer_for()).respond)) == ""


@pytest.mark.parametrize(
    ("reply", "fault"),
    [
        (SegmenterReply(503, b"{}"), "status 503"),
        (SegmenterReply(200, b"<html>"), "what answers there is no segmenter"),
        (SegmenterReply(200, b"[]"), "what answers there is no segmenter"),
    ],
)
def test_what_is_no_segmenter_is_found_out(reply: SegmenterReply, fault: str) -> None:
    assert asyncio.run(probed(lambda method, path, body: reply)) == fault


def test_nobody_there_is_found_out() -> None:
    assert "onnect" in probe("http://127.0.0.1:9", 2.0)
