"""What does a settings file look like?

    [politeness]
    req_delay = "10s"

Reading finds the line of every value, so that an error message can name it; writing
produces a complete file with the meaning of each setting above it.
"""

import json
import re
import textwrap
import tomllib
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from tiptoe.settings.given import Given
from tiptoe.settings.kind import Value
from tiptoe.settings.nearest import nearest_section, nearest_setting
from tiptoe.settings.schema import SECTIONS, SETTINGS
from tiptoe.settings.setting import Setting, settings_of

__all__ = ["TomlFile", "read_toml", "write_toml"]

FILE_BYTES_MAX: Final = 4 << 20
LINE_CHARS: Final = 100
HEADER: Final = re.compile(r"""\s*\[+\s*["']?([\w-]+)["']?\s*\]""")
KEY: Final = re.compile(r"""\s*((?:["']?[\w-]+["']?\s*\.\s*)*["']?[\w-]+["']?)\s*=""")
POSITION: Final = re.compile(r" \(at line (\d+), column (\d+)\)$")


@dataclass(slots=True)
class TomlFile:
    """The settings in a file, by full name, and what is wrong with it."""

    given: dict[str, Given] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)


def read_toml(path: Path) -> TomlFile:
    """Read a file; unknown names and broken syntax are problems, values are not yet checked."""
    found = TomlFile()
    try:
        with path.open("rb") as file:
            content = file.read(FILE_BYTES_MAX + 1)
        if len(content) > FILE_BYTES_MAX:
            raise ValueError(f"longer than {FILE_BYTES_MAX} bytes")
        text = content.decode("utf-8-sig")  # with or without a byte order mark
        tables = tomllib.loads(text)
    except tomllib.TOMLDecodeError as problem:
        found.problems.append(_syntax_problem(path, str(problem)))
    except UnicodeDecodeError as problem:
        found.problems.append(f"{path}: not UTF-8 at byte {problem.start}")
    except OSError as problem:
        found.problems.append(f"{path}: cannot be read: {problem.strerror}")
    except (ValueError, RecursionError) as problem:
        found.problems.append(f"{path}: {problem}")
    else:
        lines = _find_lines(text)
        for section, table in tables.items():
            _read_section(found, path, section, table, lines)
    return found


def write_toml(value_of: Callable[[str], Value], given: Collection[str]) -> str:
    """Return a complete file: every setting with its meaning, bounds and value.

    Settings that were not given are comments: otherwise the file would fix the defaults of this version for
    later ones, and the pauses of the real web for rehearsals.
    """
    parts = [
        "# Settings of tiptoe. What is set here begins without a #; the rest are the defaults.",
        "# `tiptoe config --config FILE` shows what is in force, and why.",
    ]
    for section, cls in SECTIONS.items():
        parts.append(f"\n\n[{section}]\n{_comment(cls.__doc__ or '')}")
        for setting in settings_of(section, cls):
            notes = _comment(setting.help) + (f"\n# {setting.bounds}" if setting.bounds else "")
            line = f"{setting.key} = {_literal(setting, value_of(setting.name))}"
            parts.append(f"\n{notes}\n{line if setting.name in given else textwrap.indent(line, '#')}")
    return "\n".join(parts) + "\n"


def _read_section(found: TomlFile, path: Path, section: str, table: object, lines: dict[str, int]) -> None:
    where = _place(path, lines, section)
    if section not in SECTIONS:
        is_table = isinstance(table, dict)
        hint = nearest_section(section) if is_table else nearest_setting(section)
        what = "no such section" if is_table else "stands outside of a section"
        found.problems.append(f"{where}: {f'[{section}]' if is_table else section}: {what}{hint}")
        return
    if not isinstance(table, dict):
        found.problems.append(f"{where}: {section}: expected a section [{section}]")
        return
    for key, raw in table.items():
        name = f"{section}.{key}"
        where = _place(path, lines, name)
        if name in SETTINGS:
            found.given[name] = Given(raw, where)
        else:
            found.problems.append(f"{where}: {name}: no such setting{nearest_setting(name)}")


def _find_lines(text: str) -> dict[str, int]:
    """Map sections and full names to line numbers, which tomllib does not provide."""
    lines: dict[str, int] = {}
    section = ""
    for number, line in enumerate(text.splitlines(), start=1):
        if header := HEADER.match(line):
            section = header[1]
            lines.setdefault(section, number)
        elif key := KEY.match(line):
            name = re.sub(r"[\s\"']", "", key[1])
            lines.setdefault(f"{section}.{name}" if section else name, number)
    return lines


def _place(path: Path, lines: dict[str, int], name: str) -> str:
    line = lines.get(name) or lines.get(name.partition(".")[0])
    return f"{path}:{line}" if line else str(path)


def _syntax_problem(path: Path, message: str) -> str:
    position = POSITION.search(message)
    if position is None:
        return f"{path}: {message}"
    return f"{path}:{position[1]}: {message[: position.start()]} (column {position[2]})"


def _comment(text: str) -> str:
    return textwrap.fill(
        text, LINE_CHARS, initial_indent="# ", subsequent_indent="# ", break_long_words=False
    )


def _literal(setting: Setting, value: Value) -> str:
    if isinstance(value, tuple):
        items = [_quote(word) for word in value]
        line = f"[{', '.join(items)}]"
        return line if len(line) <= LINE_CHARS else "[\n" + "".join(f"    {item},\n" for item in items) + "]"
    shown = setting.show(value)
    is_plain = isinstance(value, bool) or re.fullmatch(r"\d+(\.\d+)?", shown)
    return shown if is_plain and not isinstance(value, str) else _quote(shown)


def _quote(text: str) -> str:
    # Literal strings keep the backslashes of regular expressions readable.
    return f"'{text}'" if "\\" in text and "'" not in text else json.dumps(text, ensure_ascii=False)
