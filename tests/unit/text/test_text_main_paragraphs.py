"""How many of the likeliest paragraphs are taken."""

import numpy as np

from tiptoe.text.main_paragraphs import select


def taken(*paragraphs: tuple[str, float, float]) -> list[str]:
    texts = [text for text, _, _ in paragraphs]
    words = np.array([words for _, words, _ in paragraphs])
    probabilities = np.array([probability for _, _, probability in paragraphs])
    return [text for text, chosen in zip(texts, select(texts, words, probabilities), strict=True) if chosen]


def test_what_is_certain_leaves_the_doubtful_out() -> None:
    assert taken(("menu", 5, 0.01), ("article", 300, 0.99), ("advert", 40, 0.3)) == ["article"]


def test_where_nothing_is_certain_the_likeliest_is_taken() -> None:
    """A fixed threshold would leave such a page empty."""
    assert taken(("menu", 20, 0.02), ("offer", 30, 0.3), ("price", 20, 0.25)) == ["offer", "price"]


def test_many_doubtful_paragraphs_do_not_outvote_a_likely_one() -> None:
    """A short article has a long list of teasers below it."""
    teasers = [(f"teaser {number}", 10, 0.45) for number in range(20)]
    assert taken(("article", 60, 0.9), *teasers) == ["article"]


def test_a_paragraph_that_is_repeated_is_taken_once() -> None:
    """Shops write their description once for the phone and once for the desk."""
    assert taken(("a b c", 3, 0.9), ("d", 1, 0.9), ("a b c", 3, 0.9), ("d", 1, 0.9)) == ["a b c", "d", "d"]


def test_the_question_that_each_guest_is_asked_is_taken_each_time() -> None:
    interview = [("Ann", 5, 0.9), ("Why?", 5, 0.9), ("So.", 5, 0.9), ("Bob", 5, 0.9), ("Why?", 5, 0.9)]
    assert taken(*interview, ("No.", 5, 0.9)) == ["Ann", "Why?", "So.", "Bob", "Why?", "No."]


def test_what_is_repeated_beside_main_content_is_taken_once() -> None:
    """The first sentence of an article is also a teaser below it."""
    page = [("a b c", 9, 0.9), ("d", 9, 0.9), ("menu", 5, 0.1), ("a b c", 9, 0.9), ("e", 9, 0.9)]
    assert taken(*page) == ["a b c", "d", "e"]


def test_a_repeated_paragraph_that_is_doubtful_is_taken_once() -> None:
    """Each entry of a list has the same button."""
    page = [("first", 9, 0.9), ("buy it now", 3, 0.7), ("b", 9, 0.9), ("c", 9, 0.9), ("buy it now", 3, 0.7)]
    assert taken(*page, ("d", 9, 0.9)) == ["first", "buy it now", "b", "c", "d"]


def test_a_passage_that_is_repeated_is_taken_once() -> None:
    passage = [("a b c", 9, 0.9), ("d e f", 9, 0.9), ("g h i", 9, 0.9)]
    assert taken(("x", 9, 0.9), *passage, *passage, ("y", 9, 0.9)) == ["x", "a b c", "d e f", "g h i", "y"]


def test_paragraphs_without_words_are_no_reason_to_fail() -> None:
    assert taken(("•", 0, 0.9)) == ["•"]
