"""FRO-1: a page is asked for by one spelling of its address."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tiptoe.url.canonical import Canonicalizer, CanonicalRules

CANONICALIZER = Canonicalizer()
PAGE = "https://a.example/x/y.html?z=1"

SAME_PAGE = [
    ("HTTPS://A.Example/x", "https://a.example/x"),
    ("https://a.example", "https://a.example/"),
    ("https://a.example/x#part", "https://a.example/x"),
    ("https://a.example:443/x", "https://a.example/x"),
    ("http://a.example:8080/x", "http://a.example:8080/x"),
    ("https://user:secret@a.example/x", "https://a.example/x"),
    ("https://a.example./x", "https://a.example/x"),
    ("https://a.example.:8443/x", "https://a.example:8443/x"),
    ("https://a.example/x/./y/../z", "https://a.example/x/z"),
    ("https://a.example/%7euser/%c3%a9", "https://a.example/~user/%C3%A9"),
    ("https://a.example/a%2fb", "https://a.example/a%2Fb"),
    ("https://a.example/x?", "https://a.example/x"),
    ("https://příklad.cz/žluťoučký", "https://xn--pklad-zsa96e.cz/%C5%BElu%C5%A5ou%C4%8Dk%C3%BD"),
    ("  https://a.example/a\n/b ", "https://a.example/a/b"),
    ("http://0x7f.1/", "http://127.0.0.1/"),
    ("http://0x7f.1../", "http://127.0.0.1/"),
    ("http://[2001:DB8::1]:80/", "http://[2001:db8::1]/"),
    ("ftp://a.example:21/x", "ftp://a.example/x"),
]

ONE_MARK = [
    ("https://a.example/x?utm_source=n&b=2&UTM_medium=m&a=1", "https://a.example/x?b=2&a=1"),
    ("https://a.example/x?fbclid=abc", "https://a.example/x"),
    ("https://a.example/x?a=1&gclid", "https://a.example/x?a=1"),
    ("https://a.example/x?gclidish=1", "https://a.example/x?gclidish=1"),
    ("https://a.example/x?q=utm_source=1", "https://a.example/x?q=utm_source=1"),
    ("https://a.example/x?PHPSESSID=6opbu2nqgkrfmeqkd3nsbd6q2v&a=2", "https://a.example/x?a=2"),
    ("https://a.example/x?PHPSESSID=abc123&a=2", "https://a.example/x?a=2"),
    ("https://a.example/x?ASPSESSIONIDQQAABBCC=KLMNOPABCDEFGHIJKLMNOPAB", "https://a.example/x"),
    ("https://a.example/x?CFID=17&CFTOKEN=82341957&b=1", "https://a.example/x?b=1"),
    ("https://a.example/x;jsessionid=0A1B.node1?a=1", "https://a.example/x?a=1"),
    ("https://a.example/x;JSESSIONID=0A1B/y;v=1", "https://a.example/x/y;v=1"),
    ("https://a.example/(S(lit3py55t21z5v55vlm25s55))/x.aspx", "https://a.example/x.aspx"),
    ("https://a.example/(lit3py55t21z5v55vlm25s55)/x.aspx", "https://a.example/x.aspx"),
    ("https://a.example/(X(1)S(lit3py55t21z5v55vlm25s55))/x.aspx", "https://a.example/x.aspx"),
    ("https://a.example/f_(S)", "https://a.example/f_(S)"),
]

TWO_PAGES = [
    *("sessionid=17", "session_id=17", "sid=17", "PHPSESSID=1", "CFID=17", "jsessionid=demo"),
    *("s=covid-19-vaccination-in-europe", "session=2023-spring-conference-prague", "sid=12345678901234567"),
    *("s=covid19vaccinationineurope2021", "session=SpringConferencePrague2023", "sid=20230415120000123456"),
    *(
        "sessid=nejneobhospodarovavatelnejsimi",
        "s=deadbeefcafefacade",
        "ssid=my_home_network_of_2019_and_later",
    ),
    "s=nejneobhospoda%C5%99ov%C3%A1vateln%C4%9Bj%C5%A1%C3%AD",
]


@pytest.mark.parametrize("query", TWO_PAGES)
def test_what_only_sounds_like_a_session_chooses_a_page(query: str) -> None:
    """Two pages taken for one are lost: the name *and* the value must say that it is a session."""
    url = f"https://a.example/x?{query}&b=1"
    assert url == CANONICALIZER.canonical(url)


@pytest.mark.parametrize(
    "path",
    [
        "x;sid=17",
        "x;v=1;session=spring-2023",
        "(S(3))/x",
        "f_(S(abc))",
        "(a(b))",
        "(lit3py55t21z5)/x",
        "(incomprehensibilityofwords)/x",
    ],
)
def test_what_only_sounds_like_a_session_in_a_path_stays(path: str) -> None:
    url = f"https://a.example/{path}"
    assert url == CANONICALIZER.canonical(url)


@pytest.mark.parametrize(("spelling", "expected"), SAME_PAGE)
def test_spellings_of_one_page_become_one(spelling: str, expected: str) -> None:
    """Each further spelling would be a second request for the same page."""
    assert expected == CANONICALIZER.canonical(spelling)


@pytest.mark.parametrize(("spelling", "expected"), ONE_MARK)
def test_marks_that_choose_no_page_are_removed(spelling: str, expected: str | None) -> None:
    """Session ids make every page new for ever; words that merely look alike must stay."""
    actual = CANONICALIZER.canonical(spelling)
    if expected is None:  # a search for a long word is not a session
        assert actual is not None
        assert "?s=" in actual
    else:
        assert expected == actual


@pytest.mark.parametrize(
    "url",
    ["javascript:void(0)", "mailto:a@b.example", "data:,x", "tel:1", "x.html", "", "http://", "http://./", "file:///etc/passwd",
     "http://a b/", "http://[::1/", "blob:https://a.example/1"],
)  # fmt: skip
def test_what_cannot_be_fetched_has_no_canonical_form(url: str) -> None:
    """The frontier sees only addresses somebody could answer."""
    assert CANONICALIZER.canonical(url) is None


def test_files_are_addresses_only_when_the_rules_say_so() -> None:
    """A page of the web must not make us read our own disk."""
    local = Canonicalizer(CanonicalRules(schemes=frozenset({"file"})))

    assert local.canonical("file:///data/../x.html") == "file:///x.html"
    assert local.join("file:///data/index.html", ["x.html", "/y", "http://a.example/"]) == [
        "file:///data/x.html",
        "file:///y",
    ]


def test_schemes_hold_on_the_short_cut_too() -> None:
    """A crawl of https pages follows no http link, however plain."""
    strict = Canonicalizer(CanonicalRules(schemes=frozenset({"https"})))

    assert strict.canonical("http://a.example/x") is None
    assert strict.join(PAGE, ["http://b.example/x", "//c.example/x", "/x"]) == [
        "https://c.example/x",
        "https://a.example/x",
    ]
    assert strict.join("http://a.example/x", ["/y", "https://a.example/y"]) == ["https://a.example/y"]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("p=1;jsessionid=0A1B2C3D4E5F60718293A4B5C6D7E8F9", "p=1"),
        ("p=1;utm_source=x;q=2&r=3", "p=1;q=2&r=3"),
        ("p=1;2;3", "p=1;2;3"),
        ("p=1;sessionid=17", "p=1;sessionid=17"),
        ("utm_content=a;b&p=1", "p=1"),
        ("p;utm_source", "p"),
        ("utm_source=x;p=1", "p=1"),
        ("jsessionid=0A1B2C3D4E5F60718293A4B5C6D7E8F9;p=1;q", "p=1"),
        ("p=1&amp;utm_source=x;q=2", "p=1&q=2"),
    ],
)
def test_a_semicolon_may_stand_between_parameters(query: str, expected: str) -> None:
    """W3C advised it once, and servers hang their session ids there."""
    assert Canonicalizer().canonical(f"http://a.example/x?{query}") == f"http://a.example/x?{expected}"


def test_marks_behind_an_ampersand_that_was_escaped_twice_go_too() -> None:
    """Feeds and mails escape what is escaped already; the page would be fetched once for each mark."""
    canonical = Canonicalizer().canonical
    assert canonical("http://a.example/?p=1&amp;utm_source=x&amp;utm_medium=y") == "http://a.example/?p=1"
    assert canonical("http://a.example/?amp;fbclid=x") == "http://a.example/"
    assert canonical("http://a.example/?p=1&amp;q=2") == "http://a.example/?p=1&amp;q=2"


def test_rules_are_data() -> None:
    """What counts as a mark differs from site to site; the operator decides."""
    own = Canonicalizer(CanonicalRules(tracking_parameters=("ref", "X_*"), session_parameters=()))

    assert own.canonical("https://a.example/?utm_source=1&ref=2&x_y=3") == "https://a.example/?utm_source=1"
    none = Canonicalizer(CanonicalRules(tracking_parameters=(), session_parameters=()))
    assert none.canonical("https://a.example/?gclid=1") == "https://a.example/?gclid=1"


def test_links_of_a_page_are_joined_in_order_and_once() -> None:
    """One list of addresses per page, ready for the frontier."""
    hrefs = [
        "/a/b.html", "c.html", "../d", "//b.example/e", "https://c.example/f?g=1", "?h=2", "#top", "",
        "/a/b.html#x", "javascript:void(0)", "mailto:me@a.example", "./c.html", "https://C.example/f?g=1",
    ]  # fmt: skip
    expected = [
        "https://a.example/a/b.html",
        "https://a.example/x/c.html",
        "https://a.example/d",
        "https://b.example/e",
        "https://c.example/f?g=1",
        "https://a.example/x/y.html?h=2",
        PAGE,
    ]
    assert expected == CANONICALIZER.join(PAGE, hrefs)


def test_a_base_that_is_not_canonical_still_leads_to_canonical_links() -> None:
    """`<base href>` is written by people."""
    base = "HTTP://User@A.Example:80/x;jsessionid=1/y/../z?utm_source=1#top"

    assert CANONICALIZER.join(base, ["w", "/v", "?u=1", "//b.example/", "#"]) == [
        "http://a.example/x/w",
        "http://a.example/v",
        "http://a.example/x/z?u=1",
        "http://b.example/",
        "http://a.example/x/z",
    ]


def test_a_stray_percent_sign_in_the_name_of_a_page_leaves_its_folder_one() -> None:
    """Its links must not have two forms, one as seen from there and one as seen from elsewhere."""
    assert CANONICALIZER.join("https://a.example/%41/100%", ["x", "/%41/x", "y%"]) == [
        "https://a.example/A/x",
        "https://a.example/%41/y%",
    ]


def test_a_broken_base_loses_only_relative_links() -> None:
    """Absolute links need no base."""
    assert CANONICALIZER.join("no address", ["/a", "b", "https://a.example/c", "https://B.example"]) == [
        "https://a.example/c",
        "https://b.example/",
    ]


def test_addresses_beyond_the_limit_are_dropped() -> None:
    """Every input has a size limit, on the short cut and on the long way."""
    small = Canonicalizer(CanonicalRules(url_bytes_max=30))
    hrefs = ["/" + "a" * 12, "/" + "a" * 13, "/%41" + "a" * 11, "/%41" + "a" * 12, "/" + "a/../" * 1000]

    assert small.join(PAGE, hrefs) == ["https://a.example/aaaaaaaaaaaa", "https://a.example/Aaaaaaaaaaaa"]


def test_hosts_with_international_names_keep_their_links() -> None:
    """The short cut is shy of punycode in links, not of the page's own host."""
    assert CANONICALIZER.join("https://xn--pklad-zsa96e.cz/", ["/a", "https://xn--pklad-zsa96e.cz/b"]) == [
        "https://xn--pklad-zsa96e.cz/a",
        "https://xn--pklad-zsa96e.cz/b",
    ]


