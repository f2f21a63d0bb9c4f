"""Who is there, and whose lease still holds."""

from keeper_samples import member_of

from tiptoe.keeper.roster import READY_SECONDS, Roster


def test_a_silent_harvester_loses_its_lease() -> None:
    """Its work must return to the queue (HAR-2)."""
    roster = Roster(lease_seconds=30.0)
    first, second = member_of(1, heard_at=100.0), member_of(2, heard_at=100.0)
    roster.join(first)
    roster.join(second)
    roster.heard(second.incarnation, 120.0)
    assert roster.silent(130.0) == []
    assert roster.silent(130.1) == [first]
    assert roster.silent(150.1) == [first, second]


def test_a_harvester_that_loads_its_models_has_longer_than_a_lease_and_no_work() -> None:
    """On a busy machine that takes seconds; to be lost for it is to load them again, and again."""
    roster = Roster(lease_seconds=1.0)
    coming = member_of(is_ready=False, heard_at=100.0)
    roster.join(coming)
    assert (roster.by_room(), coming.takes_work) == ([], False)
    assert roster.silent(100.0 + READY_SECONDS) == []
    assert roster.silent(100.1 + READY_SECONDS) == [coming]
    roster.heard(coming.incarnation, 150.0)
    assert roster.by_room() == [coming]
    assert roster.silent(151.1) == [coming]


def test_a_harvester_has_its_lease_to_get_ready_if_that_is_longer() -> None:
    roster = Roster(lease_seconds=10 * READY_SECONDS)
    roster.join(member_of(is_ready=False, heard_at=0.0))
    assert roster.silent(10 * READY_SECONDS) == []


def test_word_of_somebody_who_left_changes_nothing() -> None:
    """A late beat must not bring a lost harvester back."""
    roster = Roster(lease_seconds=30.0)
    member = member_of()
    roster.join(member)
    assert roster.leave(member.incarnation) is member
    roster.heard(member.incarnation, 500.0)
    assert (roster.members, roster.leave(member.incarnation)) == ({}, None)


def test_a_harvester_takes_no_more_visits_than_it_has_room_for() -> None:
    """Each visit has a connection and memory of its own."""
    member = member_of(visits_max=3)
    member.visits |= {1, 2}
    assert member.room == 1
    member.visits |= {3, 4}
    assert member.room == 0


def test_a_harvester_of_n_packets_leaves_after_them() -> None:
    """batch-count (HAR-3)."""
    member = member_of(packets_max=2)
    member.visits, member.packets = {1}, 1
    assert (member.room, member.is_spent) == (1, False)
    member.visits, member.packets = {2}, 2
    assert (member.room, member.is_spent) == (0, False)  # still at work on the last one
    member.visits.clear()
    assert member.is_spent


def test_a_harvester_without_a_limit_is_never_spent() -> None:
    """0 means no limit."""
    member = member_of(packets_max=0)
    member.packets = 10_000
    assert (member.is_spent, member.room) == (False, 10)


def test_who_leaves_gets_nothing_more() -> None:
    """It only finishes what it has."""
    member = member_of()
    member.is_leaving = True
    assert member.room == 0


def test_the_emptiest_is_served_first() -> None:
    """Visits spread over all processes."""
    roster = Roster(lease_seconds=30.0)
    members = [member_of(number) for number in range(4)]
    for member in members:
        roster.join(member)
    members[0].visits, members[1].visits, members[2].visits = {1, 2}, {3}, set(range(10, 20))
    assert roster.by_room() == [members[3], members[1], members[0]]
