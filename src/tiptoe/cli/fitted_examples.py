"""How are examples made to fit a terminal of 80 columns?

A line that a terminal folds cannot be copied. So a remark that does not fit beside its command is put
above it, and a long command is continued on the next line after a backslash.
"""

import re
from collections.abc import Iterator
from typing import Final

__all__ = ["fitted_examples"]

COLUMNS: Final = 78
"""Maximum width of a line: 80 minus the margin of the help, one column on either side."""

INTRODUCTION: Final = "For example:"
CONTINUED: Final = " \\"
INDENT: Final = "    "


def fitted_examples(text: str) -> str:
    """Return commands as a code block under an introductory line: their own first one, or a default."""
    commands = text.strip().splitlines()
    if not commands:
        return ""
    introduction = commands.pop(0) if commands[0].endswith(":") else INTRODUCTION
    lines = [part for command in commands for part in _fitted(command)]
    return "\n".join([introduction, "```", *lines, "```", ""])


def _fitted(line: str) -> Iterator[str]:
    if len(line) <= COLUMNS:
        yield line
        return
    command, sign, remark = line.partition(" # ")
    command = command.rstrip()
    if sign and len(beside := f"{command}  # {remark.strip()}") <= COLUMNS:
        yield beside
        return
    if sign:
        yield f"# {remark.strip()}"
    yield from _folded(command)


def _folded(command: str) -> Iterator[str]:
    """Yield the shell lines of a command, broken before options where that helps."""
    room, line = COLUMNS - len(CONTINUED), ""
    for piece in re.split(r" (?=--|\| |> )", command):
        longer = f"{line} {piece}" if line else piece
        if line.strip() and len(longer) > room:
            yield line + CONTINUED
            longer = INDENT + piece
        line = longer
    yield line
