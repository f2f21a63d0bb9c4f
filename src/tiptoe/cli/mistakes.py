"""What is wrong with a command line, in our own words?

The messages of the parser have another style, and it suggests names that share little but two dashes.
"""

import difflib
from collections.abc import Iterable, Mapping
from typing import Final, Literal, get_origin

from cyclopts import (
    CoercionError,
    CycloptsError,
    MissingArgumentError,
    RepeatArgumentError,
    UnknownOptionError,
)

from tiptoe.cli.foreign_options import foreign_option_message

__all__ = ["mistake_message"]

LETTER_CHARS: Final = len("-x")
LIKENESS_MIN: Final = 0.65
"""Minimum similarity of two names without their dashes, from 0 to 1; below it, none is suggested. --pages is
like --max-pages, --background is not like --batch-count."""

NUMBERS: Final[Mapping[object, str]] = {int: "a whole number", float: "a number"}


def mistake_message(error: CycloptsError) -> str:
    """Return what is wrong with a command line, and where to look it up."""
    said = _said(error)
    link = " " if said.endswith("?") else "; "
    return f"{said}{link}`{' '.join(['tiptoe', *(error.command_chain or ())])} --help` explains"


def _said(error: CycloptsError) -> str:
    if isinstance(error, MissingArgumentError) and error.argument is not None and not error.tokens_so_far:
        return _missing(error)
    if isinstance(error, UnknownOptionError):
        return _unknown_option(error)
    if isinstance(error, RepeatArgumentError):
        return f"{error.token.keyword} is given more than once"
    if isinstance(error, CoercionError) and (expected := _expected(error)) and error.token is not None:
        name = error.token.keyword or (error.argument.name.lstrip("-").upper() if error.argument else "")
        return f"{name} {error.token.value}: expected {expected}"
    return str(error).partition(" Available commands")[0].rstrip(".")


def _missing(error: MissingArgumentError) -> str:
    assert error.argument is not None
    name = error.argument.name
    text = f"{name.lstrip('-').upper() if error.argument.field_info.is_positional else name} is missing"
    if name in (error.root_input_tokens or ()):  # the option was given, but without a value
        text = f"{name}: its value is missing"
    if choices := error.argument.get_choices():
        text += f": one of {', '.join(choices)}"
    return text


def _expected(error: CoercionError) -> str:
    """Return what a value has to be; empty when that cannot be said briefly."""
    if get_origin(error.target_type) is Literal and error.argument is not None:
        return f"one of {', '.join(error.argument.get_choices() or ())}"
    return NUMBERS.get(error.target_type, "")


def _unknown_option(error: UnknownOptionError) -> str:
    """Return what is wrong with an unknown option, which may belong to another command or tool."""
    option = error.token.keyword or error.token.value
    text = f"Unknown option: {option}"
    if list(error.command_chain or ()) == ["crawl"] and (ours := foreign_option_message(option)):
        return f"{text}; {ours}"
    if list(error.command_chain or ()) == ["search"] and not option.startswith("--"):
        return f"{text}; if it is the query, put -- before it, or write NOT for the -"
    known = (name for argument in error.argument_collection for name in argument.names)
    near = _nearest(option.partition("=")[0], known)
    return f"{text}. Did you mean {near}?" if near else text


def _nearest(option: str, known: Iterable[str]) -> str:
    """Return the option that may have been meant; never for a single letter, which resembles any other."""
    if len(option) <= LETTER_CHARS:
        return ""
    bare = option.strip("-").replace("_", "-").lower()
    names = {name.strip("-"): name for name in known if name.startswith("--")}
    longer = (name for name in names if name.startswith(bare))
    near = difflib.get_close_matches(bare, names, 1, LIKENESS_MIN)
    return next((names[name] for name in [*near, *longer]), "")
