"""Lengths of texts in any script."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tiptoe.text import density, language_scripts
from tiptoe.text.density import length_of_uncompiled, lengths_of, lengths_of_uncompiled
from tiptoe.text.language_scripts import count_latin_uncompiled

texts = st.text("aZ{`@[é¹ﬁж漢字、。かﾊ\u2fff\u3000\u9fff\ua000\ud800\U0001f600", max_size=20)


def test_a_chinese_character_is_as_long_as_two_or_three_letters() -> None:
    assert lengths_of(["voda", "水", "水水", "水水水"]) == [4, 3, 5, 7]


@pytest.mark.skipif(not density.IS_COMPILED, reason="no C compiler, or no headers of Python")
@given(st.lists(texts, max_size=5))
@example(["漢" * count for count in range(9)])
def test_what_is_compiled_counts_alike(paragraphs: list[str]) -> None:
    from tiptoe.text.compiled_density import count_latin, length_of, lengths_of

    assert language_scripts.IS_COMPILED
    assert lengths_of(paragraphs) == lengths_of_uncompiled(paragraphs)
    assert list(map(length_of, paragraphs)) == list(map(length_of_uncompiled, paragraphs))
    assert list(map(count_latin, paragraphs)) == list(map(count_latin_uncompiled, paragraphs))
