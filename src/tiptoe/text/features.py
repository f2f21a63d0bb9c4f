"""What can be measured about a paragraph without understanding it?

One row per feature, one column per paragraph. Nothing here depends on the script or the
language, so a page has the same features in any alphabet. Nothing here knows which values
indicate main content: that is learned (see the `training` folder). After changing what a
feature means, the model must be trained again; a model names its features.

There are two implementations with the same results: by numpy, and by loops that are compiled if there is a C
compiler (`compiled_features.pyx`), in a third to a sixth of the time. Every change must be made in both.
"""

from collections import Counter
from collections.abc import Iterator
from functools import cache
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

from tiptoe.text.characters import KINDS, Characters, Floats, count_characters
from tiptoe.text.density import IDEOGRAPH_WORDS, UNSPACED_WORDS
from tiptoe.text.outline import Outline
from tiptoe.text.quoted import BEGINNING_CHARS, find_quoted
from tiptoe.text.signs import SIGNS, TAG_SIGNS, TAGS, WORD_SIGNS
from tiptoe.text.surroundings import (
    AMOUNTS,
    PROSE_WORDS_MIN,
    RATIOS,
    Amounts,
    Bits,
    Indices,
    Surroundings,
    tags_of_names,
)

try:
    from tiptoe.text.compiled_features import OutlineMeasurer
    from tiptoe.text.compiled_features import find_quoted as find_quoted_compiled
    from tiptoe.text.compiled_signs import SignReader
except ImportError:
    IS_COMPILED = False
else:
    IS_COMPILED = True

__all__ = ["FEATURES", "IS_COMPILED", "Matrix", "measure", "measure_by_numpy"]

Matrix: TypeAlias = npt.NDArray[np.float32]
Rows: TypeAlias = npt.NDArray[np.generic]

ANCESTORS: Final = (1, 2, 4, 7)
"""Which ancestors are measured; the first is the element of the paragraph itself."""

TAGGED_ANCESTORS: Final = (1, 2, 3)
WINDOWS: Final = (3, 15)
CONTAINER_SHARES: Final = (0.9, 0.7, 0.5, 0.3)
NOWHERE: Final = 10_000
"""Distance to something that does not exist."""

_NEARBY: Final = (
    "footer", "author", "content", "overlay", "related", "hidden", "button", "hero", "<p>", "<article>",
)  # fmt: skip
FEATURES: Final = (
    "words", "linked", "digits", "stops", "commas per word",
    "depth", "occurrences", "occurrence", "quoted",
    *(f"{whose} {level} {ratio}" for level in ANCESTORS for whose in ("above", "shape") for ratio in RATIOS),
    *(f"{what} {level}" for what in ("twins", "shapes") for level in ANCESTORS),
    *(f"tag {level}" for level in TAGGED_ANCESTORS),
    *(f"container {share} {what}" for share in CONTAINER_SHARES
      for what in ("side", "depth", "share", "linked", "side free")),
    *(f"in {sign}" for sign in SIGNS),
    *(f"near {sign}" for sign in _NEARBY),
    "position", "words before", "prose before", "prose share before", "prose after", "since prose",
    "till prose", "quoted before",
    "heading", "since heading", "last heading", "since first title", "since last title", "page headings",
    *(f"section {ratio}" for ratio in RATIOS),
    *(f"window {radius} {ratio}" for radius in WINDOWS for ratio in RATIOS),
    *(f"page {ratio}" for ratio in RATIOS), "page prose words", "page longest", "page twins",
)  # fmt: skip

_ALL_BITS: Final = slice(len(SIGNS))
_NEARBY_BITS: Final = [SIGNS.index(sign) for sign in _NEARBY]
_PROSE: Final = AMOUNTS.index("prose")
_WORDS: Final = AMOUNTS.index("words")
_LINKED: Final = AMOUNTS.index("linked")
_QUOTED: Final = AMOUNTS.index("quoted")


def measure(outline: Outline) -> Matrix:
    """Measure each paragraph of a page that has at least one; return a row for each of `FEATURES`."""
    return _measure_compiled(outline) if IS_COMPILED else measure_by_numpy(outline)


