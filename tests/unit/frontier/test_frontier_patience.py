"""The table of what is done about each kind of trouble."""

import pytest

from tiptoe.fetch.outcome import Failure
from tiptoe.frontier.patience import HOST_TRIES_MAX, PATIENCE, Trouble, Verdict, trouble_of


def test_every_trouble_has_its_patience() -> None:
    """A gap in the table would be an exception in the middle of a crawl."""
    assert set(PATIENCE) == set(Trouble)


@pytest.mark.parametrize("failure", list(Failure))
def test_every_failure_is_a_trouble(failure: Failure) -> None:
    """The client's words and the frontier's are the same."""
    assert trouble_of(0, failure.value) is Trouble(failure.value)


def test_patience_ends() -> None:
    """Nothing is tried for ever, and no host outlives its tries."""
    for trouble, patience in PATIENCE.items():
        assert 1 <= patience.tries <= HOST_TRIES_MAX, trouble
        assert patience.first_wait >= 1, trouble


def test_what_drops_a_host_makes_the_host_wait() -> None:
    """Else its other URLs would use up the tries within a second."""
    for trouble, patience in PATIENCE.items():
        assert patience.then is not Verdict.DROP_HOST or patience.host_waits, trouble
        assert not patience.address_waits or patience.host_waits, trouble


def test_overload_is_felt_by_host_and_address() -> None:
    """429, 503 and silence slow down the whole server (POL-8)."""
    for trouble in (Trouble.OVERLOADED, Trouble.TIMED_OUT, Trouble.TOO_SLOW):
        assert (PATIENCE[trouble].host_waits, PATIENCE[trouble].address_waits) == (True, True)


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
