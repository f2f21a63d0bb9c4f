"""What does a file of rules contain, and what is wrong with it?

    [[rule]]
    name = "books"
    hosts = ["shop.example"]
    paths = ["/book/*"]

    [rule.fields]
    price = { css = "span.price", type = "number" }
    isbn = { xpath = "//dt[.='ISBN']/following-sibling::dd[1]" }

Everything is checked when the file is read: names, types, every selector. Each error message says where the
problem is, what is wrong and what to try.
"""

import difflib
import re
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from tiptoe.fields.field_rule import LINE_CHARS_MAX, SELECTORS, TYPES, FieldRule, PageRule, to_lines
from tiptoe.fields.rule_book import compile_selector

__all__ = ["FieldRules", "read_rules"]

RULES_MAX: Final = 1_000
FIELDS_MAX: Final = 100
"""Maximum number of fields, in one rule and in all of them together."""


_RULE_KEYS: Final = ("name", "hosts", "paths", "fields")
_FIELD_KEYS: Final = (*SELECTORS, "type", "attribute", "decimal")
_RULE_NAME = re.compile(r"[\w.-]{1,60}")
_FIELD_NAME = re.compile(r"[a-z][a-z0-9_]{0,39}")
_HOST = re.compile(r"[^\s/:*@]{1,253}|\[[0-9a-f:.]+\](?!.)")
_HEADER = re.compile(r"\s*\[\[\s*rule\s*\]\]")
_KEY = re.compile(r"""\s*["']?([\w.-]+)["']?\s*=""")
_FIELD_HEADER = re.compile(r"""\s*\[\s*rule\s*\.\s*fields\s*\.\s*["']?([\w.-]+)["']?\s*\]""")
_POSITION = re.compile(r" \(at line (\d+), column (\d+)\)$")


@dataclass(slots=True)
class FieldRules:
    """The rules of a file, and what is wrong in it."""

    rules: list[PageRule] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)


def read_rules(text: str, file: str) -> FieldRules:
    """Read the rules of a file; `file` is its name in error messages."""
    return _RuleReading(text, file).read()


