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
        ("http://[2001:db8::1]:81/x", "[2001:db8::1]:81)/x"),
        ("ftp://ftp.example.com/pub/", "com,example,ftp)/pub"),
        ("file:///srv/a.txt", ")/srv/a.txt"),
        ("mailto:a@example.com", "mailto:a@example.com"),
    ],
)
def test_the_key_is_the_one_replay_tools_compute(url: str, key: str) -> None:
    """Another key, and the page is in the archive but cannot be found."""
    assert surt(url) == key


def test_escapes_of_escapes_come_to_an_end() -> None:
    """A hostile address must not cost more than a few rounds."""
    assert surt("http://a.example/" + "%25" * 3 + "25" * 2000).isascii()
