"""The operator's filters, from the answer to the files; and what a harvester must not remember of them."""

import gzip
import io
import json
from collections.abc import Mapping
from pathlib import Path

import pytest
from harvest_samples import HTML, make_answer, make_tools, take_in

from tiptoe.decide.fetching import fetch_point
from tiptoe.decide.filtering import LinkFilter, PageFilter
from tiptoe.decide.scheduling import schedule_point
from tiptoe.filters.definition import RobotDefinition
from tiptoe.filters.filter_chain import Denied
from tiptoe.filters.filter_file import read_filters
from tiptoe.filters.filter_problem import FilterFindings
from tiptoe.filters.resource import Resource
from tiptoe.filters.robot_filters import RobotFilters
from tiptoe.harvest.filter_log import FilterLog
from tiptoe.harvest.judgement import DuplicityRules
from tiptoe.harvest.outlinks import Outlinks
from tiptoe.harvest.tools import Tools
from tiptoe.observe.eventlog import EventLog
from tiptoe.protocol.work import Request, Result
from tiptoe.url.canonical import Canonicalizer, CanonicalRules

URL = "http://a.example/"
FOLLOW = "Enumerate fn=enumerate-urls"
MARKUP = b"""<html><title>Tides</title><meta name=Author content="M. Ferrant">
<meta http-equiv=expires content="Wed, 01 Jan 2031 10:00:00 GMT"><meta http-equiv=refresh content=5>
<body><h1>Tide tables</h1><p>High water 04:12, low water 10:31.
<!--stopindex--><p>Not to be indexed. <a href=/c>c</a><!--startindex-->
<h2>Today</h2><p>The harbour is closed. URL:http://b.example/ <a href=/a>a</a> <a href=/b.png>b</a></body>"""


def fail(resource: Resource, parameters: Mapping[str, str]) -> None:
    raise RuntimeError("a bug of somebody else")


def robot(enumeration: str = FOLLOW, generation: str = "") -> RobotFilters:
    text = f"<Filter name=enumeration-default>\n{enumeration}\n</Filter>\n"
    text += f"<Filter name=generation-default>\n{generation}\n</Filter>"
    definition, findings = RobotDefinition(), FilterFindings()
    read_filters(text, "filter.conf", definition, findings)
    assert findings.problems == []
    return RobotFilters(definition, {"fail": fail})


def outlinks(filters: RobotFilters) -> Outlinks:
    return Outlinks(Canonicalizer(CanonicalRules()), schedule_point(link_filter=LinkFilter(filters)))


def filtering_tools(directory: Path, filters: RobotFilters) -> Tools:
    tools = make_tools(directory)
    tools.filters = PageFilter(filters)
    tools.fetch = fetch_point(tools.filters)
    tools.outlinks = outlinks(filters)
    return tools


def digested(
    directory: Path, filters: RobotFilters, *, markup: bytes = MARKUP, duplicity: float | None = None,
    depth: int = 0, **answer: object,
) -> tuple[Result, Tools]:  # fmt: skip
    tools = filtering_tools(directory, filters)
    sent = make_answer(URL, markup, **answer)  # type: ignore[arg-type]
    result = take_in(Request(URL, depth=depth), sent, tools, duplicity=duplicity)
    tools.outputs.flush()
    return result, tools


def linked(result: Result) -> list[str]:
    return [url for links in result.links for url in links.urls]


def lines(directory: Path, folder: str) -> list[dict[str, object]]:
    found = (path.read_text("utf-8") for path in (directory / folder).glob("*"))
    return [json.loads(line) for text in found for line in text.splitlines()]


def test_a_page_of_the_corpus_gets_its_description(tmp_path: Path) -> None:
    generation = """Generate fn=extract-html-meta
        Generate fn=extract-html-toc
        Generate fn=extract-source src="content-type,content-charset,ip,expires" """
    result, _ = digested(tmp_path, robot(generation=generation))
    assert (result.status, result.discard) == (200, "")
    assert lines(tmp_path, "descriptions") == [
        {
            "url": URL,
            "fetched_at": "2026-09-21T14:13:20.000000Z",
            "version": 1,
            "fields": {
                "author": ["M. Ferrant"],
                "expires": ["Wed, 01 Jan 2031 10:00:00 GMT"],
                "title": ["Tides"],
                "toc": ["Tide tables\nToday"],
                "content-type": ["text/html"],
                "content-charset": ["utf-8"],
                "ip": ["192.0.2.1"],
            },
        }
    ]
    assert lines(tmp_path, "descriptions")[0]["fetched_at"] == lines(tmp_path, "corpus")[0]["fetched_at"]


