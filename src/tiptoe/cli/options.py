"""How do settings become options of a command?

    @takes_settings()
    def crawl(*urls: str, layers: Layers) -> None:
        settings = layers.load()

gives `crawl` one typed option per setting, `--config FILE` and `--set section.key=value`,
so that no option is written twice.
"""

import functools
import inspect
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated, Any, TypeVar

from cyclopts import Group, Parameter

from tiptoe.settings.commandline import Option, gather_overrides, options
from tiptoe.settings.given import Given
from tiptoe.settings.layers import Settings
from tiptoe.settings.schema import SECTIONS, SETTINGS
from tiptoe.settings.tomlfile import read_toml

__all__ = ["FORCED", "Layers", "takes_settings"]

Result = TypeVar("Result")
OUT = "crawl.out"
FORCED = "forced"
"""Origin of settings that a command decides by itself."""


@dataclass(frozen=True, slots=True)
class Layers:
    """The settings of one command line, in layers."""

    file: Path | None
    overrides: Mapping[str, Given]
    robot: Mapping[str, object] = field(default_factory=dict)  # from the filter files of a robot

    def load(
        self,
        *,
        presets: Mapping[str, object] | None = None,
        remembered: Mapping[str, object] | None = None,
        forced: Mapping[str, object] | None = None,
    ) -> Settings:
        """Return the settings in force.

        From lowest to highest precedence: presets, remembered settings, the files of a robot, settings file
        and command line, forced settings.
        """
        overrides = {**self.overrides, **{name: Given(raw, FORCED) for name, raw in (forced or {}).items()}}
        return Settings.load(self.file, overrides, presets=presets, remembered=remembered, robot=self.robot)

    def within(self, directory: Path) -> "Layers":
        """Return the layers with `crawl.out` set to a directory given as an argument."""
        return replace(self, overrides={**self.overrides, OUT: Given(str(directory), "DIR")})

    @property
    def out(self) -> Path:
        """The directory of the crawl, found even if other given settings cannot be read."""
        return self.named_out or Path(str(SETTINGS[OUT].default))

    @property
    def named_out(self) -> Path | None:
        """The directory of the crawl if the command line or the file names it."""
        given = self.overrides.get(OUT)
        if given is None and self.file is not None:
            given = read_toml(self.file).given.get(OUT)
        return Path(given.raw) if given is not None and isinstance(given.raw, str) and given.raw else None


def takes_settings(
    only: Iterable[str] | None = None, presets: Mapping[str, str] | None = None
) -> Callable[[Callable[..., Result]], Callable[..., Result]]:
    """Give a command the options of all settings, or of those named, and hand it their `layers`.

    `presets` are shown as defaults; the command itself has to load the settings with them.
    """
    offered = options(only, presets)

    def decorate(command: Callable[..., Result]) -> Callable[..., Result]:
        @functools.wraps(command)
        def run(
            *args: Any, config: Path | None = None, set_: list[str] | None = None, **given: Any
        ) -> Result:
            lines = [
                (option, value)
                for option in offered
                if (value := given.pop(option.parameter, None)) is not None
            ]
            values = {option.setting.name: value for option, value in lines if option.shorthand is None}
            shorthands = [option for option, value in lines if option.shorthand is not None and value]
            overrides = gather_overrides(values, set_ or [], shorthands)
            return command(*args, layers=Layers(config, overrides), **given)

        signature = inspect.signature(command, eval_str=True)
        own = [parameter for name, parameter in signature.parameters.items() if name != "layers"]
        added = [*map(_parameter, offered), *_common_parameters()]
        run.__signature__ = signature.replace(parameters=own + added)  # type: ignore[attr-defined]
        run.__annotations__ = {
            parameter.name: parameter.annotation for parameter in own + added
        } | {"return": signature.return_annotation}  # fmt: skip
        del run.__wrapped__  # its signature is not the one to parse
        return run

    return decorate


def _parameter(option: Option) -> inspect.Parameter:
    section = option.setting.section
    title = (SECTIONS[section].__doc__ or section).rstrip(".")
    hints = Parameter(
        name=option.name,
        help=option.help,
        group=Group(f"{section.capitalize()}: {title}", sort_key=list(SECTIONS).index(section)),
        negative_bool="no-" if option.shorthand is None else (),
        show_default=False,
        metavar=option.metavar,
        allow_leading_hyphen=option.value_type is not bool,
    )
    return _keyword(option.parameter, Annotated[option.value_type | None, hints, option.setting])


def _common_parameters() -> list[inspect.Parameter]:
    group = Group("All settings: `tiptoe config` lists them", sort_key=len(SECTIONS))
    config = Parameter(
        name=["--config", "-c"], group=group, help="File of settings, see `tiptoe config --format toml`."
    )
    assignments = Parameter(
        name="--set",
        group=group,
        help="Any setting as section.key=value, such as fetch.body_max=1MiB; the word default resets it to "
        "its default.",
    )
    return [
        _keyword("config", Annotated[Path | None, config]),
        _keyword("set_", Annotated[list[str] | None, assignments]),
    ]


def _keyword(name: str, annotation: Any) -> inspect.Parameter:
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=annotation)
