"""The judge is judged with handmade records: each rule broken by a hair, and kept by a hair."""

from collections.abc import Callable

from tiptoe.testing.judge import Rules, judge
from tiptoe.testing.recorder import Arrival

RULES = Rules(req_delay=5.0, max_hosts=2, max_reqs=3, general_pause=60.0)
HAIR = 0.001


def ask(
    arrived_at: float,
    target: str = "/",
    *,
    host: str = "a.example",
    address: str = "192.0.2.1",
    took: float = 1.0,
    status: int = 200,
    user_agent: str = "tiptoe/1 (+https://bot.example/)",
    retry_after: float | None = None,
) -> Arrival:
    """Return an arrival that was answered `took` seconds later."""
    return Arrival(
        arrived_at, arrived_at + took, host, address, "GET", target, status, user_agent, 1, retry_after
    )


def robots(arrived_at: float, *, host: str = "a.example", status: int = 200) -> Arrival:
    return ask(arrived_at, "/robots.txt", host=host, status=status)


def found(arrivals: list[Arrival], rules: Rules = RULES) -> list[tuple[str, tuple[int, ...]]]:
    """Return rule and lines of every violation."""
    return [(violation.rule, violation.lines) for violation in judge(arrivals, rules)]


def with_rules(**changes: object) -> Rules:
    settings = {"req_delay": 5.0, "max_hosts": 2, "max_reqs": 3, "general_pause": 60.0} | changes
    return Rules(**settings)  # type: ignore[arg-type]


def test_an_empty_record_is_polite() -> None:
    assert judge([], RULES) == []


def test_the_pause_counts_from_the_end_of_the_answer() -> None:
    """A slow server must not be punished for being slow."""
    assert found([robots(0.0), ask(6.0)]) == []
    assert found([robots(0.0), ask(6.0 - HAIR)]) == [("POL-1", (1, 2))]


def test_the_shortfall_says_by_how_much() -> None:
    (violation,) = judge([robots(0.0), ask(4.5)], RULES)
    assert (violation.host, violation.address, violation.shortfall) == ("a.example", "192.0.2.1", 1.5)


def test_tolerance_forgives_a_hair_and_no_more() -> None:
    rules = with_rules(tolerance=2 * HAIR)
    assert found([robots(0.0), ask(6.0 - HAIR)], rules) == []
    assert found([robots(0.0), ask(6.0 - 3 * HAIR)], rules) == [("POL-1", (1, 2))]


def test_a_long_answer_is_not_hidden_by_a_short_one_after_it() -> None:
    """The pause counts from the last answer to end, not from the last request to come."""
    arrivals = [robots(0.0), ask(10.0, took=20.0), ask(12.0), ask(34.0)]
    assert ("POL-1", (2, 4)) in found(arrivals, with_rules(max_reqs=9))


def test_two_requests_to_one_host_never_overlap() -> None:
    rules = with_rules(req_delay=0.0)
    assert found([robots(0.0), ask(1.0)], rules) == []
    assert found([robots(0.0), ask(1.0 - HAIR)], rules) == [
        ("POL-1", (1, 2)), ("POL-4", (1, 2)), ("POL-5", (2,)),
    ]  # fmt: skip


def test_the_order_of_the_record_does_not_matter() -> None:
    """Servers write a line when they have answered, which is not the order of arrival."""
    assert found([ask(6.0), robots(0.0)]) == []
    assert found([ask(6.0 - HAIR), robots(0.0)]) == [("POL-1", (2, 1))]


def test_crawl_delay_counts_once_robots_txt_was_served() -> None:
    rules = with_rules(crawl_delays=lambda host: 20.0)
    assert found([robots(0.0), ask(21.0)], rules) == []
    assert found([robots(0.0), ask(21.0 - HAIR)], rules) == [("POL-1", (1, 2))]


def test_a_crawl_delay_that_was_never_served_binds_nobody() -> None:
    rules = with_rules(crawl_delays=lambda host: 20.0)
    assert found([robots(0.0, status=404), ask(6.0)], rules) == []


def test_a_short_crawl_delay_does_not_shorten_our_own() -> None:
    rules = with_rules(crawl_delays=lambda host: 1.0)
    assert found([robots(0.0), ask(2.5)], rules) == [("POL-1", (1, 2))]


def series_of_hosts(third_at: float) -> list[Arrival]:
    return [robots(0.0), robots(2.0, host="b.example"), robots(third_at, host="c.example")]


