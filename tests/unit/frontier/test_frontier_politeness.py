"""The arithmetic of leaving others in peace."""

from hypothesis import given
from hypothesis import strategies as st

from tiptoe.frontier.politeness import Politeness, backoff_seconds, host_delay, rest_seconds

RULES = Politeness(req_delay=5.0, general_pause=300.0, slow_factor=2.0, delay_max=60.0, backoff_max=3600.0)
seconds = st.floats(0, 1e9, allow_nan=False)


@given(seconds, seconds, seconds)
def test_nothing_a_server_says_makes_us_faster_than_configured(
    crawl_delay: float, slowed_to: float, response: float
) -> None:
    """What a server asks for may lengthen our delay, never shorten it."""
    delay = host_delay(RULES, crawl_delay=crawl_delay, slowed_to=slowed_to, response_seconds=response)
    assert delay >= RULES.req_delay
    assert delay >= min(crawl_delay, RULES.retry_after_max)
    assert delay >= slowed_to
    assert delay >= min(RULES.slow_factor * response, RULES.delay_max)


def test_absurd_wishes_are_capped() -> None:
    """One Crawl-delay of a year would park a host for good."""
    assert host_delay(RULES, crawl_delay=1e9, slowed_to=0.0, response_seconds=0.0) == RULES.retry_after_max
    assert host_delay(RULES, crawl_delay=0.0, slowed_to=0.0, response_seconds=1e6) == RULES.delay_max


def test_a_slow_answer_slows_us_down() -> None:
    """A host that takes four seconds is under load."""
    assert host_delay(RULES, crawl_delay=0.0, slowed_to=0.0, response_seconds=4.0) == 8.0
    assert host_delay(RULES, crawl_delay=0.0, slowed_to=0.0, response_seconds=0.1) == 5.0


@given(seconds)
def test_an_address_rests_at_least_the_general_pause(longest: float) -> None:
    """Also after a short visit, and never less than its slowest host wants."""
    assert rest_seconds(RULES, longest) == max(300.0, longest)


@given(st.floats(1, 3600), st.integers(0, 10_000), st.integers(0, 2**64 - 1))
def test_waits_double_up_to_a_cap_with_a_tenth_of_jitter(first: float, level: int, salt: int) -> None:
    """Hosts that failed together shall not come back together, nor earlier than they should."""
    plain = min(first * 2.0 ** min(level, 30), RULES.backoff_max)
    wait = backoff_seconds(RULES, first, level, salt=salt)
    assert plain <= wait < plain * 1.1


def test_each_wait_is_longer_than_the_one_before() -> None:
    """Until the cap, whatever the jitter."""
    waits = [backoff_seconds(RULES, 60.0, level, salt=999 - level) for level in range(6)]
    assert waits == sorted(waits)
    assert len(set(waits)) == len(waits)
