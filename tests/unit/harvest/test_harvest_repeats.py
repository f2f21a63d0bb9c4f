"""The same text again, under another address of the host."""

from tiptoe.harvest.repeats import FOLLOWED_MAX, HOSTS_MAX, TEXTS_MAX, Repeats

TEXT = b"12345678"


def url(number: int) -> str:
    return f"http://a.example/{number}"


def test_addresses_with_the_same_text_are_counted() -> None:
    """Whoever answers nonsense with one page answers all of it with that page."""
    repeats = Repeats()
    assert [repeats.count("a.example", url(number), TEXT) for number in range(5)] == [0, 1, 2, 3, 4]


def test_the_count_ends_where_it_no_longer_matters() -> None:
    repeats = Repeats()
    counts = [repeats.count("a.example", url(number), TEXT) for number in range(100)]
    assert counts == [*range(FOLLOWED_MAX), *[FOLLOWED_MAX] * (100 - FOLLOWED_MAX)]


def test_a_page_asked_for_again_does_not_repeat_itself() -> None:
    repeats = Repeats()
    repeats.count("a.example", url(1), TEXT)
    assert [repeats.count("a.example", url(1), TEXT) for _ in range(5)] == [0] * 5
    assert repeats.count("a.example", url(2), TEXT) == 1
    assert repeats.count("a.example", url(2), TEXT) == 1


def test_hosts_and_texts_are_kept_apart() -> None:
    repeats = Repeats()
    repeats.count("a.example", url(1), TEXT)
    assert repeats.count("b.example", url(2), TEXT) == 0
    assert repeats.count("a.example", url(3), b"87654321") == 0


def test_memory_is_bounded() -> None:
    """The host and the text that were met longest ago are forgotten."""
    repeats = Repeats()
    for number in range(HOSTS_MAX + 1):
        repeats.count(f"h{number}.example", url(1), TEXT)
    assert repeats.count(f"h{HOSTS_MAX}.example", url(2), TEXT) == 1
    assert repeats.count("h0.example", url(2), TEXT) == 0
    for number in range(TEXTS_MAX + 1):
        repeats.count("a.example", url(1), bytes([number]))
    assert repeats.count("a.example", url(2), bytes([TEXTS_MAX])) == 1
    assert repeats.count("a.example", url(2), bytes([0])) == 0
