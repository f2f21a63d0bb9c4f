"""What is wrong is said in the words of a program, not of a command line."""

from pathlib import Path

import pytest

from tiptoe import Crawl, read_corpus, split_sentences
from tiptoe.errors import SettingsError


def test_a_language_that_is_no_code_is_refused() -> None:
    """It would be split by the rules of no language, and nobody would notice."""
    with pytest.raises(SettingsError, match=r"^language english: not a language code such as cs"):
        split_sentences("x", "english")
    assert split_sentences("Pan prof. Novák. Ano.", "cs-CZ") == ["Pan prof. Novák.", "Ano."]


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
