"""Where the crawl goes on, and what it leaves."""

import pytest
from rehearsal import CheckedPlayer, Rehearsal

from tiptoe.experiment.frontier_player import links_to
from tiptoe.frontier.effect import MirrorFound, RulesWanted
from tiptoe.frontier.frontier import Frontier, FrontierPolicy
from tiptoe.frontier.host import HostRecord, HostState
from tiptoe.frontier.politeness import Politeness
from tiptoe.protocol.work import Purpose, Report, Request, Result, RobotsNote, RobotsState, Visit
from tiptoe.store.memory import MemoryStore
from tiptoe.url.address import host_of

RULES = Politeness(req_delay=1.0, max_hosts=1, max_reqs=8, general_pause=10.0)
TRIAL = 10
REST = 100_000.0
POLICY = FrontierPolicy(
    politeness=RULES, reads_tdmrep=False, min_yield=0.05, trial_pages=TRIAL, unproductive_rest_seconds=REST
)


class Site(CheckedPlayer):
    """A frontier and a pretended web: a page is as good as the longest prefix of its URL says."""

    def __init__(
        self,
        policy: FrontierPolicy = POLICY,
        usability: dict[str, float | None] | None = None,  # by prefix of the URL, else 0.8
        links: dict[str, list[str]] | None = None,
        *,
        is_segmenter_down: bool = False,  # else it says of an unknown page that there is too little text
    ) -> None:
        self.usability = usability or {}
        self.links = links or {}
        self.asked: list[str] = []
        self.is_segmenter_down = is_segmenter_down
        super().__init__(Frontier(MemoryStore(), policy), self.serve, address_of, visits_max=5)

    def run(self, rounds: int = 60) -> None:
        """Crawl for some visits."""
        for _ in range(rounds):
            self.round()
            self.now += 11.0

    def serve(self, request: Request, now: float) -> Result:
        self.asked.append(request.url)
        prefixes = [prefix for prefix in self.usability if request.url.startswith(prefix)]
        usability = self.usability[max(prefixes, key=len)] if prefixes else 0.8
        return Result(
            request, status=200, seconds=0.1, body_bytes=10_000, text_chars=2_000, usability=usability,
            links=links_to(self.links.get(request.url, [])),
            has_little_text=usability is None and not self.is_segmenter_down,
        )  # fmt: skip

    def host(self, name: str) -> HostRecord:
        record = self.frontier.host(name)
        assert record is not None
        return record

    @property
    def discards(self) -> dict[str, int]:
        return self.frontier.counters.totals.discards


def address_of(host: str) -> str:
    return f"192.0.{len(host)}.{sum(map(ord, host)) % 250}"


def pages(host: str, section: str, count: int) -> list[str]:
    return [f"http://{host}/{section}/page-{'x' * (number + 1)}" for number in range(count)]


def with_good_hosts(**traits: object) -> Site:
    """Return a crawl that knows by six hosts what a good page is."""
    site = Site(**traits)  # type: ignore[arg-type]
    for number in range(6):
        site.add(*pages(f"good-{number}.example", "news", 16))
    site.run(20)
    return site


def test_links_of_the_second_useless_page_in_a_row_are_dropped() -> None:
    """TXT-6: one useless page may be a list of good ones, two in a row are the way into the mud."""
    first, second, third = (f"http://a.example/{number}" for number in "123")
    site = Site(usability={"http://a.example/": 0.0}, links={first: [second], second: [third]})
    site.add(first)
    site.run(10)
    assert site.asked == [first, second]
    assert site.discards == {"zero_usability": 1}
    assert site.add(third) == 1  # it was dropped, not seen: from elsewhere it is welcome


def test_one_usable_page_ends_the_row() -> None:
    """The usability of the parent travels with each link."""
    urls = [f"http://a.example/{number}" for number in "12345"]
    site = Site(links=dict(zip(urls, [[url] for url in urls[1:]], strict=False)))
    site.usability = {urls[0]: 0.0, urls[1]: 0.4, urls[2]: 0.0, urls[3]: None}
    site.add(urls[0])
    site.run(20)
    assert site.asked == urls
    assert site.discards == {}


