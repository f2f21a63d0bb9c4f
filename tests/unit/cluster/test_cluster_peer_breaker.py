"""Is it worth asking another agent now?"""

from tiptoe.cluster.peer_breaker import LONGEST_WAIT_SECONDS, PeerBreaker


def test_who_answers_is_asked_without_limit() -> None:
    breaker = PeerBreaker()
    for now in range(5):
        assert breaker.may_ask(now)
        breaker.ask()
    breaker.answered()
    assert breaker.may_ask(5)


def test_who_is_silent_costs_one_request_now_and_then() -> None:
    """Each further silence doubles the wait."""
    breaker = PeerBreaker()
    now, asked_at = 0.0, []
    while now < 100.0:
        if breaker.may_ask(now):
            asked_at.append(now)
            breaker.ask()
            assert not breaker.may_ask(now) or len(asked_at) == 1, "one try at a time"
            now += 1.0
            breaker.unanswered(now)
        now += 0.25
    assert len(asked_at) < 12
    assert asked_at[-1] - asked_at[-2] <= LONGEST_WAIT_SECONDS + 1.25


def test_one_answer_ends_the_silence() -> None:
    breaker = PeerBreaker()
    breaker.unanswered(0.0)
    breaker.unanswered(1.0)
    assert not breaker.may_ask(1.5)
    breaker.answered()
    assert breaker.may_ask(1.5)
