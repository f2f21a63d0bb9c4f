"""A single page is asked for as in a crawl: rules first, at its pace, and everything is logged."""

import asyncio
import json
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest
from harvest_samples import RULES, Web, make_answer, make_failure, make_tools, run_jumping

from tiptoe.fetch.outcome import Answer, Failed
from tiptoe.frontier.politeness import Politeness
from tiptoe.harvest.lone_visit import LonePage, LoneVisit

ORIGIN = "http://a.example"
ROBOTS, PAGE = f"{ORIGIN}/robots.txt", f"{ORIGIN}/page"


def visit(
    directory: Path, web: Web, *, politeness: Politeness = RULES, slowed_to: float = 0.0, tdmrep: bool = False
) -> tuple[LonePage, float]:
    """Ask for a page in virtual time; return what came of it, and how long the address rests."""
    tools = make_tools(directory, web, politeness=politeness)

    async def make() -> tuple[LonePage, float]:
        tools.time = asyncio.get_running_loop().time
        one = LoneVisit(PAGE, "192.0.2.1", tools, number=7, slowed_to=slowed_to, reads_tdmrep=tdmrep)
        return await one.make(), one.rest_seconds

    return run_jumping(make)


def robots(text: str, status: int = 200, **fields: str) -> Answer:
    head = [
        ("Content-Type", "text/plain"),
        *((name.replace("_", "-"), said) for name, said in fields.items()),
    ]
    return make_answer(ROBOTS, text.encode(), status=status, fields=head)


def logged(directory: Path) -> list[dict[str, object]]:
    (path,) = (directory / "log").glob("requests-*.jsonl")
    lines = map(json.loads, path.read_text().splitlines())
    return [line for line in lines if "kind" not in line]


def test_the_rules_come_first_and_then_the_page_after_a_pause(tmp_path: Path) -> None:
    web = Web({PAGE: make_answer(PAGE)})
    page, rest = visit(tmp_path, web, tdmrep=True)
    assert isinstance(page.answer, Answer)
    assert page.answer.body
    assert web.urls == [ROBOTS, f"{ORIGIN}/.well-known/tdmrep.json", PAGE]
    moments = [moment for moment, _ in web.asked]
    assert [later - earlier for earlier, later in pairwise(moments)] == [2.25, 2.25]
    assert rest == RULES.general_pause
    assert [(line["purpose"], line["robots"]) for line in logged(tmp_path)] == [
        ("robots", "exempt"), ("tdmrep", "exempt"), ("page", "allowed"),
    ]  # fmt: skip


def test_what_an_operator_slows_is_asked_slowly_here_too(tmp_path: Path) -> None:
    web = Web()
    visit(tmp_path, web, slowed_to=10.0)
    assert [moment for moment, _ in web.asked] == [0.0, 10.25]


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (robots("User-agent: *\nDisallow: /page"), "forbids it"),
        (robots("", status=500), "cannot be read"),
        (make_failure(ROBOTS), "cannot be read"),
        (robots("", status=301, Location="http://b.example/robots.txt"), "moved to another host"),
        (robots("User-agent: *\nCrawl-delay: 90"), "asked every 90 s"),
        (robots("", status=200, Retry_After="120"), "left alone for 120 s"),
        (robots("", status=429), "cannot be read"),
    ],
)  # fmt: skip
def test_a_page_is_not_asked_for_against_its_owners_wish(
    tmp_path: Path, answer: Answer | Failed, said: str
) -> None:
    web = Web({ROBOTS: answer})
    page, _ = visit(tmp_path, web)
    assert page.answer is None
    assert said in page.hindrance
    assert web.urls == [ROBOTS]


@pytest.mark.parametrize(
    ("status", "retry_after", "rest"), [(503, "", 90.0), (429, "500", 500.0), (429, "9999999", 3600.0)]
)
def test_an_address_rests_for_as_long_as_its_server_wants(
    tmp_path: Path, status: int, retry_after: str, rest: float
) -> None:
    web = Web({PAGE: make_answer(PAGE, status=status, fields=[("Retry-After", retry_after)])})
    rules = replace(RULES, backoff_first=90.0, retry_after_max=3600.0)
    assert visit(tmp_path, web, politeness=rules)[1] == rest


def test_no_more_is_asked_than_a_host_is_asked_in_one_visit(tmp_path: Path) -> None:
    web = Web()
    page, _ = visit(tmp_path, web, politeness=replace(RULES, max_reqs=1))
    assert "max_reqs" in page.hindrance
    assert web.urls == [ROBOTS]
