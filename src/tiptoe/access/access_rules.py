"""Which rule applies to a URL, and what does a request for it carry?

Holds the sessions of one harvester, by origin and rule. If a session is forgotten, or lost with the process,
that only costs one more login.
"""

from collections.abc import Sequence
from typing import Final

from tiptoe.access.access_rule import AccessRule
from tiptoe.access.login_form import FilledForm
from tiptoe.access.site_session import SiteSession
from tiptoe.fetch.approach import Approach
from tiptoe.url.address import host_of, origin_of, split_url

__all__ = ["AccessRules", "approach_in"]

SESSIONS_MAX: Final = 10_000
"""Maximum number of sessions kept, since a rule for *.example.org may match any number of hosts."""


class AccessRules:
    """All rules of a crawl, in the order of the file."""

    def __init__(self, rules: Sequence[AccessRule]) -> None:
        self._by_host: dict[
            str, list[tuple[int, AccessRule]]
        ] = {}  # by each of their hosts, with their positions
        for place, rule in enumerate(rules):
            for host in rule.hosts:
                self._by_host.setdefault(host, []).append((place, rule))
        self._sessions: dict[tuple[str, str], SiteSession] = {}  # most recently used last

    def session_of(self, url: str) -> SiteSession | None:
        """Return our session at the origin of this URL; None if no rule applies."""
        rule = self._rule_for(url)
        if rule is None:
            return None
        key = (origin_of(url), rule.name)
        session = self._sessions.pop(key, None) or SiteSession(rule, key[0])
        self._sessions[key] = session
        if len(self._sessions) > SESSIONS_MAX:
            del self._sessions[next(iter(self._sessions))]
        return session

    def withholding(self, url: str) -> str:
        """Return the name of the rule whose secrets are withheld from this URL; empty if there is none."""
        rule = self._rule_for(url)
        return rule.name if rule is not None and rule.withholds(url) else ""

    def _rule_for(self, url: str) -> AccessRule | None:
        """Return the first rule that matches; there may be thousands, so only the host's are tried."""
        host = host_of(url)
        found = list(self._by_host.get(host, ()))
        dot = host.find(".")
        while dot >= 0:
            found += self._by_host.get("*" + host[dot:], ())
            dot = host.find(".", dot + 1)
        return min(
            ((place, rule) for place, rule in found if rule.fits(url)),
            key=lambda one: one[0],
            default=(0, None),
        )[1]

    def approach_of(self, url: str, now: float) -> Approach | None:
        """Return what a request for this URL carries; None if no rule applies."""
        session = self.session_of(url)
        return approach_in(session, url, now) if session is not None else None


def approach_in(session: SiteSession, url: str, now: float, form: FilledForm | None = None) -> Approach:
    """Return what a request in a session carries; a login carries it outside the rule's path too."""
    rule = session.rule
    if not rule.may_reveal(url):
        return Approach(way=rule.way, fields=rule.fields)
    parts = split_url(url)
    hidden = [(name, secret.reveal()) for name, secret in rule.hidden]
    cookies = session.jar.field(parts.host, parts.path, is_secure=parts.scheme == "https", now=now)
    if cookies:
        hidden.append(("Cookie", cookies))
    return Approach(
        way=rule.way,
        fields=rule.fields,
        hidden=tuple(hidden),
        form=form.body if form is not None else None,
        hides_cookies=bool(hidden) or rule.login is not None,
    )
