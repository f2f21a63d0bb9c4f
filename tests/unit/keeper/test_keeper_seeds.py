"""Which seeds come to nothing, told at once."""

from tiptoe.frontier.host import HostRecord, HostState
from tiptoe.frontier.page_record import PageRecord
from tiptoe.frontier.patience import PATIENCE_BUDGET
from tiptoe.keeper.seeds import LOOKS_MAX, VAIN_TOLD_MAX, WATCHED_MAX, DeadSeed, SeedWatch
from tiptoe.url.address import page_key

SEED = "http://nosuch.example/"
HOST = "nosuch.example"


def watch(*seeds: str) -> tuple[SeedWatch, dict[str, HostRecord]]:
    return SeedWatch(seeds), {}


def test_a_dead_seed_is_told_once_with_its_next_try() -> None:
    seeds, hosts = watch(SEED)
    assert seeds.look(hosts.get) == []
    hosts[HOST] = HostRecord(
        HOST, trouble="no_such_host", troubles=1, patience_used=PATIENCE_BUDGET // 2, next_at=1060.0
    )
    # Not at the first look: its next try may be brought forward.
    assert seeds.look(hosts.get) == []
    (dead,) = seeds.look(hosts.get)
    assert dead == DeadSeed(SEED, "no_such_host", 1060.0, is_last=True)
    assert dead.describe(1000.0).startswith(f"seed {SEED}: name not found (will be tried once more at ")
    assert seeds.look(hosts.get) == []


def test_that_it_was_given_up_is_told_too() -> None:
    seeds, hosts = watch(SEED)
    hosts[HOST] = HostRecord(HOST, HostState.GONE, gone_because="no_such_host", troubles=2)
    (dead,) = seeds.look(hosts.get)
    assert dead.describe(0.0) == f"seed {SEED}: name not found; given up"
    assert len(seeds) == 0


def test_a_seed_whose_rules_cannot_be_had_is_dead_too() -> None:
    seeds, hosts = watch(SEED)
    hosts[HOST] = HostRecord(HOST, trouble="refused", robots_troubles=1, next_at=1600.0)
    seeds.look(hosts.get)
    (dead,) = seeds.look(hosts.get)
    assert (dead.trouble, dead.is_last) == ("refused", False)
    assert "connection refused (will be tried again at " in dead.describe(1000.0)


def test_a_seed_that_gave_a_page_is_not_watched_any_more() -> None:
    seeds, hosts = watch(SEED)
    hosts[HOST] = HostRecord(HOST, pages=1, trouble="refused", troubles=1)
    assert seeds.look(hosts.get) == []
    assert len(seeds) == 0


def test_many_seeds_cost_little() -> None:
    """A crawl from a million seeds begins like any other."""
    looked = []

    def find(host: str) -> None:
        looked.append(host)

    seeds = SeedWatch(f"http://h{number}.example/" for number in range(1_000_000))
    assert len(seeds) == WATCHED_MAX
    for _ in range(WATCHED_MAX // LOOKS_MAX):
        seeds.look(find)
    assert len(looked) == len(set(looked)) == WATCHED_MAX


# -- pages -----------------------------------------------------------------

PAGE = "http://a.example/x"
NO_HOSTS: dict[str, HostRecord] = {}


def vain(outcome: str, status: int = 0, host: HostRecord | None = None) -> list[str]:
    """Return what is told of a seed with this outcome, on a host that answers."""
    seeds, hosts = SeedWatch([PAGE]), {"a.example": host or HostRecord("a.example", pages=1)}
    page = PageRecord(PAGE, outcome=outcome, status=status)
    said = [seed.describe() for seed in seeds.look_at_pages(lambda key: page, hosts.get)]
    assert seeds.look_at_pages(lambda key: page, hosts.get) == []
    return said


def test_a_seed_that_its_host_does_not_give_is_told_once() -> None:
    """The host answers, so nothing else says that this one was in vain."""
    assert vain("disallowed") == [f"seed {PAGE}: robots.txt forbids it: not requested"]
    assert vain("http_404", 404) == [f"seed {PAGE}: 404 not found"]
    assert vain("server_error", 500) == [f"seed {PAGE}: 500 internal server error"]


def test_a_seed_of_which_something_came_or_may_come_is_not_in_vain() -> None:
    assert vain("ok", 200) == vain("redirect", 301) == vain("waiting", 500) == vain("too_short", 200) == []
    gone = HostRecord("a.example", HostState.GONE, gone_because="refused")
    assert vain("refused", host=gone) == []  # told of the host


def test_of_many_seeds_in_vain_some_are_told() -> None:
    seeds = SeedWatch(f"http://a.example/{number}" for number in range(1000))
    told = [
        seeds.look_at_pages(lambda key: PageRecord(PAGE, outcome="http_404"), NO_HOSTS.get) for _ in range(5)
    ]
    assert sum(map(len, told)) == VAIN_TOLD_MAX


def test_a_page_that_nobody_has_asked_for_yet_is_looked_at_again() -> None:
    seeds, found = SeedWatch([PAGE]), dict[bytes, PageRecord]()
    assert seeds.look_at_pages(found.get, NO_HOSTS.get) == []
    found[page_key(PAGE)] = PageRecord(PAGE, outcome="disallowed")
    assert len(seeds.look_at_pages(found.get, NO_HOSTS.get)) == 1
