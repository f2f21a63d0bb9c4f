"""What does one table of a rule file contain, and what is wrong with it?

Takes values out by name and type, and collects complaints: which rule, which field, what to try. No complaint
repeats a value, since it could be a secret in the wrong place.
"""

import difflib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

from tiptoe.access.secret import Secret, read_secret

__all__ = ["RuleTable"]

SOURCES: Final = ("file", "env")


class RuleTable:
    """One table, read field by field; fields that were not read at the end are unknown."""

    def __init__(
        self, table: Mapping[str, Any], place: str, complain: Callable[[str], None], *,
        folder: Path, environment: Mapping[str, str],
    ) -> None:  # fmt: skip
        self._table = table
        self._place = place
        self._complain = complain
        self._folder = folder
        self._environment = environment
        self._known: set[str] = set()

    def complain(self, key: str, problem: str) -> None:
        """Note what is wrong with a field."""
        self._complain(f"{self._place}: {key}: {problem}")

    def has(self, *keys: str) -> bool:
        """Whether one of these fields is given."""
        return any(key in self._table for key in keys)

    def text(self, key: str, check: Callable[[str], None] = lambda text: None) -> str:
        """Return a field that is a text; empty if it is missing or wrong."""
        value = self._take(key, str, 'a text in quotes, such as "…"')
        if value is None:
            return ""
        try:
            if not value.isprintable():
                raise ValueError("control characters are not allowed")
            check(value)
        except ValueError as problem:
            self.complain(key, str(problem))
            return ""
        return str(value)

    def flag(self, key: str) -> bool:
        """Return a field that is true or false."""
        return bool(self._take(key, bool, "true or false"))

    def number(self, key: str, default: int, *, at_most: int) -> int:
        """Return a field that is a number of at least 1."""
        value = self._take(key, int, f"a number from 1 to {at_most}")
        if value is None:
            return default
        if isinstance(value, bool) or not 1 <= value <= at_most:
            self.complain(key, f"expected a number from 1 to {at_most}")
            return default
        return int(value)

    def every(self, key: str, kind: type, expected: str) -> list[Any] | None:
        """Return a field that is a list of one type; None if it is missing or wrong."""
        value: list[Any] | None = self._take(key, list, expected)
        if value is not None and not all(type(one) is kind for one in value):
            self.complain(key, f"expected {expected}")
            return None
        return value

    def table(self, key: str) -> "RuleTable | None":
        """Return a table within this one."""
        value = self._take(key, dict, f"a table, as in [rule.{key}]")
        if value is None:
            return None
        return RuleTable(
            value, f"{self._place}: {key}", self._complain, folder=self._folder, environment=self._environment
        )

    def texts_and_secrets(self, key: str) -> dict[str, str | Secret]:
        """Return a table whose values are texts or refer to secrets: { file = … }, { env = … }."""
        found: dict[str, str | Secret] = {}
        for name, value in (self._take(key, dict, 'a table such as { name = "text" }') or {}).items():
            place = f"{key}.{name}"
            if isinstance(value, str) and value.isprintable():
                found[name] = value
            elif isinstance(value, dict) and len(value) == 1 and set(value) <= set(SOURCES):
                source, where = next(iter(value.items()))
                if (secret := self._read_secret(place, source, where)) is not None:
                    found[name] = secret
            else:
                self.complain(place, 'expected a text, { file = "…" } or { env = "…" }')
        return found

    def secret(self, key: str) -> Secret | None:
        """Return the secret that `key_file` or `key_env` refers to; None if missing or wrong."""
        given = [source for source in SOURCES if self.has(f"{key}_{source}")]
        wheres = {source: self._take(f"{key}_{source}", str, "a text in quotes") for source in given}
        if len(given) > 1:
            self.complain(f"{key}_file", f"give either {key}_file or {key}_env")
            return None
        return self._read_secret(f"{key}_{given[0]}", given[0], wheres[given[0]]) if given else None

    def file(self, key: str) -> Path | None:
        """Return a path, relative to the directory of the rule file; None if it is missing."""
        text = self.text(key)
        return self._folder / text if text else None

    def finish(self) -> None:
        """Complain about every unknown field."""
        for key in sorted(self._table.keys() - self._known):
            near = difflib.get_close_matches(key, self._known, 1)
            hint = f"; did you mean {near[0]}?" if near else ""
            if key in ("password", "token", "secret"):
                hint = f"; secrets do not stand in this file: use {key}_file or {key}_env"
            self.complain(key, f"no such field{hint}")

    def _read_secret(self, place: str, source: str, where: object) -> Secret | None:
        if not isinstance(where, str) or not where:
            self.complain(place, "expected a text in quotes")
            return None
        file = self._folder / where if source == "file" else None
        try:
            return read_secret(file=file, variable=where, environment=self._environment)
        except ValueError as problem:
            self.complain(place, str(problem))
            return None

    def _take(self, key: str, kind: type, expected: str) -> Any:
        self._known.add(key)
        value = self._table.get(key)
        if value is not None and not isinstance(value, kind):
            self.complain(key, f"expected {expected}")
            return None
        return value
