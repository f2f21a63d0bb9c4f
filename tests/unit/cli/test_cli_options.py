"""How do settings become options of a command?"""

from collections.abc import Callable
from pathlib import Path

import pytest
from cyclopts import App

from tiptoe.cli.options import Layers, takes_settings
from tiptoe.errors import SettingsError
from tiptoe.settings.layers import Settings

Run = Callable[..., tuple[tuple[str, ...], bool, Settings]]


@pytest.fixture
def run() -> Run:
    app = App(name="tiptoe", result_action="return_value")

    @app.command
    @takes_settings()
    def crawl(*urls: str, quiet: bool = False, layers: Layers) -> tuple[tuple[str, ...], bool, Settings]:
        return urls, quiet, layers.load(presets={"scope.depth": 9}, forced={"write.warc_level": 1})

    def run(*words: str) -> tuple[tuple[str, ...], bool, Settings]:
        result: tuple[tuple[str, ...], bool, Settings] = app(
            ["crawl", *words], exit_on_error=False, print_error=False
        )
        return result

    return run


def test_one_command_line_gives_addresses_options_and_settings(run: Run, tmp_path: Path) -> None:
    """No option is written twice: all of these follow from the declarations."""
    file = tmp_path / "crawl.toml"
    file.write_text('[crawl]\ncontact = "https://corpus.example/bot"\n')
    urls, quiet, settings = run(
        *["http://a.example", "http://b.example", "--quiet", "--req-delay", "2s"],
        *["--include", "a.*", "--include", "b", "--harvesters", "auto", "--config", str(file)],
        *["--set", "fetch.body_max=1MiB", "--no-warc", "--background"],
    )
    assert urls == ("http://a.example", "http://b.example")
    assert quiet
    assert settings.politeness.req_delay == 2.0
    assert settings.scope.include == ("a.*", "b")
    assert settings.harvest.harvesters == 0
    assert settings.fetch.body_max == 1 << 20
    assert (settings.write.warc, settings.crawl.background) == (False, True)
    assert settings.origin("crawl.contact") == f"{file}:2"
    assert settings.origin("fetch.body_max") == "--set fetch.body_max"


def test_what_is_not_given_stays_with_the_layers_below(run: Run) -> None:
    _, _, settings = run()
    assert settings.origins == {"scope.depth": "preset", "write.warc_level": "forced"}


def test_presets_give_way_and_forced_values_do_not(run: Run) -> None:
    _, _, settings = run("--depth", "3", "--set", "write.warc_level=9")
    assert (settings.scope.depth, settings.write.warc_level) == (3, 1)


def test_a_wrong_value_is_told_by_its_option(run: Run) -> None:
    with pytest.raises(SettingsError, match=r"^--req-delay 0s: at least 1s"):
        run("--req-delay", "0s")


def test_a_command_may_offer_a_few_options_only() -> None:
    """`tiptoe botpage --out` is another thing than the directory of a crawl."""
    app = App(name="tiptoe", result_action="return_value")

    @app.default
    @takes_settings(only=["crawl.contact"])
    def botpage(*, out: str = "", layers: Layers) -> tuple[str, Settings]:
        return out, layers.load()

    out, settings = app(["--out", "page.html", "--contact", "me@corpus.example"], exit_on_error=False)
    assert (out, settings.crawl.out, settings.crawl.contact) == ("page.html", "crawl", "me@corpus.example")


def test_the_help_groups_options_by_section(capsys: pytest.CaptureFixture[str]) -> None:
    app = App(name="tiptoe")

    @app.default
    @takes_settings()
    def crawl(*, layers: Layers) -> None:
        """Crawl."""

    app(["--help"], result_action="return_value")
    text = capsys.readouterr().out
    words = ("Crawl: ", "--contact", "Politeness: ", "--req-delay", "Scope: ", "--set")
    places = [text.index(word) for word in words]
    assert places == sorted(places)
