"""How does a program run a command of `tiptoe` in a process of its own?"""

import re
import subprocess
import sys
from collections.abc import Iterable, Mapping, Sequence
from tempfile import TemporaryFile
from typing import Final

from tiptoe.errors import CrawlerError, SettingsError

__all__ = ["SettingValue", "run_command", "setting_words"]

SettingValue = str | int | float | bool | Sequence[str]
"""The value of a setting in Python; durations and sizes are texts, such as "5s" or "1MiB"."""

OUTPUT_BYTES_MAX: Final = 16_000
IN_PYTHON: Final = {"--set ": "", "--out": "directory", "--add-seeds": "add_seeds", "--contact": "contact"}
"""Names in Python for the options that error messages mention."""

MISTAKEN: Final = 2
"""Exit code of a command with wrong arguments or settings."""


def run_command(words: Sequence[str], *, said_to_it: str = "", ends: Iterable[int] = (0,)) -> None:
    """Run a command to its end; SettingsError or CrawlerError with its error message if it fails."""
    with TemporaryFile() as read, TemporaryFile() as said:
        read.write(said_to_it.encode())
        read.seek(0)
        done = subprocess.run(  # noqa: S603  our own command; outside input is only arguments
            [sys.executable, "-m", "tiptoe", *words],
            stdin=read, stdout=subprocess.DEVNULL, stderr=said, check=False,
        )  # fmt: skip
        if done.returncode in ends:
            return
        said.seek(max(0, said.seek(0, 2) - OUTPUT_BYTES_MAX))
        complaint = said.read().decode("utf-8", "replace").strip().removeprefix("tiptoe: ")
    complaint = re.sub("|".join(IN_PYTHON), lambda option: IN_PYTHON[option[0]], complaint)
    problem = complaint or f"`tiptoe {words[0]}` ended with code {done.returncode}"
    raise SettingsError(problem) if done.returncode == MISTAKEN else CrawlerError(problem)


def setting_words(settings: Mapping[str, SettingValue]) -> list[str]:
    """Return settings by full name as arguments of a command line."""
    words: list[str] = []
    for name, value in settings.items():
        words += ["--set", f"{name}={_written(value)}"]
    return words


def _written(value: SettingValue) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return ",".join(value) if not isinstance(value, str | int | float) else str(value)
