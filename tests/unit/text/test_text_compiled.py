"""What is compiled measures what numpy measures, to the last bit.

A crawl on a machine with a compiler and one without keep the same paragraphs, so that a corpus can be made
again from its archive elsewhere.
"""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tiptoe.parse.trained import load_trees
from tiptoe.parse.tree_blocks import read_blocks
from tiptoe.testing.shape import WebShape
from tiptoe.testing.web import SimulatedWeb
from tiptoe.text import features, trees
from tiptoe.text.features import FEATURES, measure, measure_by_numpy
from tiptoe.text.outline import Outline
from tiptoe.text.outlining import Named, OutlineWriter
from tiptoe.text.quoted import BEGINNING_CHARS, find_quoted
from tiptoe.text.signs import TAG_SIGNS, WORD_SIGNS, read_signs
from tiptoe.text.trees import Trees
from tiptoe.url.address import host_of

pytestmark = pytest.mark.skipif(
    not (features.IS_COMPILED and trees.IS_COMPILED), reason="no C compiler, or no headers of Python"
)

TAGS = ("div", "p", "li", "td", "h1", "h2", "h4", "article", "nav", "my-card", "x")
CLASSES = (
    None,
    "",
    "postBody",
    "post_body comments",
    "MENU",
    "NavBARs",
    "ad",
    "größe-Sidebar1main",
    "a" * 40 + "nav",
)
WORDS = (
    "voda",
    "Řeka,",
    "5",
    "12.50 €",
    "$3",
    "你好。",
    "東京タワー",
    "ไทย",
    "…",
    "x.",
    "\U0001f600",
    "a-b",
    "_",
    "ＡＢ；",
)

names = st.tuples(st.sampled_from(TAGS), st.sampled_from(CLASSES), st.sampled_from(CLASSES), st.none())
texts = st.lists(st.sampled_from(WORDS), min_size=1, max_size=12).map(" ".join)


@st.composite
def outlines(draw: st.DrawFn) -> Outline:
    """Return a page that was written as parsers write one, with at least one paragraph."""
    writer = OutlineWriter()
    around = [0]
    steps: list[tuple[Named | None, str, bool, bool]] = draw(
        st.lists(st.tuples(st.none() | names, texts, st.booleans(), st.booleans()), min_size=1, max_size=40)
    )
    for named, text, is_linked, leaves in steps:
        if leaves and len(around) > 1:
            around.pop()
        if named is not None:
            around.append(writer.open(around[-1], named, True, False))
        writer.add(text, around[-1], is_linked)
        if leaves:
            writer.end_paragraph()
    outline = writer.finish()
    outline.abstract = " ".join(draw(st.lists(st.sampled_from(outline.text), max_size=4)))
    return outline


@given(outlines())
def test_compiled_features_are_those_of_numpy(outline: Outline) -> None:
    """A model was trained on the ones, and is asked about the others."""
    outline.check()
    assert_same(measure(outline), measure_by_numpy(outline))


def test_compiled_features_are_those_of_numpy_on_whole_pages() -> None:
    web = SimulatedWeb(WebShape.bench())
    for index in range(20):
        answer = web.respond(host_of(web.home_of(index)), "/")
        outline = read_blocks(answer.body.decode("utf-8", "replace"))
        if outline.text:
            assert_same(measure(outline), measure_by_numpy(outline))


def assert_same(measured: features.Matrix, expected: features.Matrix) -> None:
    different = np.flatnonzero((measured != expected).any(axis=1))
    assert [FEATURES[row] for row in different] == []


@given(
    st.sampled_from(TAGS),
    st.text(alphabet="aABsnvm-_ 1é", max_size=60) | st.sampled_from(["NavBARs", "postMENU"]),
)
def test_compiled_signs_are_those_of_the_pattern(tag: str, words: str) -> None:
    from tiptoe.text.compiled_signs import SignReader
    from tiptoe.text.outline import Name

    assert SignReader(WORD_SIGNS, TAG_SIGNS).read([Name(tag, words)]).tolist() == [read_signs(tag, words)]


def test_every_word_and_its_forms_are_known_to_compiled_signs() -> None:
    from tiptoe.text.compiled_signs import SignReader
    from tiptoe.text.outline import Name

    named = [Name("div", form) for word in WORD_SIGNS for form in (word, word.capitalize(), word.upper())]
    expected = [read_signs(*name) for name in named]
    assert SignReader(WORD_SIGNS, TAG_SIGNS).read(named).tolist() == expected


@given(
    st.lists(st.text(alphabet="ab _.", min_size=1, max_size=45), max_size=8),
    st.text(alphabet="ab _.", max_size=120),
)
def test_compiled_quotes_are_those_of_the_set(paragraphs: list[str], abstract: str) -> None:
    from tiptoe.text.compiled_features import find_quoted as find_compiled

    quoting = abstract + " ".join(paragraphs[:2])
    expected = find_quoted(paragraphs, quoting).tolist()
    assert find_compiled(paragraphs, quoting, BEGINNING_CHARS).tolist() == expected


@given(st.integers(1, 60), st.integers(0, 2**32 - 1))
def test_compiled_trees_score_as_those_of_numpy(columns: int, seed: int) -> None:
    model = load_model()
    measured = np.random.default_rng(seed).normal(0, 3, (len(FEATURES), columns)).astype(np.float32)
    expected = 1 / (1 + np.exp(-model.scores_by_numpy(measured)))
    np.testing.assert_allclose(model.probabilities(measured), expected, rtol=1e-12)


def load_model() -> Trees:
    return load_trees()


def test_a_model_whose_parts_do_not_fit_is_refused() -> None:
    """The loops over trees check no bounds, so numbers are checked before."""
    from tiptoe.text.compiled_trees import score

    measured, borders = np.zeros((2, 3), np.float32), np.zeros(1, np.float32)
    leaves = np.zeros(2, np.float32)
    one = np.zeros((1, 1), np.intp)
    assert score(measured, np.array([1]), borders, one, leaves).tolist() == [0, 0, 0]
    with pytest.raises(ValueError, match="2 is not a number below 2"):
        score(measured, np.array([2]), borders, one, leaves)
    with pytest.raises(ValueError, match="1 is not a number below 1"):
        score(measured, np.array([1]), borders, one + 1, leaves)
    with pytest.raises(ValueError, match="do not fit together"):
        score(measured, np.array([1]), borders, one, leaves[:1])


def test_columns_that_do_not_fit_are_an_error() -> None:
    """Bounds are checked: no read from elsewhere."""
    outline = read_blocks("<p>One paragraph of some words, and no more.</p>")
    outline.place = [99]
    with pytest.raises(IndexError):
        measure(outline)
