"""At which hours of the next seven days does a crawl make requests? As a table, and in words."""

from datetime import date, datetime, time, timedelta, tzinfo
from itertools import pairwise
from typing import Final

import msgspec

from tiptoe.settings.opening_hours import OpeningHours

__all__ = ["ScheduleDay", "ScheduleHour", "ScheduleWeek", "schedule_week"]

DAYS_SHOWN: Final = 7
HOURS: Final = 24
MOST: Final = 0.999
"""Share of an hour above which the whole hour counts as open."""


class ScheduleHour(msgspec.Struct, frozen=True, kw_only=True):
    """One hour of local time."""

    hour: int
    state: str  # open, closed, partly, or skipped (by a change to summer time)
    is_now: bool


class ScheduleDay(msgspec.Struct, frozen=True, kw_only=True):
    """One day from midnight to midnight."""

    date: str
    weekday: str
    message: str  # as 22:00-24:00
    hours: list[ScheduleHour]


class ScheduleWeek(msgspec.Struct, frozen=True, kw_only=True):
    """Today and the six days after it."""

    zone: str
    is_open: bool
    changes_at: float | None  # None: never
    days: list[ScheduleDay]


def schedule_week(hours: OpeningHours, now: float, zone: str) -> ScheduleWeek:
    """Return the days from that of `now` on; `zone` is the name of the time zone to show."""
    is_open, changes_at = hours.at(now)
    today = datetime.fromtimestamp(now, hours.zone).date()
    first, last = (_wall(today + timedelta(days=ahead), 0, hours.zone) for ahead in (0, DAYS_SHOWN))
    spans = _open_spans(hours, first, last)
    days = [_day(today + timedelta(days=ahead), spans, now, hours.zone) for ahead in range(DAYS_SHOWN)]
    return ScheduleWeek(zone=zone, is_open=is_open, changes_at=changes_at, days=days)


def _open_spans(hours: OpeningHours, first: float, last: float) -> list[tuple[float, float]]:
    spans = []
    moment = first
    while moment < last:
        is_open, until = hours.at(moment)
        end = min(last, until if until is not None else last)
        if is_open:
            spans.append((moment, end))
        moment = end
    return spans


def _day(day: date, spans: list[tuple[float, float]], now: float, zone: tzinfo) -> ScheduleDay:
    edges = [_wall(day, hour, zone) for hour in range(HOURS + 1)]
    cells = [
        ScheduleHour(hour=hour, state=_state(begin, end, spans), is_now=begin <= now < end)
        for hour, (begin, end) in enumerate(pairwise(edges))
    ]
    return ScheduleDay(
        date=day.isoformat(),
        weekday=f"{day:%a}",
        message=_said(edges[0], edges[-1], spans, zone),
        hours=cells,
    )


def _state(begin: float, end: float, spans: list[tuple[float, float]]) -> str:
    if end <= begin:
        return "skipped"
    share = sum(max(0.0, min(end, to) - max(begin, since)) for since, to in spans) / (end - begin)
    return "open" if share > MOST else "partly" if share > 1 - MOST else "closed"


def _said(first: float, last: float, spans: list[tuple[float, float]], zone: tzinfo) -> str:
    """Return the hours of a day in words."""
    inside = [(max(first, since), min(last, to)) for since, to in spans if since < last and to > first]
    if inside == [(first, last)]:
        return "all day"
    lines = []
    for since, to in inside:
        end = "24:00" if to == last else f"{datetime.fromtimestamp(to, zone):%H:%M}"
        lines.append(f"{datetime.fromtimestamp(since, zone):%H:%M}-{end}")
    return ", ".join(lines) or "closed"


def _wall(day: date, hour: int, zone: tzinfo) -> float:
    """Return the moment at which local time first shows an hour; for a skipped one, the moment after it."""
    return datetime.combine(day + timedelta(days=hour // HOURS), time(hour % HOURS), zone).timestamp()