PIECES = st.sampled_from(
    [
        *(
            "http://",
            "https://",
            "//",
            "/",
            "a.example",
            "A.example",
            "b-c.example",
            "xn--a",
            "[::1]",
            "1",
            "0x7",
        ),
        *(":80", ":8443", "@", ".", "..", "x", "Y.html", "%41", "%2e", "%2F", "%", "35", "?", "&", "=", "#"),
        *(
            "utm_source",
            "gclid",
            "sid",
            "0123456789abcdef",
            ";jsessionid=",
            ";",
            "(S(a))",
            "(",
            ")",
            "mailto:",
        ),
        *(" ", "\\", "é", "'", "|", "^", "~", "+", "\n", "\ud800"),
    ]
)
ADDRESSES = st.lists(PIECES, max_size=12).map("".join)
BASES = st.one_of(
    st.sampled_from([PAGE, "http://a.example/", "https://a.example:8443/x/%7Ey;jsessionid=1/"]),
    ADDRESSES.map("https://a.example/".__add__),
)


class LongWay(Canonicalizer):
    """The same rules without the short cut."""

    def __init__(self) -> None:
        super().__init__()
        self._plain = re.compile("(?!)").match


@settings(max_examples=400, deadline=None)
@given(BASES, st.lists(ADDRESSES, max_size=4))
def test_the_short_cut_answers_what_the_long_way_would(base: str, hrefs: list[str]) -> None:
    """Speed must not decide which address a page has."""
    assert LongWay().join(base, hrefs) == CANONICALIZER.join(base, hrefs)


@settings(max_examples=400, deadline=None)
@given(BASES, ADDRESSES)
def test_canonical_forms_are_their_own_canonical_forms(base: str, href: str) -> None:
    """Otherwise a page would be new again each time its address comes by."""
    for url in CANONICALIZER.join(base, [href]):
        assert url == CANONICALIZER.canonical(url)
        assert [url] == LongWay().join(base, [url])
