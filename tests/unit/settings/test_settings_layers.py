"""What is in force, and who said so?"""

import dataclasses
import re
from pathlib import Path

import pytest

from tiptoe.errors import SettingsError
from tiptoe.settings.given import Given
from tiptoe.settings.layers import Settings, to_toml
from tiptoe.settings.schema import SECTIONS, SETTINGS
from tiptoe.settings.setting import ENDLESS


def write(folder: Path, text: str) -> Path:
    path = folder / "crawl.toml"
    path.write_text(text, encoding="utf-8")
    return path


def complaints(file: Path | None = None, overrides: dict[str, object] | None = None) -> list[str]:
    with pytest.raises(SettingsError) as caught:
        Settings.load(file, overrides)
    folder = f"{file.parent}/" if file else ""
    return str(caught.value).replace(folder, "").split("\n")


def test_the_command_line_is_stronger_than_the_file_and_the_file_than_the_default(tmp_path: Path) -> None:
    """HAR-5: three layers."""
    file = write(tmp_path, '[politeness]\nreq_delay = "10s"\nmax_reqs = 20\n')
    settings = Settings.load(file, {"politeness.req_delay": "2s"})
    assert settings.politeness.req_delay == 2.0
    assert settings.politeness.max_reqs == 20
    assert settings.politeness.general_pause == 300.0


def test_every_value_remembers_who_set_it(tmp_path: Path) -> None:
    """Why does it do that? is the first question about any configuration."""
    file = write(tmp_path, '# mine\n[politeness]\nmax_reqs = 20\n\n[fetch]\n"body_max" = "1MB"\n')
    overrides = {
        "politeness.req_delay": "2s",
        "fetch.header_max": "64KiB",
        "crawl.name": Given("mybot", "--set crawl.name"),
    }
    settings = Settings.load(file, overrides)
    assert settings.origin("politeness.general_pause") == "default"
    assert f"{file}:3" == settings.origin("politeness.max_reqs")
    assert f"{file}:6" == settings.origin("fetch.body_max")
    assert settings.origin("politeness.req_delay") == "--req-delay"
    assert settings.origin("fetch.header_max") == "--set fetch.header_max"
    assert settings.origin("crawl.name") == "--set crawl.name"


def test_presets_of_a_command_give_way_to_the_file(tmp_path: Path) -> None:
    file = write(tmp_path, "[politeness]\nmax_reqs = 20\n")
    settings = Settings.load(file, presets={"politeness.max_reqs": 7, "politeness.max_hosts": 7})
    assert (settings.politeness.max_reqs, settings.politeness.max_hosts) == (20, 7)
    assert settings.origin("politeness.max_hosts") == "preset"


def test_a_value_out_of_bounds_is_named_with_file_line_and_bound(tmp_path: Path) -> None:
    file = write(tmp_path, "[politeness]\n\nmax_hosts = 0\n")
    assert complaints(file) == ["crawl.toml:3: politeness.max_hosts = 0: at least 1"]


def test_all_that_is_wrong_is_told_at_once(tmp_path: Path) -> None:
    """Nobody wants to start a crawl five times to learn of five mistakes."""
    file = write(
        tmp_path,
        "[politeness]\nreq_dely = 3\nmax_hosts = 0\ngeneral_pause = true\n"
        "[fetch]\nreq_delay = 5\n[scop]\ndepth = 3\n",
    )
    assert complaints(file, {"fetch.body_max": "1XB"}) == [
        "crawl.toml:2: politeness.req_dely: no such setting; did you mean politeness.req_delay?",
        "crawl.toml:6: fetch.req_delay: no such setting; did you mean politeness.req_delay?",
        "crawl.toml:7: [scop]: no such section; did you mean [scope]?",
        "crawl.toml:3: politeness.max_hosts = 0: at least 1",
        "crawl.toml:4: politeness.general_pause = true: expected a duration such as "
        '"5s", "1m30s", "250ms" or a number of seconds',
        '--body-max 1XB: expected a size such as "10MiB", "1GB" or a number of bytes',
    ]


def test_the_floor_under_the_delays_holds_for_foreign_hosts(tmp_path: Path) -> None:
    """DESIGN, invariant 2: politeness cannot be switched off."""
    file = write(tmp_path, '[politeness]\nreq_delay = "0s"\n')
    assert complaints(file) == [
        'crawl.toml:2: politeness.req_delay = "0s": at least 1s '
        "(less only in a rehearsal, see crawl.rehearsal)"
    ]


