"""Whether a page says anything new on its host."""

from tiptoe.frontier.novelty import REMEMBERED_MAX, remember_prose
from tiptoe.text.prose import PROSE_BYTES, prose_of

NOTICE = "We use cookies to make this site better for you, and so do some of our partners."


def article(number: int) -> bytes:
    letters = "".join("abcdefghij"[int(digit)] for digit in str(number))
    story = f"The story of {letters} begins on a cold evening in the old town, by the river."
    return prose_of(["Home", NOTICE, story])


def novelties(*pages: bytes) -> list[bool]:
    """Return which of these pages of one host say anything new."""
    found, remembered = [], b""
    for prose in pages:
        remembered, is_new = remember_prose(remembered, prose)
        found.append(is_new)
    return found


def test_articles_are_new_each_time() -> None:
    """However many there are, and whatever stands on every page beside them."""
    assert all(novelties(*(article(number) for number in range(5000))))


def test_the_same_again_is_not_new() -> None:
    assert novelties(article(1), article(1), article(2), article(1)) == [True, False, True, False]


def test_a_page_without_prose_says_nothing() -> None:
    assert novelties(b"", article(1), b"") == [False, True, False]


def test_what_stands_on_every_page_is_never_forgotten() -> None:
    """Else a site that has long run out of texts would say something new from time to time."""
    remembered = b""
    for number in range(10 * REMEMBERED_MAX):
        remembered, _ = remember_prose(remembered, article(number))
    assert not remember_prose(remembered, prose_of([NOTICE]))[1]


def test_its_memory_is_bounded() -> None:
    remembered = b""
    for number in range(10 * REMEMBERED_MAX):
        remembered, _ = remember_prose(remembered, article(number) + article(number + 7)[-PROSE_BYTES:])
        assert len(remembered) <= REMEMBERED_MAX * PROSE_BYTES
    assert remember_prose(remembered, article(1))[1], "said too long ago"


def test_a_peer_that_tells_too_much_is_heard_in_part() -> None:
    known, _ = remember_prose(b"", bytes(4))
    assert remember_prose(known, bytes(4) * 1000 + b"news")[1] is False
