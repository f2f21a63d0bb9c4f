"""How is a setting declared?"""

from dataclasses import dataclass

import pytest

from tiptoe.settings import form
from tiptoe.settings.schema import SETTINGS
from tiptoe.settings.setting import (
    Setting,
    choice,
    count,
    duration,
    flag,
    patterns,
    settings_of,
    share,
    text,
    words,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """A section as the schema has them."""

    pause: float = duration("5s", at_least="1s", at_most="1h", help="A pause.")
    pages: int = count(0, unit="pages", zero="unlimited", help="Pages.")
    part: float = share("30%", help="A part.")
    mode: str = choice("quit", "quit", "loop", help="What then.")
    hosts: tuple[str, ...] = patterns(help="Hosts.")
    nets: tuple[str, ...] = words(each=form.be_network, help="Networks.")
    note: str = text("", help="A note.")
    quiet: bool = flag(False, help="Quiet.")


def declared(key: str) -> Setting:
    return next(setting for setting in settings_of("sample", Sample) if setting.key == key)


def test_a_declaration_is_also_the_default() -> None:
    """The classes of the schema can be made with no argument at all."""
    assert Sample(pause=5.0, pages=0, part=0.3, mode="quit") == Sample()


def test_a_setting_knows_its_full_name() -> None:
    assert declared("pause").name == "sample.pause"


def test_a_word_may_stand_for_zero() -> None:
    setting = declared("pages")
    assert 0 == setting.read("unlimited") == setting.read(0)
    assert setting.show(0) == "unlimited"
    assert setting.show(12) == "12"


def test_bounds_are_told_in_the_unit_of_the_setting() -> None:
    setting = declared("pause")
    assert setting.misfit(0.5) == "at least 1s"
    assert setting.misfit(3601.0) == "at most 1h"
    assert setting.misfit(1.0) == ""
    assert setting.bounds == "at least 1s, at most 1h"


def test_a_share_lies_between_none_and_all() -> None:
    assert declared("part").misfit(1.5) == "at most 1"
    assert declared("part").read("25%") == 0.25


@pytest.mark.parametrize(
    ("key", "raw", "problem"),
    [
        ("pause", True, "expected a duration"),
        ("pause", [1], "expected a duration"),
        ("pause", float("inf"), "expected a duration"),
        ("pages", 1.5, 'expected a whole number, or "unlimited"'),
        ("pages", "9" * 5000, 'expected a whole number, or "unlimited", at most 1000000000000000000$'),
        ("pages", "-" + "9" * 19, "at most 1000000000000000000$"),
        ("pages", 10**19, "at most 1000000000000000000$"),
        ("mode", "sing", "expected one of quit, loop"),
        ("hosts", "(", "^not a regular expression"),
        ("hosts", "*.cz", r"position 0; names that end in \.cz are found by \\\.cz\$$"),
        ("hosts", {"a": 1}, "expected a list of regular expressions"),
        ("nets", "10.0.0.1/8", "^expected a network"),
        ("nets", ["10.0.0.0/8", "10.0.0.1/8"], "^10.0.0.1/8: expected a network"),
        ("note", "a\r\nX-Evil: 1", "expected a text on one line"),
        ("note", 5, "expected a text"),
        ("quiet", "maybe", "expected true or false"),
        ("quiet", 1, "expected true or false"),
    ],
)
def test_what_does_not_fit_is_refused_with_what_is_expected(key: str, raw: object, problem: str) -> None:
    with pytest.raises(ValueError, match=problem):
        declared(key).read(raw)


def test_zeros_before_a_number_make_it_no_larger() -> None:
    assert declared("pages").read("0" * 30 + "7") == 7


def test_words_come_as_a_list_or_in_one_text() -> None:
    """`--set` has only text to offer."""
    setting = declared("nets")
    assert (
        ("10.0.0.0/8", "::1/128")
        == setting.read("10.0.0.0/8, ::1/128")
        == setting.read(["10.0.0.0/8", "::1/128"])
    )
    assert setting.read("") == ()


def test_a_pattern_keeps_its_commas() -> None:
    assert declared("hosts").read("a{1,2}b") == ("a{1,2}b",)


@pytest.mark.parametrize("word", ["on", "Yes", "true", True])
def test_a_flag_is_read_from_a_word(word: object) -> None:
    assert declared("quiet").read(word) is True


def test_every_default_keeps_its_own_rules() -> None:
    """A default that the file could not repeat would be a trap."""
    for setting in SETTINGS.values():
        assert setting.default == setting.read(setting.show(setting.default)), setting.name
        assert setting.misfit(setting.default) == "", setting.name


@pytest.mark.parametrize("key", ["max_pages", "max_bytes", "max_seconds", "pages_per_host"])
def test_no_limit_is_a_word_and_never_a_zero(key: str) -> None:
    """Whoever asks for 0 pages wants none, and not the whole web."""
    setting = SETTINGS[f"crawl.{key}"]
    assert setting.read("unlimited") == 0
    with pytest.raises(ValueError, match=r'^at least 1.*, or "unlimited"$'):
        setting.read("0")


def test_a_span_that_is_taken_can_be_written_to_a_file_and_read_back() -> None:
    """A file that `tiptoe config` has written is to be read by the next crawl."""
    setting = SETTINGS["crawl.max_seconds"]
    assert setting.read(setting.show(setting.read(1e18))) == 1e18
    for raw in (1e19, 1e308, "999999999999999d"):
        with pytest.raises(ValueError, match="expected a duration"):
            setting.read(raw)


def test_every_setting_says_what_it_means() -> None:
    for setting in SETTINGS.values():
        assert setting.help.endswith("."), setting.name


def test_no_two_settings_share_an_option() -> None:
    options = [setting.option for setting in SETTINGS.values() if setting.option]
    assert len(set(options)) == len(options)
    assert all(option.startswith("--") for option in options)
