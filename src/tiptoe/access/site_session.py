"""Are we logged in at a site that requires it?

    OUT ── the form was accepted ──▶ IN ── 401, 403, sent to the login page ──▶ OUT
     └──── refused too often ──────▶ REFUSED, for an hour at least

Pure: answers and the time are passed in. One session for each origin and rule, in one harvester.

A page may be forbidden to everybody. So an apparent end of a session only counts as one if the session has
lasted a while, which gets longer after each login that did not help: otherwise each such page would cost a
login.
"""

import enum
from dataclasses import dataclass, field
from typing import Final

from tiptoe.access.access_rule import AccessRule
from tiptoe.access.cookie import CookieJar
from tiptoe.access.login_form import is_login_page
from tiptoe.url.address import origin_of

__all__ = ["SiteSession", "Standing"]

VAIN_SECONDS: Final = 60.0
VAIN_DOUBLINGS_MAX: Final = 6
"""Maximum number of doublings of the time that a session must last before its end is believed: it is a
minute after one login in vain, and about an hour at most."""

REFUSED_IN_ROW: Final = 5
"""Number of 401 answers in a row after which credentials that worked before are taken for bad."""

UNAUTHORISED: Final = 401
REASON_CHARS_MAX: Final = 200
REFUSED_SECONDS: Final = 3600.0
"""Time after which another login is tried. The keeper gives up a host that refused us, but the operator may
name it again, and then another try does no harm."""


class Standing(enum.Enum):
    """Whether we are logged in."""

    OUT = "out"
    IN = "in"
    REFUSED = "refused"


@dataclass(slots=True)
class SiteSession:
    """What we know about one origin under one rule."""

    rule: AccessRule
    origin: str
    standing: Standing = Standing.OUT
    reason: str = ""  # why we were refused
    refused_at: float = 0.0
    tries: int = 0  # logins in a row that were not accepted
    entered_at: float = 0.0
    vain: int = 0  # logins in a row after which the page that needed them was still refused
    asked_for: str = ""  # the page for which we logged in again
    has_been_let_in: bool = False  # our credentials were accepted at least once
    refused_in_row: int = 0
    jar: CookieJar = field(init=False)

    def __post_init__(self) -> None:
        self.jar = CookieJar(self.rule.cookies)

    @property
    def login_url(self) -> str:
        """URL of the login form."""
        return self.origin + self.rule.login.page if self.rule.login is not None else ""

    def needs_login(self, url: str) -> bool:
        """Whether we have to log in before this URL is requested."""
        return self.rule.login is not None and self.standing is Standing.OUT and self.rule.may_reveal(url)

    def entered(self, now: float) -> None:
        """Note that the form was accepted."""
        self.standing, self.entered_at, self.tries = Standing.IN, now, 0

    def turned_away(self, reason: str, now: float, *, is_final: bool = False) -> None:
        """Note that the form was not accepted, or was not found; another try may be left."""
        self.tries += 1
        self.jar.forget()
        tries_max = self.rule.login.tries if self.rule.login is not None else 1
        if is_final or self.tries >= tries_max:
            self._refuse(reason, now)

    def forgive(self, now: float) -> None:
        """Start over if we were refused long ago."""
        if self.standing is Standing.REFUSED and now - self.refused_at >= REFUSED_SECONDS:
            self.standing, self.tries, self.refused_in_row = Standing.OUT, 0, 0

    def _refuse(self, reason: str, now: float) -> None:
        self.standing, self.reason, self.refused_at = Standing.REFUSED, reason[:REASON_CHARS_MAX], now

    def note_answer(self, url: str, status: int, location: str, now: float, *, says_so: bool = False) -> bool:
        """Note the answer to a request for a page; return True if it must be repeated after a login.

        `says_so`: the page contains the text by which the rule recognises that we are logged out.
        """
        if self.rule.shows_credentials and self.rule.may_reveal(url):
            self._note_credentials(url, status, now)
        if self.rule.login is None or self.standing is not Standing.IN:
            return False
        is_again, self.asked_for = self.asked_for == url, ""
        if not says_so and not self._looks_logged_out(status, location):
            if is_again:
                self.vain = 0
            return False
        if is_again:
            self.vain += 1
            return False
        least = VAIN_SECONDS * 2.0 ** min(self.vain - 1, VAIN_DOUBLINGS_MAX) if self.vain else 0.0
        if now - self.entered_at < least:
            return False
        self.standing, self.asked_for = Standing.OUT, url
        self.jar.forget()
        return True

    def _looks_logged_out(self, status: int, location: str) -> bool:
        assert self.rule.login is not None
        if status in self.rule.login.again_on:
            return True
        return 300 <= status < 400 and is_login_page(location, self.login_url)

    def _note_credentials(self, url: str, status: int, now: float) -> None:
        """Tell bad credentials from a page that we are not allowed to see."""
        if status != UNAUTHORISED:
            self.has_been_let_in |= 200 <= status < 300
            self.refused_in_row = 0
            return
        self.refused_in_row += 1
        if not self.has_been_let_in or self.refused_in_row >= REFUSED_IN_ROW:
            path = url.removeprefix(origin_of(url)).partition("?")[0]
            self._refuse(f"the site answered 401 to our credentials at {path}", now)
