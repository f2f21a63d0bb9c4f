"""When do we take silence for our own fault?"""

from hypothesis import given
from hypothesis import strategies as st

from tiptoe.keeper.outage_detector import SILENT_MIN, TRIAL_VISITS, OutageDetector

MINUTE = 60.0
FIRST_WAIT, LONGEST_WAIT = MINUTE / 2, 10 * MINUTE
LATELY_SECONDS = 15 * MINUTE
CUT_OFF_SECONDS_MAX = 3 * 24 * 60 * MINUTE


def address(number: int) -> str:
    return f"192.0.2.{number}"


def lively(count: int = 30, now: float = 0.0) -> OutageDetector:
    """Return a outage_detector over which so many addresses have answered."""
    line = OutageDetector()
    for number in range(count):
        line.answered(address(number), now)
    return line


def silence(
    line: OutageDetector, count: int, *, now: float = 1.0, was_well: bool = True, first: int = 0
) -> None:
    for number in range(first, first + count):
        line.fell_silent(address(number), was_well=was_well, now=now)


def test_when_everybody_falls_silent_we_are_cut_off() -> None:
    line = lively()
    silence(line, SILENT_MIN - 1)
    assert (line.is_cut_off, line.room(1.0)) == (False, None)
    silence(line, SILENT_MIN)
    assert (line.is_cut_off, line.room(1.0)) == (True, 0)


def test_hosts_that_were_never_well_say_nothing_about_us() -> None:
    """Links lead to dead hosts by the dozen; and those in trouble are tried again and again."""
    line = lively()
    silence(line, 50, was_well=False)
    assert not line.is_cut_off
    silence(line, SILENT_MIN // 2, first=50)
    assert line.is_cut_off


def test_one_answer_in_between_is_enough_to_trust_the_line() -> None:
    line = lively()
    for number in range(50):
        line.fell_silent(address(number), was_well=True, now=1.0)
        if number % 5 == 4:
            line.answered(address(60), 1.0)
    assert not line.is_cut_off


def test_one_server_that_dies_is_one_address_however_many_hosts_it_had() -> None:
    line = lively()
    for _ in range(50):
        line.fell_silent(address(1), was_well=True, now=1.0)
    assert not line.is_cut_off


def test_in_a_small_crawl_all_have_to_fall_silent() -> None:
    line = lively(3)
    silence(line, 2)
    assert not line.is_cut_off
    silence(line, 3)
    assert line.is_cut_off


def test_of_one_address_alone_nobody_can_tell() -> None:
    line = lively(1)
    silence(line, 1)
    assert not line.is_cut_off


def test_who_answered_long_ago_is_not_waited_for() -> None:
    """Three addresses are left of thirty: when all of these fall silent, it is everybody."""
    line = lively(30)
    for number in range(3):
        line.answered(address(number), 2 * LATELY_SECONDS)
    silence(line, 3, now=2 * LATELY_SECONDS + 1.0)
    assert line.is_cut_off


def test_the_line_is_tried_more_and_more_rarely() -> None:
    line = lively()
    silence(line, SILENT_MIN, now=0.0)
    tried = []
    for now in range(int(4 * LONGEST_WAIT)):
        if line.room(now):
            assert line.room(now) == TRIAL_VISITS
            tried.append(now)
            line.tried(now)
            silence(line, TRIAL_VISITS, now=now)
    gaps = [b - a for a, b in zip([0, *tried], tried, strict=False)]
    assert gaps[:5] == [FIRST_WAIT * factor for factor in (1, 2, 4, 8, 16)]
    assert set(gaps[5:]) == {LONGEST_WAIT}


def test_as_long_as_nobody_can_be_visited_the_trial_stays_open() -> None:
    """Addresses may rest while the moment comes: then the next one that may be visited is tried."""
    line = lively()
    silence(line, SILENT_MIN, now=0.0)
    assert [line.room(now) for now in (29.9, 30.0, 300.0)] == [0, TRIAL_VISITS, TRIAL_VISITS]


def test_the_first_answer_ends_it_and_the_next_silence_begins_anew() -> None:
    line = lively()
    silence(line, SILENT_MIN)
    line.tried(31.0)
    line.answered(address(5), 40.0)
    assert line.room(40.0) is None
    silence(line, SILENT_MIN - 1, now=41.0)
    assert not line.is_cut_off
    silence(line, SILENT_MIN, now=42.0)
    assert line.room(42.0 + FIRST_WAIT) == TRIAL_VISITS


def test_after_days_the_hosts_are_to_blame_after_all() -> None:
    """Else a crawl of which only dead hosts are left would never end."""
    line = lively()
    silence(line, SILENT_MIN, now=0.0)
    silence(line, 1, now=CUT_OFF_SECONDS_MAX)
    assert line.is_cut_off
    silence(line, 30, now=CUT_OFF_SECONDS_MAX + 1.0)
    assert not line.is_cut_off
    line.answered(address(1), CUT_OFF_SECONDS_MAX + 2.0)
    silence(line, SILENT_MIN, now=CUT_OFF_SECONDS_MAX + 3.0)
    assert line.is_cut_off


def test_the_time_is_over_also_when_nobody_is_left_who_could_be_heard() -> None:
    """Who has no address cannot fall silent: the crawl would wait for good."""
    line = lively()
    silence(line, SILENT_MIN, now=0.0)
    assert line.room(CUT_OFF_SECONDS_MAX) == TRIAL_VISITS
    assert line.room(CUT_OFF_SECONDS_MAX + 1.0) is None
    silence(line, 30, now=CUT_OFF_SECONDS_MAX + 2.0)
    assert not line.is_cut_off


def test_what_few_addresses_say_is_believed_for_hours_and_not_for_days() -> None:
    """The last pages of two hosts that answer nothing else must not keep a crawl alive for long."""
    line = lively(2)
    silence(line, 2, now=0.0)
    silence(line, 2, now=6 * 60 * MINUTE)
    assert line.is_cut_off
    silence(line, 2, now=6 * 60 * MINUTE + 1.0)
    assert not line.is_cut_off


def test_silence_without_end_takes_no_memory_without_end() -> None:
    """Of many that are silent the first are forgotten; those that come last still count."""
    line = lively()
    silence(line, SILENT_MIN // 2 - 1)
    silence(line, 5000, was_well=False, first=100)
    silence(line, SILENT_MIN // 2 - 1, first=6000)
    assert not line.is_cut_off
    silence(line, 1, first=7000)
    assert line.is_cut_off


def test_a_rehearsal_waits_as_little_here_as_everywhere() -> None:
    line = OutageDetector(0.1)
    silence(line, 2, now=0.0)
    assert [line.room(now) for now in (0.04, 0.06)] == [0, TRIAL_VISITS]


def test_the_operator_may_know_better() -> None:
    line = lively()
    silence(line, SILENT_MIN)
    line.overrule()
    assert line.room(1.0) is None


@given(st.lists(st.tuples(st.integers(0, 40), st.sampled_from(("answer", "well", "bad")))))
def test_being_cut_off_always_has_its_reasons(heard: list[tuple[int, str]]) -> None:
    """Whatever is heard: at least two addresses that were well, silent since the last answer."""
    line = OutageDetector()
    since: set[str] = set()
    for now, (number, what) in enumerate(heard):
        if what == "answer":
            line.answered(address(number), float(now))
            since.clear()
            assert not line.is_cut_off
        else:
            line.fell_silent(address(number), was_well=what == "well", now=float(now))
            since |= {address(number)} if what == "well" else set()
        assert not line.is_cut_off or len(since) >= 2
