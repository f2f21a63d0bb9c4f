"""Which arguments do many commands share, and what do they mean?"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Final

from cyclopts import Parameter

from tiptoe.cli.exits import Exit
from tiptoe.errors import SettingsError
from tiptoe.settings.units import parse_duration

__all__ = [
    "CRAWL_MARK",
    "FILE_MARK",
    "AsJson",
    "Delay",
    "Directory",
    "Further",
    "HtmlFile",
    "Local",
    "Quiet",
    "print_changes",
    "seconds_meant",
    "settings_meant",
]  # fmt: skip

CRAWL_MARK: Final = "crawl"
"""In an annotation: the argument is the directory of a crawl, which a shell can complete."""

FILE_MARK: Final = "file"
"""In an annotation: the argument is, or may be, the name of a file."""

Directory = Annotated[Path, Parameter(help="Directory of the crawl."), CRAWL_MARK]
AsJson = Annotated[bool, Parameter(name="--json", help="Print JSON.")]
HtmlFile = Annotated[Path | None, Parameter(help="Write one HTML page with plots to this file.")]
Local = Annotated[bool, Parameter(help="For a crawl on many machines, read only what is in this directory.")]
Further = Annotated[
    Path, Parameter(help="Further directories of the same crawl, from other machines."), CRAWL_MARK
]
Quiet = Annotated[bool, Parameter(name=["--quiet", "-q"], help="Print nothing but errors.")]
Delay = Annotated[str, Parameter(help="Pause between two requests; 0s means as configured.")]


def seconds_meant(option: str, given: str) -> float:
    """Return the duration given with an option, in seconds."""
    try:
        return parse_duration(given)
    except ValueError as error:
        raise SettingsError(f'{option} {given!r}: expected a duration such as "30s" or "5m"') from error


def settings_meant(assignments: Sequence[str]) -> dict[str, str]:
    """Return the settings that a control server should change."""
    given = dict(word.split("=", 1) for word in assignments if "=" in word)
    if not given or len(given) < len(assignments):
        raise SettingsError("expected section.key=value, each once, as politeness.req_delay=10s")
    return given


def print_changes(changes: Mapping[str, Sequence[str]]) -> int:
    """Print which settings of a running crawl have changed, with their old and new values."""
    for name, (before, after) in changes.items():
        print(f"{name} {before} -> {after}")
    if not changes:
        print("nothing has changed: so it was before")
    return Exit.DONE
