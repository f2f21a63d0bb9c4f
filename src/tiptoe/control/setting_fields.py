"""How do the declarations of settings become a form, and how does a form become settings?

Nothing about a setting is stated here: name, kind, unit, bounds, default and help come from its declaration.
An empty field means the default. Pure, except for reading TOML from a temporary file."""

import re
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

import msgspec

from tiptoe.errors import SettingsError
from tiptoe.settings.given import Given
from tiptoe.settings.layers import REMEMBERED_ORIGIN, Settings, to_toml
from tiptoe.settings.schema import SECTIONS, SETTINGS
from tiptoe.settings.setting import DEFAULT_WORD, Setting
from tiptoe.settings.tomlfile import read_toml
from tiptoe.url.passwords import without_passwords

__all__ = [
    "FieldSection", "SettingField", "differences", "form_sections", "load_settings", "parse_toml",
    "shown_toml", "typed_settings",
]  # fmt: skip

TOML_CHARS_MAX: Final = 1 << 20
COMMON: Final = (
    "crawl.contact", "crawl.max_pages", "crawl.max_bytes", "crawl.max_seconds", "crawl.pages_per_host",
    "scope.within", "scope.include", "scope.exclude", "text.languages", "politeness.req_delay",
    "politeness.general_pause", "revisit.strategy",
)  # fmt: skip
"""The settings that most people change; shown before the sections."""

Refusal = Callable[[str], str]


class SettingField(msgspec.Struct, frozen=True, kw_only=True):
    """One setting, as a form shows it."""

    name: str
    label: str
    help: str
    kind: str
    unit: str
    default: str
    bounds: str
    choices: list[str]
    is_many: bool
    value: str  # as written; empty: the default
    origin: str  # who set it
    live: bool
    refusal: str  # why it cannot be changed here and now; empty: it can
    error: str

    @property
    def id(self) -> str:
        return "f-" + self.name.replace(".", "-")

    @property
    def is_set(self) -> bool:
        return bool(self.value)


class FieldSection(msgspec.Struct, frozen=True, kw_only=True):
    """The fields of one section."""

    name: str
    title: str
    fields: list[SettingField]
    is_open: bool

    @property
    def changed(self) -> int:
        """The number of fields that are not at their defaults."""
        return sum(field.is_set for field in self.fields)


def form_sections(
    settings: Settings, refusal: Refusal, *, typed: Mapping[str, str] | None = None,
    errors: Mapping[str, str] | None = None, common: bool = False,
) -> list[FieldSection]:  # fmt: skip
    """Return all settings as a form; `typed` and `errors` come from a form that was not accepted."""

    def field(name: str) -> SettingField:
        return _field(SETTINGS[name], settings, refusal(name), typed or {}, (errors or {}).get(name, ""))

    def field_apart(name: str) -> SettingField:
        """Return a field whose label names its section, for use outside of that."""
        return msgspec.structs.replace(field(name), label=name.replace(".", ": ").replace("_", " "))

    found = []
    left = [name for name in SETTINGS if not (common and name in COMMON)]
    if common:
        fields = [field_apart(name) for name in COMMON]
        found.append(FieldSection(name="common", title="What most people set", fields=fields, is_open=True))
    for section, cls in SECTIONS.items():
        fields = [field(name) for name in left if name.startswith(f"{section}.")]
        is_open = any(one.error for one in fields)
        found.append(FieldSection(name=section, title=cls.__doc__ or section, fields=fields, is_open=is_open))
    return found


def typed_settings(fields: Mapping[str, str], names: Iterable[str]) -> dict[str, object]:
    """Return the values written in a form, by full name, without empty ones."""
    given: dict[str, object] = {}
    for name in names:
        text = fields.get(name, "").strip()
        if text:
            many = SETTINGS[name].kind.is_many
            given[name] = [line.strip() for line in text.splitlines() if line.strip()] if many else text
    return given


def load_settings(
    given: Mapping[str, object], *, remembered: Mapping[str, object] | None = None
) -> tuple[Settings | None, dict[str, str]]:
    """Return settings, or None and the errors by full name."""
    overrides = {name: Given(_split(name, raw), name) for name, raw in given.items()}
    try:
        return Settings.load(overrides=overrides, remembered=remembered), {}
    except SettingsError as error:
        return None, _by_name(str(error))


def differences(before: Settings, after: Settings, names: Iterable[str]) -> dict[str, object]:
    """Return the changes that turn the settings `before` into `after`, as sent to a crawl."""
    changes: dict[str, object] = {}
    for name in names:
        if before.value(name) != after.value(name):
            is_default = after.origin(name) == "default"
            changes[name] = DEFAULT_WORD if is_default else SETTINGS[name].plain(after.value(name))
    return changes


def parse_toml(text: str) -> tuple[dict[str, object], list[str]]:
    """Return the settings of a file, by full name, and its errors."""
    if len(text) > TOML_CHARS_MAX:
        return {}, [f"longer than {TOML_CHARS_MAX} characters"]
    with TemporaryDirectory(prefix="tiptoe-") as folder:
        path = Path(folder, "settings.toml")
        path.write_text(text, encoding="utf-8", errors="replace")
        found = read_toml(path)
    problems = [problem.replace(str(path), "line").replace("line:", "line ") for problem in found.problems]
    return {name: given.raw for name, given in found.given.items()}, problems


def shown_toml(settings: Settings) -> str:
    """Return a complete commented file, without passwords."""
    return without_passwords(to_toml(settings))


def _field(
    setting: Setting, settings: Settings, refusal: str, typed: Mapping[str, str], error: str
) -> SettingField:
    name = setting.name
    # A crawl remembers some defaults, so that a newer version's defaults do not change it.
    is_default = settings.origin(name) == REMEMBERED_ORIGIN and settings.value(name) == setting.default
    is_given = settings.origin(name) != "default" and not is_default
    value = _written(setting, settings) if is_given else ""
    if refusal:
        value = without_passwords(value)
    return SettingField(
        name=name,
        label=setting.key.replace("_", " "),
        help=setting.help,
        kind=setting.kind.name,
        unit=setting.unit if setting.unit not in ("seconds", "bytes", *setting.key.split("_")) else "",
        default=setting.show(setting.default) or "none",
        bounds="" if setting.choices else setting.bounds,  # choices are in the list
        choices=["true", "false"] if setting.kind.name == "flag" else list(setting.choices),
        is_many=setting.kind.is_many,
        value=typed.get(name, value),
        origin=settings.origin(name),
        live=setting.live,
        refusal=refusal,
        error=error,
    )


def _written(setting: Setting, settings: Settings) -> str:
    value = settings.value(setting.name)
    return "\n".join(value) if isinstance(value, tuple) else setting.show(value)


def _split(name: str, raw: object) -> object:
    """Return the words of a list; a line of a form may have several words, but only one pattern."""
    setting = SETTINGS.get(name)
    if setting is not None and setting.kind.name == "words" and isinstance(raw, list | tuple):
        return [word for line in raw for word in re.split(r"[\s,]+", str(line)) if word]
    return raw


def _by_name(said: str) -> dict[str, str]:
    """Return error messages by the setting's name with which each begins; others under an empty name."""
    errors: dict[str, str] = {}
    for line in said.splitlines():
        name, _, rest = line.partition(": ")
        known = name if name in SETTINGS else ""
        problem = rest.removeprefix(f"{name} = ").partition(": ")[2] if known else line
        errors[known] = "; ".join(filter(None, [errors.get(known, ""), problem or rest]))
    return errors
