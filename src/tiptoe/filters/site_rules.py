"""Does a resource belong to a site, and what do the rules of that site decide?

This is the function `filterrules-process`:

    the first enabled site whose servers or domain match host and port; none: denied
    deeper than its starting points allow: denied
    its enabled rules, in the order of the file: the first that matches excludes or includes, and ends it
    no rule matches: it goes on

If a file has no sites at all, its enabled rules with default=true apply everywhere.

This is called for every new link of every page. So consecutive rules with the same effect are combined into
one test for each kind of comparison, and only if that matches is the matching line determined.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from itertools import groupby
from typing import Final

from tiptoe.filters.definition import FilterRule, MatchLine, RobotDefinition, Site
from tiptoe.filters.expressions import VALUE_CHARS_MAX, compile_expression
from tiptoe.filters.resource import Resource, port_of
from tiptoe.url.address import split_url

__all__ = ["PLAIN_EXTENSION", "UNLIMITED", "SiteProgram", "SiteRules", "match_tests", "site_depth"]

PROTOCOLS: Final = frozenset({"http", "https", "ftp", "file"})
HOSTS_REMEMBERED_MAX: Final = 10_000
UNLIMITED: Final = -1
PLAIN_EXTENSION: Final = re.compile(r"\.[a-z0-9]+", re.ASCII)

Test = Callable[[str], object]


class _RuleGroup:
    """Consecutive rules with the same effect."""

    def __init__(self, rules: Sequence[FilterRule]) -> None:
        self.is_denial = rules[0].action == "deny"
        self._rules = rules
        lines = [match for rule in rules for match in rule.matches]
        self._tests = [
            (src, test)
            for src in dict.fromkeys(match.src for match in lines)
            for test in match_tests([match for match in lines if match.src == src])
        ]

    def matches(self, sources: dict[str, str]) -> bool:
        for src, test in self._tests:
            value = sources.get(src)
            if value and test(value):
                return True
        return False

    def first(self, sources: dict[str, str]) -> tuple[FilterRule, MatchLine] | None:
        """Return the first line that matches, with its rule."""
        for rule in self._rules:
            for line in rule.matches:
                value = sources.get(line.src)
                if value and any(test(value) for test in match_tests([line])):
                    return rule, line
        return None


def match_tests(lines: Iterable[MatchLine]) -> list[Test]:
    """Return tests of a value, one for each kind of comparison in these lines about one source."""
    by: dict[str, list[str]] = {}
    for line in lines:
        value = line.value if line.src in ("url", "path") or line.by == "regex" else line.value.lower()
        by.setdefault(line.by, []).append(value)
    tests: list[Test] = []
    if exact := by.get("exact"):
        tests.append(frozenset(exact).__contains__)
    if begins := tuple(by.get("prefix", ())):
        tests.append(lambda value: value.startswith(begins))
    suffixes = by.get("suffix", [])
    # Nearly all are extensions; to look one up is much faster than to compare with each.
    if extensions := frozenset(filter(PLAIN_EXTENSION.fullmatch, suffixes)):
        tests.append(lambda value: value[value.rfind(".") :] in extensions)
    if ends := tuple(suffix for suffix in suffixes if suffix not in extensions):
        tests.append(lambda value: value.endswith(ends))
    if within := by.get("contains"):
        tests.append(re.compile("|".join(map(re.escape, within))).search)
    for expression in by.get("regex", ()):
        search = compile_expression(expression).search
        tests.append(lambda value, search=search: search(value[:VALUE_CHARS_MAX]))  # type: ignore[misc]
    return tests


class SiteProgram:
    """What applies to the resources of one site."""

    def __init__(self, place: str, depth: int, rules: Sequence[FilterRule]) -> None:
        self.place = place
        self.depth_max = depth
        self.rules = rules
        self.groups = [_RuleGroup(list(group)) for _, group in groupby(rules, lambda rule: rule.action)]


class SiteRules:
    """The sites and rules of one file, ready for use."""

    def __init__(self, definition: RobotDefinition, file: str, *, place: str, depth: int) -> None:
        """`place`: the directive that names the file; `depth`: the limit unless a site gives another."""
        self.place = place
        rules = {rule.id: rule for rule in definition.rules if rule.file == file}
        sites = [site for site in definition.sites if site.file == file]
        self.everywhere: SiteProgram | None = None
        if not sites:
            default = [rule for rule in rules.values() if rule.is_enabled and rule.is_default]
            self.everywhere = SiteProgram(place, UNLIMITED, default)
        self.sites = [
            (site, SiteProgram(site.place, site_depth(site, depth), _rules_of(site, rules)))
            for site in sites
            if site.is_enabled
        ]
        self._remembered: dict[tuple[str, int], SiteProgram | None] = {}

    def allows(self, resource: Resource) -> bool:
        """Whether sites and rules let a resource go on."""
        sources = resource.sources
        site = self.everywhere or self._site_of(sources.get("host", ""), resource.port)
        if site is None or sources.get("protocol") not in PROTOCOLS:
            return False
        if resource.depth > site.depth_max != UNLIMITED:
            return False
        for group in site.groups:
            if group.matches(sources):
                return not group.is_denial
        return True

    def reason(self, resource: Resource) -> tuple[str, str, bool]:
        """Return the place that denies a resource, the reason, and whether its depth is the cause."""
        sources = resource.sources
        site = self.everywhere or self._site_of(sources.get("host", ""), resource.port)
        if site is None:
            return self.place, "site not allowed", False
        if sources.get("protocol") not in PROTOCOLS:
            return self.place, "protocol not allowed", False
        if resource.depth > site.depth_max != UNLIMITED:
            return site.place, f"deeper than {site.depth_max}", True
        for group in site.groups:
            found = group.first(sources)
            if found is not None:
                rule, line = found
                return line.place, f"filter rule {rule.id}", False
        return self.place, "filter rule", False

    def site_at(self, url: str) -> SiteProgram | None:
        """Return the site of a URL."""
        parts = split_url(url)
        return self._site_of(parts.host, port_of(parts))

    def _site_of(self, host: str, port: int) -> SiteProgram | None:
        key = host, port
        if key not in self._remembered:
            if len(self._remembered) >= HOSTS_REMEMBERED_MAX:
                self._remembered.clear()
            found = (program for site, program in self.sites if _covers(site, host, port))
            self._remembered[key] = next(found, None)
        return self._remembered[key]


def site_depth(site: Site, robot_depth: int) -> int:
    """Return the maximum depth of pages of a site: the most that any of its starting points allows."""
    own = robot_depth if site.depth is None else site.depth
    depths = [own if start.depth is None else start.depth for start in site.starts] or [own]
    return UNLIMITED if UNLIMITED in depths else max(depths)


def _rules_of(site: Site, rules: dict[str, FilterRule]) -> list[FilterRule]:
    """Return the rules that apply to a site, in the order of the file."""
    used = {use.rule for use in site.uses if use.is_enabled}
    return [rule for rule in rules.values() if rule.id in used and rule.is_enabled]


def _covers(site: Site, host: str, port: int) -> bool:
    return any(
        (server.host == host or (server.is_domain and host.endswith(f".{server.host}")))
        and server.port in (0, port)
        for server in site.servers
    )
