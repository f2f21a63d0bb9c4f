"""`tiptoe status --watch`: plots on terminals of all sorts."""

import io
from collections.abc import Iterator
from pathlib import Path

import pytest
from rich.console import Console

from tiptoe.cli.main import app
from tiptoe.cli.status_watch import plots_of, watch_status
from tiptoe.cli.terminal_plots import plot_lines, short_number
from tiptoe.errors import SettingsError
from tiptoe.observe.activity import Activity
from tiptoe.observe.activity_files import ActivityFiles
from tiptoe.protocol.status import Status

NOW = 1_000_000.0


def test_a_plot_says_what_how_much_and_since_when() -> None:
    assert plot_lines("pages", [0, 1, 4, 8], seconds=30, rows=2) == [
        "pages  now 8",
        "     8 │   █",
        "       │ ▂██",
        "       └────",
        "        2 min 00 s ago now",
    ]


def test_a_terminal_without_blocks_gets_ascii() -> None:
    assert plot_lines("pages", [0, 1, 4, 8], seconds=30, rows=2, is_ascii=True) == [
        "pages  now 8",
        "     8 |   #",
        "       | .##",
        "       +----",
        "        2 min 00 s ago now",
    ]


def test_nothing_is_no_bar_and_little_is_one() -> None:
    bars = plot_lines("x", [0, 1, 1000], seconds=5, rows=1)[1]
    assert bars == "  1000 │ ▁█"
    assert plot_lines("x", [0.0, 0.0], seconds=5, rows=1)[1] == "     0 │"


@pytest.mark.parametrize(
    ("value", "said"),
    [(0, "0"), (2.5, "2.5"), (840, "840"), (12_345, "12.3k"), (15_000_000, "15.0M"), (2e9, "2.0G")],
)
def test_numbers_fit_beside_the_axis(value: float, said: str) -> None:
    assert short_number(value) == said


@pytest.mark.parametrize(("width", "height"), [(60, 40), (80, 15), (120, 30), (300, 60), (20, 5)])
def test_plots_keep_to_the_room_there_is(width: int, height: int) -> None:
    activity = Activity()
    activity.add_text(NOW - 3, 12_345_678)
    lines = plots_of(activity, NOW, width=width, height=height)
    assert max(len(line) for line in lines) <= max(width, 45)
    assert len(lines) <= max(height, 16)


def statuses() -> Iterator[Status | None]:
    yield Status(pages=1, requests=10, now=NOW)
    yield Status(pages=2, requests=30, now=NOW + 2)
    yield None


@pytest.mark.parametrize("is_terminal", [True, False])
def test_it_is_drawn_anew_until_the_crawl_ends(tmp_path: Path, is_terminal: bool) -> None:
    printed, waits, looks = io.StringIO(), list[float](), statuses()
    console = Console(file=printed, width=100, height=40, force_terminal=is_terminal, highlight=False)
    watch_status(lambda: next(looks), ActivityFiles(tmp_path), console, every=2.0, sleep=waits.append)

    assert waits == [2.0, 2.0]
    assert "30 requests, 10 a second" in printed.getvalue()
    assert printed.getvalue().rstrip().endswith("The crawl has ended.")
    assert ("\x1b[" in printed.getvalue()) == is_terminal


@pytest.mark.parametrize("words", [["--every", "soon"], ["--every", "1ms"], ["--json"], ["--check"]])
def test_what_cannot_be_meant_is_refused(words: list[str]) -> None:
    with pytest.raises(SettingsError):
        app(["status", "--watch", *words], result_action="return_value")


def test_a_check_says_no_by_its_exit_code(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """As a container or a service manager asks."""
    assert app(["status", str(tmp_path), "--check"], result_action="return_value") == 1
    assert "not the directory of a crawl; there is no crawl.json in it" in capsys.readouterr().out
