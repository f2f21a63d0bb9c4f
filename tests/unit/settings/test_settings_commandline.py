"""What does a command line offer?"""

import pytest

from tiptoe.errors import SettingsError
from tiptoe.settings.commandline import gather_overrides, options
from tiptoe.settings.given import Given
from tiptoe.settings.schema import SETTINGS


def test_every_setting_with_an_option_is_offered() -> None:
    assert [setting.option for setting in SETTINGS.values() if setting.option] == [
        option.name for option in options() if option.shorthand is None
    ]


def test_an_option_may_stand_for_one_value_of_a_setting() -> None:
    """`--same-site` is what people type; `within = "site"` is what stands in a file."""
    offered = {option.name: option for option in options()}
    site, host = offered["--same-site"], offered["--same-host"]
    assert (site.value_type, site.parameter) == (bool, "scope_within_site")
    assert site.help.endswith("(scope.within = site)")
    assert gather_overrides({}, [], [site]) == {"scope.within": Given("site", "--same-site")}
    with pytest.raises(SettingsError, match="give either --same-site or --same-host, not both"):
        gather_overrides({}, [], [site, host])


def test_the_type_follows_from_the_declaration() -> None:
    types = {option.name: option.value_type for option in options()}
    assert (str, bool, list[str]) == (types["--req-delay"], types["--background"], types["--include"])


def test_the_help_tells_default_and_bounds() -> None:
    delay = next(option for option in options() if option.name == "--req-delay")
    assert delay.help.endswith("[default: 5s; at least 1s, at most 24h]")
    assert delay.metavar == "DURATION"


def test_any_setting_can_be_set_by_name() -> None:
    assert {
        "scope.depth": Given("3", "--depth"),
        "fetch.body_max": Given("1MiB", "--set fetch.body_max"),
        "crawl.contact": Given("https://a.example/?a=b", "--set crawl.contact"),
    } == gather_overrides(
        {"scope.depth": "3"}, ["fetch.body_max=1MiB", "crawl.contact=https://a.example/?a=b"]
    )


@pytest.mark.parametrize(
    ("assignment", "problem"),
    [
        ("fetch.body_max", "expected section.key=value"),
        ("fetch.bodymax=1", "no such setting; did you mean fetch.body_max?"),
        ("depth=1", "no such setting; did you mean scope.depth?"),
        ("scope.depth=1", "scope.depth is given twice, see --depth"),
    ],
)
def test_a_wrong_assignment_is_named(assignment: str, problem: str) -> None:
    with pytest.raises(SettingsError) as caught:
        gather_overrides({"scope.depth": "3"}, [assignment])
    assert f"--set {assignment}: {problem}" in str(caught.value)


def test_a_name_with_little_in_common_is_no_guess() -> None:
    """Three letters of a longer name are not what somebody meant."""
    with pytest.raises(SettingsError, match=r"--set foo=1: no such setting$"):
        gather_overrides({}, ["foo=1"])


def test_a_right_section_is_no_likeness() -> None:
    """`politeness.` is in the name of all its settings; what follows has to be alike."""
    with pytest.raises(SettingsError, match=r"politeness\.nope=1: no such setting$"):
        gather_overrides({}, ["politeness.nope=1"])


def test_a_repeated_option_may_also_hold_several_items_at_once() -> None:
    """As help and documents write it: `--languages cs,sk`. A pattern may contain commas and stays whole."""
    given = gather_overrides(
        {
            "text.languages": ["cs,sk", "pl"],
            "crawl.schedule": ["mon-fri 22:00-06:00; sat,sun"],
            "scope.include": ["a{1,2}"],
        },
        [],
    )
    assert {name: item.raw for name, item in given.items()} == {
        "text.languages": ["cs", "sk", "pl"],
        "crawl.schedule": ["mon-fri 22:00-06:00", "sat,sun"],
        "scope.include": ["a{1,2}"],
    }
