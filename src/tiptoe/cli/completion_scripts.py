"""How does a shell learn which words can come next?

One script for each shell: the fixed part is in `completion/`, and the tables of commands, options and values
are inserted here. tiptoe itself does not run while the user types.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from importlib.resources import files
from typing import Final, Literal

from tiptoe.cli.command_tree import CommandWord, DeclaredCommand, Takes

__all__ = ["Shell", "completion_script"]

Shell = Literal["bash", "zsh", "fish"]
Listing = Callable[[list[tuple[str, str]]], str]
"""Turns words and their descriptions into the output of a shell function."""

HINT_CHARS: Final = 70
"""Maximum length of the description that a shell shows beside a word; `--help` has all of it."""


def completion_script(root: DeclaredCommand, shell: Shell) -> str:
    """Return the script that completes the words of all commands in a shell."""
    form = (files("tiptoe.cli") / "completion" / f"tiptoe.{shell}").read_text(encoding="utf-8")
    return form.replace("@TABLES@", "\n".join(TABLES[shell](list(root.walk()))))


def hint(help: str) -> str:
    """Return the first sentence of a help text, as plain words."""
    plain = help.replace("`", "").replace("**", "")
    first = re.split(r"(?<=[.;:?])\s|\s\[", plain, maxsplit=1)[0].rstrip(".;:")
    return first if len(first) <= HINT_CHARS else first[: HINT_CHARS - 1].rstrip() + "…"


def _path(command: DeclaredCommand) -> str:
    return " ".join(command.words)


def _value(word: CommandWord) -> str:
    return " ".join(word.choices) or word.takes.value


# The tables of the scripts: each row has what was typed so far and what a function answers to it. A star at
# the end of what was typed matches anything.
Row = tuple[str, str]


def _commands(commands: Iterable[DeclaredCommand], list_: Listing) -> Iterator[Row]:
    for command in commands:
        if command.under:
            yield _path(command), list_([(below.words[-1], hint(below.summary)) for below in command.under])


def _options(commands: Iterable[DeclaredCommand], list_: Listing) -> Iterator[Row]:
    for command in commands:
        yield _path(command), list_([(name, hint(word.help)) for name, word in _typed(command.options)])


def _values(commands: Iterable[DeclaredCommand]) -> Iterator[Row]:
    for command in commands:
        for name, word in _typed(command.options):
            if word.takes is not Takes.NOTHING:
                yield f"{_path(command)} {name}", f"echo '{_value(word)}'"


def _places(commands: Iterable[DeclaredCommand]) -> Iterator[Row]:
    for command in commands:
        for number, word in enumerate(command.places):
            place = "*" if word.is_repeated else str(number)
            yield f"{_path(command)} {place}", f"echo '{_value(word)}'"


def _typed(options: Iterable[CommandWord]) -> Iterator[tuple[str, CommandWord]]:
    """Yield each name of each option; a lone hyphen is not an option to complete."""
    for word in options:
        yield from ((name, word) for name in word.names if name != "-")


# -- bash and zsh ------------------------------------------------------------


def _bash_tables(commands: list[DeclaredCommand]) -> Iterator[str]:
    def names(words: list[tuple[str, str]]) -> str:
        return f"echo '{' '.join(name for name, _ in words)}'"

    yield _function("_tiptoe_commands", _commands(commands, names))
    yield _function("_tiptoe_options", _options(commands, names))
    yield _function("_tiptoe_value", _values(commands), "echo nothing")
    yield _function("_tiptoe_place", _places(commands), "echo word")


def _zsh_tables(commands: list[DeclaredCommand]) -> Iterator[str]:
    def described(words: list[tuple[str, str]]) -> str:
        lines = (name + ":" + one.replace(":", "\\:") for name, one in words)
        return f"reply=({' '.join(map(_quoted, lines))})"

    yield _function("_tiptoe_commands", _commands(commands, described), "reply=()")
    yield _function("_tiptoe_options", _options(commands, described), "reply=()")
    yield _function("_tiptoe_value", _values(commands), "echo nothing")
    yield _function("_tiptoe_place", _places(commands), "echo word")


def _function(name: str, rows: Iterable[Row], otherwise: str = ":") -> str:
    cases = "".join(f"        {_pattern(typed)}) {answer} ;;\n" for typed, answer in rows)
    return f'{name}() {{\n    case "$*" in\n{cases}        *) {otherwise} ;;\n    esac\n}}\n'


def _pattern(typed: str) -> str:
    return _quoted(typed[:-1]) + "*" if typed.endswith("*") else _quoted(typed)


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "'\\''") + "'"


# -- fish --------------------------------------------------------------------


def _fish_tables(commands: list[DeclaredCommand]) -> Iterator[str]:
    def described(words: list[tuple[str, str]]) -> str:
        text = " ".join(f"{_fish_quoted(name)} {_fish_quoted(one)}" for name, one in words)
        return f"printf '%s\\t%s\\n' {text}"

    yield _fish_function("__tiptoe_commands", _commands(commands, described), "true")
    yield _fish_function("__tiptoe_options", _options(commands, described), "true")
    yield _fish_function("__tiptoe_value", _values(commands), "echo nothing")
    yield _fish_function("__tiptoe_place", _places(commands), "echo word")


def _fish_function(name: str, rows: Iterable[Row], otherwise: str) -> str:
    cases = "".join(f"        case {_fish_quoted(typed)}\n            {answer}\n" for typed, answer in rows)
    last = f"        case '*'\n            {otherwise}\n"
    return f'function {name}\n    switch "$argv"\n{cases}{last}    end\nend\n'


def _fish_quoted(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


Tables = Callable[[list[DeclaredCommand]], Iterator[str]]
TABLES: Final[Mapping[Shell, Tables]] = {"bash": _bash_tables, "zsh": _zsh_tables, "fish": _fish_tables}
