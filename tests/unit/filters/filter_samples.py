"""Filters of a few lines, and resources to send through them."""

from collections.abc import Mapping, Sequence

from tiptoe.filters.definition import RobotDefinition, TypeTable
from tiptoe.filters.definition_check import check_definition
from tiptoe.filters.filter_file import read_filters
from tiptoe.filters.filter_plugins import FilterFunction
from tiptoe.filters.filter_problem import FilterFindings
from tiptoe.filters.process_file import read_process
from tiptoe.filters.resource import Heading, PageFacts
from tiptoe.filters.robot_filters import RobotFilters
from tiptoe.filters.rules_file import read_rules
from tiptoe.filters.types_file import read_types

PAGE = "http://docs.example.org/tides/index.html"
TYPES = "text/html html htm\nimage/png png\napplication/pdf pdf\n"
FOLLOW = "Enumerate fn=enumerate-urls"


def define(
    enumeration: str = FOLLOW, generation: str = "", *, process: str = "", rules: str = "",
    plugins: Mapping[str, FilterFunction] | None = None,
) -> tuple[RobotDefinition, FilterFindings]:  # fmt: skip
    """Return a definition of two filters, and all that is wrong with it."""
    findings, definition = FilterFindings(), RobotDefinition()
    if process:
        read_process(
            f"<Process csid=x-catalog://a:80/b>\n{process}\n</Process>", "process.conf", definition, findings
        )
    text = f"<Filter name=enumeration-default>\n{enumeration}\n</Filter>\n"
    text += f"<Filter name=generation-default>\n{generation}\n</Filter>"
    read_filters(text, "filter.conf", definition, findings)
    read_rules(rules, "filterrules.conf", definition, findings, called="rules")
    definition.types.append(TypeTable("types", read_types(TYPES, "mime.types", findings)))
    checked, _ = check_definition(definition, (plugins or {}).keys(), findings)
    return checked, findings


def build(
    enumeration: str = FOLLOW, generation: str = "", *, process: str = "", rules: str = "",
    plugins: Mapping[str, FilterFunction] | None = None,
) -> RobotFilters:  # fmt: skip
    """Return two filters that are in order."""
    definition, findings = define(enumeration, generation, process=process, rules=rules, plugins=plugins)
    assert [str(error) for error in findings.errors] == []
    return RobotFilters(definition, plugins or {})


def facts(
    *, media_type: str = "text/html", headers: Mapping[str, str] | None = None, body: bytes = b"<html>",
    meta: Mapping[str, str] | None = None, title: str = "", headings: Sequence[Heading] = (),
    paragraphs: Sequence[str] = (), charset: str = "utf-8",
) -> PageFacts:  # fmt: skip
    """Return what an answer says."""
    return PageFacts(
        headers=headers or {}, media_type=media_type, charset=charset, body=body, meta=meta or {},
        title=title, headings=headings, paragraphs=paragraphs, moment=1_790_000_000.0,
    )  # fmt: skip


def described(generation: str, url: str = PAGE, *, depth: int = 0, **said: object) -> dict[str, list[str]]:
    """Return the description that a generation filter makes of a page."""
    filters = build(generation=generation)
    verdict = filters.judge(url, depth, "192.0.2.1", facts(**said), [])  # type: ignore[arg-type]
    assert verdict.resource is not None, verdict.text_denied
    made = filters.describe(verdict.resource)
    assert isinstance(made, dict)
    return made
