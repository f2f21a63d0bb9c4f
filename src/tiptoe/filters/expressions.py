"""How are the regular expressions of filters interpreted?

In POSIX syntax, with classes such as [[:digit:]], searched for anywhere in a value. Some in the robot's
guides are written as shell patterns: a `*` at the very beginning stands for anything.

Expressions come from the operator, but the strings come from strangers: only the first `VALUE_CHARS_MAX`
characters of a string are examined.
"""

import re
from typing import Final

__all__ = ["VALUE_CHARS_MAX", "compile_expression", "expression_fault", "is_slow"]

VALUE_CHARS_MAX: Final = 2_000
EXPRESSION_CHARS_MAX: Final = 4_000

CLASSES: Final = {
    "alnum": "a-zA-Z0-9", "alpha": "a-zA-Z", "blank": r" \t", "cntrl": r"\x00-\x1f\x7f", "digit": "0-9",
    "graph": r"\x21-\x7e", "lower": "a-z", "print": r"\x20-\x7e", "punct": r"!-/:-@\[-`{-~", "space": r"\s",
    "upper": "A-Z", "xdigit": "0-9A-Fa-f",
}  # fmt: skip
_CLASS: Final = re.compile(r"\[:(\w+):\]")
_NESTED: Final = re.compile(r"\((?:[^()\\]|\\.)*[+*](?:[^()\\]|\\.)*\)[+*{]")
"""A repetition within a repetition, which takes practically forever on some strings."""


def compile_expression(expression: str) -> re.Pattern[str]:
    """Compile an expression, to be searched for in a value; re.error if it is invalid."""
    if len(expression) > EXPRESSION_CHARS_MAX:
        raise re.error(f"longer than {EXPRESSION_CHARS_MAX} characters")
    whole = f".{expression}" if expression.startswith("*") else expression
    return re.compile(_CLASS.sub(_class, whole))


def expression_fault(expression: str) -> str:
    """Return what is wrong with an expression; empty if nothing."""
    try:
        compile_expression(expression)
    except (re.error, RecursionError, OverflowError) as error:
        return f"no regular expression: {error}"
    return "" if expression else "is empty"


def is_slow(expression: str) -> bool:
    """Whether an expression may take very long on some strings."""
    return _NESTED.search(expression) is not None


def _class(found: re.Match[str]) -> str:
    if found[1] not in CLASSES:
        raise re.error(f"no class [:{found[1]}:]; known are {', '.join(CLASSES)}")
    return CLASSES[found[1]]
