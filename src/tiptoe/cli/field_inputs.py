"""What do rules for fields mean for a crawl? See `text.fields`.

The file is read and checked before anything begins; its rules are stored with the settings.
"""

import dataclasses
from pathlib import Path
from typing import Final

from tiptoe.cli.options import Layers
from tiptoe.errors import CrawlerError, SettingsError
from tiptoe.fields.field_rule import PageRule, from_lines, to_lines
from tiptoe.fields.rule_book import RuleBook
from tiptoe.fields.rule_file import FieldRules, read_rules
from tiptoe.keeper.settings_file import recall
from tiptoe.settings.given import Given
from tiptoe.settings.layers import Settings

__all__ = ["expect_rules", "read_rule_file", "remembered_rules", "with_field_rules"]

FILE_BYTES_MAX: Final = 4 << 20
PROBLEMS_SHOWN: Final = 20


def read_rule_file(path: Path) -> FieldRules:
    """Return the rules in a file with their mistakes; raise SettingsError if it cannot be read at all."""
    try:
        with path.open("rb") as file:
            content = file.read(FILE_BYTES_MAX + 1)
    except OSError as problem:
        raise SettingsError(f"{path}: cannot be read: {problem.strerror}") from None
    if len(content) > FILE_BYTES_MAX:
        raise SettingsError(f"{path}: longer than {FILE_BYTES_MAX} bytes, which no file of rules is")
    try:
        return read_rules(content.decode("utf-8-sig"), str(path))
    except UnicodeDecodeError as problem:
        raise SettingsError(f"{path}: not UTF-8 at byte {problem.start}") from None


def expect_rules(path: Path) -> list[PageRule]:
    """Return the rules in a file; raise SettingsError that lists their mistakes."""
    found = read_rule_file(path)
    if found.problems:
        more = len(found.problems) - PROBLEMS_SHOWN
        rest = [f"… and {more} more: tiptoe fields check {path}"] if more > 0 else []
        raise SettingsError("\n".join([*found.problems[:PROBLEMS_SHOWN], *rest]))
    return found.rules


def remembered_rules(directory: Path) -> RuleBook | None:
    """Return the rules that a crawl uses; None if it has none, or they cannot be read."""
    try:
        remembered = recall(directory)
        lines = Settings.load(remembered=remembered).text.field_rules if remembered is not None else ()
        return RuleBook(from_lines(lines)) if lines else None
    except (CrawlerError, ValueError):
        return None  # perhaps of another version: what else is known can still be shown


def with_field_rules(layers: Layers, settings: Settings) -> Layers:
    """Return the layers, with the rules from the file that the settings name, if any."""
    if not settings.text.fields:
        return layers
    rules = to_lines(expect_rules(Path(settings.text.fields)))
    given = Given(rules, f"--fields {settings.text.fields}")
    return dataclasses.replace(layers, robot={**layers.robot, "text.field_rules": given})
