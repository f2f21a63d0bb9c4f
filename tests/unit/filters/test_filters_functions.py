"""Every function that a directive may call, by what it does."""

import hashlib
from email.utils import formatdate

import pytest
from filter_samples import FOLLOW, PAGE, build, define, described, facts

from tiptoe.filters.filter_functions import FUNCTIONS
from tiptoe.filters.resource import PageFacts

NOW = formatdate(1_790_000_000.0, usegmt=True)
SET_UP_TYPES = "Setup fn=setup-type-by-extension file=types"
TEXT = ["Tide tables", "High water 04:12, low water 10:31.", "The harbour is closed."]


def goes_on(lines: str, url: str = PAGE, *, depth: int = 0, said: PageFacts | None = None) -> bool:
    """Say whether the enumeration filter lets a resource go on."""
    filters = build(f"{lines}\n{FOLLOW}")
    return filters.judge(url, depth, "192.0.2.1", said or facts(), []).links_denied is None


FILTERING = [
    # exact
    ("MetaData fn=filter-by-exact src=protocol deny=ftp", "ftp://a.example/x", False),
    ("MetaData fn=filter-by-exact src=protocol deny=ftp", "http://a.example/x", True),
    ("MetaData fn=filter-by-exact src=protocol allow=http", "https://a.example/x", False),
    ("MetaData fn=filter-by-exact src=host deny=a.example:80", "http://a.example/x", False),
    ("MetaData fn=filter-by-exact src=host deny=a.example", "http://a.example:8080/x", False),
    ("MetaData fn=filter-by-exact src=host deny=all", "http://a.example/", False),
    ("MetaData fn=filter-by-exact src=path deny=/x", "http://a.example/x?y=1", False),
    ("MetaData fn=filter-by-exact src=path deny=/x allow=/y", "http://a.example/z", False),
    ('MetaData fn=filter-by-exact src="enumeration filter" allow=enumeration-default', PAGE, True),
    ("MetaData fn=filter-by-exact src=nothing deny=x", PAGE, True),
    ("MetaData fn=filter-by-exact src=nothing allow=x", PAGE, False),
    # prefix
    ('MetaData fn=filter-by-prefix src=host deny="test."', "http://test.example.org/", False),
    ('MetaData fn=filter-by-prefix src=host deny="test."', "http://a.example.org/", True),
    ("MetaData fn=filter-by-prefix src=url allow=all", PAGE, True),
    # regex
    ('MetaData fn=filter-by-regex src=path deny=".*~$"', "http://a.example/x~", False),
    ('MetaData fn=filter-by-regex src=path deny=".*~$"', "http://a.example/x", True),
    ('MetaData fn=filter-by-regex src=path deny="*.gif"', "http://a.example/x.gif", False),
    ('MetaData fn=filter-by-regex src=path allow="^/[[:digit:]]+$"', "http://a.example/12", True),
    ('MetaData fn=filter-by-regex src=path allow="^/[[:digit:]]+$"', "http://a.example/a", False),
    ("MetaData fn=filter-by-regex src=path deny=all", "http://a.example/x", True),  # no word for any here
    # max
    ("MetaData fn=filter-by-max src=objects value=1", PAGE, True),  # counted by the keeper
    ("MetaData fn=filter-by-max src=hosts value=1", PAGE, True),
    # sources
    ("MetaData fn=assign-source dst=x src=host\nMetaData fn=filter-by-exact src=x allow=a.example",
     "http://a.example/", True),
    ("MetaData fn=assign-source dst=x value=1\nMetaData fn=clear-source src=x\n"
     "MetaData fn=filter-by-exact src=x deny=1", PAGE, True),
    ("MetaData fn=assign-source dst=host src=nothing\nMetaData fn=filter-by-exact src=host deny=all",
     PAGE, True),
    # types
    (f"{SET_UP_TYPES}\nMetaData fn=assign-type-by-extension\n"
     "MetaData fn=filter-by-prefix src=type deny=image/", "http://a.example/A.PNG?x=.html", False),
    (f"{SET_UP_TYPES}\nMetaData fn=assign-type-by-extension src=url\n"
     "MetaData fn=filter-by-exact src=type allow=application/pdf", "http://a.example/?f=x.pdf", True),
    (f"{SET_UP_TYPES}\nMetaData fn=assign-type-by-extension\nMetaData fn=filter-by-exact src=type deny=all",
     "http://a.png/x", True),
    ("Setup fn=setup-regex-cache cache-size=64", PAGE, True),
    ("Shutdown fn=filterrules-shutdown", PAGE, True),
]  # fmt: skip


