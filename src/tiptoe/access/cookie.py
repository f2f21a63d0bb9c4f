"""Which cookies are sent with a request?

Cookies come from a `cookies.txt` in Netscape's format, as browsers and wget write it, or from the answers of
a server (RFC 6265). Domain, path, `Secure` and expiry are respected. Pure: the time is passed in.

Rule: a cookie only goes back to where it came from. A cookie set by a server is kept for that host alone, so
no list of public suffixes is needed.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final

from tiptoe.fetch.http_date import http_moment

__all__ = ["Cookie", "CookieJar", "read_cookies_txt"]

COOKIES_MAX: Final = 100
"""Maximum number of cookies kept for one server; above it the oldest are dropped."""

COOKIE_CHARS_MAX: Final = 8_192
HTTP_ONLY: Final = "#HttpOnly_"
FOR_EVER: Final = float("inf")
SENDABLE: Final = re.compile(r"[ -:<-~\xa0-\xff]*")
"""Characters allowed in a name or a value: no semicolon, no control character."""


@dataclass(frozen=True, slots=True)
class Cookie:
    """One cookie, and where it may be sent."""

    name: str
    value: str = field(repr=False)
    domain: str
    path: str = "/"
    has_subdomains: bool = False  # also sent to subdomains
    is_secure: bool = False  # only sent over https
    expires_at: float = FOR_EVER

    def fits(self, host: str, path: str, *, is_secure: bool, now: float) -> bool:
        """Whether it is sent with a request to this host and path."""
        is_there = host == self.domain or (self.has_subdomains and host.endswith("." + self.domain))
        return (
            is_there and _is_under(path, self.path) and (is_secure or not self.is_secure)
            and now < self.expires_at
        )  # fmt: skip


def _is_under(path: str, directory: str) -> bool:
    """Whether a path is at or under another one (RFC 6265, 5.1.4)."""
    path = path.partition("?")[0]
    if not path.startswith(directory):
        return False
    return directory.endswith("/") or len(path) == len(directory) or path[len(directory)] == "/"


def read_cookies_txt(text: str) -> list[Cookie]:
    """Return the cookies of a file; ValueError names the first line that makes no sense."""
    cookies = []
    for number, line in enumerate(text.splitlines(), 1):
        bare = line.removeprefix(HTTP_ONLY)
        if not bare.strip() or bare.startswith("#"):
            continue
        parts = bare.split("\t")
        if len(parts) != 7:
            raise ValueError(
                f"line {number}: {len(parts)} columns, expected 7 with tabs between: domain, subdomains, "
                "path, secure, expiry, name, value"
            )
        domain, subdomains, path, secure, expiry, name, value = parts
        if not SENDABLE.fullmatch(name + value):
            raise ValueError(f"line {number}: a name or value that cannot be sent")
        try:
            expires_at = float(expiry or 0)
        except ValueError:
            raise ValueError(f"line {number}: the expiry is no number of seconds since 1970") from None
        cookies.append(
            Cookie(
                name, value, domain.lower().removeprefix("."), path or "/",
                has_subdomains=subdomains.upper() == "TRUE", is_secure=secure.upper() == "TRUE",
                expires_at=expires_at or FOR_EVER,
            )
        )  # fmt: skip
    return cookies


class CookieJar:
    """The cookies that one server has set, besides those that the operator gave for it."""

    def __init__(self, cookies: Iterable[Cookie] = ()) -> None:
        self._given = tuple(cookies)
        self._taken: dict[tuple[str, str], Cookie] = {}  # by name and path, oldest first

    def take(self, lines: Iterable[str], host: str, path: str, now: float) -> None:
        """Add or replace the cookies that an answer sets in its Set-Cookie fields."""
        for line in lines:
            cookie = _read_set_cookie(line, host, path, now)
            if cookie is None:
                continue
            self._taken.pop((cookie.name, cookie.path), None)
            self._taken[cookie.name, cookie.path] = cookie  # an expired one still hides the one it replaces
            while len(self._taken) > COOKIES_MAX:
                del self._taken[next(iter(self._taken))]

    def names(self, now: float) -> set[str]:
        """Return the names of the unexpired cookies that the server has set."""
        return {cookie.name for cookie in self._taken.values() if now < cookie.expires_at}

    def forget(self) -> None:
        """Drop the cookies that the server has set."""
        self._taken.clear()

    def field(self, host: str, path: str, *, is_secure: bool, now: float) -> str:
        """Return the value of the Cookie field of a request; empty if it has none."""
        replaced = {(cookie.name, cookie.path) for cookie in self._taken.values()}
        given = [cookie for cookie in self._given if (cookie.name, cookie.path) not in replaced]
        fitting = [
            cookie
            for cookie in (*given, *self._taken.values())
            if cookie.fits(host, path, is_secure=is_secure, now=now)
        ]
        fitting.sort(key=lambda cookie: -len(cookie.path))  # longer paths first: RFC 6265, 5.4
        return "; ".join(f"{cookie.name}={cookie.value}" for cookie in fitting)


def _read_set_cookie(line: str, host: str, path: str, now: float) -> Cookie | None:
    """Return the cookie in a Set-Cookie field; None if it is not for this host, or not valid."""
    pair, *rest = line[:COOKIE_CHARS_MAX].split(";")
    name, equals, value = pair.partition("=")
    name, value = name.strip(), value.strip()
    if not name or not equals or not SENDABLE.fullmatch(name + value) or len(line) > COOKIE_CHARS_MAX:
        return None
    attributes = {}
    for attribute in rest:
        key, _, given = attribute.partition("=")
        attributes[key.strip().lower()] = given.strip()
    domain = attributes.get("domain", "").lower().removeprefix(".")
    if domain and host != domain and not host.endswith("." + domain):
        return None
    scope = attributes.get("path", "")
    return Cookie(
        name, value, host, scope if scope.startswith("/") else _directory(path),
        is_secure="secure" in attributes, expires_at=_expiry(attributes, now),
    )  # fmt: skip


def _directory(path: str) -> str:
    """Return the default path of a cookie without one (RFC 6265, 5.1.4)."""
    return path.partition("?")[0].rpartition("/")[0] or "/"


def _expiry(attributes: dict[str, str], now: float) -> float:
    seconds = attributes.get("max-age", "")
    if re.fullmatch(r"-?[0-9]{1,12}", seconds):
        return now + float(seconds)
    moment = http_moment(attributes.get("expires", "").replace("-", " "))
    return FOR_EVER if moment is None else moment