@pytest.mark.parametrize(
    "home",
    [
        {"fetch.proxy": "http://127.0.0.1:8080"},
        {"fetch.allow_networks": ["127.0.0.0/8", "198.18.0.0/15"]},
        {"fetch.proxy": "http://[::1]:8080", "fetch.allow_networks": ["127.0.0.0/8"]},
    ],
)
def test_a_rehearsal_may_hurry(home: dict[str, object]) -> None:
    fast: dict[str, object] = {"politeness.req_delay": "0s", "politeness.general_pause": "10ms"}
    settings = Settings.load(None, {**fast, **home, "crawl.rehearsal": True})
    assert settings.is_rehearsal
    assert (settings.politeness.req_delay, settings.politeness.general_pause) == (0.0, 0.01)


@pytest.mark.parametrize(
    "abroad",
    [
        {},
        {"fetch.proxy": "http://192.0.2.1:8080"},
        {"fetch.proxy": "http://192.0.2.1:8080", "fetch.allow_networks": ["127.0.0.0/8"]},
        {"fetch.allow_networks": ["127.0.0.0/8", "10.0.0.0/8"]},
        {"fetch.proxy": "http://127.0.0.1:8080", "fetch.allow_networks": ["10.0.0.0/8"]},
    ],
)
def test_a_rehearsal_that_could_reach_others_is_none(abroad: dict[str, object]) -> None:
    problems = complaints(None, {**abroad, "crawl.rehearsal": True})
    assert problems[0].startswith("--set crawl.rehearsal=true: needs fetch.proxy at a loopback address")
    hurried = complaints(None, {**abroad, "crawl.rehearsal": True, "politeness.req_delay": 0})
    assert hurried[0].startswith("--req-delay 0: at least 1s")


def test_loopback_alone_does_not_make_a_rehearsal() -> None:
    """A crawl through a local proxy to the real web is a real crawl."""
    home: dict[str, object] = {"fetch.proxy": "http://127.0.0.1:8080", "politeness.req_delay": "0s"}
    assert complaints(None, home)[0].startswith("--req-delay 0s: at least 1s")


def test_strangers_bring_no_results_without_the_secret() -> None:
    assert complaints(None, {"harvest.listen": "0.0.0.0:7070"}) == [
        "--listen 0.0.0.0:7070: needs harvest.token_file: nobody may bring results without the secret"
    ]


def test_leases_outlast_the_pause_between_reports() -> None:
    settings: dict[str, object] = {"harvest.lease": "1s", "harvest.report_every": "500ms"}
    assert "at most a third of harvest.lease" in complaints(None, settings)[0]


def test_languages_are_not_wanted_where_none_is_recognised() -> None:
    """All texts would be taken, whatever their language."""
    given: dict[str, object] = {"text.languages": ["cs"], "text.detect_language": False}
    assert complaints(None, given) == [
        "--languages cs: needs text.detect_language: else texts in all languages would be taken"
    ]


def test_a_complaint_about_settings_in_force_names_their_origin(tmp_path: Path) -> None:
    """Some things show only when a crawl is about to begin."""
    file = tmp_path / "crawl.toml"
    file.write_text('[crawl]\ndownlist = "down.txt"\n')
    settings = Settings.load(file, {"crawl.out": "czech"})
    assert settings.complain("crawl.downlist", "not there") == (
        f'{file}:2: crawl.downlist = "down.txt": not there'
    )
    assert settings.complain("crawl.out", "not there") == "--out czech: not there"
    assert settings.complain("crawl.name", "odd") == 'default: crawl.name = "tiptoe": odd'


@pytest.mark.parametrize(("respect_tdm", "least"), [(True, 3), (False, 2)])
def test_a_visit_is_long_enough_to_get_to_a_page(respect_tdm: bool, least: int) -> None:
    """A crawl that asks for nothing but rules, for ever, would look busy."""
    given: dict[str, object] = {
        "politeness.robots_expiry": "5m",
        "text.respect_tdm": respect_tdm,
        "politeness.max_reqs": least - 1,
    }
    (complaint,) = complaints(None, given)
    assert complaint.startswith(f"--max-reqs {least - 1}: at least {least} unless politeness.robots_expiry")
    assert Settings.load(None, {**given, "politeness.max_reqs": least})
    assert Settings.load(None, {**given, "politeness.robots_expiry": "6m"})


