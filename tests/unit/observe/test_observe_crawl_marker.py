"""How one knows the directory of a crawl, and what is said of one that is none."""

from pathlib import Path

import pytest

from tiptoe.cli.main import app
from tiptoe.errors import SettingsError
from tiptoe.observe.crawl_marker import expect_crawl, no_crawl

TAKING_A_DIRECTORY = [
    "audit", "convert", "export --format txt", "freshness", "pause", "repair", "stats", "status",
    "stop", "why a.example", "forget a.example --reason x", "config", "catalog build", "block a.example",
    "segmenter catch-up",
]  # fmt: skip


def test_a_complaint_says_how_one_sees_it(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.touch()
    assert str(no_crawl(tmp_path / "no")).endswith(
        "no: not the directory of a crawl; there is no such directory"
    )
    assert str(no_crawl(file)).endswith("file: not the directory of a crawl; it is a file")
    assert str(no_crawl(tmp_path)).endswith("; there is no crawl.json in it")
    assert str(no_crawl(tmp_path, lacks="it has no log")).endswith("of a crawl; it has no log")
    (tmp_path / "crawl.json").touch()
    expect_crawl(tmp_path)
    assert str(no_crawl(tmp_path)).endswith("; it has files of one, but not what it knows of itself (state/)")


@pytest.mark.parametrize("command", TAKING_A_DIRECTORY)
def test_every_command_says_the_same_of_a_file_and_of_nothing(tmp_path: Path, command: str) -> None:
    """A mistyped directory is the likeliest mistake of all."""
    (tmp_path / "seeds.txt").touch()
    for name, why in (("seeds.txt", "it is a file"), ("nowhere", "there is no such directory")):
        path = tmp_path / name
        words = [*command.split(), str(path)]
        with pytest.raises(SettingsError) as caught:
            app(words, result_action="return_value", print_error=False, exit_on_error=False)
        assert str(caught.value).startswith(f"{path}: not the directory of a crawl; {why}")