def test_one_host_too_many_needs_the_general_pause() -> None:
    """Two hosts on the address are allowed; the third waits until it has rested."""
    assert found(series_of_hosts(63.0)) == []
    assert found(series_of_hosts(63.0 - HAIR)) == [("POL-2", (2, 3))]


def test_a_host_that_comes_back_in_a_series_is_not_a_new_host() -> None:
    assert found([robots(0.0), robots(2.0, host="b.example"), ask(6.0)]) == []


def series_of_requests(last_at: float) -> list[Arrival]:
    return [robots(0.0), ask(6.0), ask(12.0), ask(last_at)]


def test_one_request_too_many_needs_the_general_pause() -> None:
    assert found(series_of_requests(73.0)) == []
    assert found(series_of_requests(73.0 - HAIR)) == [("POL-3", (3, 4))]


def test_an_address_never_sees_two_requests_at_once() -> None:
    """One harvester works an address at a time, whatever the hosts."""
    assert found([robots(0.0), robots(1.0, host="b.example")]) == []
    assert found([robots(0.0), robots(1.0 - HAIR, host="b.example")]) == [("POL-4", (1, 2))]


def test_addresses_do_not_wait_for_each_other() -> None:
    other = ask(0.5, "/robots.txt", host="b.example", address="192.0.2.2")
    assert found([robots(0.0), other]) == []


def test_on_a_named_content_network_the_address_rules_count_per_host() -> None:
    rules = with_rules(cdn_addresses=("192.0.2.0/24",))
    assert found([robots(0.0), *(robots(0.1 * i, host=f"h{i}.example") for i in range(5))], rules) == []
    assert found(series_of_requests(73.0 - HAIR), rules) == [("POL-3", (3, 4))]


def test_no_page_comes_before_robots_txt() -> None:
    assert found([ask(0.0)]) == [("POL-5", (1,))]
    assert found([ask(0.0), robots(6.0)]) == [("POL-5", (1,))]


def test_nothing_is_asked_while_robots_txt_cannot_be_had() -> None:
    """A server error means: keep away, until a later success."""
    assert found([robots(0.0, status=503), ask(6.0)]) == [("POL-5", (1, 2))]
    assert found([robots(0.0, status=0), ask(6.0)]) == [("POL-5", (1, 2))]
    assert found([robots(0.0, status=503), robots(6.0), ask(12.0)]) == []


def test_a_missing_robots_txt_allows_everything() -> None:
    assert found([robots(0.0, status=404), ask(6.0)]) == []


def test_a_forbidden_page_is_not_asked_for() -> None:
    is_allowed: Callable[[str], bool] = lambda url: "/private/" not in url  # noqa: E731
    rules = with_rules(is_allowed=is_allowed)
    assert found([robots(0.0), ask(6.0, "/public/")], rules) == []
    assert found([robots(0.0), ask(6.0, "/private/")], rules) == [("POL-5", (2,))]


def test_every_request_says_whom_to_write_to() -> None:
    for agent in ("tiptoe/1 (+https://bot.example/)", "tiptoe (mail@bot.example)"):
        assert found([ask(0.0, "/robots.txt", user_agent=agent)]) == []
    for agent in ("", "Mozilla/5.0", "tiptoe/1"):
        assert found([ask(0.0, "/robots.txt", user_agent=agent)]) == [("POL-7", (1,))]


def test_retry_after_is_waited_for() -> None:
    def record(status: int, again_at: float) -> list[Arrival]:
        return [robots(0.0), ask(6.0, status=status, retry_after=30.0), ask(again_at)]

    assert found(record(429, 37.0)) == []
    assert found(record(429, 37.0 - HAIR)) == [("POL-8", (2, 3))]
    assert found(record(503, 37.0 - HAIR)) == [("POL-8", (2, 3))]


def test_an_absurd_retry_after_is_capped() -> None:
    rules = with_rules(retry_after_max=10.0)
    record = [robots(0.0), ask(6.0, status=429, retry_after=1e9), ask(17.0)]
    assert found(record, rules) == []
    assert found([*record[:2], ask(17.0 - HAIR)], rules) == [("POL-8", (2, 3))]


def test_a_violation_reads_as_a_sentence() -> None:
    (violation,) = judge([robots(0.0), ask(4.5)], RULES)
    assert str(violation) == (
        "POL-1 a.example at 192.0.2.1: pause of 3.500000 s instead of 5 s, 1.500000 s too early (lines 1, 2)"
    )
