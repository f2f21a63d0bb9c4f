"""What a crawl remembers of its settings, and how a change is told."""

from pathlib import Path

import pytest

from tiptoe.errors import SettingsError
from tiptoe.settings.layers import Settings
from tiptoe.settings.remembering import changes_between, refuse_unchangeable, to_remember
from tiptoe.settings.schema import SETTINGS
from tiptoe.settings.setting import Setting

FIXED = {name for name, setting in SETTINGS.items() if setting.fixed}
FORGOTTEN = {
    "crawl.out",
    "crawl.seeds",
    "crawl.sitemaps",
    "crawl.downlist",
    "crawl.background",
    "filters.dir",
    "text.fields",
}

SAMPLES: dict[str, object] = {
    "crawl.contact": "https://example.org/bot", "crawl.name": "robot", "crawl.max_pages": 20,
    "crawl.max_bytes": "1GB", "crawl.max_seconds": "1h", "crawl.on_end": "quit",
    "politeness.req_delay": "7.5s", "politeness.slow_factor": 1.3, "politeness.cdn_ranges": "192.0.2.0/24",
    "politeness.slowed_hosts": ["a.example=60s"], "scope.include": [r"\.cz$", "a, b"], "scope.sitemaps": "no",
    "harvest.harvesters": "auto", "fetch.body_max": "1MiB", "frontier.min_yield": "5%",
    "frontier.unproductive_rest": "for good", "write.encoding": "iso-8859-2", "text.languages": "cs sk",
    "segmenter.url": "http://127.0.0.1:8750", "revisit.strategy": "uniform",
}  # fmt: skip


def recalled(settings: Settings) -> Settings:
    """Return the settings of a run that is told nothing."""
    return Settings.load(remembered=to_remember(settings))


def test_what_was_set_is_in_force_again() -> None:
    first = Settings.load(None, SAMPLES)
    assert recalled(first) == first
    assert {recalled(first).origin(name) for name in SAMPLES} == {"remembered"}


@pytest.mark.parametrize("setting", SETTINGS.values(), ids=lambda setting: setting.name)
def test_every_default_can_be_remembered(setting: Setting) -> None:
    """Also such as are written as a word, as `auto` and `unlimited` are."""
    assert setting.read(setting.plain(setting.default)) == setting.default


def test_what_nobody_has_set_follows_the_defaults_of_later_versions() -> None:
    """Except what must not change under a crawl."""
    assert to_remember(Settings()).keys() == FIXED


def test_what_belongs_to_one_run_is_not_remembered(tmp_path: Path) -> None:
    settings = Settings.load(
        None,
        {
            "crawl.out": "x",
            "crawl.seeds": "http://a.example/",
            "crawl.downlist": "y",
            "crawl.background": True,
        },
    )
    assert to_remember(settings).keys() & FORGOTTEN == set()
    assert {name for name, setting in SETTINGS.items() if not setting.is_remembered} == FORGOTTEN


def test_file_and_command_line_are_stronger_than_what_is_remembered(tmp_path: Path) -> None:
    file = tmp_path / "crawl.toml"
    file.write_text("[crawl]\nmax_pages = 50\n")
    remembered = to_remember(
        Settings.load(None, {"crawl.max_pages": 20, "scope.depth": 3, "fetch.proxy": ""})
    )
    settings = Settings.load(file, {"scope.depth": 4}, remembered=remembered)
    assert (settings.crawl.max_pages, settings.scope.depth) == (50, 4)
    assert settings.origin("fetch.proxy") == "remembered"


@pytest.mark.parametrize("name", sorted(SAMPLES.keys() - FIXED))
def test_the_word_default_takes_a_setting_back(name: str) -> None:
    """By --set, and by an option; a list has one word then."""
    remembered = to_remember(Settings.load(None, SAMPLES))
    many = SETTINGS[name].kind.is_many
    for word in ("default", *([["default"]] if many else [])):
        settings = Settings.load(None, {name: word}, remembered=remembered)
        assert settings.value(name) == SETTINGS[name].default
        assert settings.origin(name) == "default"
        assert name not in to_remember(settings)


def test_a_directory_may_be_called_default() -> None:
    assert Settings.load(None, {"crawl.out": "default"}).crawl.out == "default"


def test_a_list_that_is_given_anew_replaces_the_one_before() -> None:
    before = Settings.load(None, {"scope.include": [r"\.cz$"]})
    after = Settings.load(None, {"scope.include": [r"\.sk$"]}, remembered=to_remember(before))
    assert after.scope.include == (r"\.sk$",)
    assert [str(change) for change in changes_between(before, after)] == [r"scope.include \.cz$ -> \.sk$"]


def test_changes_are_told_as_they_are_written() -> None:
    before = Settings.load(None, {"crawl.max_pages": 20, "politeness.req_delay": "90s"})
    after = Settings.load(None, {"crawl.max_pages": 100, "scope.include": [f"h{n}" for n in range(7)]})
    assert [str(change) for change in changes_between(before, after)] == [
        "crawl.max_pages 20 -> 100",
        "politeness.req_delay 1m30s -> 5s",
        "scope.include none -> h0, h1, h2, h3, h4 and 2 more",
    ]


def test_a_password_is_not_told() -> None:
    """What is told goes into a log that others can read."""
    after = Settings.load(None, {"fetch.proxy": "http://me:secret@127.0.0.1:8080"})
    (change,) = changes_between(Settings(), after)
    assert "secret" not in str(change)
    assert "127.0.0.1:8080" in str(change)


@pytest.mark.parametrize("name", ["harvest.token_file", "cluster.servers"])
def test_the_path_of_a_secret_holds_from_any_directory(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    settings = Settings.load(None, {name: "secret.json"})
    assert to_remember(settings)[name] == str(tmp_path / "secret.json")
    assert changes_between(recalled(settings), settings) == []


def test_addresses_of_servers_are_no_path() -> None:
    settings = Settings.load(None, {"cluster.servers": "nats://a.example,b.example"})
    assert to_remember(settings)["cluster.servers"] == "nats://a.example,b.example"


@pytest.mark.parametrize(
    ("name", "value"),
    [("crawl.name", "other"), ("crawl.rehearsal", "true"), ("write.encoding", "iso-8859-2")],
)
def test_what_would_spoil_a_crawl_is_refused_with_both_values(name: str, value: str) -> None:
    own: dict[str, object] = {name: value}
    if name == "crawl.rehearsal":
        own["fetch.allow_networks"] = "127.0.0.0/8"
    with pytest.raises(SettingsError) as refused:
        refuse_unchangeable(Settings(), Settings.load(None, own), Path("czech"))
    said = str(refused.value)
    assert name in said
    assert value in said.lower()
    assert SETTINGS[name].show(SETTINGS[name].default) in said
    assert "czech" in said


def test_whatever_may_change_is_not_refused() -> None:
    allowed = {name: value for name, value in SAMPLES.items() if name not in FIXED}
    refuse_unchangeable(Settings(), Settings.load(None, allowed), Path("czech"))


def test_a_crawl_that_took_depth_nought_for_unlimited_is_told() -> None:
    """It remembers the word, so it goes on as before; a file that still says 0 is shown to change it."""
    before = Settings.load(remembered={"scope.depth": "unlimited"})
    after = Settings.load(None, {"scope.depth": 0}, remembered={"scope.depth": "unlimited"})
    assert list(map(str, changes_between(before, after))) == ["scope.depth unlimited -> 0"]