def test_what_is_not_to_be_indexed_is_left_out_of_descriptions_not_of_the_corpus(tmp_path: Path) -> None:
    digested(tmp_path, robot(generation="Generate fn=extract-html-text skip-headings=true"))
    (described,) = lines(tmp_path, "descriptions")
    assert described["fields"] == {
        "partial-text": [
            "High water 04:12, low water 10:31.\nThe harbour is closed. URL:http://b.example/ a b"
        ]
    }
    assert "Not to be indexed. c" in lines(tmp_path, "corpus")[0]["paragraphs"]  # type: ignore[operator]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16le", "utf-16be", "iso-8859-2"])
def test_what_is_not_to_be_indexed_is_seen_in_every_encoding(tmp_path: Path, encoding: str) -> None:
    fields = (("Content-Type", f"text/html; charset={encoding}"),)
    markup = MARKUP.decode().encode(encoding)
    digested(tmp_path, robot(generation="Generate fn=extract-html-text"), markup=markup, fields=fields)
    (described,) = lines(tmp_path, "descriptions")
    assert "The harbour is closed" in str(described["fields"])
    assert "Not to be indexed" not in str(described["fields"])


def test_without_generate_directives_nothing_is_described(tmp_path: Path) -> None:
    digested(tmp_path, robot())
    assert lines(tmp_path, "descriptions") == []
    assert len(lines(tmp_path, "corpus")) == 1


def test_a_text_that_the_generation_filter_denies_stays_out_and_its_links_are_followed(
    tmp_path: Path,
) -> None:
    denies = "Data fn=filter-by-exact src=author deny='M. Ferrant'".replace("'", '"')
    result, _ = digested(tmp_path, robot(generation=f"{denies}\nGenerate fn=extract-html-meta"))
    assert (result.discard, lines(tmp_path, "corpus"), lines(tmp_path, "descriptions")) == (
        "filtered",
        [],
        [],
    )
    assert linked(result) == ["http://a.example/c", "http://a.example/a", "http://a.example/b.png"]
    (archive,) = (tmp_path / "warc").glob("*.warc.gz.open")
    assert b"filteredBy: filter.conf:5" in gzip.decompress(archive.read_bytes())


def test_a_page_that_the_enumeration_filter_denies_is_stored_and_leads_nowhere(tmp_path: Path) -> None:
    denies = f"Data fn=filter-by-exact src=content-type deny=text/html\n{FOLLOW}"
    result, tools = digested(tmp_path, robot(denies))
    assert (result.discard, linked(result), len(lines(tmp_path, "corpus"))) == ("", [], 1)
    assert tools.outlinks.take_discards() == {"link_filtered": 3}


def test_links_beyond_the_maximum_are_counted(tmp_path: Path) -> None:
    result, tools = digested(tmp_path, robot("Enumerate fn=enumerate-urls max=2"))
    assert linked(result) == ["http://a.example/c", "http://a.example/a"]
    assert tools.outlinks.take_discards() == {"link_filtered": 1}


def test_addresses_in_the_text_are_followed_where_that_is_wanted(tmp_path: Path) -> None:
    result, _ = digested(tmp_path, robot("Enumerate fn=enumerate-urls-from-text"))
    assert linked(result) == ["http://b.example/"]
    plain = (("Content-Type", "text/plain"),)
    other, _ = digested(
        tmp_path / "2", robot("Enumerate fn=enumerate-urls-from-text"), markup=b"URL:http://c.example/x\n",
        fields=plain,
    )  # fmt: skip
    assert (other.discard, linked(other)) == ("stored_aside", ["http://c.example/x"])


def test_a_document_that_is_denied_is_not_put_aside(tmp_path: Path) -> None:
    denies = "Data fn=filter-by-exact src=content-type deny=application/pdf"
    fields = (("Content-Type", "application/pdf"),)
    result, _ = digested(tmp_path, robot(generation=denies), markup=b"%PDF-1.4", fields=fields)
    assert (result.discard, lines(tmp_path, "documents")) == ("filtered", [])


@pytest.mark.parametrize(
    ("enumeration", "is_nofollow"),
    [
        (FOLLOW, False),
        (f"{FOLLOW} type=text/html", True),
        (f"Data fn=filter-by-exact src=content-type deny=application/pdf\n{FOLLOW}", True),
    ],
)
def test_the_links_of_a_document_are_followed_later_if_the_filter_would(
    tmp_path: Path, enumeration: str, is_nofollow: bool
) -> None:
    fields = (("Content-Type", "application/pdf"),)
    result, _ = digested(tmp_path, robot(enumeration), markup=b"%PDF-1.4", fields=fields)
    assert (result.discard, linked(result)) == ("stored_aside", [])
    assert lines(tmp_path, "documents")[0].get("is_nofollow", False) is is_nofollow


