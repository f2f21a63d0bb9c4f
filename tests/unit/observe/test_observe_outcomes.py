"""Classes of outcomes that crawls can be compared by."""

import pytest

from tiptoe.fetch.outcome import Failure
from tiptoe.observe.outcomes import FATES, Fate, fate_of


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
