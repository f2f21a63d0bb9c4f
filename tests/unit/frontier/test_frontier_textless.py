"""Traps whose addresses look like any others: ever new pages, and no new text."""

import random
from collections.abc import Callable

import msgspec
from rehearsal import Rehearsal

from tiptoe.decide.scheduling import schedule_point
from tiptoe.experiment.frontier_player import links_to
from tiptoe.frontier.frontier import FrontierPolicy
from tiptoe.frontier.host import HostState
from tiptoe.frontier.politeness import Politeness
from tiptoe.protocol.work import Request, Result
from tiptoe.store.memory import MemoryStore
from tiptoe.text.prose import prose_of
from tiptoe.url.address import url_key

RULES = Politeness(req_delay=1.0, max_hosts=1, max_reqs=10, general_pause=10.0)
TEXTLESS_MAX = 60
SHAPE_MAX = 100
FAR = schedule_point(hops_max=10_000)
POLICY = FrontierPolicy(
    politeness=RULES, schedule=FAR, reads_tdmrep=False, textless_pages_max=TEXTLESS_MAX,
    shape_pages_max=SHAPE_MAX,
)  # fmt: skip
START = "http://a.example/"
WORDS = [
    "river",
    "mill",
    "stone",
    "bridge",
    "garden",
    "window",
    "letter",
    "summer",
    "winter",
    "forest",
    "market",
    "harbour",
]


def invented(url: str, count: int = 8) -> list[str]:
    """Links that nobody has seen before: random words, random depth, no numbers."""
    rng = random.Random(url_key(url))
    return [
        START + "/".join("-".join(rng.choices(WORDS, k=3)) for _ in range(rng.randint(1, 4)))
        for _ in range(count)
    ]


def crawl(answer: Callable[[Request], Result], *seeds: str, policy: FrontierPolicy = POLICY) -> Rehearsal:
    rehearsal = Rehearsal({}, {"a.example": "192.0.2.1"}, policy, answer=lambda request, now: answer(request))
    rehearsal.run([START, *seeds])
    return rehearsal


def page(request: Request, links: list[str], *, is_textless: bool) -> Result:
    return Result(
        request, status=200, seconds=0.1, body_bytes=5_000, text_chars=0 if is_textless else 2_000,
        text_hash=url_key(request.url), links=links_to(links),
        prose=b"" if is_textless else url_key(request.url),
    )  # fmt: skip


def asked_under(done: Rehearsal, prefix: str) -> int:
    return sum(asked.url.startswith(prefix) for asked in done.asked)


def test_a_site_of_ever_new_links_is_left() -> None:
    """FRO-5, without a segmenter: nothing in its addresses repeats, and nothing in its pages is text."""
    done = crawl(lambda request: page(request, invented(request.url), is_textless=True))
    assert TEXTLESS_MAX <= len(done.asked) <= TEXTLESS_MAX + 2 * RULES.max_reqs
    record = done.frontier.host("a.example")
    assert record is not None
    assert record.state is HostState.UNPRODUCTIVE
    assert done.frontier.counters.totals.outcomes["trap_textless"] >= 1


def test_a_trap_on_one_side_of_a_site_does_not_cost_the_other() -> None:
    articles = [f"{START}story/{'-'.join(WORDS[n % 7 : n % 7 + 3])}-{'x' * (n + 1)}" for n in range(300)]

    def answer(request: Request) -> Result:
        if request.url == START:
            return page(request, [*articles, START + "trap/a"], is_textless=True)
        if request.url.startswith(START + "trap/"):
            links = [link.replace(START, START + "trap/") for link in invented(request.url)]
            return page(request, links, is_textless=True)
        return page(request, [START + "trap/b"], is_textless=False)

    done = crawl(answer)
    assert asked_under(done, START + "story/") == 300
    assert asked_under(done, START + "trap/") <= TEXTLESS_MAX * 3 // 2 + 2 * RULES.max_reqs
    record = done.frontier.host("a.example")
    assert record is not None
    assert record.state is not HostState.UNPRODUCTIVE
    assert done.frontier.counters.totals.outcomes["trap_textless"] == 1


