"""Which settings apply, and where were they set?

Five layers, each overriding the one before: built-in defaults, a profile, what the
directory of the crawl remembers, the file, the command line. A command may have
presets of its own over the profile. The word `default` resets a setting to the value
of the profile, or else to its default. All errors are reported at once.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

from tiptoe.errors import SettingsError
from tiptoe.settings.consistency import broken_floors, broken_rules, stays_home
from tiptoe.settings.given import Given, origin_of_override
from tiptoe.settings.kind import Value
from tiptoe.settings.nearest import nearest_setting
from tiptoe.settings.profiles import PROFILE_SETTING, profile_settings
from tiptoe.settings.schema import (
    SECTIONS,
    SETTINGS,
    CatalogSettings,
    ClusterSettings,
    CrawlSettings,
    DocumentsSettings,
    FetchSettings,
    FiltersSettings,
    FrontierSettings,
    HarvestSettings,
    PolitenessSettings,
    RevisitSettings,
    ScopeSettings,
    SegmenterSettings,
    TextSettings,
    WriteSettings,
)
from tiptoe.settings.setting import Setting
from tiptoe.settings.tomlfile import TomlFile, read_toml, write_toml
from tiptoe.url.passwords import without_passwords

__all__ = ["REMEMBERED_ORIGIN", "Settings", "to_toml"]

DEFAULT_ORIGIN = "default"
REMEMBERED_ORIGIN = "remembered"


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Settings:
    """Every setting with its value, checked, and the origin of each."""

    crawl: CrawlSettings = field(default_factory=CrawlSettings)
    politeness: PolitenessSettings = field(default_factory=PolitenessSettings)
    scope: ScopeSettings = field(default_factory=ScopeSettings)
    filters: FiltersSettings = field(default_factory=FiltersSettings)
    harvest: HarvestSettings = field(default_factory=HarvestSettings)
    fetch: FetchSettings = field(default_factory=FetchSettings)
    frontier: FrontierSettings = field(default_factory=FrontierSettings)
    write: WriteSettings = field(default_factory=WriteSettings)
    documents: DocumentsSettings = field(default_factory=DocumentsSettings)
    text: TextSettings = field(default_factory=TextSettings)
    segmenter: SegmenterSettings = field(default_factory=SegmenterSettings)
    revisit: RevisitSettings = field(default_factory=RevisitSettings)
    cluster: ClusterSettings = field(default_factory=ClusterSettings)
    catalog: CatalogSettings = field(default_factory=CatalogSettings)
    origins: Mapping[str, str] = field(default_factory=dict, compare=False)  # of values that are not defaults

    @classmethod
    def load(
        cls,
        file: Path | None = None,
        overrides: Mapping[str, object] | None = None,
        *,
        presets: Mapping[str, object] | None = None,
        remembered: Mapping[str, object] | None = None,
        robot: Mapping[str, object] | None = None,
    ) -> Self:
        """Merge the layers and check the result; raise SettingsError with everything that is wrong.

        All but the file are given by full name; their values are plain, or `Given` with an origin. `robot`
        are settings from the files of a robot, see `filters.dir`; file and command line override them.
        """
        found = read_toml(file) if file is not None else TomlFile()
        layers = (
            _with_origins(presets or {}, "preset"),
            _with_origins(remembered or {}, REMEMBERED_ORIGIN),
            _with_origins(robot or {}, "robot"),
            found.given,
            _with_origins(overrides or {}, ""),
        )
        merge = _Merge(profile_settings(_profile_in(layers)))
        merge.problems += found.problems
        for layer in layers:
            merge.lay(layer)
        merge.imply()
        merge.check_together()
        if merge.problems:
            raise SettingsError("\n".join(merge.problems))
        return cls(
            **_sections(merge.values), origins={name: given.origin for name, given in merge.given.items()}
        )

    @property
    def is_rehearsal(self) -> bool:
        """Whether delays below their lower bounds are allowed because no foreign host can be reached."""
        return self.crawl.rehearsal and stays_home(proxy=self.fetch.proxy, networks=self.fetch.allow_networks)

    @property
    def shared_name(self) -> str:
        """The name of a crawl on many machines, on its servers."""
        return self.cluster.crawl or self.crawl.name

    def user_agent(self, version: str) -> str:
        """Return the user agent; raise SettingsError if there is no contact."""
        contact = self.crawl.contact
        if not contact:
            raise SettingsError(
                "no contact given: every request carries an address that webmasters can turn to; "
                "use --contact https://corpus.example/bot, or contact in section [crawl] of the file"
            )
        return f"{self.crawl.name}/{version} ({'+' if '://' in contact else ''}{contact})"

    def value(self, name: str) -> Value:
        """Return the value of a setting by its full name."""
        section, _, key = name.partition(".")
        value: Value = getattr(getattr(self, section), key)
        return value

    def origin(self, name: str) -> str:
        """Return where a setting was set: "default", "remembered", "crawl.toml:12" or "--req-delay"."""
        return self.origins.get(name, DEFAULT_ORIGIN)

    def complain(self, name: str, problem: str) -> str:
        """Return one line that says what was set where, and what is wrong with it."""
        return Given(self.value(name), self.origin(name)).complain(name, problem)

    def to_dict(self) -> dict[str, dict[str, Any]]:
        """Return plain values by section and key, and the origins, for another process."""
        plain: dict[str, dict[str, Any]] = {section: {} for section in SECTIONS}
        for name, setting in SETTINGS.items():
            value = self.value(name)
            plain[setting.section][setting.key] = list(value) if isinstance(value, tuple) else value
        return {**plain, "origins": dict(self.origins)}

    @classmethod
    def from_dict(cls, plain: Mapping[str, Mapping[str, Any]]) -> Self:
        """Return the settings from the result of `to_dict`; they were checked when they were loaded."""
        values = {name: setting.default for name, setting in SETTINGS.items()}
        for section in plain.keys() - {"origins"}:
            for key, raw in plain[section].items():
                name = f"{section}.{key}"
                if name not in SETTINGS:
                    raise SettingsError(f"{name}: no such setting; do both sides run the same version?")
                values[name] = SETTINGS[name].kind.read(raw)
        return cls(**_sections(values), origins=dict(plain.get("origins", {})))

    def __repr__(self) -> str:
        changed = [f"{name}={SETTINGS[name].show(self.value(name))}" for name in self.origins]
        return without_passwords(f"<Settings {', '.join(changed) or 'all default'}>")


def to_toml(settings: Settings) -> str:
    """Return a complete settings file, with comments, for these settings."""
    return write_toml(settings.value, settings.origins)


class _Merge:
    """The layers merged so far: the value of every setting, its origin, and what is wrong."""

    def __init__(self, profile: Mapping[str, Given]) -> None:
        self.values: dict[str, Value] = {name: setting.default for name, setting in SETTINGS.items()}
        self.given: dict[str, Given] = {}
        self.problems: list[str] = []
        self._profile = profile
        self.lay(profile)

    def lay(self, layer: Mapping[str, Given]) -> None:
        """Add a layer on top; values that cannot be parsed or are out of bounds become problems."""
        for name, given in layer.items():
            setting = SETTINGS.get(name)
            if setting is None:
                self.problems.append(given.complain(name, f"no such setting{nearest_setting(name)}"))
                continue
            if setting.is_reset(given.raw):
                self._reset(setting)
                continue
            try:
                value = setting.read(given.raw)
            except ValueError as problem:
                self.problems.append(given.complain(name, str(problem)))
                continue
            misfit = setting.misfit(value)
            # A lower bound that a rehearsal lifts can only be checked when all layers are merged.
            if misfit and not (setting.relaxed and value < setting.at_least):  # type: ignore[operator]
                self.problems.append(given.complain(name, misfit))
                continue
            self.values[name] = value
            self.given[name] = given

    def _reset(self, setting: Setting) -> None:
        """Reset a setting to the value of the profile, or else to its default."""
        self.values[setting.name] = setting.default
        self.given.pop(setting.name, None)
        if setting.name in self._profile:
            self.values[setting.name] = setting.read(self._profile[setting.name].raw)
            self.given[setting.name] = self._profile[setting.name]

    def imply(self) -> None:
        """Add settings implied by others that were given."""
        sitemaps = self.given.get("crawl.sitemaps")
        if sitemaps is not None and self.values["crawl.sitemaps"] and "scope.follow" not in self.given:
            self.lay({"scope.follow": Given("sitemaps", sitemaps.origin)})

    def check_together(self) -> None:
        """Check what depends on more than one setting."""
        self._blame(broken_floors(self.values))
        # If values are missing, a conflict between others may not be real.
        if not self.problems:
            self._blame(broken_rules(self.values))

    def _blame(self, broken: Iterator[tuple[str, str]]) -> None:
        for name, problem in broken:
            given = self.given.get(name) or Given(SETTINGS[name].show(self.values[name]), DEFAULT_ORIGIN)
            self.problems.append(given.complain(name, problem))


def _profile_in(layers: Sequence[Mapping[str, Given]]) -> str:
    """Return the profile that the strongest layer names."""
    setting = SETTINGS[PROFILE_SETTING]
    named = [layer[PROFILE_SETTING] for layer in layers if PROFILE_SETTING in layer]
    if not named or setting.is_reset(named[-1].raw):
        return str(setting.default)
    return str(named[-1].raw)


def _with_origins(layer: Mapping[str, object], origin: str) -> dict[str, Given]:
    return {
        name: raw if isinstance(raw, Given) else Given(raw, origin or _origin(name))
        for name, raw in layer.items()
    }


def _origin(name: str) -> str:
    setting = SETTINGS.get(name)
    return origin_of_override(setting) if setting else f"--set {name}"


def _sections(values: Mapping[str, Value]) -> dict[str, Any]:
    grouped: dict[str, dict[str, Value]] = {section: {} for section in SECTIONS}
    for name, value in values.items():
        grouped[SETTINGS[name].section][SETTINGS[name].key] = value
    return {section: cls(**grouped[section]) for section, cls in SECTIONS.items()}
