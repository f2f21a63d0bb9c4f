"""When the next request of a visit may go to a host."""

import pytest
from harvest_samples import NO_RULES, RULES, work_for

from tiptoe.harvest.lane import Lane
from tiptoe.protocol.work import HostWork, Request, RobotsNote, RobotsState


def test_the_pause_counts_from_the_end_of_the_answer() -> None:
    """At least req-delay between an answer and the next request (POL-1)."""
    lane = Lane.of(work_for("a.example", "/1", "/2"), RULES)
    assert lane.next_at == float("-inf")  # the first may go at once
    lane.answered(100.0, seconds=0.3)
    assert lane.next_at == 102.0


def test_a_slow_answer_makes_the_pause_longer() -> None:
    """Twice the time it took."""
    lane = Lane.of(work_for("a.example", "/1"), RULES)
    lane.answered(100.0, seconds=4.0)
    assert lane.next_at == 108.0


def test_rules_just_read_count_from_here_on() -> None:
    """The keeper could not know of their Crawl-delay."""
    lane = Lane.of(work_for("a.example", "/1", robots=None), RULES)
    lane.answered(100.0, seconds=0.1)
    lane.rules["http://a.example"] = RobotsNote(RobotsState.RULES, crawl_delay=9.0)
    assert lane.next_at == 109.0


def test_the_keepers_delay_is_the_least() -> None:
    """It knows what the operator and earlier visits said."""
    lane = Lane.of(HostWork("a.example", 30.0, 5, [Request("http://a.example/")]), RULES)
    lane.answered(0.0, seconds=0.1)
    assert lane.next_at == 30.0


def test_further_work_never_makes_a_lane_faster() -> None:
    """And rules learned in this visit are not replaced by older ones."""
    lane = Lane.of(HostWork("a.example", 30.0, 1, []), RULES)
    learned = RobotsNote(RobotsState.RULES, crawl_delay=9.0)
    lane.rules["http://a.example"] = learned
    lane.is_left = True
    lane.extend(work_for("a.example", "/3", robots=NO_RULES, budget=4))
    assert (lane.delay, lane.budget, lane.has_work) == (30.0, 4, True)
    assert lane.rules == {"http://a.example": learned}


def test_a_spent_budget_is_not_overdrawn() -> None:
    """max-reqs holds also against a fault of ours (POL-3)."""
    lane = Lane.of(work_for("a.example", "/1", budget=1), RULES)
    lane.spend()
    with pytest.raises(AssertionError, match="no request left"):
        lane.spend()


def test_what_was_not_asked_is_given_back_once() -> None:
    """It returns to the queue; doubled it would be asked for twice."""
    lane = Lane.of(work_for("a.example", "/1", "/2"), RULES)
    lane.requests.popleft()
    assert [request.url for request in lane.give_back()] == ["http://a.example/2"]
    assert lane.give_back() == []
    assert not lane.has_work


def test_further_work_does_not_undo_a_cancel() -> None:
    """Trouble is over when the keeper adds work; the operator's word holds for the whole visit."""
    lane = Lane.of(work_for("a.example", "/1"), RULES)
    lane.cancel()
    lane.extend(work_for("a.example", "/2"))
    assert not lane.has_work
    assert len(lane.give_back()) == 2
