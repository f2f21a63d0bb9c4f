"""Counting characters of whole pages at once."""

from hypothesis import given
from hypothesis import strategies as st

from tiptoe.text.characters import count_characters


def test_words_of_every_language_are_counted() -> None:
    counted = count_characters(["Žluťoučký kůň úpěl.", "Cena: 1 290,50 €!", "ещё раз", "中文"])
    assert counted.words.tolist() == [3, 4, 2, 1]
    assert counted.digits.tolist() == [0, 6, 0, 0]
    assert counted.stops.tolist() == [1, 1, 0, 0]
    assert counted.commas.tolist() == [0, 2, 0, 0]
    assert counted.money.tolist() == [0, 1, 0, 0]


paragraphs = st.text(min_size=1).map(lambda text: " ".join(text.split())).filter(bool)


@given(st.lists(paragraphs, min_size=1))
def test_counts_of_a_paragraph_do_not_depend_on_its_neighbours(texts: list[str]) -> None:
    """They are counted as one array: an offset by one would mix them up."""
    together = count_characters(texts)
    alone = [count_characters([text]) for text in texts]
    for name in ("chars", "words", "digits", "stops", "commas", "money"):
        assert getattr(together, name).tolist() == [getattr(each, name)[0] for each in alone]


@given(st.lists(paragraphs, min_size=1))
def test_words_of_scripts_with_spaces_are_parted_by_spaces(texts: list[str]) -> None:
    """The model for main content was trained on such texts: what it sees of them stays the same."""
    counted = count_characters(texts)
    for text, words in zip(texts, counted.words.tolist(), strict=True):
        if max(text) < "\u0e00":
            assert words == len(text.split())


def test_words_that_are_not_parted_are_counted_by_their_characters() -> None:
    """A Chinese paragraph would be one word, and its full stops letters."""
    counted = count_characters(["我们去公园玩，你来吗？我们等你。", "ฉันไปตลาดทุกเช้ากับแม่", "iPhone 15发布了"])
    assert counted.words.tolist() == [7, 5, 4]
    assert counted.stops.tolist() == [2, 0, 0]
    assert counted.commas.tolist() == [1, 0, 0]
