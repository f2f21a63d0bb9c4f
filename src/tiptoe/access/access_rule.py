"""Which requests carry credentials or other fields, and which ones?

Only the first rule that matches counts. A rule applies to the host and path of the URL that is requested, so
after a redirect to another host it no longer applies.
"""

import re
from dataclasses import dataclass, field
from typing import Final

from tiptoe.access.cookie import Cookie
from tiptoe.access.login_form import LoginForm
from tiptoe.access.secret import Secret
from tiptoe.fetch.approach import PLAIN_WAY, Way
from tiptoe.url.address import split_url

__all__ = ["AccessRule"]


LOGOUT: Final = re.compile(r"(?:log|sign)[-_]?(?:out|off)(?![a-z])", re.IGNORECASE)
"""Typical paths of URLs that end a session."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AccessRule:
    """What requests to some hosts carry, and how these hosts are reached."""

    name: str  # for messages: "rule 2 (members.example.org)"
    hosts: tuple[str, ...]  # canonical names; *.example.org is every host under example.org
    path: str = "/"  # this path and everything under it
    allow_http: bool = False  # secrets may be sent unencrypted
    fields: tuple[tuple[str, str], ...] = ()  # header fields that are not secret
    hidden: tuple[tuple[str, Secret], ...] = ()  # header fields that are secret
    cookies: tuple[Cookie, ...] = field(default=(), repr=False)
    login: LoginForm | None = None
    avoid: tuple[str, ...] = ()  # nothing at or under these paths is requested
    way: Way = PLAIN_WAY

    @property
    def shows_credentials(self) -> bool:
        """Whether each request carries credentials, so that a 401 rejects them."""
        return any(name == "Authorization" for name, _ in self.hidden)

    def fits(self, url: str) -> bool:
        """Whether it applies to this canonical URL."""
        parts = split_url(url)
        return (
            parts.scheme in ("http", "https")
            and any(_is_host(parts.host, pattern) for pattern in self.hosts)
            and _is_at_or_under(parts.path, self.path)
        )

    def may_reveal(self, url: str) -> bool:
        """Whether a request for this URL may carry secrets."""
        return self.allow_http or url.startswith("https:")

    def withholds(self, url: str) -> bool:
        """Whether it has secrets, or a login, that are withheld from a request for this URL."""
        return not self.may_reveal(url) and bool(self.hidden or self.cookies or self.login is not None)

    def avoids(self, url: str) -> bool:
        """Whether requesting a URL may end our session.

        Such a link is on every page, often with a key that differs from session to session.
        """
        path = split_url(url).path
        has_session = self.login is not None or bool(self.cookies)
        return (has_session and LOGOUT.search(path) is not None) or any(
            _is_at_or_under(path, one) for one in self.avoid
        )


def _is_at_or_under(path: str, directory: str) -> bool:
    """Whether a path, with its query, is at or under another: "/membership" is not under "/members"."""
    below = directory if directory.endswith("/") else (directory + "/", directory + "?")
    return path == directory or path.startswith(below)


def _is_host(host: str, pattern: str) -> bool:
    return host.endswith(pattern[1:]) if pattern.startswith("*.") else host == pattern
