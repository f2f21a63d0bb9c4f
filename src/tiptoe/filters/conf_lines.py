"""What are the statements in a text file of the robot?

    # a comment, alone on its line
    <Filter name="a b">            a tag with its parameters
        MetaData fn=x src=host     a statement: its first word, then parameters
            deny="a b"             a line that begins with a blank continues the one before,
    </Filter>                      unless its first word begins a statement; so does one after a final \\

Values with blanks are in double quotes. In them a backslash is literal, as regular expressions need it; only
before a quote it is doubled, or makes the quote part of the value.
"""

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from typing import Final

from tiptoe.filters.filter_problem import FilterFindings

__all__ = ["Statement", "quote", "read_bool", "read_depth", "read_statements", "tags_balanced"]

LINES_MAX: Final = 200_000
LINE_CHARS_MAX: Final = 10_000

_TAG: Final = re.compile(r"<(/?)([A-Za-z]*)")
_NAME: Final = re.compile(r"[^\s=\"<>]+")
_PLAIN: Final = re.compile(r"[^\s\"#<>\\][^\s\"<>\\]*")
_QUOTE_WITHIN: Final = re.compile(r'(\\*)("|$)')

TRUE, FALSE = frozenset({"true", "yes", "on"}), frozenset({"false", "no", "off"})


@dataclass(slots=True)
class Statement:
    """One statement: its first word, its parameters, and where it begins."""

    head: str  # "MetaData", "<Filter", "</Filter"; empty if it has only parameters
    place: str
    parameters: dict[str, str] = field(default_factory=dict)
    is_open: bool = False  # a tag whose end was not reached yet

    def take(self, name: str, value: str, findings: FilterFindings) -> None:
        """Add a parameter."""
        if name in self.parameters:
            findings.error(self.place, f"{name} is given twice")
        self.parameters[name] = value


def read_statements(
    text: str, file: str, heads: Collection[str], findings: FilterFindings, *, joins: bool = True
) -> list[Statement]:
    """Return the statements of a file; `heads` are the words that they may begin with.

    Without `joins`, each line is a statement of its own, as in process.conf.
    """
    spelled = {head.lower(): head for head in heads}
    found: list[Statement] = []
    is_continued = False
    for number, line in enumerate(text.splitlines(), start=1):
        place = f"{file}:{number}"
        stripped = line.strip()
        if number > LINES_MAX or len(line) > LINE_CHARS_MAX:
            findings.error(place, f"more than {LINES_MAX} lines, or than {LINE_CHARS_MAX} characters in one")
            return found
        if not stripped or stripped.startswith("#"):
            continue
        goes_on = stripped.endswith("\\")
        if goes_on:
            stripped = stripped[:-1].rstrip()
        if not stripped.isprintable():
            stripped = stripped.replace("\t", " ")
            if not stripped.isprintable():
                findings.error(place, "there are control characters in this line")
                continue
        begins = _begins(stripped, spelled)
        if begins or not joins or not found:
            found.append(Statement("", place))
        elif not (is_continued or line[:1] in (" ", "\t")):
            known = ", ".join(sorted(head for head in heads if "<" not in head))
            findings.error(place, f"{stripped.split()[0][:60]!r} begins no line here; known are {known}")
            is_continued = goes_on
            continue
        _scan(found[-1], stripped, place, spelled, findings)
        is_continued = goes_on
    return found


def _begins(line: str, spelled: dict[str, str]) -> bool:
    return line.startswith("<") or line.split(None, 1)[0].lower() in spelled


def _scan(
    statement: Statement, line: str, place: str, spelled: dict[str, str], findings: FilterFindings
) -> None:
    """Add the contents of a line to its statement."""
    at, is_first = 0, not statement.head and not statement.parameters
    if tag := _TAG.match(line):
        statement.head, at, statement.is_open = f"<{tag[1]}{_spelled(tag[2], spelled)}", tag.end(), True
        is_first = False
    while at < len(line):
        if line[at].isspace():
            at += 1
            continue
        if line[at] == ">" and not line[at + 1 :].strip():
            statement.is_open = False
            return
        name = _NAME.match(line, at)
        if name is None:
            findings.error(place, f"cannot be read from {line[at : at + 40]!r} on")
            return
        at = name.end()
        if at < len(line) and line[at] == "=":
            value, at = _value(line, at + 1, statement, place, findings)
            statement.take(name[0], value, findings)
        elif is_first and name[0].lower() in spelled:
            statement.head = spelled[name[0].lower()]
            if statement.head != name[0]:
                findings.warn(place, f"{name[0]} is taken as {statement.head}")
        elif name[0].startswith("fn-"):
            findings.warn(place, f"{name[0]} is taken as fn={name[0][3:]}")
            statement.take("fn", name[0][3:], findings)
        else:
            findings.error(place, f"{name[0][:60]!r} is no parameter: those are written name=value")
            return
        is_first = False


def _spelled(tag: str, spelled: dict[str, str]) -> str:
    return spelled.get(f"<{tag.lower()}", f"<{tag}")[1:]


def _value(line: str, at: int, statement: Statement, place: str, findings: FilterFindings) -> tuple[str, int]:
    """Return the value that begins here, and where it ends."""
    if line[at : at + 1] != '"':
        end = next((place for place in range(at, len(line)) if line[place].isspace()), len(line))
        value = line[at:end]
        if statement.is_open and end == len(line) and value.endswith(">"):
            return value[:-1], end - 1
        return value, end
    read: list[str] = []
    at += 1
    for part in _QUOTE_WITHIN.finditer(line, at):
        read.append(line[at : part.start()])
        at = part.end()
        if not part[2]:
            read.append(part[1])
            break
        backslashes, is_quote = divmod(len(part[1]), 2)
        read.append("\\" * backslashes)
        if not is_quote:
            return "".join(read), at
        read.append('"')
    value = "".join(read)
    if statement.is_open and value.endswith(">"):
        findings.warn(place, f"the quote before {value[:-1][:40]!r} is not closed; taken as if it were")
        return value[:-1], len(line) - 1
    findings.error(place, f"the quote before {value[:40]!r} is not closed")
    return value, len(line)


def quote(value: str) -> str:
    """Return a value as it is written in a file."""
    if _PLAIN.fullmatch(value):
        return value
    doubled = _QUOTE_WITHIN.sub(lambda part: part[1] * 2 + ('\\"' if part[2] else ""), value)
    return f'"{doubled}"'


def read_bool(value: str) -> bool | None:
    """Return the meaning of a word for yes or no; None if it is neither."""
    word = value.lower()
    return word in TRUE if word in TRUE or word in FALSE else None


def read_depth(value: str) -> int | None:
    """Return a depth: a number, or -1 for no limit; None if it is neither."""
    return int(value) if re.fullmatch(r"-1|\d{1,6}", value) else None


def tags_balanced(statements: list[Statement], findings: FilterFindings) -> Iterator[tuple[str, Statement]]:
    """Yield each statement with the tag that contains it ("" for none); note tags that are not closed."""
    inside: Statement | None = None
    for statement in statements:
        head = statement.head
        if head.startswith("</"):
            if inside is None or head[2:] != inside.head[1:]:
                findings.error(statement.place, f"{head}> closes nothing")
            inside = None
            continue
        if head.startswith("<"):
            if inside is not None:
                findings.error(inside.place, f"{inside.head}> is not closed before {statement.place}")
            inside = statement
            yield "", statement
            continue
        yield inside.head[1:] if inside is not None else "", statement
    if inside is not None:
        findings.error(
            inside.place, f"{inside.head}> is not closed; {inside.head[0]}/{inside.head[1:]}> ends it"
        )
