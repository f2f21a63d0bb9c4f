"""What is wrong is said in the words of a program, not of a command line."""

import io
from pathlib import Path

import pytest

from tiptoe import Crawl, extract, identify_language, read_corpus, split_sentences
from tiptoe.errors import SettingsError


def test_a_language_that_is_no_code_is_refused() -> None:
    """It would be split by the rules of no language, and nobody would notice."""
    with pytest.raises(SettingsError, match=r"^language english: not a language code such as cs"):
        split_sentences("x", "english")
    assert split_sentences("Pan prof. Novák. Ano.", "cs-CZ") == ["Pan prof. Novák.", "Ano."]


@pytest.mark.parametrize("given", [None, Path("page.html"), io.StringIO("<p>x")])
def test_what_is_no_page_is_not_taken_for_one(given: object) -> None:
    """The bytes of a path are its name, which would be stored as the text."""
    with pytest.raises(TypeError, match=r"^html: expected a page as str or bytes, such as "):
        extract(given)  # type: ignore[arg-type]


@pytest.mark.parametrize("given", [None, b"text"])
def test_what_is_no_text_is_refused_by_name(given: object) -> None:
    for function in (identify_language, split_sentences):
        with pytest.raises(TypeError, match=rf"^text: expected str.*, not {type(given).__name__}$"):
            function(given)  # type: ignore[arg-type]


def test_a_moment_is_called_as_the_function_calls_it(tmp_path: Path) -> None:
    (tmp_path / "crawl.json").write_text('{"seeds": []}')
    (tmp_path / "corpus").mkdir()
    (tmp_path / "corpus" / "h1-00001.jsonl").touch()
    with pytest.raises(SettingsError, match=r"^as_of soon: expected now, a day"):
        read_corpus(tmp_path, as_of="soon")


def test_a_setting_is_called_by_its_name(tmp_path: Path) -> None:
    crawl = Crawl(tmp_path / "new", seeds=["http://a.example/"], settings={"politeness.delay": "1s"})
    with pytest.raises(SettingsError, match=r"^politeness\.delay=1s: no such setting") as caught:
        crawl.start()
    assert "--set" not in str(caught.value)