def _measure_compiled(outline: Outline) -> Matrix:
    measurer, signs = _compiled()
    names = outline.names
    is_quoted = find_quoted_compiled(outline.text, outline.abstract, BEGINNING_CHARS)
    return measurer.measure(outline, is_quoted, signs.read(names), tags_of_names(names))


@cache
def _compiled() -> tuple["OutlineMeasurer", "SignReader"]:
    measurer = OutlineMeasurer(
        rows=len(FEATURES),
        kinds=KINDS,
        ideograph_words=IDEOGRAPH_WORDS,
        unspaced_words=UNSPACED_WORDS,
        prose_words_min=PROSE_WORDS_MIN,
        ancestors=ANCESTORS,
        tagged_ancestors=TAGGED_ANCESTORS,
        container_shares=CONTAINER_SHARES,
        signs=len(SIGNS),
        nearby_signs=_NEARBY_BITS,
        first_heading=TAGS.index("h1"),
        last_heading=TAGS.index("h6"),
        windows=WINDOWS,
        nowhere=NOWHERE,
    )
    return measurer, SignReader(WORD_SIGNS, TAG_SIGNS)


def measure_by_numpy(outline: Outline) -> Matrix:
    """Measure as `measure` does, without the compiled module."""
    characters = count_characters(outline.text)
    linked_share = np.array(outline.linked_chars) / characters.chars
    is_quoted = find_quoted(outline.text, outline.abstract)
    amounts = Amounts(characters, linked_share, is_quoted)
    around = Surroundings.of(outline)
    subtree = amounts.between(around.first, around.end)
    headings, begin, end = _headings(around)
    parts = (
        _paragraph(characters, linked_share),
        around.depth[around.place][None],
        _repetition(outline.text),
        is_quoted[None],
        *_ancestors(around, amounts, subtree),
        _containers(around, subtree),
        *_signs(around),
        _position(amounts),
        headings,
        *_stretches(amounts, begin, end),
        *_page(around, amounts),
    )
    measured = np.empty((len(FEATURES), len(outline.text)), dtype=np.float32)
    row = 0
    for part in parts:
        measured[row : row + len(part)] = part
        row += len(part)
    assert row == len(FEATURES)
    return measured


def _paragraph(counted: Characters, linked_share: Floats) -> Floats:
    words = np.maximum(counted.words, 1)
    return np.array(
        (
            counted.words,
            linked_share,
            counted.digits / counted.chars,
            counted.stops,
            counted.commas / words,
        )
    )


def _repetition(texts: list[str]) -> Floats:
    """Count how often each text occurs on the page, in total and so far."""
    seen = Counter(texts)
    counts = np.ones((2, len(texts)))
    if len(seen) < len(texts):
        altogether, so_far = counts
        altogether[:] = np.fromiter(map(seen.__getitem__, texts), np.float64, len(texts))
        later: Counter[str] = Counter()
        for number in np.flatnonzero(altogether > 1).tolist():
            text = texts[number]
            later[text] += 1
            so_far[number] = later[text]
    return counts


def _ancestors(around: Surroundings, amounts: Amounts, subtree: Floats) -> Iterator[Rows]:
    both = np.concatenate((subtree, around.of_shapes(subtree)), axis=1)
    ratios, count = amounts.ratios(both), len(around.parent)
    own, shaped = ratios[:, :count], ratios[:, count:]
    elements = [around.place]
    for _ in range(max(ANCESTORS) - 1):
        elements.append(around.parent[elements[-1]])
    chosen = [elements[level - 1] for level in ANCESTORS]
    for element in chosen:
        yield own[:, element]
        yield shaped[:, element]
    yield around.twins[chosen]
    yield np.bincount(around.shape)[around.shape][chosen]
    yield around.tag[elements[: max(TAGGED_ANCESTORS)]]


def _containers(around: Surroundings, subtree: Floats) -> Rows:
    """Measure whether paragraphs are within, before or after the deepest elements with most of the page."""
    words, linked, prose = subtree[_WORDS], subtree[_LINKED], subtree[_PROSE]
    container = _deepest(prose, around.depth)
    depth = around.depth[around.place] - around.depth[container][:, None]
    share = words[container] / max(words[0], 1)
    linked_share = linked[container] / np.maximum(words[container], 1)
    constant = np.ones(len(around.place))
    rows = (
        _side(around, container),
        depth,
        np.outer(share, constant),
        np.outer(linked_share, constant),
        _side(around, _deepest(words - linked, around.depth)),
    )
    return np.stack(rows, axis=1).reshape(-1, len(around.place))


