"""Which links have to be passed through the filter?

Most links of a page are of the same few kinds and none of them is denied. For filters that use only sites,
rules, types and depth, as the supplied ones do, one search by RE2 through all URLs of a page, for extensions
and anything else that a rule forbids, settles this for nearly all links. Only doubtful links are passed
through the filter, which decides. A needless doubt costs time, while a missing one would be a bug: a test
compares the two.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Final

import re2

from tiptoe.filters.chain_steps import ChainStep
from tiptoe.filters.definition import FilterRule, MatchLine
from tiptoe.filters.site_rules import PLAIN_EXTENSION, UNLIMITED, SiteRules, match_tests

__all__ = ["Doubts", "doubts_of"]

ORIGINS_REMEMBERED_MAX: Final = 10_000

EXPRESSION_BYTES_MAX: Final = 64 << 20
"""Memory for the expression; with more rules than fit, every link is passed through the filter."""

PATH_END: Final = r"[?\n]"
"""What follows a path: its query, or the line break behind each URL."""

Doubt = Callable[[Sequence[str]], Sequence[str]]
"""Returns those of the given URLs that may be denied."""


class _NotKnown(Exception):
    """A line that cannot be judged by a quick check of the URL."""


class Doubts:
    """Checks the links of a page for one filter."""

    def __init__(self, rules: SiteRules, types: dict[str, str], depth_max: int) -> None:
        self._rules = rules
        self._types = types
        self._depth_max = depth_max
        self._everywhere = self._doubt_of(rules.everywhere.rules) if rules.everywhere is not None else None
        self._known: dict[str, tuple[int, Doubt] | None] = {}
        for _, program in rules.sites:
            self._doubt_of(program.rules)  # so that lines that cannot be judged are found at once

    def among(self, urls: Sequence[str], depth: int) -> Sequence[str]:
        """Return the URLs that may be denied at this depth; all others are not."""
        if depth > self._depth_max != UNLIMITED:
            return urls
        if self._everywhere is not None:
            return self._everywhere(urls)
        by_origin: dict[str, list[str]] = {}
        for url in urls:
            by_origin.setdefault(url[: url.find("/", 8)], []).append(url)
        doubtful: list[str] = []
        for origin, own in by_origin.items():
            known = self._known[origin] if origin in self._known else self._look_up(origin, own[0])
            doubtful += own if known is None or depth > known[0] != UNLIMITED else known[1](own)
        return doubtful

    def _look_up(self, origin: str, url: str) -> tuple[int, Doubt] | None:
        """Return the depth of the site of an origin, and its doubts; None: everything is in doubt."""
        if len(self._known) >= ORIGINS_REMEMBERED_MAX:
            self._known.clear()
        site = self._rules.site_at(url)
        self._known[origin] = None if site is None else (site.depth_max, self._doubt_of(site.rules))
        return self._known[origin]

    def _doubt_of(self, rules: Iterable[FilterRule]) -> Doubt:
        # Including rules never deny; whether one comes first is left to the filter.
        lines = [line for rule in rules if rule.action == "deny" for line in rule.matches]
        extensions = self._denied_extensions(lines)
        ends: list[str] = []
        within: list[str] = []
        for line in lines:
            if line.src == "type":
                continue
            if (line.src, line.by) == ("path", "suffix"):
                if PLAIN_EXTENSION.fullmatch(line.value):
                    extensions.add(line.value[1:])
                else:
                    ends.append(line.value)
            elif line.src in ("path", "url") and line.by == "contains":
                within.append(line.value)
            else:
                raise _NotKnown
        return _doubt(extensions, ends, within)

    def _denied_extensions(self, lines: Iterable[MatchLine]) -> set[str]:
        tests = match_tests([line for line in lines if line.src == "type"])
        return {extension for extension, type in self._types.items() if any(test(type) for test in tests)}


def _doubt(extensions: Iterable[str], ends: Iterable[str], within: Iterable[str]) -> Doubt:
    own = "|".join(map(re2.escape, sorted(extensions)))
    expressions = [rf"(?i:\.(?:{own})){PATH_END}"] if own else []
    expressions += [re2.escape(end) + PATH_END for end in ends]
    expressions += map(re2.escape, within)
    if not expressions:
        return lambda urls: ()
    options = re2.Options()
    options.max_mem, options.log_errors = EXPRESSION_BYTES_MAX, False
    try:
        # Of bytes, because a search in a string costs twice as much.
        search = re2.compile("|".join(expressions).encode(), options).search
    except re2.error as error:
        raise _NotKnown from error

    def is_in_doubt(urls: str) -> bool:
        return search(f"{urls}\n".encode("utf-8", "replace")) is not None

    def doubt(urls: Sequence[str]) -> Sequence[str]:
        # All together first: on most pages none is in doubt, so single links need no check.
        return [url for url in urls if is_in_doubt(url)] if is_in_doubt("\n".join(urls)) else ()

    return doubt


def doubts_of(steps: Sequence[ChainStep], types: dict[str, str]) -> Doubts | None:
    """Return the doubts for a filter with these steps of MetaData; None if a quick check is impossible."""
    depth_max, has_types = UNLIMITED, False
    for place, step in enumerate(steps):
        given = step.directive.parameters
        match step.directive.function:
            case "filter-by-max" if step.directive.source == "depth":
                depth_max = int(given["value"])
            case "assign-type-by-extension" if given.get("src", "path").lower() == "path":
                has_types = True
            case "filterrules-process" if step.rules is not None and place == len(steps) - 1:
                try:
                    return Doubts(step.rules, types if has_types else {}, depth_max)
                except _NotKnown:
                    return None
            case _:
                return None
    return None