@pytest.mark.parametrize(("lines", "url", "expected"), FILTERING)
def test_filters_by_address(lines: str, url: str, expected: bool) -> None:
    assert goes_on(lines, url) is expected


@pytest.mark.parametrize(("depth", "expected"), [(12, True), (13, False)])
def test_depth_is_allowed_up_to_a_maximum(depth: int, expected: bool) -> None:
    assert goes_on("MetaData fn=filter-by-max src=depth value=12", depth=depth) is expected


DATA = [
    ("filter-by-max src=content-length value=1", facts(body=b"x" * 1024), True),  # in kB
    ("filter-by-max src=content-length value=1", facts(body=b"x" * 1025), False),
    ("filter-by-max src=age value=3", facts(meta={"age": "4"}), False),
    ("filter-by-max src=age value=3", facts(meta={"age": "old"}), True),
    ("filter-by-exact src=content-type deny=text/html", facts(), False),
    ("filter-by-exact src=content-charset deny=utf-8", facts(), False),
    ("filter-by-exact src=content-encoding deny=gzip", facts(headers={"content-encoding": "gzip"}), False),
    ("filter-by-exact src=content-language allow=cs", facts(headers={"content-language": "cs"}), True),
    ("filter-by-prefix src=last-modified deny=Tue", facts(headers={"last-modified": "Tue, 1"}), False),
    ("filter-by-exact src=expires deny=0", facts(headers={"expires": "0"}), False),
    ("filter-by-exact src=author allow=Capek", facts(meta={"author": "Capek"}), True),
    ("filter-by-exact src=Author allow=Capek", facts(meta={"author": "Capek"}), True),
    ("filter-by-exact src=content-type deny=text/evil", facts(meta={"content-type": "text/evil"}), True),
    ("filter-by-exact src=host deny=evil", facts(meta={"host": "evil"}), True),
    ("filter-by-exact src=type deny=evil", facts(meta={"type": "evil"}), True),
    ("filter-by-exact src=ip deny=192.0.2.1", facts(), False),
    ("convert-to-html type=application/pdf", facts(), True),
]


@pytest.mark.parametrize(("line", "said", "expected"), DATA)
def test_filters_by_answer(line: str, said: PageFacts, expected: bool) -> None:
    """What a page says of itself is weaker than what is known of it."""
    assert goes_on(f"Data fn={line}", said=said) is expected


def test_md5_is_that_of_the_content() -> None:
    said = f"Data fn=generate-md5\nData fn=filter-by-exact src=md5 deny={hashlib.md5(b'x').hexdigest()}"
    assert not goes_on(said, said=facts(body=b"x"))
    assert goes_on(said, said=facts(body=b"y"))


def test_copies_are_known_to_the_keeper_so_a_filter_only_says_that_it_wants_none() -> None:
    """A harvester must not decide by what it happens to remember."""
    filters = build(f"Data fn=generate-md5\nData fn=filter-by-md5\n{FOLLOW}")
    twice = [filters.judge(PAGE, 0, "", facts(), []).links_denied for _ in range(2)]
    assert twice == [None, None]
    assert filters.enumeration.drops_copies
    assert not filters.generation.drops_copies


def test_a_regular_expression_sees_no_more_than_the_beginning_of_a_value() -> None:
    """The strings are hostile; 2,000 characters are enough for any address."""
    lines = 'MetaData fn=filter-by-regex src=path deny="x$"'
    assert not goes_on(lines, "http://a.example/" + "a" * 1_000 + "x")
    assert goes_on(lines, "http://a.example/" + "a" * 5_000 + "x")


# -- Enumerate -----------------------------------------------------------------

LINKS = [f"/{number}" for number in range(2_000)]


@pytest.mark.parametrize(
    ("line", "said", "count"),
    [
        ("enumerate-urls", facts(), 1024),
        ("enumerate-urls max=200", facts(), 200),
        ("enumerate-urls max=200 type=text/html", facts(), 200),
        ("enumerate-urls max=200 type=text/html", facts(media_type="application/xhtml+xml"), 0),
        ("enumerate-urls max=5 type=unknown", facts(media_type=""), 5),
        ("enumerate-urls-from-text", facts(), 0),
    ],
)  # fmt: skip
def test_links_are_followed_up_to_a_maximum(line: str, said: PageFacts, count: int) -> None:
    links = build(f"Enumerate fn={line}").judge(PAGE, 0, "", said, LINKS).links
    assert links == LINKS[:count]


def test_a_text_names_addresses_behind_a_word() -> None:
    said = facts(
        media_type="text/plain", paragraphs=["See URL:http://a.example/ and URL: <http://b.example/x>."]
    )
    filters = build("Enumerate fn=enumerate-urls-from-text max=2")
    assert filters.judge(PAGE, 0, "", said, []).links == ["http://a.example/", "http://b.example/x"]


