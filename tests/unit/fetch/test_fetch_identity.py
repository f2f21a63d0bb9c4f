"""How the crawler introduces itself."""

import pytest

from tiptoe.errors import SettingsError
from tiptoe.fetch.identity import user_agent


@pytest.mark.parametrize(
    ("contact", "expected"),
    [
        ("https://a.example/bot", "tiptoe/0.1 (+https://a.example/bot)"),
        (
            " http://a.example:8080/~me/bot.html?x=1#y ",
            "tiptoe/0.1 (+http://a.example:8080/~me/bot.html?x=1#y)",
        ),
        ("me@a.example", "tiptoe/0.1 (+mailto:me@a.example)"),
        ("mailto:me@a.example", "tiptoe/0.1 (+mailto:me@a.example)"),
    ],
)
def test_a_page_or_a_mail_address_is_a_contact(contact: str, expected: str) -> None:
    assert user_agent("tiptoe", "0.1", contact) == expected


@pytest.mark.parametrize(
    "contact",
    [
        "",
        " ",
        "me",
        "a.example",
        "ftp://a.example",
        "https://",
        "https://a b",
        "https://a.example/)\r\nX: y",
        "me@",
        "x" * 300 + "@a.example",
    ],
)
def test_without_a_usable_contact_there_is_no_crawl(contact: str) -> None:
    """POL-7: a webmaster who wonders must be able to ask."""
    with pytest.raises(SettingsError, match="contact"):
        user_agent("tiptoe", "0.1", contact)


@pytest.mark.parametrize(
    ("name", "version"), [("", "1"), ("my bot", "1"), ("bot", "1\r\n"), ("bot/2", "1"), ("bota\u0301", "1")]
)
def test_name_and_version_are_words(name: str, version: str) -> None:
    with pytest.raises(SettingsError, match="robot"):
        user_agent(name, version, "https://a.example/")
