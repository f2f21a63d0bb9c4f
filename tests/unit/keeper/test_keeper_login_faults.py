"""Logins that did not work, as people hear of them."""

from pathlib import Path

from keeper_samples import KeptLog, make_keeper

from tiptoe.keeper.login_faults import HOSTS_MAX, REASON_CHARS_MAX, note_login_faults
from tiptoe.keeper.overview import status_of
from tiptoe.protocol.work import Report, Request, Result


def refused(host: str, detail: str) -> Report:
    return Report(1, [Result(Request(f"https://{host}/x"), discard="login_failed", detail=detail)])


def test_a_host_is_named_once_in_log_notice_and_status(tmp_path: Path) -> None:
    keeper, _ = make_keeper(tmp_path)
    log = KeptLog()
    for _ in range(2):
        note_login_faults([refused("a.example", "the site answered 403")], keeper.figures, log)
    fine = Report(1, [Result(Request("https://b.example/"), status=200)])
    note_login_faults([fine], keeper.figures, log)
    assert list(keeper.figures.notices) == ["a.example: the login did not work: the site answered 403"]
    assert [event for event, _ in log.events] == ["login.failed"]
    assert status_of(keeper).login_faults == {"a.example": "the site answered 403"}


def test_what_a_page_has_caused_to_be_said_is_bounded_and_moves_no_cursor(tmp_path: Path) -> None:
    keeper, _ = make_keeper(tmp_path)
    for number in range(HOSTS_MAX + 5):
        note_login_faults([refused(f"h{number}.example", "\x1b[2J" + "x" * 999)], keeper.figures, KeptLog())
    faults = keeper.figures.login_faults
    assert len(faults) == HOSTS_MAX
    assert all(len(why) == REASON_CHARS_MAX and why.isprintable() for why in faults.values())
