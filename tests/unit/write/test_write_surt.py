"""Archive keys are those that replay tools look for."""

import pytest

from tiptoe.write.surt import surt


@pytest.mark.parametrize(
    ("url", "key"),
    [
        ("http://www.archive.org/", "org,archive)/"),
        ("https://www34.archive.org:443/goo/", "org,archive)/goo"),
        ("http://archive.org/goo/?", "org,archive)/goo"),
        ("http://archive.org/goo/?a=2&b&a=1", "org,archive)/goo?a=1&a=2&b"),
        ("http://archive.org:8080/A.HTML", "org,archive:8080)/a.html"),
        ("https://archive.org:80/", "org,archive:80)/"),
        ("http://user:secret@archive.org/x#part", "org,archive)/x"),
        ("http://www2foo.com/", "com,www2foo)/"),
        ("http://host.com//two///slashes?more//slashes", "com,host)/two/slashes?more//slashes"),
        ("http://host/%25%32%35", "host)/%25"),
        ("http://host/%7Eme/%C4%8D", "host)/~me/%c4%8d"),
        ("http://host/č", "host)/%c4%8d"),
        ("http://127.0.0.1:8080/x", "1,0,0,127:8080)/x"),
        ("http://[2001:db8::1]/x", "2001:db8::1)/x"),
        ("http://[2001:db8::1]:81/x", "2001:db8::1:81)/x"),
        ("ftp://ftp.example.com/pub/", "com,example,ftp)/pub"),
        ("file:///srv/A.txt", "file:/srv/a.txt"),
        ("file:///srv//a/?y&x", "file:/srv//a?x&y"),
        ("mailto:a@example.com", "mailto:a@example.com"),
    ],
)
def test_the_key_is_the_one_replay_tools_compute(url: str, key: str) -> None:
    """Another key, and the page is in the archive but cannot be found."""
    assert surt(url) == key


ID = "0123456789abcdef" * 2


@pytest.mark.parametrize(
    ("url", "key"),
    [
        (f"http://a.example/x?sid={ID}", "example,a)/x"),
        (f"http://a.example/x?b=1&PHPSESSID={ID.upper()}&a=1", "example,a)/x?a=1&b=1"),
        (f"http://a.example/x?b=1&sid={ID}", "example,a)/x?&b=1"),
        (f"http://a.example/x?msid={ID}&b=1", "example,a)/x?mb=1"),
        (f"http://a.example/x?jsessionid={ID}0&b=1", f"example,a)/x?b=1&jsessionid={ID}0"),
        (f"http://a.example/x?sid={ID}&b=1&sid={ID}", f"example,a)/x?&b=1&sid={ID}"),
        (f"http://a.example/x?ASPSESSIONIDabcdefgh={'xy' * 12}&b=1", "example,a)/x?b=1"),
        ("http://a.example/x?cfid=7&cftoken=8&b=1", "example,a)/x?b=1"),
        (f"http://a.example/(S({ID[:24]}))/x.aspx", "example,a)/x.aspx"),
        (f"http://a.example/({ID[:24]})/x.aspx?a", "example,a)/x.aspx?a"),
        (f"http://a.example/({ID[:24]})/x.html", f"example,a)/({ID[:24]})/x.html"),
    ],
)  # fmt: skip
def test_session_ids_are_dropped_as_replay_tools_drop_them(url: str, key: str) -> None:
    """What surt 0.3.1 answers, the library behind pywb and cdxj-indexer; its slips are part of the key."""
    assert surt(url) == key


def test_a_query_full_of_session_names_takes_no_time() -> None:
    """Whoever writes addresses may write hostile ones."""
    query = "cfid=" * 400 + "&cftoken=" * 400
    assert surt(f"http://a.example/?{query}").startswith("example,a)/?")


def test_escapes_of_escapes_come_to_an_end() -> None:
    """A hostile address must not cost more than a few rounds."""
    assert surt("http://a.example/" + "%25" * 3 + "25" * 2000).isascii()
