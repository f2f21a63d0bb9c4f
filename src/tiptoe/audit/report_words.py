"""How are moments, pauses and texts from outside written in a report?"""

from datetime import UTC, datetime

from tiptoe.audit.log_figures import PAUSE_EDGES
from tiptoe.audit.log_lines import LogRequest, LogRobots, Ordered
from tiptoe.observe.amounts import human_seconds
from tiptoe.observe.printable import printable
from tiptoe.write.logentries import Terms

__all__ = [
    "moment", "order_words", "outcome", "pause_class", "plain", "robots_lines", "span", "terms_rows",
]  # fmt: skip

ORDERS = {
    "hold": "no requests are to be made",
    "go_on": "the crawl goes on",
    "leave": "the host is blocked, or is to get fewer requests",
    "forget": "the host, or pages of it, are forgotten and never requested again",
}
ROBOTS_LINES_SHOWN = 200
CHARS_SHOWN = 300


def moment(at: float | None, *, exact: bool = False) -> str:
    """Return a moment in a form that is clear in every time zone."""
    if at is None:
        return "-"
    try:
        when = datetime.fromtimestamp(at, UTC)
    except (ValueError, OverflowError, OSError):
        return f"{at:.6f}"
    return f"{when:%Y-%m-%d %H:%M:%S.%f} UTC" if exact else f"{when:%Y-%m-%d %H:%M:%S} UTC"


def plain(text: str) -> str:
    """Return text from outside, made safe to print and cut to a reasonable length."""
    shown = printable(text[:CHARS_SHOWN])
    return shown + "…" if len(text) > CHARS_SHOWN else shown


def span(seconds: float) -> str:
    """Return a pause with the digits that matter."""
    return f"{seconds:.3f} s" if abs(seconds) < 60 else human_seconds(seconds)


def outcome(asked: LogRequest) -> str:
    """Return the outcome of a request in a few words."""
    return str(asked.status) if asked.status else asked.failure or "cut off"


def order_words(ordered: Ordered) -> str:
    """Return an order of the operator in words."""
    return ORDERS.get(ordered.order, plain(ordered.order))


def pause_class(begin: float) -> str:
    """Return the name of a class of pauses."""
    later = [edge for edge in PAUSE_EDGES if edge > begin]
    if not later:
        return f"{_short(begin)} or more"
    return f"{_short(begin)} – {_short(later[0])}" if begin else f"below {_short(later[0])}"


def _short(seconds: float) -> str:
    for unit, size in (("d", 86400.0), ("h", 3600.0), ("min", 60.0), ("s", 1.0), ("ms", 0.001)):
        if seconds >= size:
            return f"{seconds / size:g} {unit}"
    return "0"


def robots_lines(rules_read: LogRobots) -> list[str]:
    """Return the rules of a robots.txt that apply to us, as if it were written for us alone."""
    if rules_read.state != "rules":
        return [f"({rules_read.state}: kept away)"]
    lines = [
        f"{'Allow' if allowed else 'Disallow'}: {plain(pattern)}" for allowed, pattern in rules_read.rules
    ]
    if len(lines) > ROBOTS_LINES_SHOWN:
        lines = [*lines[:ROBOTS_LINES_SHOWN], f"… and {len(lines) - ROBOTS_LINES_SHOWN} more"]
    if rules_read.crawl_delay:
        lines.append(f"Crawl-delay: {rules_read.crawl_delay:g}")
    return lines or ["(no rules for us)"]


def terms_rows(terms: Terms) -> list[tuple[str, str]]:
    """Return the limits in force, each with its name and value."""
    rows = [
        ("pause after an answer of a host, at least", f"{terms.req_delay:g} s"),
        ("after a slow answer, at least", f"{terms.slow_factor:g} times as long as it took"),
        ("requests at a time to an IP address", "1"),
        ("requests to a host in a series, at most", str(terms.max_reqs)),
        ("hosts of an IP address in a series, at most", str(terms.max_hosts)),
        ("rest of an IP address after a series, at least", f"{terms.general_pause:g} s"),
        ("robots.txt is read again after", _short(terms.robots_expiry)),
        ("Crawl-delay and Retry-After are kept up to", _short(terms.retry_after_max)),
    ]
    if terms.cdn_ranges:
        rows.append(("addresses shared by many sites (each counts alone)", ", ".join(terms.cdn_ranges)))
    return rows
