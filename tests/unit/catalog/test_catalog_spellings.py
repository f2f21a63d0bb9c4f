"""Does an index that cuts texts itself know the same words as we do, and find them folded?"""

import random
import re
import sys
import unicodedata
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tantivy import Filter, TextAnalyzerBuilder, Tokenizer

from tiptoe.catalog import plain_text
from tiptoe.catalog.catalog import Catalog
from tiptoe.catalog.description import ResourceDescription
from tiptoe.catalog.embedded_index import EmbeddedIndex, EmbeddedWriter
from tiptoe.catalog.entry import entry_of_description
from tiptoe.catalog.page_news import PageNews
from tiptoe.catalog.plain_text import PARAGRAPH_END, PLAIN, composed, divided, is_plain, line_ends
from tiptoe.catalog.search import SearchRequest
from tiptoe.catalog.spellings import NewSpellings, prefix_pattern, spelling_pattern
from tiptoe.catalog.words import (
    BREAK,
    SPARING_CHARS,
    WORD_CHARS,
    WORD_CHARS_MAX,
    fold,
    folded_words,
    spelt_words,
)

analyser = TextAnalyzerBuilder(Tokenizer.simple()).filter(Filter.lowercase()).build()


def test_the_library_takes_every_plain_character_for_what_we_take_it() -> None:
    """Another version of it may know other letters: then the list has to be shorter."""
    points = [point for first, last in PLAIN for point in range(first, last + 1)]
    is_word = re.compile(f"[{WORD_CHARS}]").match
    for letter in map(chr, points):
        ours = [f"x{letter}x".lower()] if is_word(letter) else ["x", "x"]
        assert analyser.analyze(f"x{letter}x") == ours, hex(ord(letter))
        assert is_plain(letter.lower()), hex(ord(letter))
        assert not is_word(letter) or len(fold(letter)) in (1, 2), hex(ord(letter))


plain_texts = st.text(alphabet="aÁ ßſs.-\n²žЙёΆ…'9", max_size=80)
odd_texts = st.text(alphabet="aÁ ß_½日\nİΣ한e\u0301x.", max_size=80)


@given(st.one_of(plain_texts, odd_texts))
def test_a_divided_text_has_the_same_words_in_each_of_its_paragraphs(text: str) -> None:
    parts = divided(text)
    cut = [*analyser.analyze(parts.plain.replace(PARAGRAPH_END, "\uf8f0")), *spelt_words(parts.other)]
    assert sorted(word for word in cut if word != "\n") == sorted(
        word for word in spelt_words(text) if word != "\n"
    )
    paragraphs = [analyser.analyze(part) for part in parts.plain.split(PARAGRAPH_END)]
    known = [spelt_words(part) for part in text.split("\n")]
    assert all(words in known for words in paragraphs if words)


@pytest.mark.skipif(not plain_text.IS_COMPILED, reason="no C compiler, or no headers of Python")
@given(st.one_of(plain_texts, odd_texts, st.text(max_size=80)))
def test_words_that_are_written_out_are_those_that_an_index_finds(text: str) -> None:
    """A catalog may be written to where something is compiled, then where nothing is."""
    parts = divided(text)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(plain_text, "_writer", None)
        pure = divided(text)
    assert parts.plain.replace(PARAGRAPH_END, BREAK).split() == analyser.analyze(pure.plain)
    assert parts.other == pure.other


@given(st.one_of(plain_texts, odd_texts, st.text(max_size=80)))
def test_the_normal_form_and_the_lines_of_a_text_are_those_that_python_finds(text: str) -> None:
    assert composed(text) == unicodedata.normalize("NFC", text)
    assert line_ends(text) == text.count("\n")


def test_no_plain_character_joins_the_one_before_it() -> None:
    """Otherwise two characters in normal form might be a text that is not."""
    points = [chr(point) for first, last in PLAIN for point in range(first, last + 1)]
    composites = (unicodedata.decomposition(chr(point)) for point in range(sys.maxunicode + 1))
    seconds = {chr(int(made.split()[1], 16)) for made in composites if made[:1] != "<" and " " in made}
    assert not seconds.intersection(points)
    assert not any(map(unicodedata.combining, points))


@pytest.mark.parametrize("run", [WORD_CHARS_MAX, WORD_CHARS_MAX + 1])
def test_a_run_that_is_too_long_for_a_word_is_cut_by_us(run: int) -> None:
    text = f"one\ntwo {'a' * run} three\nfour"
    is_long = run > WORD_CHARS_MAX
    assert divided(text).other == (text.split("\n")[1] if is_long else "")
    assert divided("short " * SPARING_CHARS).plain == ""


@given(st.text(alphabet="asßſá²еёή", min_size=1, max_size=12))
def test_a_pattern_says_all_spellings_of_a_word(word: str) -> None:
    """At least those of a word in which few letters may be joined."""
    spelt = word.lower()
    if "sssssss" not in (folded := fold(spelt)):
        assert re.fullmatch(spelling_pattern(folded), spelt)
        assert all(re.fullmatch(prefix_pattern(folded[:end]), spelt) for end in range(1, len(folded) + 1))
    assert re.fullmatch(spelling_pattern(folded), f"x{spelt}") is None


def test_a_spelling_is_told_once_and_only_if_it_needs_telling() -> None:
    spellings = NewSpellings()
    spellings.learn(["voda", "vodá", "日", "kůň", "vodá"])
    assert sorted(spellings.take()) == ["kun=kůň", "voda=vodá"]
    spellings.learn(["vodá", "Šaty".lower()])
    assert spellings.take() == ["saty=šaty"]


def test_an_index_finds_by_folded_words_what_has_them(tmp_path: Path) -> None:
    """Compared with the words themselves, on texts made at random."""
    chance = random.Random(7)
    syllables = ["ja", "Já", "ße", "sse", "sse ", " ", ". ", "_", "일", "ж", "\n", "ą", "ai", "ő", "2"]
    texts = {f"https://{n}.example/": "".join(chance.choices(syllables, k=30)) for n in range(60)}
    writer = EmbeddedWriter(tmp_path / "index", tmp_path)
    news = PageNews(writer)
    for url, text in texts.items():
        news.page(entry_of_description(ResourceDescription(url=url, full_text=text), 1), "a")
    news.commit({})
    with Catalog(EmbeddedIndex(tmp_path / "index", tmp_path)) as catalog:
        for word in chance.sample(sorted({w for text in texts.values() for w in folded_words(text)}), 60):
            expected = {url for url, text in texts.items() if word in folded_words(text)}
            hits = catalog.search(SearchRequest(query=f'text:"{word}"', limit=100)).hits
            assert {hit.url for hit in hits} == expected, word
    writer.close()


def test_a_rare_spelling_weighs_no_more_than_the_usual_one(tmp_path: Path) -> None:
    """Else whoever looks for a word would first get its misspellings."""
    texts = ["voda je tu"] * 6 + ["vodá je tu", "voda voda voda", "nic tu je"]
    writer = EmbeddedWriter(tmp_path / "index", tmp_path)
    news = PageNews(writer)
    for place, text in enumerate(texts):
        described = ResourceDescription(url=f"https://{place}.example/", full_text=text)
        news.page(entry_of_description(described, 1), "a")
    news.commit({})
    writer.close()
    with Catalog(EmbeddedIndex(tmp_path / "index", tmp_path)) as catalog:
        scores = {hit.url[8]: hit.score for hit in catalog.search(SearchRequest(query="voda")).hits}
    assert scores.keys() == set("01234567")
    assert scores["6"] == pytest.approx(scores["0"], rel=0.01)
    assert scores["7"] > scores["6"]