def test_what_is_switched_off_does_nothing() -> None:
    filters = build("Enumerate enable=false fn=enumerate-urls\nEnumerate enable=on fn=enumerate-urls max=1")
    assert filters.judge(PAGE, 0, "", facts(), LINKS).links == LINKS[:1]


# -- Generate --------------------------------------------------------------------

META = {"author": "K. Čapek", "keywords": "tides, harbour", "dc.creator": "J. Löb", "<b>": "no name"}
GENERATING = [
    ("extract-html-meta", {"author": ["K. Čapek"], "keywords": ["tides, harbour"], "dc.creator": ["J. Löb"],
                           "title": ["Tides"]}),
    ("extract-html-meta truncate=4 type=text/html",
     {"author": ["K."], "keywords": ["tide"], "dc.creator": ["J. L"], "title": ["Tide"]}),
    ("extract-html-meta type=text/plain", {}),
    ("extract-html-text truncate=20", {"partial-text": ["Tide tables\nHigh wat"]}),
    ("extract-html-text truncate=20 skip-headings=true", {"partial-text": ["High water 04:12, lo"]}),
    ("extract-html-text truncate=20 type=text/plain", {}),
    ("extract-full-text", {"full-text": ["\n".join(TEXT)]}),
    ("extract-full-text truncate=4 dst=Body", {"body": ["Tide"]}),
    ("extract-html-toc", {"toc": ["Tide tables\nToday"]}),
    ("extract-html-toc level=1", {"toc": ["Tide tables"]}),
    ("extract-html-toc truncate=4", {"toc": ["Tide"]}),
    ('extract-source src="host, depth ,content-type->Type,nothing"',
     {"host": ["docs.example.org"], "depth": ["3"], "type": ["text/html"]}),
    ("generate-by-exact src=protocol match=http dst=classification value=Web", {"classification": ["Web"]}),
    ("generate-by-exact src=protocol match=ftp dst=classification value=Web", {}),
    ("generate-by-exact src=host match=docs.example.org:80 dst=x value=1", {"x": ["1"]}),
    ("generate-by-prefix src=path match=/tides/ dst=classification value=Sea:Tides",
     {"classification": ["Sea:Tides"]}),
    ('generate-by-regex src=host match=".*[.]org$" dst=x value="a b"', {"x": ["a b"]}),
    ('generate-by-regex src=nothing match=".*" dst=x value=1', {}),
    ("generate-rd-expires\nGenerate fn=extract-source src=rd-expires",
     {"rd-expires": [formatdate(1_790_000_000.0 + 90 * 86400, usegmt=True)]}),
    ("generate-rd-expires dst=until\nGenerate fn=extract-source src=until->expires",
     {"expires": [formatdate(1_790_000_000.0 + 90 * 86400, usegmt=True)]}),
    ("generate-rd-last-modified\nGenerate fn=extract-source src=rd-last-modified",
     {"rd-last-modified": [NOW]}),
    ("generate-rd-last-modified dst=made\nGenerate fn=extract-source src=made", {"made": [NOW]}),
    ('extract-html-meta\nGenerate fn=rename-attribute src="dc.creator->author"',
     {"author": ["K. Čapek", "J. Löb"], "keywords": ["tides, harbour"], "title": ["Tides"]}),
    ('rename-attribute src="no->such"', {}),
    ("extract-html-text\nGenerate fn=copy-attribute src=partial-text dst=description truncate=14 clean=true",
     {"partial-text": ["\n".join(TEXT)], "description": ["Tide tables"]}),
    ("extract-html-text\nGenerate fn=copy-attribute src=partial-text dst=description truncate=11 clean=true",
     {"partial-text": ["\n".join(TEXT)], "description": ["Tide tables"]}),
    ("extract-html-text truncate=11\nGenerate fn=copy-attribute src=partial-text dst=description truncate=6",
     {"partial-text": ["Tide tables"], "description": ["Tide t"]}),
    ("copy-attribute src=no dst=such", {}),
]  # fmt: skip


@pytest.mark.parametrize(("lines", "expected"), GENERATING)
def test_descriptions_say_what_the_directives_want(lines: str, expected: dict[str, list[str]]) -> None:
    headings = [(1, "Tide tables"), (2, "Today")]
    made = described(
        f"Generate fn={lines}", depth=3, meta=META, title="Tides", headings=headings, paragraphs=TEXT
    )
    assert made == expected


