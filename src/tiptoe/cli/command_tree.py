"""Which commands are there, and which arguments does each take?

Read from the declarations that the parser uses, so that completion and manual pages agree with the program.
Only this module and those that declare commands know the parser library.
"""

import enum
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Final, get_args, get_origin

from cyclopts import App, Parameter

from tiptoe.cli.arguments import CRAWL_MARK, FILE_MARK
from tiptoe.settings.setting import Setting

__all__ = ["CommandWord", "DeclaredCommand", "Takes", "declared_commands", "declared_usage"]


class Takes(enum.StrEnum):
    """What the value of an argument names."""

    NOTHING = "nothing"  # the argument is a switch
    WORD = "word"
    FILE = "file"
    CRAWL = "crawl"


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandWord:
    """An option or a positional argument."""

    names: tuple[str, ...]  # "--quiet", "-q"; includes negations, such as --no-sitemaps
    help: str
    group: str
    takes: Takes
    choices: tuple[str, ...] = ()
    metavar: str = ""  # placeholder for its value
    default: str = ""  # empty if the help mentions it
    is_required: bool = False
    is_repeated: bool = False

    @property
    def is_option(self) -> bool:
        """Whether it can only be given by name."""
        return bool(self.names)

    @property
    def placed(self) -> str:
        """How it appears in the usage line: in brackets unless it is required."""
        name = f"{self.names[0]} " if self.names else ""
        shown = f"{name}{self.metavar}{'...' if self.is_repeated else ''}"
        return shown if self.is_required else f"[{shown}]"


@dataclass(frozen=True, slots=True, kw_only=True)
class DeclaredCommand:
    """A command with its arguments; a command with subcommands has none of its own."""

    words: tuple[str, ...]  # "cluster", "status"
    help: str
    examples: str
    places: tuple[CommandWord, ...] = ()  # positional arguments, in order
    options: tuple[CommandWord, ...] = ()
    under: tuple["DeclaredCommand", ...] = ()

    @property
    def summary(self) -> str:
        """The first line of its help."""
        return self.help.partition("\n")[0]

    @property
    def usage(self) -> str:
        """The command with its positional arguments, in order."""
        return _usage_above(self.words) if self.under else " ".join(["tiptoe", *self.words, *self._behind()])

    def _behind(self) -> Iterator[str]:
        yield from (word.placed for word in self.places)
        yield from (word.placed for word in self.options if word.is_required)
        if any(not word.is_required and word is not HELP for word in self.options):
            yield "[OPTIONS]"

    def walk(self) -> Iterator["DeclaredCommand"]:
        """Yield the command, then all its subcommands."""
        yield self
        for command in self.under:
            yield from command.walk()


HELP: Final = CommandWord(
    names=("--help", "-h"), help="Display this message and exit.", group="Options", takes=Takes.NOTHING
)
VERSION: Final = CommandWord(
    names=("--version",), help="Display application version.", group="Options", takes=Takes.NOTHING
)

FILE_SETTINGS: Final = frozenset({"crawl.seeds", "crawl.downlist", "filters.dir", "cluster.servers"})
"""Settings whose value is, or may be, the name of a file."""

CRAWL_SETTINGS: Final = frozenset({"crawl.out"})


def declared_commands(app: App) -> DeclaredCommand:
    """Return the program as a tree of its commands."""
    return _command(app, (), app.default_parameter)


def declared_usage(app: App, words: Sequence[str]) -> str:
    """Return the usage of one command; its subcommands are not looked at, and so not imported."""
    shared = app.default_parameter
    for word in words:
        app = app[word]
    if any(_names_under(app)):
        return _usage_above(words)
    return _command(app, tuple(words), shared).usage


def _names_under(app: App) -> Iterator[str]:
    return (name for name in app if not name.startswith("-"))


def _usage_above(words: Sequence[str]) -> str:
    """Return the usage of a command with subcommands."""
    return " ".join(["tiptoe", *words, "COMMAND"])


def _command(app: App, words: tuple[str, ...], shared: Parameter | None) -> DeclaredCommand:
    under = tuple(_command(app[name], (*words, name), shared) for name in _names_under(app))
    arguments = [] if under else list(_arguments(app, shared))
    return DeclaredCommand(
        words=words,
        help=(app.help or "").strip(),
        examples=(app.help_epilogue or "").strip(),
        places=tuple(word for is_place, word in arguments if is_place),
        options=(
            *(word for _, word in arguments if word.is_option), HELP, *(() if words else (VERSION,))
        ),
        under=under,
    )  # fmt: skip


def _arguments(app: App, shared: Parameter | None) -> Iterator[tuple[bool, CommandWord]]:
    """Yield each argument with whether it is positional; one that can be both is also yielded as an option.

    `shared` are the declarations that apply to all arguments.
    """
    for argument in app.assemble_argument_collection(default_parameter=shared, parse_docstring=True):
        if not argument.show or not argument.parse:
            continue
        options = tuple(name for name in argument.names if name.startswith("-"))
        word = _word(argument)
        if argument.index is not None:
            yield True, word
        elif options:
            yield False, word


def _word(argument: Any) -> CommandWord:
    marks = list(_marks(argument.field_info.annotation))
    setting = next((mark for mark in marks if isinstance(mark, Setting)), None)
    is_place = argument.index is not None
    groups = [group.name for group in argument.parameter.group or ()]
    takes = _takes(argument, marks, setting)
    return CommandWord(
        names=() if is_place else tuple(argument.names),
        help=" ".join((argument.parameter.help or "").split()),
        group=groups[0] if groups else "Options",
        takes=takes,
        choices=setting.choices if setting else argument.get_choices(force=True) or (),
        metavar=argument.parameter.metavar or _metavar(argument, takes),
        default=_default(argument),
        is_required=argument.required,
        is_repeated=argument.is_var_positional() or get_origin(argument.hint) in (list, tuple),
    )


def _takes(argument: Any, marks: Iterable[object], setting: Setting | None) -> Takes:
    if argument.hint in (bool, bool | None):
        return Takes.NOTHING
    if CRAWL_MARK in marks or (setting and setting.name in CRAWL_SETTINGS):
        return Takes.CRAWL
    is_file = FILE_MARK in marks or (setting and setting.name in FILE_SETTINGS) or _names_file(argument.hint)
    return Takes.FILE if is_file else Takes.WORD


def _metavar(argument: Any, takes: Takes) -> str:
    if argument.index is None and takes in (Takes.FILE, Takes.CRAWL):
        return "PATH" if takes is Takes.FILE else "DIR"
    return str(argument.names[0]).lstrip("-").upper()


def _default(argument: Any) -> str:
    """Return the default as help shows it; empty for what is off, empty or absent by default."""
    value, tell = argument.field_info.default, argument.show_default
    if not tell or value in (None, False, "", ()):
        return ""
    return (tell(value) if callable(tell) else str(value)) or ""


def _marks(annotation: object) -> Iterator[object]:
    if get_origin(annotation) is Annotated:
        yield from get_args(annotation)[1:]


def _names_file(hint: object) -> bool:
    return hint is Path or any(_names_file(part) for part in get_args(hint))
