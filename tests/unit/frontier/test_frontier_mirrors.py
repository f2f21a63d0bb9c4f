"""Hosts that only repeat another one."""

from tiptoe.frontier.effect import Effect, TextShared
from tiptoe.frontier.host import HostRecord, HostState
from tiptoe.frontier.mirrors import MIRROR_PAGES_MIN, Mirrors
from tiptoe.frontier.step import Step
from tiptoe.store.memory import MemoryStore


class Comparison:
    """Hosts that are asked for pages in turn; a step is written when `commit` is called."""

    def __init__(self, *, leaves_mirrors: bool = True) -> None:
        self.step = Step(MemoryStore(), hosts_cached_max=100)
        self.mirrors = Mirrors(self.step, leaves_mirrors=leaves_mirrors)

    def read(self, host: str, text: str) -> str:
        """Return the host that turns out to be a mirror when this text is read, or nothing."""
        record = self.host(host)
        record.pages += 1
        shared: list[Effect] = []
        self.mirrors.compare(record, text.encode(), shared)
        found = [
            mirror
            for effect in shared
            if isinstance(effect, TextShared)
            for mirror in self.mirrors.note_shared(effect)
        ]
        return found[0].host if found else ""

    def host(self, host: str) -> HostRecord:
        return self.step.hosts.obtain(host)


def test_a_copy_asked_later_is_recognised() -> None:
    comparison = Comparison()
    for number in range(100):
        comparison.read("first.example", f"text {number}")
    found = [comparison.read("copy.example", f"text {number}") for number in range(MIRROR_PAGES_MIN)]
    assert found == [""] * (MIRROR_PAGES_MIN - 1) + ["copy.example"]


def test_an_archive_keeps_mirrors() -> None:
    comparison = Comparison(leaves_mirrors=False)
    for host in ("first.example", "copy.example"):
        found = {comparison.read(host, f"text {number}") for number in range(2 * MIRROR_PAGES_MIN)}
    assert found == {""}


def test_mirrors_asked_side_by_side_are_recognised() -> None:
    """Each is the first with half of the texts; also within one step, of which nothing is written yet."""
    comparison = Comparison()
    found = []
    for number in range(MIRROR_PAGES_MIN):
        turn = ("a.example", "b.example") if number % 2 else ("b.example", "a.example")
        found += [comparison.read(host, f"text {number}") for host in turn]
    assert len([host for host in found if host]) == 1


def test_what_stays_of_two_mirrors_is_not_given_up_because_of_the_other() -> None:
    """The one that was given up had some texts first."""
    comparison = Comparison()
    for number in range(200):
        comparison.read("gone.example", f"text {number}")
    comparison.host("gone.example").state = HostState.GONE
    assert {comparison.read("stays.example", f"text {number}") for number in range(200)} == {""}


def test_the_host_with_less_to_show_is_left() -> None:
    """A small host that repeats part of a big one is a mirror, the big one is not."""
    comparison = Comparison()
    for number in range(MIRROR_PAGES_MIN):
        comparison.read("small.example", f"text {number}")
    for number in range(1000, 1100):
        comparison.read("big.example", f"text {number}")
    found = {comparison.read("big.example", f"text {number}") for number in range(MIRROR_PAGES_MIN)}
    assert found == {"", "small.example"}


def test_texts_that_stand_everywhere_make_nobody_a_mirror() -> None:
    """Parked names and notices: each host shares them with many, none shares all with one."""
    comparison = Comparison()
    for number in range(MIRROR_PAGES_MIN * 2):
        comparison.read(f"h{number % 5}.example", f"notice {number}")
    found = {comparison.read("mixed.example", f"notice {number}") for number in range(MIRROR_PAGES_MIN * 2)}
    assert found == {""}


def test_a_host_may_repeat_itself() -> None:
    comparison = Comparison()
    assert {comparison.read("a.example", "the same") for _ in range(100)} == {""}
    assert comparison.host("a.example").twin == ""
