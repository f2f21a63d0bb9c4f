"""Counting characters of whole pages at once."""

from hypothesis import given
from hypothesis import strategies as st

from tiptoe.text.characters import count_characters


def test_words_of_every_language_are_counted() -> None:
    counted = count_characters(["Žluťoučký kůň úpěl.", "Cena: 1 290,50 €!", "ещё раз", "中文"])
    assert counted.words.tolist() == [3, 4, 2, 1]
    assert counted.lower_words.tolist() == [2, 0, 2, 1]
    assert counted.upper.tolist() == [1, 1, 0, 0]
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
    for name in ("chars", "words", "lower_words", "upper", "digits", "stops", "commas", "money"):
        assert getattr(together, name).tolist() == [getattr(each, name)[0] for each in alone]
    assert together.words.tolist() == [len(text.split()) for text in texts]
