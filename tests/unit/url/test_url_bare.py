"""Which address a word without a scheme means."""

import pytest

from tiptoe.url.bare import address_meant, may_be_list

WEB = frozenset({"http", "https"})


@pytest.mark.parametrize(
    ("word", "address"),
    [
        ("www.example.cz", "http://www.example.cz/"),
        ("example.cz/news", "http://example.cz/news"),
        ("example.cz/a.html?b=c#d", "http://example.cz/a.html?b=c#d"),
        ("example.cz?b", "http://example.cz?b"),
        ("WWW.Example.CZ", "http://WWW.Example.CZ/"),
        ("example.cz.", "http://example.cz./"),
        ("example.cz:8080", "http://example.cz:8080/"),
        ("localhost", "http://localhost/"),
        ("localhost:8000/x", "http://localhost:8000/x"),
        ("127.0.0.1:8000", "http://127.0.0.1:8000/"),
        ("[::1]:8000/", "http://[::1]:8000/"),
        ("háčky.example", "http://háčky.example/"),
        ("उदाहरण.भारत", "http://उदाहरण.भारत/"),
        ("xn--hky-gla3b.example", "http://xn--hky-gla3b.example/"),
        ("a.xn--p1ai", "http://a.xn--p1ai/"),
        ("point.md", "http://point.md/"),  # Moldova
        ("my_host.example", "http://my_host.example/"),
        ("www.example.cz/robots.txt", "http://www.example.cz/robots.txt"),
        ("127.0.0.1:8000/list.csv", "http://127.0.0.1:8000/list.csv"),
    ],
)
def test_an_address_is_understood_without_its_scheme(word: str, address: str) -> None:
    assert address_meant(word, WEB) == address


@pytest.mark.parametrize(
    "word",
    ["seeds.txt", "Seeds.TXT", "seeds", "lists/seeds.txt", "seeds.csv", "seeds.txt.gz",
     "./www.example.cz", "../a.cz", "/etc/hosts.cz", "~/a.cz", "crawl.toml", "page.html", "a b.cz", "a@b.cz",
     "mailto:a@b.cz", "javascript:void(0)", "http:www.example.cz", "1.2.3", "300.1.1.1", "a..cz", ".cz",
     "cz.", "a.c", "C:\\lists.cz", "*.cz", "", "-", "[::1", "a.cz:port", "a.cz:123456", "://a.cz"],
)  # fmt: skip
def test_what_is_more_likely_a_file_or_a_slip_is_no_address(word: str) -> None:
    assert address_meant(word, WEB) is None


@pytest.mark.parametrize("word", ["my.lists/seeds.txt", "example.cz/a/list.csv", "example.cz/a.txt.gz"])
def test_a_path_may_be_that_of_a_list(word: str) -> None:
    assert may_be_list(word)


@pytest.mark.parametrize(
    "word",
    ["www.example.cz/a.txt", "127.0.0.1/a.txt", "[::1]/a.txt", "example.cz:80/a.csv", "localhost/a.txt",
     "example.cz/a.html", "example.cz", "seeds.txt"],
)  # fmt: skip
def test_what_has_the_marks_of_an_address_is_no_list(word: str) -> None:
    """No file of ours is called like a host with a port."""
    assert not may_be_list(word)


def test_the_scheme_is_one_that_is_spoken() -> None:
    assert address_meant("www.example.cz", {"https"}) == "https://www.example.cz/"
    assert address_meant("www.example.cz", {"file"}) is None


def test_a_long_word_costs_no_time() -> None:
    """Seed files come from anywhere."""
    for word in ("a." * 200_000, "[" + ":" * 200_000, "a" * 400_000 + ":" + "1" * 10):
        assert address_meant(word, WEB) is None
