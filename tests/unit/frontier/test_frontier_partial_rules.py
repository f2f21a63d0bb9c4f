"""Are rules that came in two parts as old as their first part?"""

from tiptoe.frontier.frontier import Frontier, FrontierPolicy
from tiptoe.frontier.politeness import Politeness
from tiptoe.protocol.work import Purpose, Report, Request, Result, RobotsNote, RobotsState, Visit
from tiptoe.store.memory import MemoryStore

ORIGIN = "http://a.example"
RULES = Politeness(max_reqs=1, general_pause=3600.0)


def visit(frontier: Frontier, now: float) -> Visit:
    frontier.tick(now)
    (found,) = frontier.visits(1, "h1", now)
    return found


def read_rules(frontier: Frontier, note: RobotsNote, now: float) -> RobotsNote | None:
    """Make a visit that brings nothing but rules; return what the keeper sent along."""
    (work,) = (found := visit(frontier, now)).hosts
    result = Result(Request(f"{ORIGIN}/robots.txt", Purpose.ROBOTS), robots=note)
    frontier.report([Report(found.id, [result], work.requests, is_done=True, wants_more=False)], {}, now)
    return work.robots.get(ORIGIN)


def test_rules_that_were_completed_later_expire_as_if_they_had_not_been() -> None:
    """No robots.txt is believed for longer than a day (RFC 9309), whatever was asked for after it."""
    frontier = Frontier(MemoryStore(), FrontierPolicy(politeness=RULES))
    frontier.add([Request(f"{ORIGIN}/")], 0.0)
    frontier.new_hosts(1)
    frontier.resolved_all([("a.example", "192.0.2.1", "")], 0.0)
    day = RULES.robots_expiry
    note = RobotsNote(RobotsState.RULES, [(False, "/x")], is_partial=True)
    assert read_rules(frontier, note, 10.0) is None
    known = read_rules(
        frontier, RobotsNote(RobotsState.RULES, [(False, "/x")], fetched_at=10.0), day - 5000.0
    )
    assert known == RobotsNote(RobotsState.RULES, [(False, "/x")], fetched_at=10.0, is_partial=True)
    (work,) = visit(frontier, day - 1.0).hosts
    assert work.robots[ORIGIN] == RobotsNote(RobotsState.RULES, [(False, "/x")], fetched_at=10.0)


def test_rules_that_are_too_old_are_not_sent_along() -> None:
    frontier = Frontier(MemoryStore(), FrontierPolicy(politeness=RULES))
    frontier.add([Request(f"{ORIGIN}/")], 50_000.0)
    frontier.new_hosts(1)
    frontier.resolved_all([("a.example", "192.0.2.1", "")], 50_000.0)
    read_rules(frontier, RobotsNote(RobotsState.RULES, fetched_at=10.0), 50_000.0)
    (work,) = visit(frontier, 10.0 + RULES.robots_expiry + 1.0).hosts
    assert work.robots == {}
