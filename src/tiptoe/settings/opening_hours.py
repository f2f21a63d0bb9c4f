"""At which hours may a crawl make requests?

Given a moment, says whether the crawl is open then and when that changes next. Knows no clock. Hours are
local times in one time zone, so their length may change with daylight saving time: a span that begins or ends
in a skipped hour begins or ends with the next one; in a repeated hour it begins at the first and ends at the
second occurrence.

    mon-fri 22:00-06:00     the night after each of these days
    sat,sun                 all day
    20:00-24:00             every day
"""

import functools
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from pathlib import Path
from typing import Final
from zoneinfo import ZoneInfo

__all__ = ["OpeningHours", "be_hours", "be_time_zone", "zone_named"]

DAYS: Final = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
HOURS: Final = re.compile(r"([0-9]{1,2}):([0-9]{2})-([0-9]{1,2}):([0-9]{2})")
MINUTES_MAX: Final = 24 * 60
EXPECTED: Final = "expected days, hours, or both, such as mon-fri 22:00-06:00, sat,sun or 20:00-24:00"

DAYS_BACK: Final = 2
DAYS_AHEAD: Final = 9
"""Days for which changes are searched. Weeks repeat, so if nothing changes for longer, it never does."""

LOCAL_ZONE_FILE: Final = Path("/etc/localtime")


@dataclass(frozen=True, slots=True)
class Hours:
    """A span that begins on some days of the week, in minutes of the day; from 1440 on, of the next day."""

    days: frozenset[int]
    begin: int
    end: int

    @classmethod
    def read(cls, phrase: str) -> "Hours":
        """Parse a phrase; ValueError if it cannot be understood."""
        words = phrase.lower().split()
        spans = [word for word in words if ":" in word]
        names = [word for word in words if ":" not in word]
        if not words or len(spans) > 1 or len(names) > 1 or (spans and words[-1] != spans[0]):
            raise ValueError(EXPECTED)
        begin, end = _minutes(spans[0]) if spans else (0, MINUTES_MAX)
        return cls(_days(names[0]) if names else frozenset(range(7)), begin, end)

    def on(self, day: date, zone: tzinfo) -> tuple[float, float]:
        """Return when the span that begins on this day begins and ends."""
        return _earlier(_wall(day, self.begin, zone)), _later(_wall(day, self.end, zone))


def _days(word: str) -> frozenset[int]:
    found: set[int] = set()
    for part in word.split(","):
        first, dash, last = part.partition("-")
        if first not in DAYS or (dash and last not in DAYS):
            raise ValueError(EXPECTED)
        begin = DAYS.index(first)
        length = (DAYS.index(last) - begin) % 7 if dash else 0
        found.update((begin + ahead) % 7 for ahead in range(length + 1))
    return frozenset(found)


def _minutes(word: str) -> tuple[int, int]:
    match = HOURS.fullmatch(word)
    if match is None:
        raise ValueError(EXPECTED)
    from_hour, from_minute, to_hour, to_minute = map(int, match.groups())
    begin, end = from_hour * 60 + from_minute, to_hour * 60 + to_minute
    if max(from_minute, to_minute) > 59 or begin >= MINUTES_MAX or end > MINUTES_MAX or begin == end:
        raise ValueError(f"{EXPECTED}; hours go from 00:00 to 24:00, and what begins has to end")
    return begin, end if end > begin else end + MINUTES_MAX


def _wall(day: date, minutes: int, zone: tzinfo) -> datetime:
    days, rest = divmod(minutes, MINUTES_MAX)
    return datetime.combine(day + timedelta(days=days), time(rest // 60, rest % 60), zone)


def _earlier(moment: datetime) -> float:
    # In a skipped hour, `fold` 0 gives the moment after it.
    return moment.replace(fold=0).timestamp()


def _later(moment: datetime) -> float:
    return max(moment.replace(fold=0).timestamp(), moment.replace(fold=1).timestamp())


@dataclass(frozen=True, slots=True)
class OpeningHours:
    """The hours of a week, in one time zone; without any it is always open."""

    hours: tuple[Hours, ...] = ()
    zone: tzinfo = UTC

    @classmethod
    def read(cls, phrases: Sequence[str], zone: tzinfo) -> "OpeningHours":
        """Parse phrases into hours."""
        return cls(tuple(map(Hours.read, phrases)), zone)

    def at(self, moment: float) -> tuple[bool, float | None]:
        """Return whether the crawl is open, and when that changes next; None: never."""
        if not self.hours:
            return True, None
        today = datetime.fromtimestamp(moment, self.zone).date()
        for begin, end in _joined(sorted(self._spans(today))):
            if moment < begin:
                return False, begin
            if moment < end:
                is_endless = end > _earlier(_wall(today + timedelta(days=DAYS_AHEAD - 1), 0, self.zone))
                return True, None if is_endless else end
        raise AssertionError("hours come again every week")

    def _spans(self, today: date) -> Iterator[tuple[float, float]]:
        for ahead in range(-DAYS_BACK, DAYS_AHEAD + 1):
            day = today + timedelta(days=ahead)
            yield from (hours.on(day, self.zone) for hours in self.hours if day.weekday() in hours.days)


def _joined(spans: list[tuple[float, float]]) -> Iterator[tuple[float, float]]:
    """Join spans that touch or overlap; drop those that are empty because their hour is skipped."""
    begin, end = spans[0]
    for other_begin, other_end in spans[1:]:
        if other_begin <= end:
            end = max(end, other_end)
        else:
            if begin < end:
                yield begin, end
            begin, end = other_begin, other_end
    if begin < end:
        yield begin, end


def be_hours(phrase: str) -> None:
    """Refuse a phrase that does not give hours."""
    Hours.read(phrase)


def be_time_zone(name: str) -> None:
    """Refuse an unknown time zone."""
    if not name:
        return
    try:
        ZoneInfo(name)
    except (KeyError, ValueError, OSError):  # KeyError: not found
        raise ValueError(
            "expected a time zone such as Europe/Prague or UTC, or nothing: the one here"
        ) from None


@functools.cache
def zone_named(name: str) -> tzinfo:
    """Return a time zone; without a name, that of this machine."""
    if name:
        return ZoneInfo(name)
    try:
        with LOCAL_ZONE_FILE.open("rb") as file:
            return ZoneInfo.from_file(file)
    except (OSError, ValueError):
        return datetime.now().astimezone().tzinfo or UTC
