"""At which hours may a crawl ask?"""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tiptoe.settings.opening_hours import DAYS, OpeningHours, be_hours, be_time_zone

WEEK = 7 * 1440
PRAGUE = ZoneInfo("Europe/Prague")
ZONES = [UTC, PRAGUE, ZoneInfo("America/New_York"), ZoneInfo("Australia/Lord_Howe"), ZoneInfo("Asia/Kolkata")]


def prague(*phrases: str) -> OpeningHours:
    return OpeningHours.read(phrases, PRAGUE)


def at(*moment: int, fold: int = 0) -> float:
    return datetime(*moment, tzinfo=PRAGUE, fold=fold).timestamp()  # type: ignore[misc, arg-type]


def test_a_night_belongs_to_the_day_on_which_it_begins() -> None:
    """Friday night lasts into Saturday; Sunday night is none of mon-fri."""
    nights = prague("mon-fri 22:00-06:00")
    assert nights.at(at(2026, 11, 20, 23, 0)) == (True, at(2026, 11, 21, 6, 0))  # a Friday
    assert nights.at(at(2026, 11, 21, 5, 59)) == (True, at(2026, 11, 21, 6, 0))
    assert nights.at(at(2026, 11, 21, 6, 0)) == (False, at(2026, 11, 23, 22, 0))
    assert nights.at(at(2026, 11, 23, 3, 0)) == (False, at(2026, 11, 23, 22, 0))


def test_hours_that_touch_are_one_span() -> None:
    """Nobody is to be told of a change at midnight that is none."""
    weekend = prague("fri 18:00-24:00", "sat,sun", "mon 00:00-07:30")
    assert weekend.at(at(2026, 11, 21, 12, 0)) == (True, at(2026, 11, 23, 7, 30))


@pytest.mark.parametrize(
    "phrases", [(), ("mon-sun",), ("sat-fri 00:00-24:00",), ("06:00-18:00", "18:00-06:00")]
)
def test_who_is_never_closed_is_open_for_good(phrases: tuple[str, ...]) -> None:
    assert prague(*phrases).at(at(2026, 3, 28, 12, 0)) == (True, None)


def test_an_hour_that_is_left_out_begins_and_ends_with_the_next() -> None:
    """In Prague 02:00 to 03:00 does not exist on 29 March 2026."""
    three = at(2026, 3, 29, 3, 0)
    assert prague("sun 00:00-02:30").at(at(2026, 3, 29, 1, 0)) == (True, three + 1800)
    assert prague("sun 02:00-03:00").at(at(2026, 3, 28, 12, 0)) == (False, at(2026, 4, 5, 2, 0))
    assert prague("sun 00:00-02:30", "sun 02:30-05:00").at(at(2026, 3, 29, 1, 0)) == (
        True,
        at(2026, 3, 29, 5, 0),
    )


def test_an_hour_that_comes_twice_is_open_both_times() -> None:
    """In Prague 02:00 to 03:00 comes twice on 25 October 2026."""
    hour = prague("sun 02:00-03:00")
    first = at(2026, 10, 25, 2, 0)
    assert hour.at(first - 1) == (False, first)
    assert hour.at(first) == (True, first + 7200)


@st.composite
def some_hours(draw: st.DrawFn) -> str:
    days = ",".join(draw(st.lists(st.sampled_from(DAYS), min_size=1, max_size=4)))
    begin = draw(st.integers(0, 1439))
    end = draw(st.integers(1, 1440).filter(lambda end: end != begin))
    return f"{days} {begin // 60:02}:{begin % 60:02}-{end // 60:02}:{end % 60:02}"


MOMENTS = st.datetimes(datetime(2025, 1, 1), datetime(2028, 1, 1)).map(
    lambda moment: moment.replace(tzinfo=UTC).timestamp()
)


@settings(max_examples=40)
@given(st.lists(some_hours(), min_size=1, max_size=3), MOMENTS)
def test_without_daylight_saving_it_is_what_the_wall_says(phrases: list[str], moment: float) -> None:
    """A second definition: the minutes of the week, marked one by one."""
    marked: set[int] = set()
    for phrase in phrases:
        days, _, span = phrase.partition(" ")
        begin, end = (int(hour[:2]) * 60 + int(hour[3:]) for hour in span.split("-"))
        for day in days.split(","):
            first = DAYS.index(day) * 1440 + begin
            length = (end - begin) % 1440 or 1440
            marked.update((first + minute) % WEEK for minute in range(length))
    wall = datetime.fromtimestamp(moment, UTC)
    minute = wall.weekday() * 1440 + wall.hour * 60 + wall.minute
    is_open, until = OpeningHours.read(phrases, UTC).at(moment)
    assert is_open == (minute in marked)
    changes = (n for n in range(1, WEEK + 1) if ((minute + n) % WEEK in marked) != is_open)
    steps = next(changes, None)
    expected = None if steps is None else wall.replace(second=0, microsecond=0) + timedelta(minutes=steps)
    assert until == (None if expected is None else expected.timestamp())


@given(st.lists(some_hours(), min_size=1, max_size=3), MOMENTS, st.sampled_from(ZONES), st.floats(0, 1))
def test_it_stays_as_it_is_until_the_moment_told_and_changes_then(
    phrases: list[str], moment: float, zone: ZoneInfo, part: float
) -> None:
    """Whatever the clocks of a country do."""
    hours = OpeningHours.read(phrases, zone)
    is_open, until = hours.at(moment)
    if until is None:
        assert is_open
        return
    assert moment < until <= moment + 15 * 86400
    between = moment + (until - 0.001 - moment) * part
    assert hours.at(between) == (is_open, until)
    assert hours.at(until)[0] is not is_open


@pytest.mark.parametrize(
    "phrase",
    ["", "monday", "mon 22-06", "22:00-22:00", "25:00-26:00", "22:60-23:00", "24:00-06:00", "mon-xyz",
     "22:00-06:00 mon", "mon tue", "mon 01:00-02:00 03:00-04:00", "mon, tue"],
)  # fmt: skip
def test_what_means_no_hours_is_refused(phrase: str) -> None:
    with pytest.raises(ValueError, match="expected days, hours, or both"):
        be_hours(phrase)


@pytest.mark.parametrize("name", ["Europe/Bratislawa", "../../etc/passwd", "/etc/localtime", "Europe"])
def test_a_time_zone_that_nobody_knows_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match="expected a time zone"):
        be_time_zone(name)
