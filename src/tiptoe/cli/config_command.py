"""`tiptoe config`: which settings are in force, and who said so?"""

import json
from pathlib import Path
from typing import Annotated, Any, Literal

from cyclopts import Parameter
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table
from rich.text import Text

from tiptoe.cli.options import Layers, takes_settings
from tiptoe.cli.past import Past
from tiptoe.cli.printer import Printer
from tiptoe.errors import SettingsError
from tiptoe.settings.layers import Settings, to_toml
from tiptoe.settings.schema import SECTIONS, SETTINGS
from tiptoe.settings.setting import Setting, settings_of

__all__ = ["config_command", "describe_settings", "print_table"]

WORDS_SHOWN_MAX = 3

FILES = ("crawl.out", "crawl.seeds", "crawl.downlist", "harvest.token_file")
"""What they name has to be there, and to be read, before a crawl begins."""

COLUMNS = {"value": 5, "from": 5, "default": 4, "bounds": 6, "meaning": 14}
"""Headings, and the share of the width that each gets beside the name."""


@takes_settings()
def config_command(
    directory: Annotated[
        Path | None, Parameter(help="Directory of a crawl whose settings to show, as --out.")
    ] = None,
    *,
    format: Annotated[Literal["table", "toml", "json"], Parameter(help="How to write it.")] = "table",
    layers: Layers,
) -> None:
    """Show every setting with its value, default, bounds, meaning, and who set it.

    Takes the same options as a crawl, so that a command line can be tried before it runs; what the directory
    remembers of earlier runs counts as well.
    `--format toml` writes a complete file to start from: what nobody has set is a comment.
    """
    out = directory or layers.named_out
    past = Past(Path(), None) if out is None else Past.recall(out)
    if directory is not None:
        if past.settings is None:
            raise SettingsError(f"{directory}: no crawl lives there")
        layers = layers.within(directory)
    settings = layers.load(remembered=past.values)
    past.refuse_unchangeable(settings)
    _check_files(settings)
    if format == "toml":
        print(to_toml(settings), end="")
    elif format == "json":
        print(json.dumps(describe_settings(settings), indent=2, ensure_ascii=False))
    else:
        print_table(settings, Printer())


def _check_files(settings: Settings) -> None:
    """Refuse what a crawl would refuse of the files that are named."""
    if any(settings.origin(name) != "default" for name in FILES):
        from tiptoe.cli.crawl_command import check_inputs  # the whole crawler, which a listing does not need

        check_inputs(settings)


def describe_settings(settings: Settings) -> list[dict[str, Any]]:
    """Return all there is to know of every setting, as plain values."""
    return [
        {
            "name": name,
            "value": settings.value(name),
            "written": setting.show(settings.value(name)),
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


def print_table(settings: Settings, console: Console) -> None:
    """Print one table per section; what is not a default stands out."""
    for section, cls in SECTIONS.items():
        table = Table(
            title=Text(f"[{section}] {cls.__doc__}"), title_justify="left", expand=True, box=SIMPLE_HEAD
        )
        table.add_column("setting", no_wrap=True)
        for heading, width in COLUMNS.items():
            table.add_column(heading, ratio=width, overflow="fold")
        for setting in settings_of(section, cls):
            origin = settings.origin(setting.name)
            # Text, not str: a regular expression in brackets is not markup.
            cells = [Text(cell) for cell in _cells(setting, settings)]
            table.add_row(*cells, style="" if origin == "default" else "bold")
        console.print(table)


def _cells(setting: Setting, settings: Settings) -> list[str]:
    unit = setting.unit if setting.unit not in ("seconds", "bytes") else ""
    return [
        setting.key,
        f"{_brief(setting, settings.value(setting.name))} {unit}".strip(),
        settings.origin(setting.name),
        _brief(setting, setting.default),
        "; ".join(filter(None, [setting.bounds, "live" if setting.live else ""])),
        setting.help,
    ]


def _brief(setting: Setting, value: Any) -> str:
    if isinstance(value, tuple) and len(value) > WORDS_SHOWN_MAX:
        return f"{', '.join(value[:WORDS_SHOWN_MAX])} and {len(value) - WORDS_SHOWN_MAX} more"
    return setting.show(value) or "none"
