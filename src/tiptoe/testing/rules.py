"""What does a host's robots.txt say?"""

from collections.abc import Callable, Mapping
from typing import Final

from tiptoe.testing.answer import SimulatedAnswer
from tiptoe.testing.graph import PRIVATE
from tiptoe.testing.hosts import Host, RobotsKind

__all__ = ["ROBOTS", "answer_robots"]

SLOW_SECONDS: Final = 20.0
HUGE_BYTES: Final = 2_000_000
TEXT: Final = ("Content-Type", "text/plain; charset=utf-8")


def answer_robots(host: Host, origin: str) -> SimulatedAnswer:
    """Return the answer to a request for robots.txt."""
    return ROBOTS[host.robots](host, origin)


def _write_rules(host: Host, origin: str) -> str:
    """Return the file: a stranger is sent away, everybody else finds the rules of this host."""
    lines = ["# rules of a simulated host", "User-agent: nobody-bot", "Disallow: /", "", "User-agent: *"]
    if host.crawl_delay is not None:
        lines.append(f"Crawl-delay: {host.crawl_delay:g}")
    lines.append(f"Disallow: {PRIVATE if host.robots is RobotsKind.RULES else ''}".rstrip())
    if host.has_sitemap:
        lines += ["", f"Sitemap: {origin}/sitemap.xml"]
    return "\n".join(lines) + "\n"


def _answer_file(host: Host, origin: str) -> SimulatedAnswer:
    return SimulatedAnswer(200, [TEXT], _write_rules(host, origin).encode(), host.latency_seconds)


def _answer_missing(host: Host, origin: str) -> SimulatedAnswer:
    return SimulatedAnswer(404, [TEXT], b"not here\n", host.latency_seconds)


def _answer_error(host: Host, origin: str) -> SimulatedAnswer:
    return SimulatedAnswer(503, [TEXT], b"come back later\n", host.latency_seconds)


def _answer_slowly(host: Host, origin: str) -> SimulatedAnswer:
    return SimulatedAnswer(200, [TEXT], _write_rules(host, origin).encode(), SLOW_SECONDS)


def _answer_hugely(host: Host, origin: str) -> SimulatedAnswer:
    rules = _write_rules(host, origin).encode()
    padding = b"# nothing to see here, and a lot of it\n"
    return SimulatedAnswer(200, [TEXT], rules + padding * (HUGE_BYTES // len(padding)), host.latency_seconds)


ROBOTS: Final[Mapping[RobotsKind, Callable[[Host, str], SimulatedAnswer]]] = {
    RobotsKind.OPEN: _answer_file,
    RobotsKind.RULES: _answer_file,
    RobotsKind.MISSING: _answer_missing,
    RobotsKind.ERROR: _answer_error,
    RobotsKind.SLOW: _answer_slowly,
    RobotsKind.HUGE: _answer_hugely,
}