class _RuleReading:
    """One file that is being read."""

    def __init__(self, text: str, file: str) -> None:
        self._text = text
        self._file = file
        self._lines = _find_lines(text)
        self._types: dict[str, tuple[str, str]] = {}  # by field: its type, and the rule that gives it
        self.found = FieldRules()

    def read(self) -> FieldRules:
        """Return the contents of the file."""
        try:
            tables = tomllib.loads(self._text)
        except tomllib.TOMLDecodeError as problem:
            self.found.problems.append(_syntax_problem(self._file, str(problem)))
            return self.found
        except RecursionError:
            self.found.problems.append(f"{self._file}: nested too deeply")
            return self.found
        for key in tables.keys() - {"rule"}:
            self._complain(0, "", f"{key}: no such key; rules stand in [[rule]]")
        rules = tables.get("rule", [])
        if not isinstance(rules, list) or not all(isinstance(rule, dict) for rule in rules):
            self._complain(0, "", "rule: write [[rule]] in two brackets, one for each rule")
        elif not rules:
            self._complain(0, "", "there is no rule; one begins with [[rule]]")
        elif len(rules) > RULES_MAX:
            self._complain(0, "", f"{len(rules)} rules; at most {RULES_MAX}")
        else:
            for number, rule in enumerate(rules, start=1):
                self._read_rule(number, rule)
        return self.found

    def _complain(self, number: int, field_name: str, what: str, rule: str = "") -> None:
        line = self._lines.get((number, field_name)) or self._lines.get((number, ""))
        place = f"{self._file}:{line}" if line else self._file
        who = f"rule {rule or number}" if number else ""
        who += f", field {field_name}" if field_name else ""
        self.found.problems.append(f"{place}: {who}: {what}" if who else f"{place}: {what}")

    # -- one rule --------------------------------------------------------

    def _read_rule(self, number: int, table: Mapping[str, Any]) -> None:
        name = table.get("name", "")
        if not isinstance(name, str) or not _RULE_NAME.fullmatch(name):
            self._complain(number, "", 'name: give it one, such as name = "books": letters, digits, - and _')
            name = str(number)
        elif any(rule.name == name for rule in self.found.rules):
            self._complain(number, "", f"name: there is another rule {name}; reports tell rules apart by it")
        for key in table.keys() - {*_RULE_KEYS}:
            self._complain(number, "", f"{key}: no such key{_nearest(key, _RULE_KEYS)}", name)
        hosts = self._texts(number, name, "hosts", table.get("hosts", []))
        for host in hosts:
            if not _HOST.fullmatch(host):
                what = f"hosts: {host!r} is no host; www.shop.example is one, and stands for those below it"
                self._complain(number, "", what, name)
        paths = self._texts(number, name, "paths", table.get("paths", []))
        for path in paths:
            if not path.startswith(("/", "*")):
                self._complain(number, "", f"paths: {path!r} does not begin with / or *", name)
        fields = table.get("fields")
        if not isinstance(fields, dict) or not fields:
            self._complain(number, "", "it has no fields; they stand in [rule.fields]", name)
            return
        if len(fields) > FIELDS_MAX:
            self._complain(number, "", f"{len(fields)} fields; at most {FIELDS_MAX}", name)
            return
        read = [self._read_field(number, name, field_name, given) for field_name, given in fields.items()]
        made = PageRule(name=name, hosts=hosts, paths=paths, fields=tuple(filter(None, read)))
        if any(len(line) > LINE_CHARS_MAX for line in to_lines([made])):
            what = f"hosts, paths and a field are longer than {LINE_CHARS_MAX} characters; make two rules"
            self._complain(number, "", what, name)
        self.found.rules.append(made)

    def _texts(self, number: int, rule: str, key: str, given: object) -> tuple[str, ...]:
        listed = [given] if isinstance(given, str) else given
        if not isinstance(listed, list) or not all(isinstance(one, str) for one in listed):
            self._complain(number, "", f"{key}: a list of texts was expected", rule)
            return ()
        return tuple(listed)

    # -- one field -------------------------------------------------------

    def _read_field(self, number: int, rule: str, name: str, given: object) -> FieldRule | None:
        def complain(what: str) -> None:
            self._complain(number, name, what, rule)

        if not _FIELD_NAME.fullmatch(name):
            complain("its name may have small letters, digits and _, and begins with a letter")
        table = {"css": given} if isinstance(given, str) else given
        if not isinstance(table, dict):
            complain('write { css = "span.price" }, or xpath, jsonld or meta in place of css')
            return None
        for key in table.keys() - {*_FIELD_KEYS}:
            complain(f"{key}: no such key{_nearest(key, _FIELD_KEYS)}")
        read = FieldRule(
            name=name,
            type=self._choice(complain, table, "type", TYPES, "text"),
            attribute=self._attribute(complain, table),
            decimal=self._choice(complain, table, "decimal", (".", ","), ""),
            selectors=tuple(_selectors(table)),
        )
        known, said_by = self._types.setdefault(name, (read.type, rule))
        if known != read.type:
            complain(f"type: it is {known} in rule {said_by}; a field has one type in all rules")
        if len(self._types) > FIELDS_MAX:
            complain(f"more than {FIELDS_MAX} fields in all rules; give fields of a kind the same name")
        if not read.selectors:
            complain('where is it? Say css = "...", xpath = "...", jsonld = "..." or meta = "..."')
        for kind, selector in read.selectors:
            try:
                compile_selector(kind, selector, read)
            except ValueError as problem:
                complain(f"{kind} = {selector[:80]!r}: {problem}")
        return read

    @staticmethod
    def _choice(
        complain: Any, table: Mapping[str, Any], key: str, choices: Sequence[str], default: str
    ) -> str:
        given = table.get(key, default)
        if given == default or given in choices:
            return str(given)
        complain(f"{key}: {given!r} is none of {', '.join(choices)}{_nearest(str(given), choices)}")
        return default

    @staticmethod
    def _attribute(complain: Any, table: Mapping[str, Any]) -> str:
        given = table.get("attribute", "")
        if isinstance(given, str) and (not given or re.fullmatch(r"[\w:-]{1,60}", given)):
            return given.lower()
        complain(f"attribute: {given!r} is no name of an attribute, such as href")
        return ""


def _selectors(table: Mapping[str, Any]) -> Iterable[tuple[str, str]]:
    for kind, given in table.items():
        if kind in SELECTORS:
            for selector in given if isinstance(given, list) else [given]:
                yield kind, selector if isinstance(selector, str) else ""


def _nearest(word: str, known: Sequence[str]) -> str:
    near = difflib.get_close_matches(word, known, 1)
    return f"; did you mean {near[0]}?" if near else f"; there are {', '.join(known)}"


def _find_lines(text: str) -> dict[tuple[int, str], int]:
    """Map the number of a rule and the name of a field to lines, which tomllib does not provide."""
    lines: dict[tuple[int, str], int] = {}
    number = 0
    for place, line in enumerate(text.splitlines(), start=1):
        if _HEADER.match(line):
            number += 1
            lines[number, ""] = place
        elif found := _FIELD_HEADER.match(line) or _KEY.match(line):
            lines.setdefault((number, found[1].removeprefix("fields.")), place)
    return lines


def _syntax_problem(file: str, message: str) -> str:
    position = _POSITION.search(message)
    if position is None:
        return f"{file}: {message}"
    return f"{file}:{position[1]}: {message[: position.start()]} (column {position[2]})"
