"""Which of its settings does a crawl remember, and what has changed since?

It remembers what was set by file or command line in any run so far, and also what has to stay as it
was when the crawl began, set or not: a later version may have other defaults.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tiptoe.errors import SettingsError
from tiptoe.settings.kind import LINES, Value
from tiptoe.settings.layers import Settings
from tiptoe.settings.profiles import PROFILE_ORIGIN
from tiptoe.settings.schema import SETTINGS
from tiptoe.settings.setting import Setting
from tiptoe.url.passwords import without_passwords

__all__ = [
    "SettingChange", "changes_between", "refuse_unchangeable", "remembered_value", "to_remember", "to_share",
]  # fmt: skip

PATHS: Final = frozenset({"harvest.token_file", "fetch.access", "cluster.servers"})
"""Settings remembered as absolute paths, since the next run may start in another directory; the last one may
be addresses instead."""

WORDS_SHOWN_MAX: Final = 5


@dataclass(frozen=True, slots=True)
class SettingChange:
    """A setting that differs from that of the last run."""

    name: str
    before: str
    after: str

    def __str__(self) -> str:
        return f"{self.name} {self.before} -> {self.after}"


def to_remember(settings: Settings) -> dict[str, object]:
    """Return the settings for the next run, by full name."""
    return {
        name: setting.plain(_whole(name, settings.value(name)))
        for name, setting in SETTINGS.items()
        if setting.is_remembered and (setting.fixed or _is_said(settings, name))
    }


def _is_said(settings: Settings, name: str) -> bool:
    """Whether a setting was set explicitly; those of a profile follow from its name."""
    return name in settings.origins and not settings.origin(name).startswith(PROFILE_ORIGIN)


def remembered_value(settings: Settings, name: str) -> Value:
    """Return the value of a setting as it holds in any directory."""
    return _whole(name, settings.value(name))


def to_share(settings: Settings) -> dict[str, object]:
    """Return the settings that all machines sharing a crawl must use, by full name."""
    return {name: value for name, value in to_remember(settings).items() if not SETTINGS[name].is_local}


def changes_between(before: Settings, after: Settings) -> list[SettingChange]:
    """Return the remembered settings that have changed."""
    return [
        SettingChange(name, _shown(setting, before.value(name)), _shown(setting, after.value(name)))
        for name, setting in SETTINGS.items()
        if setting.is_remembered and _whole(name, before.value(name)) != _whole(name, after.value(name))
    ]


def refuse_unchangeable(before: Settings, after: Settings, directory: Path) -> None:
    """Refuse changes of settings that the crawl in a directory cannot have."""
    problems = [
        after.complain(
            change.name,
            f"the crawl in {directory} has {change.name} = {change.before}, which stays as it is: "
            f"{SETTINGS[change.name].fixed}; leave it out, or choose another --out",
        )
        for change in changes_between(before, after)
        if SETTINGS[change.name].fixed
    ]
    if problems:
        raise SettingsError("\n".join(problems))


def _whole(name: str, value: Value) -> Value:
    is_path = name in PATHS and value and "://" not in str(value)
    return str(Path(str(value)).absolute()) if is_path else value


def _shown(setting: Setting, value: Value) -> str:
    """Return a value in a form fit for a terminal and a log: short, and without a password."""
    shown = setting.show(value)
    if isinstance(value, tuple) and len(value) > WORDS_SHOWN_MAX and setting.kind is not LINES:
        left = len(value) - WORDS_SHOWN_MAX
        shown = f"{setting.show(value[:WORDS_SHOWN_MAX])} and {left} more"
    return without_passwords(shown) or "none"
