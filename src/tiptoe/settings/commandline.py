"""What does a command line offer?

A pure description: one `Option` per setting that has one. The library that
parses the command line is known to `cli/options.py` alone.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from tiptoe.errors import SettingsError
from tiptoe.settings.given import Given, origin_of_override
from tiptoe.settings.kind import FLAG
from tiptoe.settings.nearest import nearest_setting
from tiptoe.settings.schema import SETTINGS
from tiptoe.settings.setting import Setting

__all__ = ["Option", "gather_overrides", "options"]


@dataclass(frozen=True, slots=True)
class Option:
    """One option of the command line."""

    setting: Setting
    preset: str = ""  # what the command at hand puts in place of the default; bounds may give way to it too

    @property
    def name(self) -> str:
        """As typed: "--req-delay"."""
        return self.setting.option

    @property
    def parameter(self) -> str:
        """As a Python name, unique over all settings: "politeness_req_delay"."""
        return self.setting.name.replace(".", "_")

    @property
    def value_type(self) -> type:
        """What the parser shall hand over; reading the text is left to the setting itself."""
        if self.setting.kind.is_many:
            return list[str]
        return bool if self.setting.kind is FLAG else str

    @property
    def metavar(self) -> str:
        """What stands for the value in a usage line: "DURATION"."""
        return self.setting.kind.name.rstrip("s").upper()

    @property
    def help(self) -> str:
        """Meaning, default and bounds in one paragraph."""
        if self.preset:
            return f"{self.setting.help} [default: {self.preset}]"
        default = self.setting.show(self.setting.default)
        facts = [f"default: {default}"] if default and not self.setting.kind.is_many else []
        facts += [self.setting.bounds] if self.setting.bounds else []
        return f"{self.setting.help} [{'; '.join(facts)}]" if facts else self.setting.help


def options(only: Iterable[str] | None = None, presets: Mapping[str, str] | None = None) -> list[Option]:
    """Return the options in the order of the file, all or those of the settings named."""
    wanted = set(SETTINGS if only is None else only)
    return [
        Option(setting, (presets or {}).get(name, ""))
        for name, setting in SETTINGS.items()
        if setting.option and name in wanted
    ]


def gather_overrides(given: Mapping[str, object], assignments: Iterable[str]) -> dict[str, Given]:
    """Return what the command line gives: options by full name, and `--set section.key=value`."""
    overrides = {name: Given(raw, origin_of_override(SETTINGS[name])) for name, raw in given.items()}
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
