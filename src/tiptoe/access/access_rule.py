"""For which requests is something brought along, and what?

Of several rules the first one that fits counts, and it alone. A rule goes by the host and the path of a URL
as it is asked for, so after a redirect to another host nothing of it is left.
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
"""How addresses are spelt that end a session."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AccessRule:
    """What some hosts are shown, and how they are reached."""

    name: str  # by which people find it: "rule 2 (members.example.org)"
    hosts: tuple[str, ...]  # canonical names; *.example.org is every host under example.org
    path: str = "/"  # what lies at or under it
    allow_http: bool = False  # secrets may go over a wire on which others can read them
    fields: tuple[tuple[str, str], ...] = ()  # header fields that are no secret
    hidden: tuple[tuple[str, Secret], ...] = ()  # header fields that are
    cookies: tuple[Cookie, ...] = field(default=(), repr=False)
    login: LoginForm | None = None
    avoid: tuple[str, ...] = ()  # what lies at or under these paths is not asked for
    way: Way = PLAIN_WAY

    @property
    def shows_credentials(self) -> bool:
        """Whether each request says who we are, so that 401 is an answer to that."""
        return any(name == "Authorization" for name, _ in self.hidden)

    def fits(self, url: str) -> bool:
        """Whether it speaks of this canonical URL."""
        parts = split_url(url)
        return (
            parts.scheme in ("http", "https")
            and any(_is_host(parts.host, pattern) for pattern in self.hosts)
            and _is_at_or_under(parts.path, self.path)
        )

    def may_reveal(self, url: str) -> bool:
        """Whether secrets may go with a request for this URL."""
        return self.allow_http or url.startswith("https:")

    def withholds(self, url: str) -> bool:
        """Whether it has secrets, or a login, that a request for this URL goes without."""
        return not self.may_reveal(url) and bool(self.hidden or self.cookies or self.login is not None)

    def avoids(self, url: str) -> bool:
        """Whether a URL is better not asked for by somebody who is known there: it may end the session.

        A link of that kind stands on every page, often with a key that is another one in each session.
        """
        path = split_url(url).path
        has_session = self.login is not None or bool(self.cookies)
        return (has_session and LOGOUT.search(path) is not None) or any(
            _is_at_or_under(path, one) for one in self.avoid
        )


def _is_at_or_under(path: str, directory: str) -> bool:
    """Whether a path, with its query, lies there: "/members" is not meant for "/membership"."""
    below = directory if directory.endswith("/") else (directory + "/", directory + "?")
    return path == directory or path.startswith(below)


def _is_host(host: str, pattern: str) -> bool:
    return host.endswith(pattern[1:]) if pattern.startswith("*.") else host == pattern
