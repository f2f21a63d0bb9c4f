"""Is a text that needs a closer look told as such, by whichever loop looks?"""

import pytest

from tiptoe.catalog import word_patterns


@pytest.mark.skipif(not word_patterns.IS_COMPILED, reason="nothing is compiled here")
def test_the_compiled_look_says_of_every_character_what_the_other_one_says(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A text that is wrongly taken for simple would lose words without a word."""
    points = [*range(0x3400), *range(0xD7F0, 0xE010), *range(0xF8F0, 0x10010), 0x1F600, 0x20000, 0x10FFFF]
    texts = [f"voda {chr(point)} a" for point in points]
    compiled = [word_patterns.needs_comparison(text) for text in texts]
    monkeypatch.setattr(word_patterns, "IS_COMPILED", False)
    assert compiled == [word_patterns.needs_comparison(text) for text in texts]
    assert True in compiled
    assert False in compiled
