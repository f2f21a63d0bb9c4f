"""The examples of the research on that robot's files run as they are printed."""

from pathlib import Path

import pytest
from filter_samples import define, facts

from tiptoe.filters.filter_directory import RobotFiles, read_robot
from tiptoe.filters.robot_filters import RobotFilters

EXAMPLES = Path(__file__).parent / "examples"
PAGE = "http://docs.example.org/tides.html"


@pytest.fixture(scope="module")
def robot() -> RobotFiles:
    return read_robot(EXAMPLES)


@pytest.fixture
def filters(robot: RobotFiles) -> RobotFilters:
    return RobotFilters(robot.definition, {})


def test_the_files_are_read_without_an_error(robot: RobotFiles) -> None:
    assert robot.findings.errors == []
    assert len(robot.definition.directives) == 31
    assert [rule.id for rule in robot.definition.rules] == ["image", "cgi", "charts"]
    assert [site.id for site in robot.definition.sites] == ["docs", "company"]


def test_a_block_whose_first_tag_is_not_closed_is_read(robot: RobotFiles) -> None:
    """The printed sample ends that line in a backslash, and parameters follow."""
    assert robot.definition.parameter("csid").value == "x-catalog://search.example.org:8080/harbour"  # type: ignore[union-attr]
    assert len(robot.definition.parameters) == 28


def test_every_parameter_that_is_not_honoured_is_told(robot: RobotFiles) -> None:
    told = {warning.what.partition("=")[0] for warning in robot.findings.warnings}
    assert told >= {
        "referer", "engine-concurrent", "command-port", "loglevel", "index-after-ngenerated",
        "bindir", "robot-state-dir", "tmpdir", "user-agent",
    }  # fmt: skip


def test_what_it_asks_of_our_settings(robot: RobotFiles) -> None:
    assert {wanted.name: wanted.value for wanted in robot.wanted} == {
        "crawl.name": "HarbourRobot",
        "crawl.contact": "webmaster@example.org",
        "politeness.req_delay": "2s",
        "harvest.transfers": "8",
        "harvest.visits": "1024",
        "fetch.connect_timeout": "60s",
        "documents.timeout": "300s",
        "fetch.body_max": "4194304",
        "crawl.on_end": "idle",
        "crawl.on_end_command": "/opt/harbour/bin/cmdHookMail",
    }


def test_starting_points_of_enabled_sites_and_of_the_process_become_seeds(robot: RobotFiles) -> None:
    assert robot.starts == ["http://docs.example.org/", "http://docs.example.org/charts/index.html"]


@pytest.mark.parametrize(
    ("url", "depth", "denied"),
    [
        (PAGE, 4, ""),
        ("http://docs.example.org/a.png", 1, "filterrules.conf:3 (filter rule image)"),
        ("http://docs.example.org/a?b=c", 1, "filterrules.conf:9 (filter rule cgi)"),
        ("http://www.example.org/", 0, "filter.conf:4 (site not allowed)"),
        (PAGE, 7, "filterrules.conf:15 (deeper than 6)"),
        (PAGE, 13, "filter.conf:8 (filter-by-max)"),
    ],
)
def test_addresses_are_judged(filters: RobotFilters, url: str, depth: int, denied: str) -> None:
    assert str(filters.refuses_link(url, depth) or "") == denied


def test_a_page_is_described(filters: RobotFilters) -> None:
    text = ["Tides", "High water 04:12 " + "and so on " * 40]
    said = facts(
        meta={"dc.creator": "M. Ferrant"}, title="Tide tables", headings=[(1, "Tides"), (3, "Deep")],
        paragraphs=text, headers={"last-modified": "Tue, 03 Mar 2026 08:15:00 GMT"}, body=b"x",
    )  # fmt: skip
    verdict = filters.judge(PAGE, 2, "192.0.2.1", said, [f"/{number}" for number in range(600)])
    assert (verdict.links_denied, verdict.text_denied) == (None, None)
    assert verdict.links is not None
    assert len(verdict.links) == 500
    assert verdict.resource is not None
    made = filters.describe(verdict.resource)
    assert isinstance(made, dict)
    assert made.pop("partial-text")[0].startswith("High water")
    assert len(made["description"][0]) <= 180
    assert made.pop("description")[0].endswith(" and")
    assert made == {
        "title": ["Tide tables"],
        "toc": ["Tides"],
        "url": [PAGE],
        "content-type": ["text/html"],
        "last-modified": ["Tue, 03 Mar 2026 08:15:00 GMT"],
        "md5": ["9dd4e461268c8034f5c8564e155c67a6"],
        "depth": ["2"],
        "rd-expires": ["Sun, 20 Dec 2026 14:13:20 GMT"],
        "rd-last-modified": ["Mon, 21 Sep 2026 14:13:20 GMT"],
        "author": ["M. Ferrant"],
        "ip": ["192.0.2.1"],
    }


SET_UP = "Setup fn=filterrules-setup config=rules\nSetup fn=setup-type-by-extension file=types\n"
PRINTED = [
    "Setup fn=filterrules-setup config=./config/filterrules.conf logtype=terse",
    "Setup fn=setup-regex-cache cache-size=100",
    "Setup fn=setup-type-by-extension file=./config/mime.types",
    "MetaData fn=filter-by-exact src=protocol deny=ftp",
    'MetaData fn=filter-by-prefix src=host deny="test."',
    'MetaData fn=filter-by-regex src=path deny=".*~$"',
    "MetaData fn=filter-by-max src=objects value=50000",
    "Data fn=generate-md5\nData fn=filter-by-md5",
    f"{SET_UP}MetaData fn=filterrules-process",
    "Data fn=assign-source dst=content-language value=en",
    f"{SET_UP}MetaData fn=assign-type-by-extension src=path",
    "Data fn=clear-source src=keywords",
    "Data fn=convert-to-html type=application/rtf",
    "Data fn=generate-md5",
    "Generate fn=copy-attribute src=partial-text dst=description truncate=150 clean=true",
    'Generate fn=generate-by-exact src=protocol match=ftp dst=classification value="Archive"',
    'Generate fn=generate-by-prefix src=path match="/news/" dst=classification value="News"',
    'Generate fn=generate-by-regex src=host match=".*[.]edu$" dst=classification value="Schools"',
    "Generate fn=generate-rd-expires",
    "Generate fn=generate-rd-last-modified",
    'Generate fn=rename-attribute src="dc.title->title"',
    "Enumerate fn=enumerate-urls max=200 type=text/html",
    "Enumerate fn=enumerate-urls-from-text max=50",
    "Generate fn=extract-full-text truncate=200000 dst=full-text",
    "Generate fn=extract-html-meta truncate=400 type=text/html",
    "Generate fn=extract-html-text truncate=1000 skip-headings=true",
    "Generate fn=extract-html-toc truncate=600 level=4",
    'Generate fn=extract-source src="md5,depth,type->content-type"',
    "Shutdown fn=filterrules-shutdown",
]


@pytest.mark.parametrize("lines", PRINTED)
def test_each_printed_directive_is_in_order(lines: str) -> None:
    """What they do is tested one by one, in `test_filters_functions.py`."""
    _, findings = define(lines) if "Enumerate" in lines else define(generation=lines)
    assert [str(error) for error in findings.errors] == []


def test_the_one_that_runs_programs_is_refused() -> None:
    _, findings = define(generation="Generate fn=harvest-summarizer summarizer=Text.sum")
    assert [error.place for error in findings.errors] == ["filter.conf:5"]