def _deepest(amount: Floats, depth: Indices) -> Indices:
    """Return for each share the deepest element that contains it, the first among equals."""
    fits = amount >= amount[0] * np.array(CONTAINER_SHARES)[:, None]
    deepest: Indices = np.argmax(np.where(fits, depth, -1), axis=1)
    return deepest


def _side(around: Surroundings, container: Indices) -> Rows:
    number = np.arange(len(around.place))
    before, after = number < around.first[container][:, None], number >= around.end[container][:, None]
    return 1 - 2 * before - 3 * after


def _signs(around: Surroundings) -> Iterator[Rows]:
    parent = around.parent[around.place]
    yield _unpacked(around.signs_above[around.place], _ALL_BITS)
    nearby = around.signs[around.place] | around.signs[parent] | around.signs[around.parent[parent]]
    yield _unpacked(nearby, _NEARBY_BITS)


def _unpacked(signs: Bits, bits: slice | list[int]) -> Rows:
    """Return a row of zeros and ones for each of these bits."""
    unpacked = np.unpackbits(signs.astype("<u8").view(np.uint8).reshape(-1, 8), axis=1, bitorder="little")
    return unpacked.T[bits]


def _position(amounts: Amounts) -> Floats:
    words, prose, quoted = amounts.before[[_WORDS, _PROSE, _QUOTED]]
    is_prose = amounts.single[_PROSE] > 0
    count = len(is_prose)
    return np.array(
        (
            np.arange(count) / count,
            words[:-1] / max(words[-1], 1),
            prose[:-1],
            prose[:-1] / max(prose[-1], 1),
            prose[-1] - prose[1:],
            _since(is_prose),
            _since(is_prose[::-1])[::-1],
            quoted[:-1] / max(quoted[-1], 1),
        )
    )


def _since(happens: npt.NDArray[np.bool_]) -> Floats:
    """Return for each paragraph how many paragraphs ago `happens` was last true."""
    number = np.arange(len(happens))
    last = np.maximum.accumulate(np.where(happens, number, -NOWHERE))
    return np.minimum(number - last, NOWHERE).astype(np.float64)


def _headings(around: Surroundings) -> tuple[Rows, Indices, Indices]:
    """Measure headings; also return where the section of each paragraph begins and ends."""
    first, last = TAGS.index("h1"), TAGS.index("h6")
    tag = around.tag[around.place]
    level = np.where((tag >= first) & (tag <= last), tag - first + 1, 0)
    number, count = np.arange(len(tag)), len(tag)
    begin = np.maximum.accumulate(np.where(level > 0, number, 0))
    following = np.minimum.accumulate(np.where(level > 0, number, count)[::-1])[::-1]
    end = np.append(following[1:], count)
    titles = np.flatnonzero(level == 1)
    since = [number - title for title in (titles[0], titles[-1])] if len(titles) else [number + NOWHERE] * 2
    headings = np.full(count, np.count_nonzero(level))
    return np.array((level, _since(level > 0), level[begin], *since, headings)), begin, end


def _stretches(amounts: Amounts, begin: Indices, end: Indices) -> Iterator[Rows]:
    """Measure the section of each paragraph, from `begin` to `end`, and windows around it."""
    count = len(begin)
    number = np.arange(count)
    begins, ends = [begin], [end]
    for radius in WINDOWS:
        begins.append(np.maximum(number - radius, 0))
        ends.append(np.minimum(number + radius + 1, count))
    ratios = amounts.ratios(amounts.between(np.concatenate(begins), np.concatenate(ends)))
    for start in range(0, ratios.shape[1], count):
        yield ratios[:, start : start + count]


def _page(around: Surroundings, amounts: Amounts) -> Iterator[Rows]:
    prose = amounts.single[_PROSE]
    yield amounts.ratios(amounts.page)
    yield np.array(((prose.sum(),), (prose.max(),), (around.twins.max(),)))
