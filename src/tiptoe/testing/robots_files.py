"""What does a host's robots.txt say, and what does it forbid to which robot?

The text and the verdict come from one list of rules, but the verdict is computed
here (RFC 9309: the longest pattern decides, Allow wins a tie), not by the crawler's
own parser, so that a mistake there is noticed.
"""

import re
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Final

from tiptoe.testing.answer import SimulatedAnswer
from tiptoe.testing.fragments import path_words
from tiptoe.testing.graph import PRIVATE, SECTIONS, SLUGS, Graph
from tiptoe.testing.web_hosts import RobotsKind, WebHost

__all__ = ["AGENT", "RobotsFiles"]

AGENT: Final = "tiptoe"
"""The robot that is named in robots.txt files with a group of its own."""

ROBOTS: Final = "/robots.txt"
MOVED_TO: Final = "/about/robots.txt"
SLOW_SECONDS: Final = 20.0
HUGE_BYTES: Final = 2_000_000
TEXT: Final = ("Content-Type", "text/plain; charset=utf-8")
HTML: Final = ("Content-Type", "text/html; charset=utf-8")
PAGE: Final = (
    b"<!DOCTYPE html>\n<title>Welcome</title>\n<h1>Welcome</h1>\n<p>What you asked for is not here.</p>\n"
)
WITHOUT_RULES: Final = frozenset((RobotsKind.MISSING, RobotsKind.ERROR, RobotsKind.HTML))

Rule = tuple[bool, str]  # allowed?, pattern
Answer = Callable[[WebHost, str, str], SimulatedAnswer]  # from host, rules and origin


class RobotsFiles:
    """The robots.txt of every host of a web."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._words = lru_cache(None)(path_words)  # one list per language

    def answer(self, host: WebHost, target: str) -> SimulatedAnswer | None:
        """Return the answer to a request for the rules; None if they are not at this path."""
        if target == ROBOTS:
            return ANSWERS[host.robots](host, self._write(host), self._graph.origin_of(host))
        if target == MOVED_TO and host.robots is RobotsKind.MOVED:
            return _answer_file(host, self._write(host), "")
        return None

    def shows_sitemap(self, host: WebHost) -> bool:
        """True if the file names the host's sitemap."""
        is_welcoming = host.robots not in WITHOUT_RULES and host.robots is not RobotsKind.CLOSED
        return host.has_sitemap and is_welcoming

    def crawl_delay_of(self, host: WebHost) -> float | None:
        """Return the Crawl-delay in the file, if there is a file."""
        return None if host.robots in WITHOUT_RULES else host.crawl_delay

    def allows(self, host: WebHost, path: str, agent: str = AGENT) -> bool:
        """True unless the file forbids this robot the path (with query, if any)."""
        if host.robots in WITHOUT_RULES or path == ROBOTS:
            return True
        longest = {True: -1, False: -1}
        for is_allowed, pattern in self._rules_for(host, agent):
            if len(pattern) > longest[is_allowed] and _matches(pattern, path):
                longest[is_allowed] = len(pattern)
        return longest[True] >= longest[False]

    def _rules_for(self, host: WebHost, agent: str) -> list[Rule]:
        if host.robots is RobotsKind.CLOSED:
            return [(False, "/")]
        if host.robots is RobotsKind.NAMED and agent.partition("/")[0].lower() != AGENT:
            return [(False, "/")]
        if host.robots in (RobotsKind.RULES, RobotsKind.NAMED, RobotsKind.MOVED):
            return [(False, PRIVATE)]
        return self._patterns_of(host) if host.robots is RobotsKind.PATTERNS else []

    def _patterns_of(self, host: WebHost) -> list[Rule]:
        """Return rules that match some of the host's paths, which look like `/mesto/kniha-7.html`."""
        words, salt = self._words(host.language), host.salt
        sections, slugs = words[:SECTIONS], words[-SLUGS:]
        section = sections[salt >> 20 & SECTIONS - 1]
        return [
            (False, f"/{section}/"),
            (True, f"/{section}/{slugs[salt >> 24 & SLUGS - 1]}-"),
            (False, f"/*/{slugs[salt >> 30 & SLUGS - 1]}-*.html$"),
            (False, "/*?"),
        ]

    def _write(self, host: WebHost) -> str:
        """Return the file: `nobody-bot` is kept out, all others get the rules of this host."""
        lines = ["# rules of a simulated host", "User-agent: nobody-bot", "Disallow: /", ""]
        if host.robots is RobotsKind.NAMED:
            lines += ["User-agent: *", "Disallow: /", "", f"User-agent: {AGENT}"]
        else:
            lines.append("User-agent: *")
        if host.crawl_delay is not None:
            lines.append(f"Crawl-delay: {host.crawl_delay:g}")
        rules = self._rules_for(host, AGENT)
        lines += [f"{'Allow' if is_allowed else 'Disallow'}: {pattern}" for is_allowed, pattern in rules]
        if not rules:
            lines.append("Disallow:")
        if self.shows_sitemap(host):
            lines += ["", f"Sitemap: {self._graph.origin_of(host)}/sitemap.xml"]
        return "\n".join(lines) + "\n"


def _matches(pattern: str, path: str) -> bool:
    """Match from the beginning; `*` matches any characters and a final `$` the end."""
    body = pattern.removesuffix("$")
    expression = ".*".join(map(re.escape, body.split("*")))
    return re.match(expression + (r"\Z" if body != pattern else ""), path, re.DOTALL) is not None


def _answer_file(host: WebHost, text: str, origin: str) -> SimulatedAnswer:
    return SimulatedAnswer(200, [TEXT], text.encode(), host.latency_seconds)


def _answer_alike(status: int, header: tuple[str, str], body: bytes) -> Answer:
    return lambda host, text, origin: SimulatedAnswer(status, [header], body, host.latency_seconds)


def _answer_slowly(host: WebHost, text: str, origin: str) -> SimulatedAnswer:
    return SimulatedAnswer(200, [TEXT], text.encode(), SLOW_SECONDS)


def _answer_hugely(host: WebHost, text: str, origin: str) -> SimulatedAnswer:
    padding = b"# nothing to see here, and a lot of it\n"
    body = text.encode() + padding * (HUGE_BYTES // len(padding))
    return SimulatedAnswer(200, [TEXT], body, host.latency_seconds)


def _send_elsewhere(host: WebHost, text: str, origin: str) -> SimulatedAnswer:
    return SimulatedAnswer(301, [("Location", origin + MOVED_TO)], b"", host.latency_seconds)


ANSWERS: Final[Mapping[RobotsKind, Answer]] = {
    RobotsKind.OPEN: _answer_file,
    RobotsKind.RULES: _answer_file,
    RobotsKind.MISSING: _answer_alike(404, TEXT, b"not here\n"),
    RobotsKind.ERROR: _answer_alike(503, TEXT, b"come back later\n"),
    RobotsKind.SLOW: _answer_slowly,
    RobotsKind.HUGE: _answer_hugely,
    RobotsKind.PATTERNS: _answer_file,
    RobotsKind.NAMED: _answer_file,
    RobotsKind.CLOSED: _answer_file,
    RobotsKind.HTML: _answer_alike(200, HTML, PAGE),
    RobotsKind.MOVED: _send_elsewhere,
}
