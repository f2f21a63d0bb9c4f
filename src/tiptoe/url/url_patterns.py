"""Is one of these regular expressions found in a URL?

The expressions come from the operator, the URLs from strangers. RE2 always takes time proportional to the
length of a URL; in return it has no look-around and no back-references.
"""

from collections.abc import Callable, Sequence
from typing import Any, Final

import re2

__all__ = ["UrlPatterns", "compile_url_pattern"]

PATTERN_CHARS_MAX: Final = 4_000
TOGETHER_MAX: Final = 100
"""Maximum number of expressions that are combined into one."""


def compile_url_pattern(expression: str) -> Any:
    """Compile an expression; raise ValueError saying what is wrong with it."""
    if len(expression) > PATTERN_CHARS_MAX:
        raise ValueError(f"longer than {PATTERN_CHARS_MAX} characters")
    return _compiled(expression)


class UrlPatterns:
    """Regular expressions, each searched for anywhere in a URL."""

    def __init__(self, expressions: Sequence[str]) -> None:
        self.expressions = tuple(expressions)
        self._searches: list[Callable[[str], object]] = [
            search
            for start in range(0, len(self.expressions), TOGETHER_MAX)
            for search in _searches(self.expressions[start : start + TOGETHER_MAX])
        ]

    def __bool__(self) -> bool:
        return bool(self.expressions)

    def found_in(self, url: str) -> bool:
        """Whether any of them is found."""
        return any(search(url) for search in self._searches)

    def first_in(self, url: str) -> str | None:
        """Return the first of them that is found; slower than `found_in`, for explanations."""
        return next((one for one in self.expressions if _compiled(one).search(url)), None)


def _searches(expressions: Sequence[str]) -> list[Callable[[str], object]]:
    """Return functions that search for expressions: one for all, or several if that is too large."""
    try:
        return [_compiled("|".join(f"(?:{expression})" for expression in expressions)).search]
    except ValueError:
        if len(expressions) == 1:
            raise
        middle = len(expressions) // 2
        return _searches(expressions[:middle]) + _searches(expressions[middle:])


def _compiled(expression: str) -> Any:
    options = re2.Options()
    options.log_errors = False
    try:
        return re2.compile(expression, options)
    except re2.error as error:
        value = error.args[0] if error.args else b""
        raise ValueError(
            value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)
        ) from None
