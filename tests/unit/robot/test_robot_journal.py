"""What does a robot still know after it was killed?"""

from pathlib import Path

import pytest

from tiptoe.errors import CrawlerError
from tiptoe.protocol.robot_messages import CommandOutcome, OrderedCommand, RobotConfiguration
from tiptoe.robot.batch_plan import BatchPlan, FileStretch
from tiptoe.robot.robot_journal import JOURNAL_FILE, RobotJournal


def ordered(number: int) -> OrderedCommand:
    return OrderedCommand(number=number, verb="block", target="a.example")


def test_a_command_that_comes_again_is_carried_out_once(tmp_path: Path) -> None:
    journal = RobotJournal(tmp_path)
    journal.take_commands([ordered(3), ordered(5)])
    assert journal.next_command() == ordered(3)
    journal.settle(CommandOutcome(number=3, is_done=True, message="blocked"))
    journal.take_commands([ordered(3), ordered(5)])
    assert journal.next_command() == ordered(5)
    assert journal.last_command == 5
    journal.close()


def test_the_journal_knows_when_the_latest_command_was_given(tmp_path: Path) -> None:
    """A server that lost its last changes goes by that to see which of its commands are out of date."""
    journal = RobotJournal(tmp_path)
    assert journal.given_until == 0.0
    journal.take_commands([OrderedCommand(number=4, verb="pause", given_at=1e9 + 0.25)])
    journal.take_commands([OrderedCommand(number=5, verb="stop")])
    journal.close()
    assert RobotJournal(tmp_path).given_until == 1e9 + 0.25


def test_fates_are_told_until_the_server_has_them(tmp_path: Path) -> None:
    journal = RobotJournal(tmp_path)
    journal.take_commands([ordered(1)])
    fate = CommandOutcome(number=1, is_done=False, message="no such host")
    journal.settle(fate)
    journal.close()
    later = RobotJournal(tmp_path)
    assert later.unreported_outcomes() == [fate]
    later.note_told([fate])
    assert later.unreported_outcomes() == []
    later.take_commands([ordered(1)])
    assert later.next_command() is None
    later.close()


def test_a_batch_keeps_its_number_and_its_lines_until_it_has_arrived(tmp_path: Path) -> None:
    journal = RobotJournal(tmp_path)
    plan = BatchPlan(journal.next_batch, [FileStretch("corpus/a", 0, 40)])
    journal.plan(plan)
    journal.close()
    later = RobotJournal(tmp_path)
    assert later.planned_batch() == plan
    assert later.sent() == {}
    later.note_sent(plan)
    assert later.planned_batch() is None
    assert later.sent() == {"corpus/a": 40}
    assert later.next_batch == 2
    later.close()


def test_configuration_wish_and_incarnation_outlive_the_robot(tmp_path: Path) -> None:
    journal = RobotJournal(tmp_path)
    incarnation = journal.incarnation
    journal.take_configuration(RobotConfiguration(version=4, seeds="https://a.example/"))
    journal.is_wanted = True
    journal.close()
    later = RobotJournal(tmp_path)
    assert later.configuration.version == 4
    assert later.is_wanted
    assert later.incarnation == incarnation
    later.close()
    (tmp_path / JOURNAL_FILE).unlink()
    fresh = RobotJournal(tmp_path)
    assert fresh.incarnation != incarnation
    fresh.close()


def test_a_server_that_counts_anew_is_heard_from_its_first_word_on(tmp_path: Path) -> None:
    """One that was lost and set up again begins at 1; what it says must not pass for old."""
    journal = RobotJournal(tmp_path)
    assert not journal.meet(100.0)
    old = RobotConfiguration(version=1, seeds="https://a.example/")
    journal.take_configuration(old)
    journal.take_commands([ordered(1), ordered(2), ordered(7)])
    journal.settle(CommandOutcome(number=1, is_done=True))
    journal.round_mark = 5.0
    assert not journal.meet(100.0)
    assert (journal.last_command, journal.held_version) == (7, 1)

    assert journal.meet(200.0)
    assert (journal.last_command, journal.held_version, journal.round_mark) == (0, 0, 0.0)
    assert (journal.next_command(), journal.unreported_outcomes()) == (None, [])  # of the one that is gone
    assert journal.configuration == old  # by which its crawl goes on
    journal.take_commands([ordered(1)])
    journal.take_configuration(RobotConfiguration(version=1, seeds="https://b.example/"))
    assert journal.next_command() == ordered(1)
    assert journal.held_version == 1
    journal.close()


def test_a_damaged_journal_is_told(tmp_path: Path) -> None:
    (tmp_path / JOURNAL_FILE).write_bytes(b"no database at all" * 100)
    with pytest.raises(CrawlerError, match="journal of a robot"):
        RobotJournal(tmp_path)
