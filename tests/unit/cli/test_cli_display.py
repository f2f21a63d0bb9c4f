"""What is seen while a crawl runs."""

import io
from pathlib import Path

import pytest
from cli_samples import make_keeper
from rich.console import Console

from tiptoe.cli.display import LiveDisplay
from tiptoe.keeper.keeper import Keeper
from tiptoe.observe.amounts import human_bytes, human_count, human_seconds
from tiptoe.observe.stops import Stop
from tiptoe.protocol.messages import Judged
from tiptoe.protocol.work import Request


@pytest.fixture(autouse=True)
def able_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where tests run, the terminal may be one that can only print."""
    monkeypatch.setenv("TERM", "xterm")


@pytest.mark.parametrize(
    ("value", "said"), [(0, "0 B"), (999, "999 B"), (1500, "1.5 kB"), (2e9, "2.0 GB"), (5e15, "5000.0 TB")]
)
def test_sizes_are_said_as_people_say_them(value: float, said: str) -> None:
    assert human_bytes(value) == said


@pytest.mark.parametrize(
    ("value", "said"), [(0.04, "0.0 s"), (59.94, "59.9 s"), (61, "1 min 01 s"), (7300, "2 h 01 min")]
)
def test_spans_are_said_as_people_say_them(value: float, said: str) -> None:
    assert human_seconds(value) == said


def test_thousands_stand_apart() -> None:
    assert human_count(1234567) == "1 234 567"


def test_without_a_terminal_a_line_is_printed_now_and_then(tmp_path: Path) -> None:
    """A log file of a crawl of weeks must stay readable."""
    output = io.StringIO()
    keeper = make_keeper(tmp_path)
    keeper.frontier.counters.totals.pages = 17
    with LiveDisplay(Console(file=output, width=40)) as display:
        display.show(keeper)
        display.show(keeper)
    lines = output.getvalue().splitlines()
    assert len(lines) == 1
    assert "17 pages" in lines[0]


@pytest.mark.parametrize("is_terminal", [True, False])
def test_what_stands_beside_the_figures_is_shown_with_them(tmp_path: Path, is_terminal: bool) -> None:
    """A member shows its own shards, and has to say so."""
    output, keeper = io.StringIO(), make_keeper(tmp_path)
    console = Console(file=output, force_terminal=is_terminal, width=200)
    with LiveDisplay(console, beside=lambda: [("whole crawl", "17 pages by 3 members")]) as display:
        display.show(keeper)
    assert "whole crawl" in output.getvalue()
    assert "17 pages by 3 members" in output.getvalue()


def test_a_printed_line_says_why_nothing_goes_on(tmp_path: Path) -> None:
    """Whoever finds it in a file the next morning has no display to look at."""
    output, keeper = io.StringIO(), make_keeper(tmp_path)
    keeper.holds |= {"disk", "operator"}
    with LiveDisplay(Console(file=output, width=400)) as display:
        display.show(keeper)
    assert "PAUSED: paused by the operator, until `tiptoe resume`; paused because the disk is full" in (
        output.getvalue()
    )


def test_revisits_are_shown_once_there_are_any(tmp_path: Path) -> None:
    """Whoever crawls each page once is not told of freshness."""
    keeper, figures = make_keeper(tmp_path), io.StringIO()
    console = Console(file=figures, force_terminal=True, width=150)
    with LiveDisplay(console) as display:
        display.show(keeper)
    assert "again" not in figures.getvalue()

    counters = keeper.frontier.counters
    counters.learned.account.pages, counters.totals.revisits, counters.gauges.revisits_queued = 5000, 1200, 30
    counters.totals.revisits_changed, counters.totals.revisits_unchanged = 300, 900
    counters.totals.watched_seconds, counters.totals.fresh_seconds, counters.totals.aged_seconds = (
        1000.0,
        900.0,
        90_000.0,
    )
    with LiveDisplay(console) as display:
        display.show(keeper)
    assert (
        "1 200 visits to pages of the corpus, 30 of 5 000 addresses due; 25.0 % found a change"
        in figures.getvalue()
    )
    assert "90.0 % up to date, 1 min 30 s behind, mean" in figures.getvalue()

    line = io.StringIO()
    with LiveDisplay(Console(file=line)) as display:
        display.show(keeper)
    assert "1 200 visited again" in line.getvalue()


def test_a_held_crawl_says_so(tmp_path: Path) -> None:
    output = io.StringIO()
    keeper = make_keeper(tmp_path)
    keeper.hold("disk")
    with LiveDisplay(Console(file=output)) as display:
        display.show(keeper)
    assert "PAUSED" in output.getvalue()


def test_a_terminal_shows_a_table(tmp_path: Path) -> None:
    output = io.StringIO()
    keeper = make_keeper(tmp_path)
    keeper.frontier.counters.totals.pages = 17
    keeper.hold("operator")
    console = Console(file=output, force_terminal=True, width=100)
    with LiveDisplay(console) as display:
        display.show(keeper)
    assert "17" in output.getvalue()
    assert "operator" in output.getvalue()


def test_a_quiet_display_prints_nothing(tmp_path: Path) -> None:
    output = io.StringIO()
    with LiveDisplay(Console(file=output, force_terminal=True), is_quiet=True) as display:
        display.show(make_keeper(tmp_path))
    assert output.getvalue() == ""


@pytest.mark.parametrize("is_terminal", [True, False])
def test_a_crawl_that_waits_for_its_last_answers_says_so(tmp_path: Path, is_terminal: bool) -> None:
    """Half a minute without a request looks like a fault."""
    output, keeper = io.StringIO(), make_keeper(tmp_path)
    keeper.figures.stopped_because = Stop.TIME_LIMIT
    with LiveDisplay(Console(file=output, force_terminal=is_terminal, width=150)) as display:
        display.show(keeper)
    assert "ENDING" in output.getvalue()
    assert "time limit reached" in output.getvalue()


def test_while_no_page_comes_the_reason_is_shown(tmp_path: Path) -> None:
    """The first crawl of many has a mistyped name, and would seem to do nothing for hours."""
    keeper = make_keeper(tmp_path)
    keeper.frontier.counters.totals.outcomes = {"robots_rules": 5, "no_such_host": 2, "http_404": 1}
    assert "; so far: the name does not exist: 2, not found: 1" in shown(keeper)
    keeper.frontier.counters.totals.pages = 1
    assert "so far" not in shown(keeper)


def shown(keeper: Keeper) -> str:
    output = io.StringIO()
    with LiveDisplay(Console(file=output, width=150)) as display:
        display.show(keeper)
    return output.getvalue()


def test_a_crawl_that_waits_says_what_for(tmp_path: Path) -> None:
    """21 waiting, 0 visited now, for minutes: is it broken?"""
    keeper = make_keeper(tmp_path)
    frontier, now = keeper.frontier, keeper.clock.now()
    frontier.add([Request("http://nosuch.example/")], now)
    frontier.resolved_all([(frontier.new_hosts(1)[0], "", "no_such_host")], now)
    for is_terminal in (True, False):
        output = io.StringIO()
        with LiveDisplay(Console(file=output, force_terminal=is_terminal, width=200)) as display:
            display.show(keeper)
        assert "nosuch.example is looked up again: name not found (at " in output.getvalue()


@pytest.mark.parametrize("is_terminal", [True, False])
def test_what_happens_meanwhile_is_printed_once(tmp_path: Path, is_terminal: bool) -> None:
    output, keeper = io.StringIO(), make_keeper(tmp_path)
    keeper.figures.notices.append("seed http://[x]/: name not found; given up")
    with LiveDisplay(Console(file=output, force_terminal=is_terminal, width=60)) as display:
        display.show(keeper)
        display.show(keeper)
    assert output.getvalue().count("seed http://[x]/: name not found; given up") == 1


def test_texts_that_were_not_judged_are_shown(tmp_path: Path) -> None:
    keeper = make_keeper(tmp_path)
    assert "segmenter" not in shown(keeper)
    keeper.segmenter.hear("h1", Judged(missed=1, fault="status 503"))
    assert "; segmenter: does not answer (status 503), 1 text not judged" in shown(keeper)
    keeper.segmenter.hear("h1", Judged(rated=1))
    assert "; segmenter: 1 text not judged" in shown(keeper)


def test_a_crawl_without_segmenter_is_not_bothered_with_it(tmp_path: Path) -> None:
    assert "segmenter" not in shown(make_keeper(tmp_path))


def test_repairs_are_told_as_soon_as_they_are_known_and_once(tmp_path: Path) -> None:
    """The end of a crawl of a month is too late to hear of a loss."""
    keeper = make_keeper(tmp_path)
    keeper.figures.repaired = ["warc/[a].warc.gz: a tail of 10 unacknowledged bytes was cut off"]
    output = io.StringIO()
    with LiveDisplay(Console(file=output, width=150)) as display:
        display.show(keeper)
        keeper.figures.repaired.append("corpus/b.jsonl: is lost")
        display.show(keeper)
        display.print_repairs(keeper)
    printed = output.getvalue()
    assert printed.count("Repaired after a crash") == 1
    assert printed.count("warc/[a].warc.gz: a tail of 10 unacknowledged bytes was cut off") == 1
    assert printed.count("corpus/b.jsonl: is lost") == 1
