"""FRO-1: spellings that servers take for one page share a key; others do not."""

from urllib.parse import parse_qsl, unquote_to_bytes

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tiptoe.url.address import page_key, page_keys, url_key
from tiptoe.url.canonical import Canonicalizer
from tiptoe.url.spelling import one_spelling

CANONICALIZER = Canonicalizer()
ORIGIN = "https://a.example/"

ONE_PAGE = [
    *[(f"x{sign}y", f"x%{ord(sign):02x}y") for sign in "!$&'()*,:=@[]|^~-_."],
    *[(f"x?q=a{sign}b", f"x?q=a%{ord(sign):02X}b") for sign in "!$'()*,:@[]|/?^`{}~=\\\"<>"],
    ("x?a[]=1&a[]=2", "x?a%5B%5D=1&a%5b%5d=2"),
    ("x?a=1", "x?a=1&"),
    ("x?a=1&b=2", "x?a=1&&b=2"),
    ("x?a=1", "x?&a=1"),
    ("x", "x?"),
    ("x", "x?&"),
    ("x?b", "x?b="),
    ("x?a=1&b&c=2", "x?a=1&b=&c=2"),
    ("100%", "100%25"),
    ("100%/x", "100%25/x"),
    ("x?q=5%&b=1", "x?q=5%25&b=1"),
    ("x?q=a+b", "x?q=a%20b"),
    ("x?q=a b", "x?q=a+b"),
    ("%7Euser", "~user"),
    ("a%c3%a9", "aé"),
    ("a b", "a%20b"),
    ("./x/../y", "y"),
    ("%2e/x/%2E%2e/y", "y"),
    ("x\\y", "x/y"),
    ("x\ty\n", "xy"),
    ("x;jsessionid=0A1B2C3D4E5F", "x"),
    ("x#part", "x"),
    ("", "?"),
]

TWO_PAGES = [
    ("x/y", "x%2Fy"),
    ("x", "x%3Fy"),
    ("x%23y", "x#y"),
    ("x%25y", "x%y%"),
    ("x+y", "x%2By"),
    ("x+y", "x%20y"),
    ("x;y", "x%3By"),
    ("x;a=b=c", "x;a=b%3Dc"),
    ("x//y", "x/y"),
    ("x/", "x"),
    ("X", "x"),
    ("x?a=1&b=2", "x?b=2&a=1"),
    ("x?q=a+b", "x?q=a%2Bb"),
    ("x?q=a&b", "x?q=a%26b"),
    ("x?q=a;b", "x?q=a%3Bb"),
    ("x?a%3Db=1", "x?a=b=1"),
    ("x?a%3Db", "x?a=b"),
    ("x?q=%2523", "x?q=%23"),
    ("x?b=0", "x?b"),
    ("x?a", "x?A"),
    ("%2541", "%41"),
    ("%%34%31", "A"),
    ("x?=", "x"),
    ("x?=1", "x?1"),
]


def key_of(path: str) -> bytes:
    url = CANONICALIZER.canonical(ORIGIN + path)
    assert url is not None
    return page_key(url)


@pytest.mark.parametrize(("one", "other"), ONE_PAGE)
def test_spellings_of_one_page_share_a_key(one: str, other: str) -> None:
    """Each would be asked for once more otherwise."""
    assert key_of(one) == key_of(other)


@pytest.mark.parametrize(("one", "other"), TWO_PAGES)
def test_pages_that_a_server_may_tell_apart_have_keys_of_their_own(one: str, other: str) -> None:
    """A page that is taken for another is never asked for."""
    assert key_of(one) != key_of(other)


@pytest.mark.parametrize(
    "path", ["x[y]", "x%5By%5D", "x?b=", "x?b", "x?a=1&&b=2", "100%", "x?q=a%20b", "x(y)", "x%28y%29"]
)
def test_a_page_is_asked_for_by_the_spelling_that_was_met(path: str) -> None:
    """Where only practice says that two spellings are one, the server gets its own."""
    assert CANONICALIZER.canonical(ORIGIN + path) == ORIGIN + path


PIECES = st.sampled_from(
    [
        "x",
        "/",
        "?",
        "&",
        "=",
        "+",
        ";",
        "%",
        "%25",
        "%41",
        "4",
        "1",
        "%5B",
        "[",
        "%20",
        " ",
        "%26",
        "%3D",
        "%2B",
        "%3F",
        "'",
        "é",
    ]
)


def read_by_server(url: str) -> tuple[list[bytes], list[tuple[str, str]]]:
    """Return the parts of a path, decoded, and the fields of a form: what most servers make of an address."""
    address, _, query = url.removeprefix(ORIGIN).partition("?")
    parts = [unquote_to_bytes(part) for part in address.split("/")]
    return parts, parse_qsl(query, keep_blank_values=True, encoding="latin-1")


@given(st.lists(PIECES, max_size=12).map("".join))
@example("?&=")
@example("%%35B")
def test_a_common_spelling_is_its_own_and_reads_the_same_to_a_server(path: str) -> None:
    url = CANONICALIZER.canonical(ORIGIN + path)
    if url is None:
        return
    common = one_spelling(url)
    assert read_by_server(common) == read_by_server(url)
    assert one_spelling(common) == common
    again = CANONICALIZER.canonical(common)
    assert again is not None
    assert url_key(again) == url_key(url)


@given(st.lists(PIECES, max_size=12).map("".join))
def test_keys_of_many_pages_are_the_keys_of_each(path: str) -> None:
    url = CANONICALIZER.canonical(ORIGIN + path)
    urls = [url, ORIGIN] if url else [ORIGIN]
    assert page_keys("a.example", urls) == b"".join(map(page_key, urls))


def spellings(characters: str) -> st.SearchStrategy[tuple[str, str]]:
    """Draw a word in two spellings, each character as itself or escaped, whichever comes."""
    ways = [
        st.sampled_from([sign if sign != " " else "+", f"%{ord(sign):02X}", f"%{ord(sign):02x}"])
        for sign in characters
    ]
    both = st.one_of([st.tuples(way, way) for way in ways])
    return st.lists(both, min_size=1, max_size=6).map(
        lambda word: ("".join(one for one, _ in word), "".join(other for _, other in word))
    )


PATHS = spellings("aZ7-_~!$&'()*,:@[]|^`{}")
NAMES = spellings("aZ7-_~!$'()*,:@[]|^`{}/?")
VALUES = st.one_of(
    spellings("aZ7-_~!$'()*,:@[]|^`{}/?= ").map(lambda both: ("=" + both[0], "=" + both[1])),
    st.tuples(st.sampled_from(["", "="]), st.sampled_from(["", "="])),
)
GAPS = st.tuples(st.sampled_from(["&", "&&"]), st.sampled_from(["", "&"]))


@given(PATHS, st.lists(st.tuples(NAMES, VALUES), max_size=3), GAPS)
def test_any_spelling_of_a_page_has_the_key_of_any_other(
    path: tuple[str, str], parameters: list[tuple[tuple[str, str], tuple[str, str]]], gaps: tuple[str, str]
) -> None:
    """Not only in the examples: what servers read alike is asked for once."""
    gap, end = gaps
    one = f"{path[0]}?" + "&".join(name[0] + value[0] for name, value in parameters)
    other = f"{path[1]}?{end}" + gap.join(name[1] + value[1] for name, value in parameters) + end
    assert key_of(one) == key_of(other)