def test_many_articles_of_one_shape_are_no_trap() -> None:
    """Thirty times as many as a calendar may have: each of them is new text."""
    count = 30 * SHAPE_MAX

    def answer(request: Request) -> Result:
        number = int(request.url.rpartition("/")[2] or 0)
        links = [
            f"{START}article/{following}" for following in range(number + 1, min(number + 20, count) + 1)
        ]
        return page(request, links, is_textless=not number)

    done = crawl(answer)
    assert asked_under(done, START + "article/") == count
    assert done.frontier.counters.totals.discards == {}


def test_a_calendar_of_one_shape_still_ends() -> None:
    def answer(request: Request) -> Result:
        number = int(request.url.rpartition("/")[2] or 0)
        return page(request, [f"{START}day/{number + 1}", f"{START}day/{number + 2}"], is_textless=True)

    lenient = FrontierPolicy(
        politeness=RULES, reads_tdmrep=False, textless_pages_max=0, shape_pages_max=SHAPE_MAX
    )
    done = crawl(answer, policy=lenient)
    assert asked_under(done, START + "day/") <= SHAPE_MAX + SHAPE_MAX // 2 + RULES.max_reqs
    assert done.frontier.counters.totals.discards["trap_shape"] >= 1


def test_lists_that_lead_to_texts_are_no_trap() -> None:
    """An index over an index over lists, each with more pages than a trap may have."""
    count = 3 * TEXTLESS_MAX

    def answer(request: Request) -> Result:
        level, _, number = request.url.removeprefix(START).partition("/")
        if not level:
            return page(
                request,
                [f"{START}letter/{'a' * (n + 1)}" for n in range(TEXTLESS_MAX // 2)],
                is_textless=True,
            )
        following = {"letter": "list", "list": "story"}.get(level)
        links = [f"{START}{following}/{number}{sign}" for sign in "bcdefg"] if following else []
        return page(request, links, is_textless=level != "story")

    done = crawl(answer)
    assert asked_under(done, START + "list/") == TEXTLESS_MAX // 2 * 6 >= count
    assert asked_under(done, START + "story/") == TEXTLESS_MAX // 2 * 36
    assert done.frontier.counters.totals.discards == {}


def test_a_site_that_once_had_texts_has_no_credit_for_ever() -> None:
    """Sites change hands: two hundred articles do not pay for a trap without end in their midst."""
    policy = FrontierPolicy(
        politeness=RULES,
        schedule=FAR,
        reads_tdmrep=False,
        textless_pages_max=20,
        shape_pages_max=10**6,
        host_queue_max=2000,
    )

    def answer(request: Request) -> Result:
        number = int(request.url.rpartition("/")[2] or 0)
        return page(request, [f"{START}p/{number + 1}"], is_textless=number > 400)

    done = crawl(answer, policy=policy)
    assert 400 < len(done.asked) < 400 + 800


def test_what_a_host_has_said_survives_a_restart() -> None:
    """Else every run, and every harvester, would take the same notice for a new text."""
    store, now = MemoryStore(), 1000.0
    notice = prose_of(["We use cookies to make this site better for you, and so do some of our partners."])

    def answer(request: Request, now: float) -> Result:
        found = page(request, invented(request.url), is_textless=True)
        return msgspec.structs.replace(found, prose=notice)

    for _ in range(3):
        run = Rehearsal({}, {"a.example": "192.0.2.1"}, POLICY, store, answer=answer, now=now)
        run.frontier.recover(now)
        run.run([START], until=now + 30)
        now = run.now + 60
    record = run.frontier.host("a.example")
    assert record is not None
    assert record.productivity.met > 20
    assert record.productivity.texts == 1
