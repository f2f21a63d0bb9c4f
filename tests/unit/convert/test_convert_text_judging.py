"""Are the texts of documents judged as those of pages are?"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from stored_documents import StoredCrawl

from tiptoe.convert import converter as converter_module
from tiptoe.convert.text_judging import Candidate, Comparison, Judging
from tiptoe.decide.storing import store_point
from tiptoe.text.language import DocumentLanguage
from tiptoe.write.dropbox import links_in, texts_in, waiting_links, waiting_texts

NO_COPIES = store_point(is_copy=bool)


@pytest.fixture
def crawl(tmp_path: Path) -> StoredCrawl:
    return StoredCrawl(tmp_path)


def by_first_word(paragraphs: Sequence[str]) -> DocumentLanguage:
    """The first word of a text is its language."""
    words = tuple(paragraph.split()[0] for paragraph in paragraphs)
    others = dict.fromkeys(words[1:], 0.3) if set(words[1:]) - {words[0]} else {}
    return DocumentLanguage(words[0], 0.87654, others, words)


def all_new(candidates: list[Candidate]) -> list[Comparison]:
    return [Comparison(0.25, [0], fingerprint=bytes(8)) for _ in candidates]


def test_a_line_says_what_is_thought_of_its_text(crawl: StoredCrawl) -> None:
    crawl.store(b"cs one\n\nsk two")
    crawl.convert(judging=Judging(identify=by_first_word, compare=all_new, rate=lambda some: [0.5]))
    (line,) = crawl.corpus()
    assert (line["lang"], line["lang_confidence"]) == ("cs", 0.877)
    assert (line["lang_others"], line["paragraph_langs"]) == (["sk"], ["cs", "sk"])
    assert (line["usability"], line["duplicity"], line["repeated"]) == (0.5, 0.25, [0])


def test_a_line_has_null_for_what_nobody_was_asked(crawl: StoredCrawl) -> None:
    """A reader must be able to tell "unknown" from "not looked at"."""
    crawl.store(b"some text")
    crawl.convert(judging=Judging())
    (line,) = crawl.corpus()
    asked = {
        "lang",
        "lang_confidence",
        "lang_others",
        "paragraph_langs",
        "usability",
        "duplicity",
        "repeated",
    }
    assert {name: line[name] for name in asked} == dict.fromkeys(asked)


def test_what_nobody_could_say_is_null(crawl: StoredCrawl) -> None:
    crawl.store(b"some text")
    crawl.convert(judging=Judging(compare=lambda some: [Comparison(None)], rate=lambda some: [None]))
    (line,) = crawl.corpus()
    assert (line["usability"], line["duplicity"]) == (None, None)
    assert line["repeated"] is None


def test_a_document_that_is_back_is_no_copy_of_itself(crawl: StoredCrawl) -> None:
    """It had left, and the corpus is to say that it is there again."""
    crawl.store(b"some text", is_back=True)
    crawl.convert(judging=Judging(store=NO_COPIES, compare=lambda some: [Comparison(1.0, [0])]))
    assert [line["duplicity"] for line in crawl.corpus()] == [1.0]


def test_texts_in_other_languages_and_copies_are_left_out_and_counted(crawl: StoredCrawl) -> None:
    def compare(candidates: list[Candidate]) -> list[Comparison]:
        return [Comparison(float("again" in one.text.paragraphs[0])) for one in candidates]

    rated: list[str] = []

    def rate(candidates: list[Candidate]) -> list[float | None]:
        rated.extend(one.text.paragraphs[0] for one in candidates)
        return [0.1 * len(rated) for _ in candidates]

    crawl.store(b"cs first", b"de second", b"cs again", b"cs third", b"cs")
    store = store_point(chars_min=3, languages={"cs"}, is_copy=bool)
    judging = Judging(store=store, identify=by_first_word, compare=compare, rate=rate)
    done = crawl.convert(judging=judging)
    assert crawl.texts() == ["cs first", "cs third"]
    assert rated == ["cs first", "cs third"]
    assert done.progress.counts == {"converted": 2, "other_language": 1, "duplicate": 1, "too_short": 1}


def test_links_are_followed_whatever_becomes_of_the_text(crawl: StoredCrawl) -> None:
    """As with pages: a text in another language may lead to one that is wanted."""
    crawl.store(b"de http://b.example/")
    crawl.convert(judging=Judging(store=store_point(languages={"cs"}), identify=by_first_word))
    assert crawl.texts() == []
    (path,) = waiting_links(crawl.directory)
    assert [found.hrefs for found in links_in(path)] == [["http://b.example/"]]


def test_the_keeper_learns_of_the_texts_that_are_kept_and_only_once_they_count(
    crawl: StoredCrawl, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A text that the index knows and the corpus does not have would be lost: its copies are left out."""
    (url,) = crawl.store(b"kept")

    def die(*given: Any) -> None:
        assert waiting_texts(crawl.directory) == []
        raise KeyboardInterrupt

    converter = crawl.converter(judging=Judging(compare=all_new))
    with monkeypatch.context() as patch:
        patch.setattr(converter_module, "store", die)
        with pytest.raises(KeyboardInterrupt):
            converter.convert(crawl.marks, crawl.tell, crawl.advance)
    assert waiting_texts(crawl.directory) == []
    crawl.convert(judging=Judging(compare=all_new))
    (path,) = waiting_texts(crawl.directory)
    assert [(text.url, text.fingerprint) for text in texts_in(path)] == [(url, bytes(8))]
    assert crawl.told == 1


def test_long_texts_do_not_wait_for_a_full_batch(crawl: StoredCrawl, monkeypatch: pytest.MonkeyPatch) -> None:
    """A hundred books at once would not fit in memory."""
    monkeypatch.setattr(converter_module, "BATCH_TEXT_CHARS", 10)
    sizes: list[int] = []

    def compare(candidates: list[Candidate]) -> list[Comparison]:
        sizes.append(len(candidates))
        return [Comparison(0.0) for _ in candidates]

    crawl.store(b"short", b"somewhat longer", b"short")
    crawl.convert(judging=Judging(compare=compare))
    assert sizes == [2, 1]
