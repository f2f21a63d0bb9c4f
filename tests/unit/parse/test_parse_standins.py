"""Walls before a site, and pages that only say that there is no page."""

import pytest

from tiptoe.parse.standins import TEXT_CHARS_MAX, StandIn, is_challenge, stand_in

LONG = ["A real page has more to say than that it is not there. " * 10] * 3


@pytest.mark.parametrize(
    "title",
    ["Just a moment...", "Attention Required! | Cloudflare", "DDoS-Guard", "Pardon Our Interruption",
     "Making sure you're not a bot!", "Vercel Security Checkpoint", "One moment, please..."],
)  # fmt: skip
def test_well_known_walls_are_recognised_by_their_title(title: str) -> None:
    assert stand_in(title, ["Checking."], b"<html>") is StandIn.CHALLENGE
    assert is_challenge({}, b"<html><head><TITLE lang=en> " + title.encode() + b"</title>")


@pytest.mark.parametrize(
    "mark",
    [b"window._cf_chl_opt={}", b"<script src=//geo.captcha-delivery.com/x>", b"/_Incapsula_Resource?x",
     b"<div id=px-captcha>", b"https://x.edge.sdk.awswaf.com/challenge.js", b"/.well-known/sgcaptcha/?r=1"],
)  # fmt: skip
def test_walls_without_a_title_are_recognised_by_their_script(mark: bytes) -> None:
    assert stand_in("shop.example", ["Please enable JS"], b"<html><script>" + mark) is StandIn.CHALLENGE
    assert is_challenge({}, b"<html>" + mark)


def test_a_page_behind_the_wall_is_a_page() -> None:
    """Services put their scripts into pages that they let through, too."""
    script = b"<script src=/cdn-cgi/challenge-platform/scripts/jsd/main.js></script>"
    assert stand_in("Shop", ["Welcome to our shop."], script) is None
    assert stand_in("Shop", LONG, b"_Incapsula_Resource") is None


def test_an_article_about_walls_is_an_article() -> None:
    assert stand_in("Just a moment... what is that page?", LONG, b"_cf_chl_opt") is None
    assert stand_in("Checking your browser", ["x" * (TEXT_CHARS_MAX + 1)], b"") is None
    assert stand_in("Checking your browser", ["x" * TEXT_CHARS_MAX], b"") is StandIn.CHALLENGE


@pytest.mark.parametrize("field", ["cf-mitigated", "x-vercel-mitigated", "x-amzn-waf-action"])
def test_a_wall_may_name_itself_in_the_header(field: str) -> None:
    assert is_challenge({field: "Challenge"}, b"")
    assert not is_challenge({field: "pass"}, b"<title>Forbidden</title>")


@pytest.mark.parametrize(
    "title",
    ["404", "404 Not Found", "Error 404", "404 - Page not found", "Page not found | Shop", "Not Found",
     "Page could not be found", "Stránka nebyla nalezena", "Stránka sa nenašla", "Seite nicht gefunden",
     "Shop: page introuvable", "Página no encontrada"],
)  # fmt: skip
def test_pages_that_say_there_is_none_are_recognised(title: str) -> None:
    """They come with status 200, in every language of the web."""
    assert stand_in(title, ["Sorry."], b"<html>") is StandIn.NOT_FOUND


@pytest.mark.parametrize(
    ("title", "text"),
    [
        ("Shop", ["This page could not be found."]),
        ("404 Not Found", LONG),
        ("Not founded by kings: a history", ["Short."]),
        ("Not found in translation", ["Short."]),
        ("4040 Street, Springfield", ["Short."]),
        ("", ["Short."]),
        ("In the archive: the page not found in any book on the history of the valley", ["Short."]),
    ],
)
def test_other_pages_are_left_alone(title: str, text: list[str]) -> None:
    """A false alarm costs a page of the corpus."""
    assert stand_in(title, text, b"<html>") is None
