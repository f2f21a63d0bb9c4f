"""Is the URL or the host in trouble, and how long does each wait?

A URL has its tries, and its own time for the next one. A host is judged by its answers: the troubles that
count against it form a row, which any good answer ends. An address is only held: see `gate`.

    good answer ──▶ the row ends; the backoff level is halved
    trouble ──────▶ one more in the row, if it says something new about the host: the first try of a URL; or
                      again a failed connection, or a wish to be left alone (429, Retry-After)
    the row is long enough, and has lasted long enough ──▶ the host is given up

A URL that fails again after its host has answered others is to blame itself, and so is a directory of URLs
that fails while others answer: they do not count against the host.

Troubles later in the same visit, when the host should already be left alone, say nothing new either, because
the host had no pause in between.

Arithmetic on the record of a host: no store, no clock.
"""

from dataclasses import dataclass
from typing import Final

import xxhash

from tiptoe.frontier.host import HostRecord
from tiptoe.frontier.patience import PATIENCE, PATIENCE_BUDGET, Patience, Trouble
from tiptoe.frontier.politeness import Politeness, backoff_seconds
from tiptoe.protocol.work import Request
from tiptoe.url.address import KEY_BYTES, page_key

__all__ = [
    "SPREAD_URLS",
    "Measures",
    "begin_anew",
    "clear_troubles",
    "directory_of",
    "host_wait",
    "is_blamed",
    "is_on_trial",
    "record_trouble",
    "url_wait",
]

SPREAD_URLS: Final = 12
"""Number of troubles in a row from which on the host has to wait, whatever the kind of trouble."""

LEAST_WAITS: Final = 30.0
"""Minimum duration of a host's troubles before it is given up, in units of `backoff_first`."""

BLAMED_MAX: Final = 8
"""Maximum number of directories per host that are remembered as failing while the host answers elsewhere."""


@dataclass(frozen=True, slots=True)
class Measures:
    """What follows for a host from a trouble."""

    wait: float = 0.0  # 0 = it need not wait
    gives_up: bool = False


def record_trouble(
    record: HostRecord, trouble: Trouble, rules: Politeness, now: float, *, is_news: bool
) -> Measures:
    """Note one more trouble of a host; `is_news`: it says something new about the host in this row."""
    patience = PATIENCE[trouble]
    if not patience.give_up_after:
        return Measures()
    if now - max(record.troubled_at, record.next_at) > rules.backoff_forgive:
        record.backoff_level = 0
    record.trouble, record.troubled_at = trouble.value, now
    if is_news:
        if not record.troubles:
            record.troubled_since = now
        record.troubles += 1
        record.patience_used += patience.cost
    wait = 0.0
    if patience.host_waits or (is_news and is_on_trial(record)):
        level = record.backoff_level
        if is_news:
            record.backoff_level += 1
        else:  # wait as long as last time
            level = max(level - 1, 0)
        wait = host_wait(rules, trouble, level, record.host)
    is_used_up = record.patience_used >= PATIENCE_BUDGET
    return Measures(wait, gives_up=is_used_up and _has_lasted(record, patience, rules, now))


def _has_lasted(record: HostRecord, patience: Patience, rules: Politeness, now: float) -> bool:
    """Whether the troubles of a host have lasted long enough to give it up."""
    least = min(LEAST_WAITS * rules.backoff_first, rules.backoff_max)
    return patience.give_up_after == 1 or now - record.troubled_since >= least


def clear_troubles(record: HostRecord, url: str) -> None:
    """End the row of troubles of a host after a good answer."""
    if record.troubles or record.blamed_directories:
        _blame(record, directory_of(url))
    record.troubles = record.patience_used = record.robots_troubles = record.chances = 0
    record.backoff_level //= 2


def begin_anew(record: HostRecord) -> None:
    """Forget every trouble: the host is tried as if for the first time."""
    record.troubles = record.patience_used = record.robots_troubles = 0
    record.backoff_level = record.chances = 0
    record.blamed_directories = b""
    record.shut_origins = {}


def _blame(record: HostRecord, answering: bytes) -> None:
    """Blame the directory of the last trouble, now that another one answers; clear the answering one."""
    blamed = _parts(record.blamed_directories)
    if record.troubles and record.troubled_directory not in blamed:
        blamed.append(record.troubled_directory)
    kept = [directory for directory in blamed if directory != answering]
    record.blamed_directories = b"".join(kept[-BLAMED_MAX:])


def is_blamed(record: HostRecord, url: str) -> bool:
    """Whether a URL is in a directory that fails while its host answers elsewhere."""
    return bool(record.blamed_directories) and directory_of(url) in _parts(record.blamed_directories)


def _parts(joined: bytes) -> list[bytes]:
    return [joined[start : start + KEY_BYTES] for start in range(0, len(joined), KEY_BYTES)]


def is_on_trial(record: HostRecord) -> bool:
    """Whether so much fails at a host that it gets only one request at a time, after a wait."""
    return record.troubles >= SPREAD_URLS


def elsewhere_first(record: HostRecord, requests: list[Request], visit: int) -> list[Request]:
    """Order the requests to a host in trouble: those that have failed come last, the others vary by visit.

    The trouble may be only that of one directory, or of pages that were found together. A good answer from
    elsewhere shows that it is not the whole host.
    """

    def order(request: Request) -> tuple[bool, bool, int]:
        is_near = directory_of(request.url) == record.troubled_directory
        return request.tries > 0, is_near, xxhash.xxh3_64_intdigest(page_key(request.url), seed=visit)

    return sorted(requests, key=order)


def directory_of(url: str) -> bytes:
    """Return the key of the directory of a URL."""
    directory = url.partition("?")[0].rpartition("/")[0]
    return xxhash.xxh3_64_digest(directory.encode("utf-8", "surrogatepass"))


def host_wait(rules: Politeness, trouble: Trouble, level: int, host: str) -> float:
    """Return how long a host waits whose waits have been doubled `level` times."""
    return _backoff(rules, PATIENCE[trouble].hold or 1.0, level, host)


def url_wait(rules: Politeness, trouble: Trouble, tries: int, url: str) -> float:
    """Return how long a URL waits that has failed `tries` times before."""
    return _backoff(rules, PATIENCE[trouble].first_wait, tries, url)


def _backoff(rules: Politeness, first: float, level: int, name: str) -> float:
    salt = xxhash.xxh3_64_intdigest(name.encode("utf-8", "surrogatepass"), seed=level)
    return backoff_seconds(rules, first * rules.backoff_first, level, salt=salt)
