"""`tiptoe config`: which settings are in force, and where do they come from?"""

import json
from pathlib import Path
from typing import Annotated, Any, Literal

from cyclopts import Parameter
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table
from rich.text import Text

from tiptoe.cli.arguments import CRAWL_MARK
from tiptoe.cli.filter_inputs import load_settings
from tiptoe.cli.options import Layers, takes_settings
from tiptoe.cli.past import Past
from tiptoe.cli.printer import Printer
from tiptoe.keeper.directory import CrawlDirectory
from tiptoe.observe.amounts import amount_text, human_count
from tiptoe.observe.crawl_marker import MARKER, no_crawl
from tiptoe.settings.kind import LINES
from tiptoe.settings.layers import Settings, to_toml
from tiptoe.settings.profiles import PROFILE_SETTING, profile_names, profile_text
from tiptoe.settings.schema import SECTIONS, SETTINGS
from tiptoe.settings.setting import Setting, settings_of
from tiptoe.url.passwords import without_passwords

__all__ = ["config_command", "describe_settings", "print_table"]

WORDS_SHOWN_MAX = 3

FILES = ("crawl.out", "crawl.seeds", "crawl.sitemaps", "crawl.downlist", "harvest.token_file", "fetch.access")
"""Settings that name files; these have to exist and be readable before a crawl begins."""

COLUMNS = {"value": 5, "from": 5, "default": 4, "bounds": 6, "meaning": 14}
"""Headings, and the share of the remaining width that each gets."""


@takes_settings()
def config_command(
    directory: Annotated[
        Path | None, Parameter(help="Directory of a crawl whose settings to show, as --out."), CRAWL_MARK
    ] = None,
    *,
    profiles: Annotated[bool, Parameter(help="List the profiles, each with what it sets.")] = False,
    format: Annotated[Literal["table", "toml", "json"], Parameter(help="How to write it.")] = "table",
    layers: Layers,
) -> None:
    """Show every setting with its value, default, bounds, meaning, and who set it.

    Takes the same options as a crawl, so that a command line can be checked before it is used; settings that
    the directory remembers from earlier runs count as well.
    A profile is printed first, as it is in its file.
    `--format toml` writes a complete file to start from: settings at their defaults are comments.
    Passwords are never printed.
    """
    if profiles:
        for name in profile_names():
            print(profile_text(name))
        return
    out = directory or layers.named_out
    past = Past(Path(), None) if out is None else Past.recall(out)
    if directory is not None:
        if past.settings is None:
            raise no_crawl(directory)
        layers = layers.within(directory)
    settings = load_settings(layers, past.values).settings
    past.refuse_unchangeable(settings)
    _check_files(settings)
    if format == "toml":
        print(without_passwords(to_toml(settings)), end="")
    elif format == "json":
        print(json.dumps(describe_settings(settings), indent=2, ensure_ascii=False))
    else:
        if settings.origin(PROFILE_SETTING) != "default":
            print(profile_text(settings.crawl.profile))
        seeds = CrawlDirectory(out).known_seeds() if out is not None else None
        print_table(settings, Printer(), seeds_known=len(seeds or ()))


def _check_files(settings: Settings) -> None:
    """Refuse the named files that a crawl would refuse."""
    if any(settings.origin(name) != "default" for name in FILES):
        from tiptoe.cli.crawl_command import check_inputs  # the whole crawler, which a listing does not need

        check_inputs(settings)


def describe_settings(settings: Settings) -> list[dict[str, Any]]:
    """Return everything about each setting, as plain values."""
    return [
        {
            "name": name,
            "value": _shown_value(settings.value(name)),
            "written": without_passwords(setting.show(settings.value(name))),
            "origin": settings.origin(name),
            "default": setting.default,
            "kind": setting.kind.name,
            "unit": setting.unit,
            "at_least": setting.at_least,
            "at_most": setting.at_most,
            "live": setting.live,
            "option": setting.option,
            "help": setting.help,
        }
        for name, setting in SETTINGS.items()
    ]


def _shown_value(value: Any) -> Any:
    return without_passwords(value) if isinstance(value, str) else value


def print_table(settings: Settings, console: Console, *, seeds_known: int = 0) -> None:
    """Print one table per section; what is not a default stands out.

    `seeds_known` is how many seeds a crawl that has begun knows; they are not a setting.
    """
    for section, cls in SECTIONS.items():
        table = Table(
            title=Text(f"[{section}] {cls.__doc__}"), title_justify="left", expand=True, box=SIMPLE_HEAD
        )
        table.add_column("setting", no_wrap=True)
        for heading, width in COLUMNS.items():
            table.add_column(heading, ratio=width, overflow="fold")
        for setting in settings_of(section, cls):
            origin = settings.origin(setting.name)
            cells = _cells(setting, settings)
            if setting.name == "crawl.seeds" and origin == "default" and seeds_known:
                origin = "remembered"
                cells[1:3] = [f"{human_count(seeds_known)} in {MARKER}", origin]
            # Text, not str: a regular expression in brackets is not markup.
            table.add_row(*map(Text, cells), style="" if origin == "default" else "bold")
        console.print(table)


def _cells(setting: Setting, settings: Settings) -> list[str]:
    return [
        setting.key,
        _with_unit(setting, settings.value(setting.name)),
        settings.origin(setting.name),
        _brief(setting, setting.default),
        "; ".join(filter(None, [setting.bounds, "live" if setting.live else ""])),
        setting.help,
    ]


def _with_unit(setting: Setting, value: Any) -> str:
    """Return a value with its unit, unless it is shown as a word or already written with a unit."""
    is_number = isinstance(value, int | float) and setting.show(value) == setting.kind.show(value)
    unit = setting.unit if is_number and setting.unit not in ("seconds", "bytes") else ""
    return amount_text(value, unit) if unit and value == 1 else f"{_brief(setting, value)} {unit}".strip()


def _brief(setting: Setting, value: Any) -> str:
    if isinstance(value, tuple) and len(value) > WORDS_SHOWN_MAX and setting.kind is not LINES:
        return f"{', '.join(value[:WORDS_SHOWN_MAX])} and {len(value) - WORDS_SHOWN_MAX} more"
    return without_passwords(setting.show(value)) or "none"
