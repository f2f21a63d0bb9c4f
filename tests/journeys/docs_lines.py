"""Which command lines of ours stand in the documents?"""

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])

FENCED = re.compile(r"^ *```(\w*)[^\n]*\n(.*?)^ *```", re.MULTILINE | re.DOTALL)
SHELL = ("", "sh")
BETWEEN = re.compile(r"[|&;<>()]+")


def page_name(page: Path) -> str:
    return str(page.relative_to(ROOT))


def blocks_of(page: Path, language: str) -> Iterator[str]:
    """Yield the blocks of a page that are written in a language, such as toml."""
    for named, block in FENCED.findall(page.read_text(encoding="utf-8")):
        if named == language:
            yield block


def command_lines(page: Path) -> Iterator[list[str]]:
    """Yield the words behind `tiptoe` of each command in the blocks of a page."""
    for language, block in FENCED.findall(page.read_text(encoding="utf-8")):
        if language in SHELL:
            for line in re.sub(r"\\\n\s*", " ", block).splitlines():
                yield from commands_of(line.strip().removeprefix("$ "))


def commands_of(line: str) -> Iterator[list[str]]:
    """Yield our commands in a line of the shell, as with a pipe, without where their output goes."""
    lexer = shlex.shlex(line, posix=True, punctuation_chars="|&;<>()")
    lexer.whitespace_split = True
    try:
        words = list(lexer)
    except ValueError:
        return  # output of a program
    command: list[str] = []
    for word in [*words, ";"]:
        if not BETWEEN.fullmatch(word):
            command.append(word)
            continue
        if command[:1] == ["tiptoe"]:
            yield command[1:]
        command = []
