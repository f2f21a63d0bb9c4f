"""What is measured about paragraphs."""

import numpy as np

from tiptoe.text.features import FEATURES, NOWHERE, measure
from tiptoe.text.outline import Name, Outline

PROSE = "This is a sentence of more than eight words, with stops."


def thread() -> Outline:
    """Return a menu beside a list of two posts below a title."""
    return Outline(
        names=[Name("body", ""), Name("nav", ""), Name("h1", ""), Name("main", ""), Name("li", "post")],
        text=["Home", "Shop", "Title", PROSE, PROSE],
        place=[1, 1, 3, 4, 5],
        linked_chars=[4, 4, 0, 0, 0],
        name=[0, 1, 3, 2, 4, 4],
        parent=[0, 0, 0, 2, 2, 2],
        depth=[0, 1, 1, 2, 2, 2],
        shape=[0, 1, 2, 3, 4, 4],
        first=[0, 0, 2, 2, 3, 4],
        end=[5, 2, 5, 3, 4, 5],
    )


def feature(name: str) -> list[float]:
    outline = thread()
    outline.check()
    return [round(float(value), 3) for value in measure(outline)[FEATURES.index(name)]]


def test_names_of_features_are_unique() -> None:
    """A model finds its features by name."""
    assert len(set(FEATURES)) == len(FEATURES)


def test_all_measurements_are_numbers() -> None:
    assert np.isfinite(measure(thread())).all()


def test_links_are_measured_in_the_paragraph_and_around_it() -> None:
    assert feature("linked") == [1, 1, 0, 0, 0]
    assert feature("above 1 linked") == [1, 1, 0, 0, 0]
    assert feature("above 4 linked") == [0.08] * 5  # the body: two of 25 words


def test_shapes_are_measured_together() -> None:
    """Two posts of one sentence each are one place with two sentences."""
    assert feature("above 1 words") == [2, 2, 1, 11, 11]
    assert feature("shape 1 words") == [2, 2, 1, 22, 22]
    assert feature("twins 1") == [1, 1, 1, 2, 2]


def test_the_container_of_the_prose_is_found() -> None:
    """The menu is before it, the title and the posts are in it."""
    assert feature("container 0.9 side") == [-1, -1, 1, 1, 1]
    assert feature("container 0.9 depth") == [0, 0, 1, 1, 1]


def test_signs_of_all_ancestors_count() -> None:
    assert feature("in <nav>") == [1, 1, 0, 0, 0]
    assert feature("in <main>") == [0, 0, 1, 1, 1]
    assert feature("in post") == [0, 0, 0, 1, 1]


def test_repeated_texts_are_counted() -> None:
    assert feature("occurrences") == [1, 1, 1, 2, 2]
    assert feature("occurrence") == [1, 1, 1, 1, 2]


def test_a_section_reaches_from_heading_to_heading() -> None:
    assert feature("heading") == [0, 0, 1, 0, 0]
    assert feature("since heading") == [NOWHERE, NOWHERE, 0, 1, 2]
    assert feature("section words") == [2, 2, 23, 23, 23]


def test_prose_is_measured_before_and_after() -> None:
    assert feature("prose before") == [0, 0, 0, 0, 11]
    assert feature("prose after") == [22, 22, 22, 11, 0]
    assert feature("till prose") == [3, 2, 1, 0, 0]


def test_a_page_of_one_short_paragraph_can_be_measured() -> None:
    outline = Outline(
        names=[Name("body", "")], text=["•"], place=[0], linked_chars=[0],
        name=[0], parent=[0], depth=[0], shape=[0], first=[0], end=[1],
    )  # fmt: skip
    assert np.isfinite(measure(outline)).all()
