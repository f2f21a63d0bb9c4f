"""Does a member whose disk is full leave its shards to those that have room, and take some again later?"""

from tiptoe.cluster.disk_room import DiskRoom


def looks(room: DiskRoom, *moments: tuple[float, bool]) -> list[bool]:
    return [room.look(is_full=is_full, now=now) for now, is_full in moments]


def test_a_disk_that_is_full_for_a_moment_moves_nothing() -> None:
    room = DiskRoom(60.0)
    assert looks(room, (0, True), (59, True), (60, False), (61, True), (120, True)) == [True] * 5


def test_a_disk_that_stays_full_has_no_room_after_a_while() -> None:
    room = DiskRoom(60.0)
    assert looks(room, (0, False), (10, True), (69, True), (70, True)) == [True, True, True, False]


def test_room_has_to_last_as_long_before_it_counts() -> None:
    room = DiskRoom(60.0)
    looks(room, (0, True), (60, True))
    assert looks(room, (70, False), (100, True), (130, False), (189, False), (190, False)) == [
        False, False, False, False, True,
    ]  # fmt: skip
