"""What names of elements say."""

import pytest

from tiptoe.text.signs import SIGNS, read_signs


def signs_of(tag: str, words: str) -> set[str]:
    bits = read_signs(tag, words)
    return {sign for place, sign in enumerate(SIGNS) if bits >> place & 1}


@pytest.mark.parametrize(
    "words", ["post-body", "postBody", "post_body", "PostBody", "posts x1 BODY", "js-post2body"]
)
def test_words_are_found_however_they_are_joined(words: str) -> None:
    assert signs_of("div", words) == {"post", "content"}


@pytest.mark.parametrize("words", ["", "  ", "x", "broad", "poster2000x", "čtvrt", "12-34"])
def test_parts_of_words_say_nothing(words: str) -> None:
    """An *ad* is in *broad* as little as in *adresa*."""
    assert signs_of("div", words) <= {"author"}


def test_tags_say_something_too() -> None:
    assert signs_of("nav", "menu") == {"<nav>", "menu"}
    assert signs_of("b", "") == set()


def test_the_tag_of_an_unknown_element_is_read_like_a_class() -> None:
    assert signs_of("product-card", "") == {"product", "listing"}


def test_all_signs_fit_into_one_number() -> None:
    assert len(SIGNS) <= 64
