"""What does a command line offer?"""

import pytest

from tiptoe.errors import SettingsError
from tiptoe.settings.commandline import gather_overrides, options
from tiptoe.settings.given import Given
from tiptoe.settings.schema import SETTINGS


def test_every_setting_with_an_option_is_offered() -> None:
    assert [setting.option for setting in SETTINGS.values() if setting.option] == [
        option.name for option in options()
    ]


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