def test_nofollow_is_stronger_than_any_filter(tmp_path: Path) -> None:
    fields = (*HTML, ("X-Robots-Tag", "nofollow"))
    result, _ = digested(tmp_path, robot(), fields=fields)
    assert linked(result) == []


@pytest.mark.parametrize(("lines_", "count"), [("Data fn=generate-md5\nData fn=filter-by-md5\n", 0), ("", 3)])
def test_the_links_of_a_copy_are_left_out_where_the_filter_says_so(
    tmp_path: Path, lines_: str, count: int
) -> None:
    """That it is a copy the keeper knows: no harvester decides by what it remembers."""
    filters = robot(f"{lines_}{FOLLOW}")
    tools = filtering_tools(tmp_path, filters)
    tools.duplicity = DuplicityRules()
    result = take_in(Request(URL), make_answer(URL, MARKUP), tools, duplicity=1.0)
    assert (result.discard, len(linked(result))) == ("duplicate", count)


def test_a_function_that_fails_costs_the_page_not_the_crawl(tmp_path: Path) -> None:
    result, _ = digested(tmp_path, robot(generation="Generate fn=fail"))
    assert (result.discard, lines(tmp_path, "corpus"), len(linked(result))) == ("filter_failed", [], 3)
    data, tools = digested(tmp_path / "2", robot(f"Data fn=fail\n{FOLLOW}", "Data fn=fail"))
    assert (data.discard, linked(data)) == ("filter_failed", [])
    assert tools.outlinks.take_discards() == {"link_filter_failed": 3}


# -- links -----------------------------------------------------------------------

NO_PICTURES = 'MetaData fn=filter-by-regex src=path deny="[.]png$"'
SHALLOW = "MetaData fn=filter-by-max src=depth value=2"


def found(links: Outlinks, *hrefs: str, depth: int = 1) -> list[str]:
    return [url for one in links.find(URL, hrefs, depth) for url in one.urls]


def test_links_that_both_filters_deny_are_counted_once_and_not_told() -> None:
    links = outlinks(robot(f"{NO_PICTURES}\n{FOLLOW}", NO_PICTURES))
    assert found(links, "/a.png", "/a") == ["http://a.example/a"]
    assert found(links, "/a.png", "/x/../a.png") == []
    assert links.take_discards() == {"link_filtered": 1}


def test_a_link_that_lay_too_deep_is_told_when_it_is_met_nearer_to_a_seed() -> None:
    """What a harvester remembers must not decide: another one would have told it."""
    links = outlinks(robot(f"{SHALLOW}\n{FOLLOW}", SHALLOW))
    assert found(links, "/a", "/b", depth=3) == []
    assert found(links, "/a", "/b", depth=2) == ["http://a.example/a", "http://a.example/b"]
    assert found(links, "/a", "/b", depth=1) == []


def test_a_redirect_to_where_no_filter_leads_is_not_followed(tmp_path: Path) -> None:
    """Else its host would be asked for its robots.txt."""
    filters = robot(f"{NO_PICTURES}\n{FOLLOW}", NO_PICTURES)
    for target, expected in (("/a.png", ""), ("/a", "http://a.example/a")):
        result, _ = digested(tmp_path / target[1:], filters, status=301, fields=(("Location", target),))
        assert result.redirect == expected


def test_feeds_are_links_too(tmp_path: Path) -> None:
    markup = b"<link rel=alternate type=application/rss+xml href=/f.png><p>Text."
    result, _ = digested(tmp_path, robot(f"{NO_PICTURES}\n{FOLLOW}", NO_PICTURES), markup=markup)
    assert result.feeds == []


# -- the log -----------------------------------------------------------------------


@pytest.mark.parametrize(("kind", "count"), [("terse", 0), ("normal", 3), ("verbose", 100)])
def test_the_log_says_as_much_as_the_operator_wants(kind: str, count: int) -> None:
    file = io.StringIO()
    log = FilterLog(EventLog("h1", file), kind)
    for number in range(100):
        log(Denied("filter.conf:3", "filter-by-exact"), f"http://a.example/{number}")
    told = file.getvalue().splitlines()
    assert len(told) == count
    assert all("filter.denied line=filter.conf:3 why=filter-by-exact count=" in line for line in told)


def test_a_fault_is_always_told() -> None:
    file = io.StringIO()
    FilterLog(EventLog("h1", file), "terse")(Denied("filter.conf:3", "boom", is_fault=True), URL)
    assert "filter.failed line=filter.conf:3" in file.getvalue()