def test_unknown_pages_between_two_useless_ones_do_not_end_the_row() -> None:
    """The second *judged* zero ends the way, however many lists stand between it and the first."""
    urls = [f"http://a.example/{number}" for number in "123456"]
    site = Site(links=dict(zip(urls, [[url] for url in urls[1:]], strict=False)))
    site.usability = {urls[0]: None, urls[1]: 0.0, urls[2]: None, urls[3]: None, urls[4]: 0.0}
    site.add(urls[0])
    site.run(20)
    assert site.asked == urls[:5]
    assert site.discards == {"zero_usability": 1}


def test_lists_are_never_left() -> None:
    """A section, and a host, of lists alone: nothing of it was judged, so nothing is given up."""
    start = "http://lists.example/"
    site = with_good_hosts(usability={start: None})
    site.links[start] = [*pages("lists.example", "letter", 60), *pages("lists.example", "board", 60)]
    site.add(start)
    site.run(200)
    assert len([url for url in site.asked if url.startswith(start)]) == 121
    assert site.discards == {}


def test_lists_that_lead_nowhere_wait_behind_texts() -> None:
    start = "http://mixed.example/"
    site = with_good_hosts(usability={start + "tag/": None})
    site.links[start] = [*pages("mixed.example", "tag", 60), *pages("mixed.example", "news", 60)]
    site.add(start)
    site.run()
    sections = [url.split("/")[3] for url in site.asked if url.startswith(start)]
    assert sections[30:70].count("news") >= 35
    assert (sections.count("tag"), sections.count("news")) == (60, 60)  # they wait, and are not left


def test_a_page_that_nobody_was_there_to_judge_counts_for_nothing() -> None:
    """A segmenter that is down says nothing about the web."""
    site = with_good_hosts(usability={"http://a.example/": None}, is_segmenter_down=True)
    site.add(*pages("a.example", "news", 20))
    site.run()
    assert site.host("a.example").productivity.pages == 0


def test_a_redirect_does_not_end_the_row() -> None:
    """What leads through a shortener leads nowhere else."""
    first, moved, target, third = (f"http://a.example/{number}" for number in "1234")
    site = Site(usability={"http://a.example/": 0.0}, links={first: [moved], target: [third]})
    redirect = {moved: target}

    def answer(request: Request, now: float) -> Result:
        if request.url in redirect:
            return Result(request, status=302, redirect=redirect[request.url])
        return site.serve(request, now)

    site.answer = answer
    site.add(first)
    site.run(10)
    assert site.asked == [first, target]
    assert site.discards == {"zero_usability": 1}


def test_a_host_that_gives_nothing_is_left_after_a_fair_trial() -> None:
    site = with_good_hosts(usability={"http://mud.example/": 0.0})
    site.add(*pages("mud.example", "shop", 60))
    site.run()
    asked = [url for url in site.asked if host_of(url) == "mud.example"]
    assert TRIAL <= len(asked) <= TRIAL + RULES.max_reqs
    record = site.host("mud.example")
    assert (record.state, record.queued) == (HostState.UNPRODUCTIVE, 60 - len(asked))
    counters = site.frontier.counters
    assert (
        counters.gauges.unproductive_hosts,
        counters.gauges.unproductive,
        counters.totals.outcomes["no_yield"],
    ) == (
        1,
        record.queued,
        1,
    )
    assert site.add("http://mud.example/shop/other") == 0
    assert site.discards == {"no_yield": 1}
    assert site.frontier.is_finished()


def left_with(site: Site, *, returned: int, is_done: bool = True) -> Visit:
    """Let a host be left in the middle of a visit; some requests come back, when it is done."""
    site.add(*pages("mud.example", "shop", 60))
    while True:
        site.run(1)
        record = site.host("mud.example")
        if record.productivity.pages >= TRIAL - 4:
            break
    site.frontier.tick(site.now)
    (visit,) = site.frontier.visits(5, "h1", site.now)
    (work,) = visit.hosts
    results = [site.answer(request, site.now) for request in work.requests[returned:]]
    left = work.requests[:returned] if is_done else []
    site.tell([Report(visit.id, results, left, is_done=is_done, wants_more=False)])
    return visit


