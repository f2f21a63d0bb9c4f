"""Classes of outcomes that crawls can be compared by."""

import pytest

from tiptoe.fetch.outcome import Failure
from tiptoe.observe.outcomes import FATES, Fate, fate_of, split_outcomes, status_text


@pytest.mark.parametrize(
    ("status", "fate"),
    [
        (200, Fate.OK), (206, Fate.OK), (304, Fate.OK), (301, Fate.REDIRECT), (404, Fate.GONE),
        (410, Fate.GONE),
        (403, Fate.REFUSED), (429, Fate.OVERLOADED), (503, Fate.OVERLOADED), (500, Fate.SERVER_ERROR),
    ],
)  # fmt: skip
def test_a_status_has_its_class(status: int, fate: Fate) -> None:
    assert fate_of(status, None) is fate


@pytest.mark.parametrize("failure", Failure)
def test_a_failure_is_a_dead_host_or_a_broken_answer(failure: Failure) -> None:
    assert fate_of(None, failure.value) in (Fate.DEAD, Fate.BROKEN)


def test_no_connection_is_a_dead_host_and_half_an_answer_is_not() -> None:
    assert fate_of(None, "refused") is Fate.DEAD
    assert fate_of(None, "reset") is Fate.BROKEN


def test_every_class_is_explained() -> None:
    assert set(FATES) == set(Fate)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("http_404", "not found"),
        ("http_410", "gone"),
        ("http_451", "unavailable for legal reasons"),
        ("http_499", "the server says that the request is at fault"),
        ("http_599", "the server says that it is at fault"),
        ("http_999", "no status that HTTP knows"),
        ("ok", ""),
        ("http_", ""),
        ("http_x", ""),
        ("http_²", ""),
    ],
)
def test_every_status_means_something(name: str, said: str) -> None:
    assert status_text(name) == said


def test_no_status_that_can_be_shown_is_without_meaning() -> None:
    assert all(status_text(f"http_{status}") for status in range(1000))


def test_what_was_left_alone_is_not_counted_among_requests_nor_told_twice() -> None:
    asked, left = split_outcomes(
        {"ok": 3, "http_404": 1, "disallowed": 2, "private_address": 1}, {"disallowed": 2, "too_deep": 7}
    )
    assert asked == {"ok": 3, "http_404": 1}
    assert left == {"private_address": 1}
