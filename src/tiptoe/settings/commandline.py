"""What does a command line offer?

A pure description: one `Option` per setting that has one. Only `cli/options.py`
knows the library that parses the command line.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from tiptoe.errors import SettingsError
from tiptoe.settings.given import Given, origin_of_override
from tiptoe.settings.kind import FLAG
from tiptoe.settings.nearest import nearest_setting
from tiptoe.settings.schema import SETTINGS
from tiptoe.settings.setting import Setting, Shorthand

__all__ = ["Option", "gather_overrides", "options"]


@dataclass(frozen=True, slots=True)
class Option:
    """One option of the command line."""

    setting: Setting
    preset: str = ""  # what this command uses in place of the default; it may be outside the bounds
    shorthand: Shorthand | None = None  # if the option stands for one value of the setting

    @property
    def name(self) -> str:
        """The option as typed: "--req-delay"."""
        return self.setting.option if self.shorthand is None else self.shorthand.option

    @property
    def parameter(self) -> str:
        """A Python name, unique over all settings: "politeness_req_delay"."""
        name = self.setting.name.replace(".", "_")
        return name if self.shorthand is None else f"{name}_{self.shorthand.value}"

    @property
    def value_type(self) -> type:
        """The type that the parser should return; the setting itself parses the text."""
        if self.setting.kind.is_many:
            return list[str]
        if self.shorthand is not None:
            return bool
        return bool if self.setting.kind is FLAG else str

    @property
    def metavar(self) -> str:
        """Placeholder for the value in a usage line: "DURATION"."""
        return self.setting.kind.name.rstrip("s").upper()

    @property
    def help(self) -> str:
        """Meaning, default and bounds in one paragraph."""
        if self.shorthand is not None:
            return f"{self.shorthand.help} ({self.setting.name} = {self.shorthand.value})"
        if self.preset:
            return f"{self.setting.help} [default: {self.preset}]"
        default = self.setting.show(self.setting.default)
        facts = [f"default: {default}"] if default and not self.setting.kind.is_many else []
        facts += [self.setting.bounds] if self.setting.bounds else []
        return f"{self.setting.help} [{'; '.join(facts)}]" if facts else self.setting.help


def options(only: Iterable[str] | None = None, presets: Mapping[str, str] | None = None) -> list[Option]:
    """Return the options of all settings, or of those named, in the order of the file."""
    wanted = set(SETTINGS if only is None else only)
    found = []
    for name, setting in SETTINGS.items():
        if name in wanted:
            if setting.option:
                found.append(Option(setting, (presets or {}).get(name, "")))
            found += [Option(setting, shorthand=shorthand) for shorthand in setting.shorthands]
    return found


def gather_overrides(
    given: Mapping[str, object], assignments: Iterable[str], shorthands: Iterable[Option] = ()
) -> dict[str, Given]:
    """Return the settings on a command line: options by full name, shorthands, `--set section.key=value`."""
    overrides = {
        name: Given(_items(SETTINGS[name], raw), origin_of_override(SETTINGS[name]))
        for name, raw in given.items()
    }
    for option in shorthands:
        name = option.setting.name
        if name in overrides:
            raise SettingsError(f"give either {overrides[name].origin} or {option.name}, not both")
        assert option.shorthand is not None
        overrides[name] = Given(option.shorthand.value, option.name)
    for assignment in assignments:
        name, equals, raw = assignment.partition("=")
        name = name.strip()
        if not equals:
            raise SettingsError(
                f"--set {assignment}: expected section.key=value, such as fetch.body_max=1MiB"
            )
        if name not in SETTINGS:
            raise SettingsError(f"--set {assignment}: no such setting{nearest_setting(name)}")
        if name in overrides:
            raise SettingsError(f"--set {assignment}: {name} is given twice, see {overrides[name].origin}")
        overrides[name] = Given(raw, f"--set {name}")
    return overrides


def _items(setting: Setting, raw: object) -> object:
    """Return the items of an option that may be repeated, each time with one item or several."""
    if not setting.kind.is_many or not isinstance(raw, list):
        return raw
    read = [setting.kind.read(text) for text in raw]
    return [item for items in read if isinstance(items, tuple) for item in items]
