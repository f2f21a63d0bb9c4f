"""How do the filter files of a robot affect a crawl? See `filters.dir`.

They are read and checked before the crawl begins; our own settings file and
the command line take precedence over the settings in them. Their filters are stored with the settings.
"""

import dataclasses
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from rich.console import Console
from rich.markup import escape

from tiptoe.cli.field_inputs import with_field_rules
from tiptoe.cli.options import Layers
from tiptoe.errors import SettingsError
from tiptoe.filters.definition import from_lines, to_lines
from tiptoe.filters.filter_directory import RobotFiles, read_robot
from tiptoe.filters.robot_filters import whole_crawl_limit
from tiptoe.settings.given import Given
from tiptoe.settings.layers import Settings
from tiptoe.settings.units import format_duration, parse_duration

__all__ = ["LoadedSettings", "load_settings", "print_warnings"]


class LoadedSettings(NamedTuple):
    """The settings in force, the layers they came from, and the files of a robot, if any were given."""

    settings: Settings
    layers: Layers
    robot: RobotFiles | None

    @property
    def starts(self) -> list[str]:
        """The seeds that the files name."""
        return self.robot.starts if self.robot is not None else []


def load_settings(
    layers: Layers,
    remembered: Mapping[str, object] | None,
    *,
    presets: Mapping[str, object] | None = None,
    forced: Mapping[str, object] | None = None,
) -> LoadedSettings:
    """Return the settings of a crawl, including those in robot files; raise SettingsError on mistakes."""

    def load() -> Settings:
        return layers.load(presets=presets, remembered=remembered, forced=forced)

    settings, robot = load(), None
    if settings.filters.dir:
        robot = read_robot(Path(settings.filters.dir))
        robot.expect_order()
        layers = _with_robot(layers, settings, robot)
        layers = _with_floors(layers, load(), robot)
        settings = load()
    if settings.text.fields:
        layers = with_field_rules(layers, settings)
        settings = load()
    expect_agreement(settings)
    return LoadedSettings(settings, layers, robot)


def _with_robot(layers: Layers, settings: Settings, robot: RobotFiles) -> Layers:
    asked: dict[str, object] = {
        wanted.name: Given(wanted.value, robot.where(wanted.place))
        for wanted in robot.wanted
        if not wanted.is_floor
    }
    where = f"--filters {settings.filters.dir}"
    asked["filters.definition"] = Given(to_lines(robot.definition), where)
    if robot.downlist is not None and not settings.crawl.downlist:
        asked["crawl.downlist"] = Given(str(robot.downlist), where)
    return dataclasses.replace(layers, robot=asked)


def _with_floors(layers: Layers, settings: Settings, robot: RobotFiles) -> Layers:
    """Adopt the pauses of the files, which may only be longer than ours."""
    overrides = dict(layers.overrides)
    for wanted in robot.wanted:
        if not wanted.is_floor:
            continue
        ours = float(settings.value(wanted.name))  # type: ignore[arg-type]
        if parse_duration(wanted.value) > ours:
            overrides[wanted.name] = Given(wanted.value, robot.where(wanted.place))
        elif parse_duration(wanted.value) < ours:
            robot.findings.warn(
                wanted.place,
                f"a pause of {wanted.value} is shorter than {wanted.name}, so {format_duration(ours)} stays",
            )
    return dataclasses.replace(layers, overrides=overrides)


def expect_agreement(settings: Settings) -> None:
    """Refuse settings under which the filters could not be honoured."""
    if not settings.filters.definition:
        return
    definition = from_lines(settings.filters.definition)
    names = [definition.filter_name(kind) for kind in ("enumeration", "generation")]
    lines = [line for name in names for line in definition.directives_of(name)]
    for line in lines:
        if line.function == "filter-by-md5" and not settings.text.duplicity:
            raise SettingsError(f"{line.place}: filter-by-md5 needs text.duplicity, which is switched off")
        if line.function == "convert-to-html" and settings.documents.convert == "never":
            raise SettingsError(f'{line.place}: convert-to-html, but documents.convert = "never"')
    if settings.cluster.servers and whole_crawl_limit(definition, "hosts"):
        raise SettingsError(
            "filter-by-max src=hosts counts the hosts of the whole crawl, and on many machines nobody does; "
            "use src=objects, which becomes crawl.max_pages"
        )


def print_warnings(robot: RobotFiles | None, console: Console) -> None:
    """Print what in the files is not honoured, or is interpreted differently from how it is written."""
    for problem in robot.findings.warnings if robot is not None else ():
        text = escape(f"{robot.where(problem.place)}: {problem.what}") if robot is not None else ""
        console.print(text, highlight=False, soft_wrap=True)
