"""What a crawl refuses before it begins."""

from pathlib import Path

import pytest
from cyclopts import App

from tiptoe.cli.crawl import crawl_command
from tiptoe.errors import SettingsError


def crawl(*words: str) -> None:
    app = App(name="tiptoe", result_action="return_value")
    app.command(crawl_command, name="crawl")
    app(["crawl", *words, "--contact", "https://example.org/bot"], exit_on_error=False)


def test_all_bad_seeds_are_named_at_once(tmp_path: Path) -> None:
    """Whoever has a file of ten thousand does not want to be told of one at a time."""
    seeds = tmp_path / "seeds.txt"
    seeds.write_text("# ours\nhttps://a.example/ gopher://b.example/\nmailto:c@example.org\n")
    with pytest.raises(SettingsError) as refused:
        crawl(str(seeds), "--out", str(tmp_path / "crawl"))
    assert "gopher://b.example/" in str(refused.value)
    assert "mailto:c@example.org" in str(refused.value)
    assert not (tmp_path / "crawl").exists()


def test_a_flood_of_bad_seeds_is_cut(tmp_path: Path) -> None:
    seeds = tmp_path / "seeds.txt"
    seeds.write_text("\n".join(f"gopher://{number}.example/" for number in range(1000)))
    with pytest.raises(SettingsError) as refused:
        crawl(str(seeds), "--out", str(tmp_path / "crawl"))
    assert len(str(refused.value).splitlines()) <= 21


def test_a_missing_downlist_is_named(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=r"down\.txt"):
        crawl(
            "https://a.example/", "--downlist", str(tmp_path / "down.txt"), "--out", str(tmp_path / "crawl")
        )
    assert not (tmp_path / "crawl").exists()


@pytest.mark.parametrize("content", [None, "", " \n"])
def test_harvesters_from_outside_need_a_secret(tmp_path: Path, content: str | None) -> None:
    """An empty secret would let everybody in."""
    token = tmp_path / "token"
    if content is not None:
        token.write_text(content)
    with pytest.raises(SettingsError, match="token"):
        crawl(
            "https://a.example/", "--listen", "127.0.0.1:7700", "--set", f"harvest.token_file={token}",
            "--out", str(tmp_path / "crawl"),
        )  # fmt: skip
