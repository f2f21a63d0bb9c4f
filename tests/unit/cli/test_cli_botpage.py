"""What should webmasters know about this robot?"""

from html.parser import HTMLParser
from pathlib import Path

import pytest
from cyclopts import App

from tiptoe.cli.botpage_command import botpage_command, in_words, render_botpage
from tiptoe.errors import SettingsError
from tiptoe.settings.layers import Settings


class Outline(HTMLParser):
    """Tags, targets of links and text of a page."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.targets: list[str | None] = []
        self.text = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.targets += [value for name, value in attrs if name in {"href", "src"}]

    def handle_data(self, data: str) -> None:
        self.text += data


def settings(**crawl: object) -> Settings:
    given = {"contact": "https://corpus.example/bot", **crawl}
    return Settings.load(None, {f"crawl.{key}": value for key, value in given.items()})


def test_the_page_says_who_it_is_and_how_to_keep_it_out() -> None:
    """POL-7."""
    page = Outline(render_botpage(settings(name="mybot"), version="1.0"))
    assert "User-Agent: mybot/1.0 (+https://corpus.example/bot)" in page.text
    assert "User-agent: mybot\nDisallow: /" in page.text
    assert "User-agent: mybot\nCrawl-delay: 30" in page.text
    for word in ("Retry-After", "noindex", "nofollow", "X-Robots-Tag", "tdm-reservation", "tdmrep.json"):
        assert word in page.text


def test_the_limits_are_those_in_force() -> None:
    """A promise that the crawl does not keep is worse than none."""
    slow = Settings.load(None, {"crawl.contact": "a@b.example", "politeness.req_delay": "90s"})
    assert "1 minute 30 seconds" in Outline(render_botpage(slow, version="1.0")).text
    assert "1 minute 30 seconds" not in Outline(render_botpage(settings(), version="1.0")).text


def test_the_page_needs_no_other_file() -> None:
    """It must work wherever it is put, and tell nobody who reads it."""
    assert Outline(render_botpage(settings(), version="1.0")).targets == ["https://corpus.example/bot"]
    mail = render_botpage(settings(contact="bot@corpus.example"), version="1.0")
    assert Outline(mail).targets == ["mailto:bot@corpus.example"]


def test_a_mail_address_stands_on_the_page_in_place_of_its_own_address() -> None:
    """A page that sends its readers to itself reaches nobody."""
    page = Outline(render_botpage(settings(), version="1.0", mail="bot@corpus.example"))
    assert page.targets == ["mailto:bot@corpus.example"]
    both = render_botpage(settings(contact="a@corpus.example"), version="1.0", mail="b@corpus.example")
    assert Outline(both).targets == ["mailto:b@corpus.example", "mailto:a@corpus.example"]


def test_whatever_is_given_is_escaped() -> None:
    page = render_botpage(
        settings(contact="https://corpus.example/'onclick=x&b"),
        version="<i>",
        purpose="<script>$name</script>",
    )
    outline = Outline(page)
    assert "script" not in outline.tags
    assert "i" not in outline.tags
    assert "<script>$name</script>" in outline.text
    assert outline.targets == ["https://corpus.example/'onclick=x&b"]


def test_a_reservation_that_is_not_obeyed_is_not_promised() -> None:
    bold = Settings.load(None, {"crawl.contact": "a@b.example", "text.respect_tdm": False})
    assert "is obeyed: the text does not enter the corpus" in render_botpage(settings(), version="1.0")
    assert "is obeyed: the text does not enter the corpus" not in render_botpage(bold, version="1.0")


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (1, "1 second"),
        (1.5, "1.5 seconds"),
        (0.25, "250 milliseconds"),
        (3660, "1 hour 1 minute"),
        (86400, "24 hours"),
    ],
)
def test_spans_are_written_as_people_say_them(seconds: float, words: str) -> None:
    assert in_words(seconds) == words


def botpage(*words: str) -> None:
    app = App(name="tiptoe", result_action="return_value")
    app.command(botpage_command, name="botpage")
    app(["botpage", *words], exit_on_error=False)


def test_the_command_writes_the_page(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "bot.html"
    botpage("--contact", "a@b.example", "--purpose", "For a dictionary.", "--out", str(out))
    assert "For a dictionary." in out.read_text()
    assert capsys.readouterr().out == f"written to {out}\n"
    botpage("--contact", "a@b.example")
    assert capsys.readouterr().out.startswith("<!doctype html>")


def test_a_page_that_names_only_itself_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    botpage("--contact", "https://corpus.example/bot")
    assert "--mail ADDRESS" in capsys.readouterr().err
    botpage("--contact", "https://corpus.example/bot", "--mail", "bot@corpus.example")
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("mail", ["nobody", "https://corpus.example/", "a b@c.example"])
def test_a_mail_address_that_is_none_is_refused(mail: str) -> None:
    with pytest.raises(SettingsError, match="expected a mail address"):
        botpage("--contact", "https://corpus.example/bot", "--mail", mail)


def test_without_a_contact_there_is_no_page() -> None:
    with pytest.raises(SettingsError, match="no contact given"):
        botpage()


def test_a_page_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="cannot be written: No such file or directory"):
        botpage("--contact", "a@b.example", "--out", str(tmp_path / "none" / "bot.html"))