def test_without_a_contact_the_robot_has_no_name() -> None:
    """POL-7: starting without a contact is refused with a clear message."""
    with pytest.raises(SettingsError, match=r"no contact given.*--contact"):
        Settings.load().user_agent("1.0")


def test_the_robot_says_who_answers_for_it() -> None:
    settings = Settings.load(None, {"crawl.contact": "https://corpus.example/bot"})
    assert settings.user_agent("1.0") == "tiptoe/1.0 (+https://corpus.example/bot)"
    settings = Settings.load(None, {"crawl.contact": "bot@corpus.example", "crawl.name": "mybot"})
    assert settings.user_agent("1.0") == "mybot/1.0 (bot@corpus.example)"


CHANGED: dict[str, object] = {
    "crawl.contact": "https://corpus.example/bot",
    "crawl.max_pages": 12,
    "politeness.req_delay": "1500ms",
    "politeness.slowed_hosts": ["a.example=1m", "192.0.2.1=2h"],
    "politeness.slow_factor": 2.5,
    "scope.include": [r"^www\.", "it's", 'say "no"', "a,b"],
    "harvest.harvesters": "auto",
    "fetch.accept_language": "cs, en;q=0.5",
}


def test_a_file_written_gives_the_settings_it_was_made_from(tmp_path: Path) -> None:
    settings = Settings.load(None, CHANGED)
    assert settings == Settings.load(write(tmp_path, to_toml(settings)))


def test_a_file_written_leaves_to_the_defaults_what_nobody_has_set(tmp_path: Path) -> None:
    """Else a later version would be held to those of this one."""
    settings = Settings.load(write(tmp_path, to_toml(Settings.load(None, CHANGED))))
    assert set(settings.origins) == set(CHANGED)


def test_a_file_written_holds_every_setting(tmp_path: Path) -> None:
    """To set one is to remove the sign before it."""
    text = re.sub(r"^#(?! \S)", "", to_toml(Settings()), flags=re.MULTILINE)
    settings = Settings.load(write(tmp_path, text))
    assert settings == Settings()
    assert set(SETTINGS) == set(settings.origins)
    assert all(":" in settings.origin(name).removeprefix(str(tmp_path)) for name in SETTINGS)


def test_settings_reach_another_process_unchanged() -> None:
    """Harvesters get theirs from the keeper."""
    settings = Settings.load(None, CHANGED)
    sent = settings.to_dict()
    assert all(
        type(value) in {str, int, float, bool, list} for table in sent.values() for value in table.values()
    )
    received = Settings.from_dict(sent)
    assert settings == received
    assert settings.origins == received.origins


def test_another_version_is_noticed() -> None:
    with pytest.raises(SettingsError, match="same version"):
        Settings.from_dict({"crawl": {"colour": "red"}})


def test_slowed_hosts_have_their_own_delays() -> None:
    """POL-10."""
    assert Settings.load(None, CHANGED).politeness.slowed_delays == {"a.example": 60.0, "192.0.2.1": 7200.0}


def test_the_class_has_every_section() -> None:
    fields = [field.name for field in dataclasses.fields(Settings)]
    assert [*SECTIONS, "origins"] == fields


def test_the_repr_shows_what_was_changed() -> None:
    assert repr(Settings()) == "<Settings all default>"
    assert repr(Settings.load(None, {"politeness.req_delay": 2})) == "<Settings politeness.req_delay=2s>"


@pytest.mark.parametrize("written", ["18446744073709551616", '"999999999999999TB"'])
def test_numbers_that_no_process_could_be_told_are_refused(tmp_path: Path, written: str) -> None:
    """Harvesters get their settings in 64 bits."""
    with pytest.raises(SettingsError, match=r"crawl\.max_bytes = .*: expected a size"):
        Settings.load(write(tmp_path, f"[crawl]\nmax_bytes = {written}\n"))


