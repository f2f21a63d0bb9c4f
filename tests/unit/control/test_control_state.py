"""Is the right word found for a crawl, and does it say what needs attention?"""

import asyncio

import pytest
from starlette.types import Send

from tiptoe.control import web_security
from tiptoe.control.control_parts import ControlPlace
from tiptoe.control.crawl_state import ENDINGS, CrawlState, Urgency, attention_of, failed_requests, state_of
from tiptoe.control.figure_history import COARSE_SECONDS, FINE_MAX, FigureHistory
from tiptoe.control.login_limits import REMEMBERED_MAX, LoginLimits
from tiptoe.control.notices import Notice, Notices
from tiptoe.control.web_app import go_on
from tiptoe.control.web_security import WebSecurity
from tiptoe.observe.stops import Stop
from tiptoe.protocol.status import Cause, Status, Waiting, WaitReason

NOW = 1_800_000_000.0


@pytest.mark.parametrize(
    ("status", "is_running", "is_answering", "pace", "word"),
    [
        (None, False, True, 0.0, CrawlState.PLANNED),
        (None, True, True, 0.0, CrawlState.STARTING),
        (Status(open_visits=1), True, True, 0.0, CrawlState.RUNNING),
        (Status(), True, True, 0.5, CrawlState.RUNNING),
        (Status(), True, True, 0.0, CrawlState.WAITING),
        (Status(holds=["operator"]), True, True, 1.0, CrawlState.PAUSED),
        (Status(stopped_because="operator"), True, True, 1.0, CrawlState.STOPPING),
        (Status(), True, False, 0.0, CrawlState.SILENT),
        (Status(stopped_because="finished"), False, True, 0.0, CrawlState.FINISHED),
        (Status(), False, True, 0.0, CrawlState.CRASHED),
    ],
)
def test_each_crawl_has_its_word(
    status: Status | None, is_running: bool, is_answering: bool, pace: float, word: CrawlState
) -> None:
    assert state_of(status, is_running=is_running, is_answering=is_answering, pace=pace) is word


def test_every_way_to_stop_has_a_word() -> None:
    assert {stop.value for stop in Stop} | {""} == set(ENDINGS)


def test_what_is_most_urgent_comes_first() -> None:
    status = Status(holds=["disk", "operator"], harvesters=1, lost_harvesters=2, seconds=100)
    found = attention_of(CrawlState.PAUSED, status)
    assert [one.urgency for one in found] == [Urgency.FAULT, Urgency.WARNING, Urgency.NOTE]


def test_only_requests_that_brought_nothing_count_as_failed() -> None:
    outcomes = {"ok": 5, "redirect": 1, "disallowed": 9, "noindex": 2, "http_404": 3, "timed_out": 4}
    assert failed_requests(Status(outcomes=outcomes)) == 7


def test_rates_are_measured_over_some_seconds_and_memory_has_a_bound() -> None:
    history = FigureHistory()
    for second in range(FINE_MAX + 100):
        waiting = Waiting(reasons=[WaitReason(cause=Cause.REST, count=3)])
        sample = history.add(Status(pages=second * 5, waiting=waiting), NOW + second)
    assert sample.pace == 5.0
    assert sample.waits == {"rest": 3}
    assert len(history.fine) == FINE_MAX
    old = [one for one in history.since(0) if one.at < history.fine[0].at]
    assert [one.at for one in old] == [NOW + second for second in range(0, 100, int(COARSE_SECONDS))]
    assert history.spark()[-1] == 1.0


def test_figures_that_went_back_begin_anew() -> None:
    """Another crawl has come into the directory."""
    history = FigureHistory()
    history.add(Status(pages=100), NOW)
    assert history.add(Status(pages=1), NOW + 1).pace == 0.0
    assert len(history.fine) == 1


def test_limits_on_guessing_remember_a_bounded_number() -> None:
    limits = LoginLimits()
    for number in range(REMEMBERED_MAX + 10):
        limits.note_failure(f"u{number}", f"a{number}", NOW)
    assert len(limits) == REMEMBERED_MAX


def test_a_notice_is_told_until_the_next_one_or_for_some_seconds() -> None:
    notices = Notices()
    notices.add("s", Notice("first"))
    assert [one.message for one in notices.take("s", NOW)] == ["first"]
    assert [one.message for one in notices.take("s", NOW + 1)] == ["first"]  # the page has loaded itself anew
    notices.add("s", Notice("second"))
    assert [one.message for one in notices.take("s", NOW + 2)] == ["second"]
    assert notices.take("s", NOW + 60) == []
    assert notices.take("other", NOW) == []


def test_work_of_the_server_goes_on_after_a_fault() -> None:
    """A disk that was full for a moment must not end rounds and figures until the server is restarted."""
    tries = []

    async def work() -> None:
        tries.append(True)
        if len(tries) < 3:
            raise OSError("no space left on device")

    asyncio.run(go_on(work, seconds=0.0))
    assert len(tries) == 3


def test_a_client_that_does_not_read_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its answer waits for nobody: the request ends, and with it the connection."""
    monkeypatch.setattr(web_security, "SEND_SECONDS", 0.01)
    ended = []

    async def answer(scope: object, receive: object, send: Send) -> None:
        try:
            await send({"type": "http.response.start", "status": 200, "headers": []})
        finally:
            ended.append(True)

    async def never(message: object) -> None:
        await asyncio.Event().wait()

    async def nothing() -> dict[str, object]:
        return {"type": "http.request", "body": b"", "more_body": False}

    scope = {"type": "http", "method": "GET", "path": "/", "headers": [(b"host", b"localhost")]}
    asyncio.run(WebSecurity(answer, ControlPlace())(scope, nothing, never))
    assert ended == [True]
