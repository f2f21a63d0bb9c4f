"""How is the login form of a site filled in, and did the login succeed?

The form is found by the fields that the rule names; its other fields (hidden ones, above all) are sent as a
browser would. Pages may be hostile: sizes are limited, and a form that leads to another origin, or would put
secrets into a URL, is not filled in.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final
from urllib.parse import urlencode

from selectolax.lexbor import LexborHTMLParser, LexborNode

from tiptoe.access.secret import Secret
from tiptoe.parse.nesting import is_heavy
from tiptoe.url.address import origin_of
from tiptoe.url.whatwg import whatwg_join

__all__ = ["FilledForm", "LoginForm", "NoForm", "fill_form", "is_login_page", "login_refusal"]

HTML_CHARS_MAX: Final = 2_000_000
FORMS_MAX: Final = 100
FIELDS_MAX: Final = 500
FORM_BYTES_MAX: Final = 256 * 1024
FIELDS_SHOWN: Final = 8
FIELD_CHARS_SHOWN: Final = 40
UNSENT: Final = frozenset({"button", "reset", "image", "file", "submit"})
TICKED: Final = frozenset({"checkbox", "radio"})


@dataclass(frozen=True, slots=True, kw_only=True)
class LoginForm:
    """What a rule says about logging in."""

    page: str  # path of the page with the form, on each host of the rule
    fields: tuple[tuple[str, str], ...] = ()
    secrets: tuple[tuple[str, Secret], ...] = ()
    worked_cookie: str = ""  # success means that this cookie was set,
    worked_location: str = ""  # that we are redirected to a path that begins so,
    worked_text: str = ""  # and that the answer contains this: all that are given must hold
    again_on: tuple[int, ...] = (401, 403)  # statuses that mean that we are logged out
    again_text: str = ""  # text of a page that means that we are logged out
    tries: int = 2

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the fields by which the form is recognised."""
        return tuple(name for name, _ in (*self.fields, *self.secrets))


@dataclass(frozen=True, slots=True)
class FilledForm:
    """A form that is ready to be submitted."""

    url: str
    body: bytes = field(repr=False)


class NoForm(Exception):
    """The page has no form that we can fill in; the message says why."""


def fill_form(login: LoginForm, page_url: str, html: str) -> FilledForm:
    """Return the login form of a page, filled in; NoForm says why there is none."""
    if _is_too_large(html):
        raise NoForm("the login page is too large to be read")
    form, found = _find_form(login, html)
    if (form.attributes.get("method") or "").strip().lower() != "post":
        raise NoForm("the form does not post: secrets would stand in an address")
    if (form.attributes.get("enctype") or "").strip().lower() == "multipart/form-data":
        raise NoForm("the form wants multipart/form-data, which is not known here")
    target = whatwg_join(page_url, (form.attributes.get("action") or "").strip() or page_url)
    target = (target or "").partition("#")[0]
    if "@" in origin_of(target) or origin_of(target) != origin_of(page_url):
        raise NoForm(
            "the form leads elsewhere, and secrets are not sent there; if it is right, use cookies_file"
        )
    ours = {**dict(login.fields), **{name: secret.reveal() for name, secret in login.secrets}}
    pairs = [(name, value) for name, value in found if name not in ours] + list(ours.items())
    body = urlencode(pairs).encode("ascii")
    if len(body) > FORM_BYTES_MAX:
        raise NoForm("the form has too much in it")
    return FilledForm(target, body)


def _find_form(login: LoginForm, html: str) -> tuple[LexborNode, list[tuple[str, str]]]:
    """Return the form with the fields that the rule names, and the fields it would send by default."""
    seen: list[str] = []
    for form in LexborHTMLParser(html).css("form")[:FORMS_MAX]:
        found, names = list(_sent_by(form)), set(_names_in(form))
        if names.issuperset(login.names):
            return form, found
        seen += sorted(name for name in names if name not in seen)
    if not seen:
        raise NoForm("there is no form on the login page; if a script makes it, use cookies_file")
    shown = ", ".join(_shown(name) for name in seen[:FIELDS_SHOWN])
    raise NoForm(f"no form on the login page has the fields {', '.join(login.names)}; there are {shown}")


def _names_in(form: LexborNode) -> Iterator[str]:
    for node in form.css("input, button, select, textarea")[:FIELDS_MAX]:
        if name := node.attributes.get("name"):
            yield name


def _sent_by(form: LexborNode) -> Iterator[tuple[str, str]]:
    """Yield what a browser would send if only the first button was pressed."""
    has_pressed = False
    for node in form.css("input, button, select, textarea")[:FIELDS_MAX]:
        attributes = node.attributes
        name, kind = attributes.get("name") or "", (attributes.get("type") or "").lower()
        is_button = node.tag == "button" or kind in ("submit", "image")
        is_submit = is_button and kind in ("", "submit")
        if is_submit and not has_pressed:
            has_pressed = True
        elif is_button or kind in UNSENT:
            continue
        if not name or "disabled" in attributes or (kind in TICKED and "checked" not in attributes):
            continue
        yield name, _value_of(node, kind)


def _value_of(node: LexborNode, kind: str) -> str:
    if node.tag == "textarea":
        return str(node.text(deep=True))
    if node.tag == "select":
        options = node.css("option")[:FIELDS_MAX]
        chosen = next(
            (one for one in options if "selected" in one.attributes), options[0] if options else None
        )
        if chosen is None:
            return ""
        value = chosen.attributes.get("value")
        return str(chosen.text(deep=True)).strip() if value is None else value
    return node.attributes.get("value") or ("on" if kind in TICKED else "")


def _shown(name: str) -> str:
    """Return a page's name of a field in a form fit for a log."""
    shown = "".join(char if char.isprintable() else "?" for char in name[:FIELD_CHARS_SHOWN])
    return shown if len(name) <= FIELD_CHARS_SHOWN else shown + "…"


def login_refusal(
    login: LoginForm, *, page_url: str, status: int, location: str, html: str, cookies: set[str]
) -> str:
    """Return why the answer to a submitted form means that the login failed; empty if it succeeded.

    `location`: absolute URL of a redirect; `cookies`: names of the cookies that we have afterwards.
    """
    if status >= 400:
        return f"the site answered {status}"
    if login.worked_cookie and login.worked_cookie not in cookies:
        return f"the cookie {login.worked_cookie} was not set"
    if login.worked_location and not location.startswith(origin_of(page_url) + login.worked_location):
        return f"the site did not send us to {login.worked_location}"
    if login.worked_text and login.worked_text not in html:
        return f"the answer does not say {login.worked_text!r}"
    if login.worked_cookie or login.worked_location or login.worked_text:
        return ""
    if location and is_login_page(location, page_url):
        return "the site sent us back to the login page"
    if not location and _shows_form(login, html):
        return "the site shows the login form again"
    return "" if cookies else "the site set no cookie"


def is_login_page(url: str, page_url: str) -> bool:
    """Whether a URL is the login page, whatever its query."""
    return url.partition("?")[0].rstrip("/") == page_url.partition("?")[0].rstrip("/")


def _is_too_large(html: str) -> bool:
    return len(html) > HTML_CHARS_MAX or is_heavy(html.encode("utf-8", "surrogatepass"))


def _shows_form(login: LoginForm, html: str) -> bool:
    if _is_too_large(html):
        return False
    forms = LexborHTMLParser(html).css("form")[:FORMS_MAX]
    return any(set(_names_in(form)).issuperset(login.names) for form in forms)