def test_an_expiry_is_taken_from_the_head_or_the_page() -> None:
    lines = "Generate fn=generate-rd-expires\nGenerate fn=extract-source src=rd-expires"
    moment = "Wed, 01 Jan 2031 10:00:00 GMT"
    assert described(lines, headers={"expires": moment})["rd-expires"] == [moment]
    assert described(lines, meta={"expires": moment})["rd-expires"] == [moment]
    assert described(lines, headers={"expires": "-1"})["rd-expires"] != ["-1"]


def test_several_classifications_are_several_values() -> None:
    line = "Generate fn=generate-by-prefix src=path match=/tides dst=classification value="
    assert described(f"{line}A\n{line}B\n{line}A")["classification"] == ["A", "B"]


# -- checks ------------------------------------------------------------------------

WRONG = [
    (
        "Generate fn=harvest-summarizer summarizer=Text.sum",
        "harvest-summarizer: refused: a program would be run",
    ),
    (
        "Generate fn-harvest-summarizer summarizer=Text.sum",
        "harvest-summarizer: refused: a program would be run",
    ),
    ("MetaData fn=filter-by-exakt src=host deny=x", "no such function; is filter-by-exact meant?"),
    ("MetaData fn=tag-ships", "no such function; no installed package brings it"),
    ("Data fn=enumerate-urls", "enumerate-urls cannot be called in Data: Enumerate"),
    ("Enumerate fn=enumerate-urls", "Enumerate stands in the generation filter generation-default"),
    ("MetaData fn=filter-by-exact src=host", "allow or deny is missing"),
    ("MetaData fn=filter-by-exact deny=x", "src is missing"),
    ("MetaData fn=filter-by-exact src=host deny=x foo=1", "no parameter foo; it has src, allow, deny"),
    ("MetaData fn=filter-by-regex src=host deny=(", "no regular expression"),
    ("MetaData fn=filter-by-regex src=host deny=[[:foo:]]", "no class [:foo:]"),
    ("MetaData fn=filter-by-max src=depth value=many", "value=many: a number"),
    ("MetaData fn=filter-by-max src=objects value=0", "would allow nothing"),
    ("MetaData fn=filter-by-max src=depth value=1\nMetaData fn=filter-by-max src=depth value=2", "once"),
    ("Data fn=filter-by-md5", "needs generate-md5 before it"),
    ("MetaData fn=filterrules-process", "needs filterrules-setup in Setup"),
    ("MetaData fn=assign-type-by-extension", "needs setup-type-by-extension in Setup"),
    ("MetaData fn=assign-source dst=x value=1 src=y", "value or src, not both"),
    ("Generate fn=rename-attribute src=title", 'a pair such as "dc.title->title"'),
    ("Generate fn=extract-html-text truncate=0", "at least 1"),
    ("Generate fn=extract-html-text skip-headings=perhaps", "true or false"),
    ("Setup fn=filterrules-setup config=rules logtype=loud", "one of verbose, normal, terse"),
    ("Setup enable=maybe fn=filterrules-shutdown", "enable=maybe: true, false, on or off"),
    ("MetaData src=host", "MetaData calls nothing: fn is missing"),
]


@pytest.mark.parametrize(("lines", "reason"), WRONG, ids=[lines for lines, _ in WRONG])
def test_what_is_wrong_is_told_with_its_line(lines: str, reason: str) -> None:
    _, findings = define(generation=lines)
    places = {error.place for error in findings.errors}
    assert places <= {"filter.conf:5", "filter.conf:6"}, places
    assert any(reason in str(error) for error in findings.errors), [str(error) for error in findings.errors]


def test_a_misprinted_name_is_understood_with_a_warning() -> None:
    definition, findings = define(generation="Generate fn=generate-last-modified")
    assert [str(one) for one in findings.problems] == [
        "filter.conf:5: warning: generate-last-modified is taken as generate-rd-last-modified"
    ]
    assert definition.directives[-1].function == "generate-rd-last-modified"


def test_an_expression_that_may_run_for_ever_is_told() -> None:
    _, findings = define(generation='MetaData fn=filter-by-regex src=url deny="(a+)+$"')
    assert [warning.what for warning in findings.warnings] == [
        "deny: a repetition within a repetition may take very long"
    ]


def test_every_function_is_called_here() -> None:
    """One that is forgotten in these tests would be tested nowhere."""
    called = " ".join(
        [str(lines) for lines, *_ in (*FILTERING, *WRONG)]
        + [f"fn={line}" for line, *_ in (*DATA, *GENERATING)]
        + ["fn=enumerate-urls-from-text fn=generate-md5"]
    )
    assert {name for name in FUNCTIONS if f"fn={name}" not in called} == set()
