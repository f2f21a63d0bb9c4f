"""Whose trouble is it, and how long does who wait?

A URL has its tries, and a moment of its own for the next one. A host is judged by what it has answered: what
speaks against it is counted in a row that any good answer ends. An address is only held: see `gate`.

    good answer ──▶ nothing speaks against the host; its waits begin half as high
    trouble ──────▶ one more in the row, if it says something new of the host: a URL at its first try; or
                      again a connection that fails, a word to leave the host alone (429, Retry-After)
    the row is long enough, and lasts long enough ──▶ the host is given up

A URL that fails again, after its host has answered others, is to blame itself, and so is a section that
fails while others answer: they add nothing to any row.

What a visit brings after the host was to be left alone is no news: nobody has waited in between.

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
    "host_wait",
    "is_blamed",
    "is_on_trial",
    "record_trouble",
    "section_of",
    "url_wait",
]

SPREAD_URLS: Final = 12
"""Different URLs in a row that fail make it the trouble of their host, whatever they fail with."""

LEAST_WAITS: Final = 30.0
"""No host is given up before its troubles have lasted so long, in units of `backoff_first`."""

BLAMED_MAX: Final = 8
"""Sections of one host that are remembered for failing while it answers elsewhere."""


@dataclass(frozen=True, slots=True)
class Measures:
    """What follows for a host."""

    wait: float = 0.0  # 0 = it need not wait
    gives_up: bool = False


def record_trouble(
    record: HostRecord, trouble: Trouble, rules: Politeness, now: float, *, is_news: bool
) -> Measures:
    """Note one more trouble of a host; `is_news`: it says of the host what was not known in this row."""
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
        else:  # it waits as long as the last time
            level = max(level - 1, 0)
        wait = host_wait(rules, trouble, level, record.host)
    is_used_up = record.patience_used >= PATIENCE_BUDGET
    return Measures(wait, gives_up=is_used_up and _has_lasted(record, patience, rules, now))


def _has_lasted(record: HostRecord, patience: Patience, rules: Politeness, now: float) -> bool:
    """Whether the troubles of a host have lasted long enough to give it up for them."""
    least = min(LEAST_WAITS * rules.backoff_first, rules.backoff_max)
    return patience.give_up_after == 1 or now - record.troubled_since >= least


def clear_troubles(record: HostRecord, url: str) -> None:
    """The host has given a good answer: nothing speaks against it any longer."""
    if record.troubles or record.blamed_sections:
        _blame(record, section_of(url))
    record.troubles = record.patience_used = record.robots_troubles = record.chances = 0
    record.backoff_level //= 2


def begin_anew(record: HostRecord) -> None:
    """Forget every trouble: the host is tried as if for the first time."""
    record.troubles = record.patience_used = record.robots_troubles = 0
    record.backoff_level = record.chances = 0
    record.blamed_sections = b""
    record.shut_origins = {}


def _blame(record: HostRecord, answering: bytes) -> None:
    """Note which section fails while another one answers, and that this one does not."""
    blamed = _parts(record.blamed_sections)
    if record.troubles and record.troubled_section not in blamed:
        blamed.append(record.troubled_section)
    kept = [section for section in blamed if section != answering]
    record.blamed_sections = b"".join(kept[-BLAMED_MAX:])


def is_blamed(record: HostRecord, url: str) -> bool:
    """Whether a URL lies in a section that fails while its host answers elsewhere."""
    return bool(record.blamed_sections) and section_of(url) in _parts(record.blamed_sections)


def _parts(joined: bytes) -> list[bytes]:
    return [joined[start : start + KEY_BYTES] for start in range(0, len(joined), KEY_BYTES)]


def is_on_trial(record: HostRecord) -> bool:
    """Whether so much fails at a host that it is asked for one page at a time, after a wait."""
    return record.troubles >= SPREAD_URLS


def elsewhere_first(record: HostRecord, requests: list[Request], visit: int) -> list[Request]:
    """Order what a host in trouble is asked for: not what has failed, and each time another way.

    What fails may be one section, or pages that were found together; that it is not the host shows when
    another one answers.
    """

    def order(request: Request) -> tuple[bool, bool, int]:
        is_near = section_of(request.url) == record.troubled_section
        return request.tries > 0, is_near, xxhash.xxh3_64_intdigest(page_key(request.url), seed=visit)

    return sorted(requests, key=order)


def section_of(url: str) -> bytes:
    """Return the key of the part of a site where a URL lies: its directory."""
    directory = url.partition("?")[0].rpartition("/")[0]
    return xxhash.xxh3_64_digest(directory.encode("utf-8", "surrogatepass"))


def host_wait(rules: Politeness, trouble: Trouble, level: int, host: str) -> float:
    """Return how long a host waits whose waits were doubled so many times before."""
    return _backoff(rules, PATIENCE[trouble].hold or 1.0, level, host)


def url_wait(rules: Politeness, trouble: Trouble, tries: int, url: str) -> float:
    """Return how long a URL waits that has failed so many times before."""
    return _backoff(rules, PATIENCE[trouble].first_wait, tries, url)


def _backoff(rules: Politeness, first: float, level: int, name: str) -> float:
    salt = xxhash.xxh3_64_intdigest(name.encode("utf-8", "surrogatepass"), seed=level)
    return backoff_seconds(rules, first * rules.backoff_first, level, salt=salt)