def test_what_comes_back_from_the_visit_that_ended_a_trial_waits_with_the_host() -> None:
    site = with_good_hosts(usability={"http://mud.example/": 0.0})
    visit = left_with(site, returned=2)
    record = site.host("mud.example")
    assert record.state is HostState.UNPRODUCTIVE
    assert record.queued == site.frontier.counters.gauges.unproductive
    assert record.queued >= len(visit.hosts[0].requests[:2])


def test_an_unproductive_host_that_is_given_up_takes_its_queue_with_it() -> None:
    """It may turn out to be a mirror while it rests."""
    site = with_good_hosts(usability={"http://mud.example/": 0.0})
    left_with(site, returned=0)
    site.frontier.apply([MirrorFound("mud.example")], site.now)
    site.frontier.check()
    gauges = site.frontier.counters.gauges
    assert (gauges.unproductive_hosts, gauges.unproductive) == (0, 0)


def test_a_host_that_is_woken_while_it_is_visited_waits_once() -> None:
    """It was laid unproductive, but it has the rules of another host: it is back before its visit ends."""
    site = with_good_hosts(usability={"http://mud.example/": 0.0})
    visit = left_with(site, returned=2, is_done=False)
    assert site.host("mud.example").state is HostState.UNPRODUCTIVE
    rules = Request("http://mud.example/robots.txt", Purpose.ROBOTS)
    site.frontier.apply([RulesWanted("mud.example", rules)], site.now)
    returned = visit.hosts[0].requests[:2]
    site.tell([Report(visit.id, [], returned, is_done=True, wants_more=False)])
    assert site.host("mud.example").state is HostState.PARKED
    assert site.frontier.counters.gauges.parked_hosts == 1


def test_a_host_left_for_its_yield_is_tried_again_after_its_rest() -> None:
    """Its queue has waited with it."""
    site = with_good_hosts(usability={"http://mud.example/": 0.0})
    site.add(*pages("mud.example", "shop", 60))
    site.run()
    left = site.host("mud.example").queued
    site.usability.clear()
    site.now += REST
    assert site.add("http://mud.example/shop/other") == 1
    site.run()
    record = site.host("mud.example")
    assert (record.state, record.queued) == (HostState.IDLE, 0)
    assert len([url for url in site.asked if host_of(url) == "mud.example"]) == 61
    assert left > 0
    assert (site.frontier.counters.gauges.unproductive_hosts, site.frontier.counters.gauges.unproductive) == (
        0,
        0,
    )


@pytest.mark.parametrize("usability", [None, 1.0])
def test_without_a_word_about_usability_nothing_is_left(usability: float | None) -> None:
    """Until there is a segmenter the crawl is complete, whatever lies on its way."""
    site = Site(usability={"http://": usability})
    for number in range(6):
        site.add(*pages(f"h{number}.example", "news", 40))
    site.run(120)
    assert len(site.asked) == 6 * 40
    assert site.discards == {}


def test_a_crawl_may_be_told_to_leave_nothing() -> None:
    policy = FrontierPolicy(politeness=RULES, reads_tdmrep=False, min_yield=0.0, trial_pages=TRIAL)
    site = with_good_hosts(usability={"http://mud.example/": 0.0}, policy=policy)
    site.add(*pages("mud.example", "shop", 60))
    site.run(200)
    assert len([url for url in site.asked if host_of(url) == "mud.example"]) == 60


def test_a_section_that_gives_nothing_is_left_and_the_host_is_not() -> None:
    """A calendar without end beside good articles."""
    start = "http://mixed.example/"
    site = with_good_hosts(usability={start + "tag/": 0.0})
    site.links[start] = [*pages("mixed.example", "tag", 80), *pages("mixed.example", "news", 80)]
    site.add(start)
    site.run(200)
    asked = [url.split("/")[3] for url in site.asked if host_of(url) == "mixed.example"]
    assert asked.count("news") == 80
    assert TRIAL <= asked.count("tag") <= TRIAL + 2 * RULES.max_reqs
    assert site.discards["no_yield"] == 80 - asked.count("tag")
    assert site.host("mixed.example").state is HostState.IDLE
    known = {url for url in site.links[start] if url in site.asked}
    assert site.frontier.counters.totals.urls == 6 * 16 + 1 + len(known)


