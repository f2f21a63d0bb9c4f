"""What do the manual pages say?

The same as `--help`, from the same declarations, in the form that `man` reads: one page for the program and
one for each command.
"""

import re
from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import Final

from tiptoe import __version__
from tiptoe.cli.command_tree import CommandWord, DeclaredCommand, Takes

__all__ = ["manual_pages"]

SECTION = "1"

HELP_GROUP: Final = "Options"
"""Name of the group of --help that has no other heading."""


def manual_pages(root: DeclaredCommand) -> dict[str, str]:
    """Return the text of each page by the name of its file, such as tiptoe-crawl.1."""
    return {f"{_name(command)}.{SECTION}": _page(command) for command in root.walk()}


def _name(command: DeclaredCommand) -> str:
    return "-".join(("tiptoe", *command.words))


def _page(command: DeclaredCommand) -> str:
    name = _name(command)
    lines = [
        f'.TH {_plain(name.upper())} {SECTION} "" "tiptoe {__version__}" "tiptoe"',
        ".SH NAME",
        f"{_plain(name)} \\- {_inline(command.summary.rstrip('.'))}",
        ".SH SYNOPSIS",
        *_synopsis(command),
        ".SH DESCRIPTION",
        *_prose(command.help),
        *_places(command.places),
        *_options(command.options),
        *_commands(command.under),
        *_examples(command.examples),
        *_see_also(command),
    ]
    return "\n".join(lines) + "\n"


def _synopsis(command: DeclaredCommand) -> Iterator[str]:
    yield f".B {_plain(' '.join(('tiptoe', *command.words)))}"
    if command.under:
        yield "\\fICOMMAND\\fR"
        return
    for word in command.places:
        shown = f"\\fI{_plain(word.metavar)}\\fR" + ("..." if word.is_repeated else "")
        yield shown if word.is_required else f"[{shown}]"
    for word in command.options:
        if word.is_required:
            yield f"\\fB{_plain(word.names[0])}\\fR \\fI{_plain(word.metavar)}\\fR"
    yield "[\\fIOPTIONS\\fR]"


def _prose(text: str) -> Iterator[str]:
    for number, paragraph in enumerate(re.split(r"\n\s*\n", text.strip())):
        if number:
            yield ".PP"
        yield _inline(" ".join(paragraph.split()))


def _places(places: Iterable[CommandWord]) -> Iterator[str]:
    for number, word in enumerate(places):
        if not number:
            yield ".SH ARGUMENTS"
        yield from (".TP", f"\\fI{_plain(word.metavar)}\\fR", _told(word))


def _options(options: Iterable[CommandWord]) -> Iterator[str]:
    yield ".SH OPTIONS"
    for number, (group, words) in enumerate(groupby(options, key=lambda word: word.group)):
        if number:
            yield f".SS {_inline(group if group != HELP_GROUP else 'Help')}"
        for word in words:
            names = ", ".join(f"\\fB{_plain(name)}\\fR" for name in word.names)
            value = "" if word.takes is Takes.NOTHING else f" \\fI{_plain(word.metavar)}\\fR"
            yield from (".TP", names + value, _told(word))


def _told(word: CommandWord) -> str:
    """Return the help of an argument, with its default and, unless already mentioned, its choices."""
    choices = ", ".join(word.choices)
    told = word.help if not choices or choices in word.help else f"{word.help} One of {choices}."
    return _inline(f"{told} [default: {word.default}]" if word.default else told)


def _commands(under: Iterable[DeclaredCommand]) -> Iterator[str]:
    for number, command in enumerate(under):
        if not number:
            yield ".SH COMMANDS"
        yield from (".TP", f".BR {_plain(_name(command))} ({SECTION})", _inline(command.summary))


def _examples(text: str) -> Iterator[str]:
    said, _, code = text.partition("```")
    code = code.rpartition("```")[0].strip("\n")
    if not code:
        return
    yield ".SH EXAMPLES"
    yield _inline(" ".join(said.split()))
    yield from (".PP", ".nf", ".RS 4")
    yield from map(_plain, code.splitlines())
    yield from (".RE", ".fi")


def _see_also(command: DeclaredCommand) -> Iterator[str]:
    if command.words:
        above = "-".join(("tiptoe", *command.words[:-1]))
        yield from (".SH SEE ALSO", f".BR {_plain(above)} ({SECTION})")


def _inline(text: str) -> str:
    """Return a line of prose; what is in backticks or between pairs of stars is bold."""
    pieces = re.split(r"`([^`]+)`|\*\*([^*]+)\*\*", text)
    shown = []
    for plain, code, strong in zip(pieces[::3], [*pieces[1::3], ""], [*pieces[2::3], ""], strict=True):
        shown.append(_escaped(plain))
        if bold := code or strong:
            shown.append(f"\\fB{_escaped(bold)}\\fR")
    return _guarded("".join(shown))


def _plain(text: str) -> str:
    return _guarded(_escaped(text))


def _escaped(text: str) -> str:
    """Escape characters that `man` would interpret, and those outside ASCII, by their names."""
    for sign, name in (("\\", "\\e"), ("-", "\\-"), ("'", "\\(aq"), ("`", "\\(ga")):
        text = text.replace(sign, name)
    return "".join(sign if sign.isascii() else f"\\[u{ord(sign):04X}]" for sign in text)


def _guarded(line: str) -> str:
    """Keep a line that begins with a dot from being interpreted as a request."""
    return "\\&" + line if line.startswith(".") else line
