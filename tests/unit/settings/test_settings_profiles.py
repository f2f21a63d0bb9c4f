"""Settings that belong together."""

from pathlib import Path

import pytest

from tiptoe.settings.layers import Settings
from tiptoe.settings.profiles import profile_names, profile_settings, profile_text
from tiptoe.settings.remembering import changes_between, to_remember
from tiptoe.settings.schema import SETTINGS

PROFILES = SETTINGS["crawl.profile"].choices


def with_profile(name: str, **more: object) -> Settings:
    given = {full.replace("__", "."): value for full, value in more.items()}
    return Settings.load(None, {"crawl.profile": name, **given})


def test_there_is_a_file_for_each_profile_and_no_other() -> None:
    assert profile_names() == sorted(PROFILES)


@pytest.mark.parametrize("name", PROFILES)
def test_every_profile_can_be_used_and_says_what_it_is_for(name: str) -> None:
    assert with_profile(name).crawl.profile == name
    assert profile_text(name).startswith(f"# {name}: ")


@pytest.mark.parametrize("name", sorted(set(PROFILES) - {"corpus"}))
def test_what_a_profile_sets_bears_its_name(name: str) -> None:
    settings = with_profile(name)
    assert profile_settings(name)
    for full in profile_settings(name):
        assert settings.origin(full) == f"profile {name}"


def test_the_defaults_are_those_for_a_corpus() -> None:
    assert profile_settings("corpus") == {}
    assert with_profile("corpus") == Settings.load()


@pytest.mark.parametrize(
    ("profile", "name", "value"),
    [
        ("archive", "scope.follow_useless", True),
        ("archive", "frontier.min_yield", 0.0),
        ("archive", "frontier.leave_mirrors", False),
        ("archive", "text.duplicity", False),
        ("archive", "fetch.requisites", "page"),
        ("site", "scope.within", "site"),
        ("site", "scope.follow_useless", True),
        ("watch", "crawl.on_end", "watch"),
        ("watch", "revisit.strategy", "adaptive"),
    ],
)
def test_profiles_set_what_they_are_for(profile: str, name: str, value: object) -> None:
    """What leaves pages out for their text is for corpora only."""
    assert with_profile(profile).value(name) == value


def test_file_and_command_line_are_stronger_than_a_profile(tmp_path: Path) -> None:
    file = tmp_path / "crawl.toml"
    file.write_text('[crawl]\nprofile = "archive"\n[frontier]\nmin_yield = 0.1\n')
    settings = Settings.load(file, {"text.duplicity": "true"})
    assert (settings.frontier.min_yield, settings.text.duplicity) == (0.1, True)
    assert settings.scope.follow_useless
    assert Settings.load(file, {"crawl.profile": "site"}).scope.within == "site"


def test_a_crawl_remembers_its_profile_and_not_what_it_said() -> None:
    """A later version may know better what belongs to it; and another profile takes its place as a whole."""
    first = with_profile("archive", crawl__max_pages=5)
    remembered = to_remember(first)
    assert remembered.keys() & profile_settings("archive").keys() == set()
    assert Settings.load(remembered=remembered) == first
    after = Settings.load(None, {"crawl.profile": "corpus"}, remembered=remembered)
    assert not after.scope.follow_useless
    assert "crawl.profile archive -> corpus" in map(str, changes_between(first, after))


def test_the_word_default_means_what_the_profile_says() -> None:
    first = with_profile("archive", frontier__min_yield=0.5)
    after = Settings.load(None, {"frontier.min_yield": "default"}, remembered=to_remember(first))
    assert (after.frontier.min_yield, after.origin("frontier.min_yield")) == (0.0, "profile archive")
    back = Settings.load(None, {"crawl.profile": "default"}, remembered=to_remember(with_profile("archive")))
    assert back == Settings.load()


def test_presets_of_a_command_are_stronger_than_a_profile() -> None:
    """A rehearsal of a crawl that watches pages need not last for days."""
    settings = Settings.load(None, {"crawl.profile": "watch"}, presets={"revisit.first": "1m"})
    assert settings.revisit.first == 60.0