def test_what_was_dropped_with_its_section_can_be_found_again() -> None:
    """It was forgotten, so that a second trial has something to ask for."""
    start, again = "http://mixed.example/", "http://good-0.example/again"
    site = with_good_hosts(usability={start + "tag/": 0.0})
    site.links[start] = [*pages("mixed.example", "tag", 80), *pages("mixed.example", "news", 80)]
    site.add(start)
    site.run(200)
    dropped = [url for url in site.links[start] if url not in site.asked]
    site.now += REST
    site.links[again] = dropped[:3]
    site.add(again)
    site.run(10)
    assert set(dropped[:3]) <= set(site.asked)


def test_links_into_a_section_that_was_left_are_dropped_and_forgotten() -> None:
    start, late = "http://mixed.example/", "http://mixed.example/news/late"
    site = with_good_hosts(usability={start + "tag/": 0.0})
    site.links[start] = [*pages("mixed.example", "tag", 40), *pages("mixed.example", "news", 40)]
    site.links[late] = [start + "tag/new", start + "news/new"]
    site.links[start + "news/new"] = [start + "tag/newer"]
    site.add(start)
    site.run(100)
    before = site.discards["no_yield"]
    site.add(late)
    site.run(1)
    assert site.host("mixed.example").queued == 1
    site.run(10)
    assert start + "news/new" in site.asked
    assert site.discards["no_yield"] == before + 2
    site.now += REST
    site.links["http://good-0.example/again"] = [start + "tag/new"]
    site.add("http://good-0.example/again")
    site.run(10)
    assert start + "tag/new" in site.asked


def test_better_sections_come_first_within_a_host() -> None:
    """Also when their pages were found later: the order is that of what they give."""
    start = "http://mixed.example/"
    first, second = start + "news/first", start + "news/second"
    policy = FrontierPolicy(politeness=RULES, reads_tdmrep=False, min_yield=0.0)
    site = with_good_hosts(usability={start + "shop/": 0.05}, policy=policy)
    site.links[start] = [*pages("mixed.example", "shop", 12), *pages("mixed.example", "news", 12)]
    site.add(start)
    site.run(40)
    site.links[first] = [f"{start}shop/later-{'y' * number}" for number in range(1, 41)]
    site.links[second] = [f"{start}news/later-{'y' * number}" for number in range(1, 41)]
    site.add(first)
    site.run(1)
    site.add(second)
    site.run(100)
    later = [url.split("/")[3] for url in site.asked if "/later-" in url]
    assert later[:40].count("news") >= 25
    assert later.count("shop") == 40  # a low class is not starved


def test_of_links_found_together_those_to_better_sections_come_first() -> None:
    start, more = "http://mixed.example/", "http://mixed.example/news/more"
    site = with_good_hosts(usability={start + "shop/": 0.1})
    site.links[start] = [*pages("mixed.example", "shop", 12), *pages("mixed.example", "news", 12)]
    site.add(start)
    site.run(40)
    found = [
        f"{start}{section}/later-{'y' * number}" for number in range(1, 9) for section in ("shop", "news")
    ]
    site.links[more] = found
    site.add(more)
    site.run(10)
    later = [url for url in site.asked if "/later-" in url]
    assert later[:6] == found[1:12:2]
    assert sorted(later) == sorted(found)


def test_lists_that_lead_to_good_pages_are_kept() -> None:
    """They give nothing themselves; without them nobody finds what they lead to."""
    start = "http://mag.example/"
    site = with_good_hosts(usability={start + "archive/": 0.0})
    lists = pages("mag.example", "archive", 40)
    site.links[start] = lists
    for number, url in enumerate(lists):
        site.links[url] = [f"{start}news/{'a' * (number + 1)}-{part}" for part in "xyz"]
    site.add(start)
    site.run(300)
    assert len([url for url in site.asked if url.startswith(start + "news/")]) == 120
    assert "no_yield" not in site.discards


