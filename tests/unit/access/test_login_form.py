"""How a form is found, filled in and judged."""

from dataclasses import replace
from urllib.parse import parse_qsl

import pytest
from access_samples import LOGIN, PASSWORD

from tiptoe.access.login_form import NoForm, fill_form, login_refusal
from tiptoe.access.secret import Secret

PAGE = "https://a.example/login"
HOME = "https://a.example/home"
FIELDS = "<input name=user><input name=word></form>"
FORM = """
<form action=/search><input name=q></form>
<form action="/session?next=%2F" method=POST>
  <input type=hidden name=csrf value="t0ken &amp; more">
  <input name=user value=somebody> <input type=password name=word>
  <input type=checkbox name=stay checked> <input type=checkbox name=spam>
  <select name=lang><option value=en>English<option value=cs selected>Czech</select>
  <input name=off value=1 disabled> <input type=file name=up>
  <button name=go value=in>Log in</button> <button name=go value=out>Cancel</button>
</form>
"""


def test_a_form_is_filled_in_as_a_browser_would() -> None:
    form = fill_form(LOGIN, PAGE, FORM)
    assert form.url == "https://a.example/session?next=%2F"
    assert parse_qsl(form.body.decode()) == [
        ("csrf", "t0ken & more"), ("stay", "on"), ("lang", "cs"), ("go", "in"), ("user", "robot"),
        ("word", PASSWORD),
    ]  # fmt: skip


def test_a_form_without_an_action_goes_to_its_own_page() -> None:
    form = fill_form(LOGIN, PAGE, "<form method=post><input name=user><input name=word></form>")
    assert form.url == PAGE


@pytest.mark.parametrize(
    ("html", "said"),
    [
        ("<p>Welcome", "there is no form on the login page"),
        ("<form method=post><input name=user><input name=\x07pass></form>", "there are ?pass, user"),
        ("<form>" + FIELDS, "does not post"),
        (
            "<form method=post action=https://b.example/><input name=user><input name=word></form>",
            "elsewhere",
        ),
        ("<form method=post action=http://a.example/>" + FIELDS, "elsewhere"),
        ("<form method=post action=javascript:x>" + FIELDS, "elsewhere"),
        (
            "<form method=post action=https://u@a.example/><input name=user><input name=word></form>",
            "elsewhere",
        ),
        (
            "<form method=post enctype=multipart/form-data><input name=user><input name=word></form>",
            "multipart/form-data",
        ),
        ("<form method=post>" + "<b><i>" * 20_000, "too large"),
        (
            "<form method=post><input name=user><input name=word>"
            + "".join(f"<input type=hidden name=h{n} value={'x' * 1000}>" for n in range(300)),
            "too much in it",
        ),
    ],
)
def test_a_form_that_cannot_be_trusted_is_not_filled_in(html: str, said: str) -> None:
    """A page that was tampered with must not get at a password."""
    with pytest.raises(NoForm, match=said.replace("?", r"\?")):
        fill_form(LOGIN, PAGE, html)


@pytest.mark.parametrize(
    ("login", "answer", "refusal"),
    [
        (LOGIN, (302, HOME, "", {"sid"}), ""),
        (LOGIN, (200, "", "<p>Hello, robot", {"sid"}), ""),
        (LOGIN, (200, "", FORM, {"sid"}), "the site shows the login form again"),
        (LOGIN, (302, PAGE + "?failed=1", "", {"sid"}), "the site sent us back to the login page"),
        (LOGIN, (302, HOME, "", set()), "the site set no cookie"),
        (LOGIN, (403, "", "", {"sid"}), "the site answered 403"),
        (
            replace(LOGIN, worked_cookie="auth"),
            (302, HOME, "", {"sid"}),
            "the cookie auth",
        ),
        (replace(LOGIN, worked_cookie="auth"), (200, "", FORM, {"auth"}), ""),
        (replace(LOGIN, worked_location="/home"), (302, HOME + "/x", "", set()), ""),
        (
            replace(LOGIN, worked_location="/home"),
            (302, "https://b.example/home", "", set()),
            "did not send us",
        ),
        (replace(LOGIN, worked_text="Log out"), (200, "", "<a>Log out</a>", set()), ""),
        (replace(LOGIN, worked_text="Log out"), (200, "", "<a>Log in</a>", set()), "does not say 'Log out'"),
    ],
)
def test_an_answer_tells_whether_we_are_let_in(
    login: object, answer: tuple[int, str, str, set[str]], refusal: str
) -> None:
    status, location, html, cookies = answer
    found = login_refusal(
        login,  # type: ignore[arg-type]
        page_url=PAGE, status=status, location=location, html=html, cookies=cookies,
    )  # fmt: skip
    assert refusal in found
    assert bool(refusal) == bool(found)


def test_letters_of_any_script_are_sent_as_utf_8() -> None:
    login = replace(LOGIN, secrets=(("word", Secret("žluťoučký kůň")),))
    form = fill_form(login, PAGE, "<form method=post><input name=user><input name=word></form>")
    assert dict(parse_qsl(form.body.decode()))["word"] == "žluťoučký kůň"
