"""The log is a promise to whoever reads it: the page about it names every field."""

from pathlib import Path

import msgspec
import pytest

from tiptoe.audit.findings import RULES
from tiptoe.write.logentries import ClockEntry, Opening, OrderEntry, RequestEntry, RobotsEntry, Terms

DOCS = Path(__file__).parents[3] / "docs"


@pytest.mark.parametrize("struct", [RequestEntry, Opening, ClockEntry, RobotsEntry, OrderEntry, Terms])
def test_every_field_of_the_log_is_explained(struct: type[msgspec.Struct]) -> None:
    page = (DOCS / "reference" / "request-log.md").read_text(encoding="utf-8")
    assert [name for name in struct.__struct_fields__ if f"`{name}`" not in page] == []


@pytest.mark.parametrize("rule", RULES)
def test_every_rule_that_is_checked_is_in_the_guide(rule: str) -> None:
    assert rule in (DOCS / "howto" / "answer-a-complaint.md").read_text(encoding="utf-8")
