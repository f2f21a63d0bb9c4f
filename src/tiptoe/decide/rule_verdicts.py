"""Which rule decides about a URL?

The same rules as those of the decision points, one by one, each with a short explanation for people. What
depends on the answer (is it a page? does it have text? in which language?) is not included.
"""

from collections.abc import Iterator
from typing import NamedTuple

from tiptoe.decide.scheduling import LinkGroup, SchedulePoint
from tiptoe.protocol.work import Purpose
from tiptoe.url.address import host_of
from tiptoe.url.dropped import Dropped
from tiptoe.url.scope import Bound, Crossing, Scope

__all__ = ["LinkVerdicts", "RuleVerdict"]


class RuleVerdict(NamedTuple):
    """What one rule says about a URL."""

    point: str  # schedule, fetch, …
    rule: str  # the setting behind it, or its name
    refusal: str  # the reason; empty: the rule does not refuse it
    explanation: str


class LinkVerdicts:
    """The rules of `schedule`, checked one by one."""

    def __init__(self, schedule: SchedulePoint) -> None:
        self._schedule = schedule

    def on(self, url: str, *, depth: int, is_seed: bool = False) -> Iterator[RuleVerdict]:
        """Yield what each rule would say about a canonical URL if a link on a page led there."""
        schedule = self._schedule
        yield _host_verdict(schedule.scope, host_of(url))
        yield _url_verdict(schedule.scope, url, is_seed=is_seed)
        away = f"{depth} {'link' if depth == 1 else 'links'} away from a seed"
        yield _verdict("scope.depth", schedule.refusal(LinkGroup(depth=depth)), away)
        if is_seed:
            return
        unlisted = schedule.refusal_in(Purpose.PAGE)
        text = "links on pages are not followed" if unlisted else "links on pages are followed"
        yield _verdict("scope.follow", unlisted, text)
        refused = schedule.refused_urls([url], are_leads=True).get(url)
        trap = refused if refused is not Dropped.OUT_OF_SCOPE else None  # already reported by the bounds
        yield _verdict("traps", trap, f"looks like one: {trap}" if trap else "does not look like one")


def _verdict(rule: str, refused: Dropped | None, said: str) -> RuleVerdict:
    return RuleVerdict("schedule", rule, refused or "", said)


def _host_verdict(scope: Scope, host: str) -> RuleVerdict:
    crossing = scope.host_crossing(host)
    if crossing is None:
        bounds = ", ".join(_host_bounds(scope)) or "scope"
        text = f"{host or 'this machine'} is within" if scope.bounds_hosts else "all hosts are wanted"
        return RuleVerdict("schedule", bounds, "", text)
    return RuleVerdict("schedule", crossing.bound, Dropped.OUT_OF_SCOPE, _crossing_text(crossing, host))


def _host_bounds(scope: Scope) -> Iterator[str]:
    named = {
        Bound.EXCLUDE: scope.exclude_hosts,
        Bound.INCLUDE: scope.include_hosts,
        Bound.DOMAINS: scope.domains,
        Bound.WITHIN: scope.seed_hosts or scope.seed_sites,
    }
    return (bound.value for bound, drawn in named.items() if drawn)


def _url_verdict(scope: Scope, url: str, *, is_seed: bool) -> RuleVerdict:
    if not scope.bounds_urls:
        return RuleVerdict("schedule", "scope", "", "all pages of these hosts are allowed")
    if is_seed:
        return RuleVerdict("schedule", "scope", "", "a seed is requested wherever it is on its host")
    crossing = scope.url_crossing(url)
    if crossing is None:
        return RuleVerdict("schedule", "scope", "", "its address is within the bounds for pages")
    return RuleVerdict("schedule", crossing.bound, Dropped.OUT_OF_SCOPE, _crossing_text(crossing, url))


def _crossing_text(crossing: Crossing, what: str) -> str:
    match crossing.bound:
        case Bound.EXCLUDE | Bound.EXCLUDE_URLS:
            return f"{crossing.pattern} is found in {what}"
        case Bound.INCLUDE | Bound.INCLUDE_URLS:
            return f"no pattern is found in {what}"
        case Bound.DOMAINS:
            return f"{what} is in none of the domains"
        case Bound.WITHIN:
            return f"{what} is too far from the seeds"
        case Bound.PREFIXES:
            return f"{what} begins like none of the prefixes"