def test_lists_that_lead_to_nothing_are_left() -> None:
    """They are judged when some of what they lead to has been."""
    start = "http://maze.example/"
    site = with_good_hosts(usability={start + "archive/": 0.0, start + "offers/": 0.0})
    site.links[start] = [*pages("maze.example", "archive", 80), *pages("maze.example", "news", 80)]
    for number, url in enumerate(site.links[start][:80]):
        site.links[url] = [f"{start}offers/{'a' * (number + 1)}-{part}" for part in "xyz"]
    site.add(start)
    site.run(300)
    assert len([url for url in site.asked if url.startswith(start + "archive/")]) < 80
    assert len([url for url in site.asked if url.startswith(start + "news/")]) == 80


def test_richer_hosts_have_the_better_level() -> None:
    """Usable text per byte, compared with the average (FRO-3)."""
    site = with_good_hosts(usability={"http://mud.example/": 0.0, "http://thin.example/": 0.3})
    for host in ("mud.example", "thin.example"):
        site.add(*pages(host, "news", 8))
    site.run(10)
    for host in ("mud.example", "thin.example", "good-0.example"):
        site.add(f"http://{host}/news/more")
    site.now += 100.0  # now all of them may be asked
    assert [visit.hosts[0].host for visit in site.take()] == ["good-0.example", "thin.example", "mud.example"]


def test_hosts_found_on_useless_pages_only_come_later() -> None:
    """Spam leads to spam."""
    site = Site(usability={"http://mud.example/": 0.0})
    site.links = {"http://mud.example/": ["http://x.example/"], "http://good.example/": ["http://y.example/"]}
    for seed in site.links:
        site.add(seed)
    site.run(1)
    assert [visit.hosts[0].host for visit in site.take()] == ["y.example", "x.example"]


def test_pages_that_other_hosts_point_to_come_first() -> None:
    """Link popularity (FRO-3): among pages that were found together."""
    start = "http://a.example/"
    found = [f"{start}p-{'x' * number}" for number in range(1, 61)]
    site = Site(links={start: found})
    for number in range(3):
        site.links[f"http://b{number}.example/"] = [found[55], found[57]]
    site.add(start)
    site.run(1)
    site.add(*[f"http://b{number}.example/" for number in range(3)])
    site.run(1)
    site.run(3)
    asked = [url for url in site.asked if url in found]
    assert asked.index(found[55]) < 30
    assert asked.index(found[57]) < 30


def test_a_host_left_for_its_yield_still_tells_the_rules_of_others() -> None:
    """The rules of a good host may have moved to one without any text."""
    site = with_good_hosts(usability={"http://mud.example/": 0.0})
    site.links["http://mud.example/"] = pages("mud.example", "shop", 60)
    site.add("http://mud.example/")
    site.run()
    assert site.host("mud.example").state is HostState.UNPRODUCTIVE
    site.add("http://new.example/")
    site.frontier.resolved_all([("new.example", "192.0.99.99", "")], site.now)
    site.frontier.tick(site.now)
    (visit,) = site.frontier.visits(1, "h1", site.now)
    note = RobotsNote(RobotsState.MOVED, location="http://mud.example/robots.txt")
    result = Result(Request("http://new.example/robots.txt", Purpose.ROBOTS), robots=note)
    returned = visit.hosts[0].requests
    site.frontier.report([Report(visit.id, [result], returned, is_done=True, wants_more=False)], {}, site.now)
    site.frontier.check()
    site.run(2)
    assert "http://mud.example/robots.txt" in site.asked


def test_a_web_of_equal_hosts_is_crawled_whole() -> None:
    """Steering must not cost a page where there is nothing to steer by."""
    links: dict[str, list[str]] = {}
    for host in range(5):
        own = [f"http://h{host}.example/s{page % 3}/{page}" for page in range(30)]
        links |= dict(zip(own, [[url] for url in own[1:]], strict=False))
        links[own[0]].append(f"http://h{(host + 1) % 5}.example/s0/0")

    def answer(request: Request, now: float) -> Result:
        found = links_to(links.get(request.url, []))
        return Result(request, status=200, body_bytes=9_000, text_chars=2_000, usability=0.7, links=found)

    addresses = {f"h{host}.example": f"192.0.2.{host}" for host in range(5)}
    crawl = Rehearsal({}, addresses, POLICY, answer=answer)
    crawl.run(["http://h0.example/s0/0"])
    assert crawl.frontier.counters.totals.pages == 150
    assert crawl.frontier.counters.totals.discards == {}