@pytest.mark.parametrize("raw", ["0", 0])
def test_no_harvesters_does_not_mean_as_many_as_fit(raw: object) -> None:
    with pytest.raises(SettingsError, match='at least 1, or "auto"'):
        Settings.load(None, {"harvest.harvesters": raw})


@pytest.mark.parametrize(("raw", "depth"), [("0", 0), (0, 0), ("7", 7), ("unlimited", ENDLESS)])
def test_depth_nought_is_the_seeds_alone(raw: object, depth: int) -> None:
    """Who writes 0 means none, not all."""
    assert Settings.load(None, {"scope.depth": raw}).scope.depth == depth


def test_no_depth_is_unlimited_and_nobody_has_to_know_its_number() -> None:
    assert Settings.load().scope.depth == ENDLESS
    assert SETTINGS["scope.depth"].show(ENDLESS) == "unlimited"
    assert SETTINGS["scope.depth"].plain(ENDLESS) == "unlimited"
    assert '#depth = "unlimited"' in to_toml(Settings.load())
    assert 'a whole number, or "unlimited"' in complaints(overrides={"scope.depth": "-1"})[0]


def test_sitemaps_to_start_from_mean_that_only_sitemaps_are_followed() -> None:
    """`--sitemap URL` says both, unless somebody says otherwise."""
    given: dict[str, object] = {"crawl.sitemaps": "http://a.example/sitemap.xml"}
    settings = Settings.load(None, given)
    assert (settings.scope.follow, settings.origin("scope.follow")) == ("sitemaps", "--sitemap")
    assert Settings.load(None, {**given, "scope.follow": "links"}).scope.follow == "links"
    assert Settings.load(None, {"crawl.sitemaps": ()}).scope.follow == "links"
    assert "scope.sitemaps = false" in complaints(overrides={**given, "scope.sitemaps": "false"})[0]


@pytest.mark.parametrize(
    ("name", "good", "bad", "problem"),
    [
        ("scope.prefixes", "example.cz/news https://b.example", "/news", "with the whole host"),
        ("scope.domains", "example.cz .b.example *.c.example", "a/b", "no host name"),
        ("scope.include_urls", r"\.html$", "(?=x)", "RE2"),
        ("scope.exclude_urls", "/tag/", "(", "RE2"),
    ],
)
def test_bounds_that_cannot_be_read_are_refused(name: str, good: str, bad: str, problem: str) -> None:
    assert Settings.load(None, {name: good}).value(name)
    assert problem in complaints(overrides={name: bad})[0]


def test_a_shared_crawl_is_called_like_its_robot_unless_it_has_a_name_of_its_own() -> None:
    """Webmasters know the robot by one name for years, and it makes several crawls."""
    robot: dict[str, object] = {"crawl.name": "CorpusBot"}
    assert Settings.load(None, robot).shared_name == "CorpusBot"
    assert Settings.load(None, {**robot, "cluster.crawl": "czech"}).shared_name == "czech"
    assert "a-z" in complaints(overrides={"cluster.crawl": "Czech Web"})[0]


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        ({"crawl.on_end": "watch"}, "watch needs a revisit.strategy"),
        ({"crawl.on_end": "again", "cluster.servers": "nats://a:4222"}, "not again in a cluster"),
        ({"crawl.claims": "true", "cluster.servers": "nats://a:4222"}, "not in a cluster"),
        ({"crawl.export": "txt", "cluster.servers": "nats://a:4222"}, "not in a cluster"),
        ({"documents.types": "pdf,png"}, "expected one of pdf, doc,"),
        ({"crawl.on_end_command": "sh -c 'echo"}, "quoted as for a shell"),
        ({"crawl.schedule": "mon-fri 22:00-06:00; noon"}, "noon: expected days"),
        ({"crawl.time_zone": "Mars/Olympus"}, "expected a time zone"),
    ],
    ids=str,
)
def test_what_cannot_be_at_the_end_of_a_crawl_is_refused(given: dict[str, object], problem: str) -> None:
    with pytest.raises(SettingsError, match=problem):
        Settings.load(None, given)


def test_phrases_may_hold_spaces_and_commas() -> None:
    """On a command line semicolons separate them."""
    settings = Settings.load(None, {"crawl.schedule": "mon-fri 22:00-06:00; sat,sun"})
    assert settings.crawl.schedule == ("mon-fri 22:00-06:00", "sat,sun")
