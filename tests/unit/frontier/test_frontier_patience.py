"""The table of what is done about each kind of trouble."""

from pathlib import Path

import pytest

from tiptoe.fetch.outcome import Failure
from tiptoe.frontier.patience import PATIENCE, PATIENCE_BUDGET, CountedTry, HoldTarget, Trouble, trouble_of
from tiptoe.frontier.troubles import SPREAD_URLS

POLITENESS = (Path(__file__).parents[3] / "docs/discussions/politeness.md").read_text(encoding="utf-8")


def test_every_trouble_has_its_patience() -> None:
    """A gap in the table would be an exception in the middle of a crawl."""
    assert set(PATIENCE) == set(Trouble)


@pytest.mark.parametrize("failure", list(Failure))
def test_every_failure_is_a_trouble(failure: Failure) -> None:
    """The client's words and the frontier's are the same."""
    assert trouble_of(0, failure.value) is Trouble(failure.value)


def test_patience_ends() -> None:
    """No URL is tried for ever, and each kind of trouble uses up a whole part of the patience with a host."""
    for trouble, patience in PATIENCE.items():
        assert 1 <= patience.tries <= 10, trouble
        assert patience.first_wait >= 1, trouble
        assert patience.cost * patience.give_up_after in (0, PATIENCE_BUDGET), trouble
        assert (patience.cost > 0) == (patience.give_up_after > 0), trouble


def test_a_failed_connection_makes_the_host_wait() -> None:
    """Else its other URLs would use up the patience with it within a second."""
    for trouble, patience in PATIENCE.items():
        counts_once = patience.counted is CountedTry.FIRST_TRY
        assert counts_once or (patience.host_waits and patience.give_up_after), trouble
        assert patience.held is HoldTarget.HOST or patience.host_waits, trouble


def test_overload_is_felt_by_host_and_address() -> None:
    """429, 503 and silence slow down the whole server (POL-8)."""
    for trouble in (Trouble.OVERLOADED, Trouble.TIMED_OUT, Trouble.TOO_SLOW):
        assert (PATIENCE[trouble].host_waits, PATIENCE[trouble].held) == (True, HoldTarget.ADDRESS)


@pytest.mark.parametrize(
    ("status", "expected"),
    [
        *((status, None) for status in (200, 204, 206, 301, 304, 400, 401, 403, 404, 410, 418, 451)),
        *((status, Trouble.OVERLOADED) for status in (429, 503)),
        *((status, Trouble.SERVER_ERROR) for status in (408, 425, 500, 502, 504, 520, 599, 999)),
    ],
)
def test_statuses_are_troubles_or_answers(status: int, expected: Trouble | None) -> None:
    """4xx is final, 5xx may pass, overload concerns the whole host."""
    assert trouble_of(status, "") is expected


@pytest.mark.parametrize("trouble", [Trouble.CHALLENGE, Trouble.BROKEN_OFF])
def test_an_answer_may_be_a_trouble_too(trouble: Trouble) -> None:
    assert trouble_of(200, "", trouble.value) is trouble
    assert trouble_of(200, "", "noindex") is None


@pytest.mark.parametrize("trouble", list(Trouble))
def test_the_table_is_documented_as_it_is(trouble: Trouble) -> None:
    patience = PATIENCE[trouble]
    unless_at_once = f"after {SPREAD_URLS}" if patience.give_up_after else "–"
    hold = f"{patience.hold:g}" if patience.hold else unless_at_once
    row = f"| {patience.first_wait:g} | {patience.tries} | {hold} | {patience.give_up_after or 'never'} |"
    (line,) = [line for line in POLITENESS.splitlines() if line.startswith(f"| `{trouble.value}` |")]
    assert line.endswith(row)
