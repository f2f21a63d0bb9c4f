"""Is the week of a crawl drawn as it will be, and changed by those who may?"""

from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from control_rig import NOW, Rig, make_crawl, rig

from tiptoe.control.crawl_actions import CrawlActions
from tiptoe.control.schedule_week import schedule_week
from tiptoe.control.setting_actions import CrawlSettingsView, SettingActions
from tiptoe.control.user_role import UserRole
from tiptoe.keeper.settings_file import remember
from tiptoe.observe.eventlog import EventLog
from tiptoe.settings.opening_hours import OpeningHours

API = "/api/v1/crawls/old"
PAGE = "/crawls/old/schedule"
PRAGUE = ZoneInfo("Europe/Prague")


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Rig]:
    with rig(tmp_path / "control", roots=(tmp_path,)) as made:
        directory = make_crawl(tmp_path / "old")
        remember(directory, {"crawl.contact": "me@example.org", "crawl.max_pages": 50})
        made.parts.crawls.open(directory, NOW)
        yield made


def _states(phrases: list[str], at: datetime) -> list[str]:
    """Return a letter for each hour, by day."""
    week = schedule_week(OpeningHours.read(phrases, PRAGUE), at.timestamp(), "Europe/Prague")
    return ["".join(cell.state[0] for cell in day.hours) for day in week.days]


def test_a_night_is_drawn_on_both_of_its_days() -> None:
    wednesday = datetime(2027, 1, 13, 12, 30, tzinfo=PRAGUE)
    days = _states(["wed 22:00-06:00", "fri 10:30-12:00"], wednesday)
    assert days[0] == "c" * 22 + "oo"
    assert days[1] == "o" * 6 + "c" * 18
    assert days[2] == "c" * 10 + "po" + "c" * 12
    assert days[3:] == ["c" * 24] * 4


def test_a_week_says_in_words_what_it_draws_and_what_comes_next() -> None:
    wednesday = datetime(2027, 1, 13, 12, 30, tzinfo=PRAGUE)
    hours = OpeningHours.read(["wed 22:00-06:00", "sat"], PRAGUE)
    week = schedule_week(hours, wednesday.timestamp(), "Europe/Prague")
    assert [day.message for day in week.days] == [
        "22:00-24:00", "00:00-06:00", "closed", "all day", "closed", "closed", "closed",
    ]  # fmt: skip
    assert not week.is_open
    assert week.changes_at == datetime(2027, 1, 13, 22, tzinfo=PRAGUE).timestamp()
    assert [cell.hour for cell in week.days[0].hours if cell.is_now] == [12]


def test_an_hour_that_daylight_saving_time_leaves_out_is_skipped() -> None:
    sunday = datetime(2027, 3, 28, 12, tzinfo=PRAGUE)
    assert _states([], sunday)[0] == "oosooooooooooooooooooooo"


def test_a_schedule_is_changed_and_all_other_settings_stay(server: Rig) -> None:
    browser = server.browser(UserRole.OPERATOR)
    form = {"crawl.schedule": "mon-fri 22:00-06:00\nsat,sun", "crawl.time_zone": "Europe/Prague"}
    assert browser.post(PAGE, data=form).status_code == 303
    pending = server.parts.crawls.get("old").settings
    assert pending == {
        "crawl.schedule": ["mon-fri 22:00-06:00", "sat,sun"], "crawl.time_zone": "Europe/Prague",
    }  # fmt: skip
    page = browser.get(PAGE).text
    assert "22:00-24:00" in page
    assert "all day" in page
    program = server.program(UserRole.OPERATOR, "eva")
    reply = program.put(f"{API}/schedule", json={"on_end": "idle"}).json()
    assert set(reply["changes"]) == {"crawl.schedule", "crawl.time_zone", "crawl.on_end"}
    assert reply["week"]["changes_at"] is None
    assert "max_pages = 50" in program.get(f"{API}/settings").json()["toml"]


def test_what_is_wrong_stands_beside_its_field(server: Rig) -> None:
    browser = server.browser(UserRole.OPERATOR)
    form = {"crawl.schedule": "<b>never</b>", "crawl.time_zone": "../etc/passwd", "crawl.on_end": "explode"}
    answer = browser.post(PAGE, data=form)
    assert answer.status_code == 422
    assert "such as mon-fri" in answer.text
    assert "expected a time zone" in answer.text
    assert "<b>never" not in answer.text
    assert server.parts.crawls.get("old").settings == {}


def test_a_reader_sees_the_week_and_changes_nothing(server: Rig) -> None:
    browser, program = server.browser(UserRole.READER), server.program(UserRole.READER, "eva")
    assert "Requests may be made at any hour" in browser.get(PAGE).text
    assert len(program.get(f"{API}/schedule").json()["days"]) == 7
    assert browser.post(PAGE, data={"crawl.on_end": "idle"}).status_code == 403
    assert program.put(f"{API}/schedule", json={"on_end": "idle"}).status_code == 403


def test_phrases_reach_a_running_crawl_with_their_commas(
    server: Rig, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`sat,sun` is one phrase: joined by commas it would be two with what stands beside it."""
    told: list[dict[str, str]] = []
    view = SettingActions.view

    def running(actions: SettingActions) -> CrawlSettingsView:
        seen = view(actions)
        return CrawlSettingsView(settings=seen.settings, is_running=True, has_begun=True, pending={})

    monkeypatch.setattr(SettingActions, "view", running)
    monkeypatch.setattr(CrawlActions, "reconfigure", lambda _, given: told.append(dict(given)))
    program = server.program(UserRole.OPERATOR)
    answer = program.put(f"{API}/schedule", json={"schedule": ["mon-fri 22:00-06:00", "sat,sun"]})
    assert answer.status_code == 200
    assert told == [{"crawl.schedule": "mon-fri 22:00-06:00; sat,sun"}]


def test_what_the_command_at_the_end_said_is_shown_as_text(server: Rig, tmp_path: Path) -> None:
    """Whoever set it wants to know whether it worked, without going to the machine."""
    program = server.program(UserRole.READER)
    assert program.get(f"{API}/end-command").status_code == 404
    log = EventLog.at(tmp_path / "old" / "log" / "keeper.log", "keeper")
    log.note("end_command.begins", command="old.sh")
    log.note("end_command.done")
    log.note("end_command.begins", command="publish.sh")
    log.note("end_command.said", line='<script>alert("1")</script> = x')
    log.note("end_command.said", line="")
    log.note("end_command.silenced", lines=7)
    log.note("end_command.failed", why="failed: exit code 3")
    log.close()
    told = program.get(f"{API}/end-command").json()
    assert told.pop("began_at")
    assert told == {
        "command": "publish.sh", "lines": ["<script>alert('1')</script> = x", ""], "lines_left_out": 7,
        "is_over": True, "fault": "failed: exit code 3",
    }  # fmt: skip
    page = server.browser().get(PAGE).text
    assert "publish.sh" in page
    assert "It failed: exit code 3." in page
    assert "<script>alert" not in page
