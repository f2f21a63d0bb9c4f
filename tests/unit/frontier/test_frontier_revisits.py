"""Pages that are visited again: when, how often, and what is learned from it."""

from collections import Counter
from dataclasses import replace

import msgspec
import pytest
from vigil import DAY, HOME, RULES, UNIFORM, Answer, Watch, changed, missing, ok

from tiptoe.decide.revisiting import revisit_point
from tiptoe.frontier.frontier import Frontier, FrontierPolicy
from tiptoe.frontier.policy import RevisitPolicy
from tiptoe.frontier.settlement import WAITING
from tiptoe.protocol.work import Hint, Purpose, Report, Request, Result
from tiptoe.settings.schema import SETTINGS
from tiptoe.store.memory import MemoryStore
from tiptoe.store.tables import Table


def test_a_page_is_visited_again_after_its_interval_and_knows_what_was() -> None:
    """Validators and hashes of the last visit go with the next one."""
    watch = Watch()
    watch.add(HOME)
    asked = watch.run(3.5 * DAY)
    assert [round((at - 1000.0) / DAY, 2) for at, _ in asked] == [0, 1, 2, 3]
    assert [request.last_visit.visits if request.last_visit else 0 for _, request in asked] == [0, 1, 2, 3]
    known = asked[-1][1].last_visit
    assert known is not None
    assert (known.etag, known.content_hash, known.version, known.outcome) == ('"1"', b"1", 1, "ok")
    counters = watch.frontier.counters
    assert (counters.totals.pages, counters.totals.revisits, counters.totals.revisits_unchanged) == (1, 3, 3)
    assert counters.learned.account.pages == 1


def test_without_a_strategy_nothing_is_visited_again() -> None:
    watch = Watch(revisit=RevisitPolicy())
    watch.add(HOME)
    assert len(watch.run(99 * DAY)) == 1
    assert watch.frontier.is_finished()
    assert watch.page().next_visit_at == 0.0


@pytest.mark.parametrize("strategy", SETTINGS["revisit.strategy"].choices)
def test_every_strategy_that_can_be_set_is_one_of_the_frontier(strategy: str) -> None:
    """A new name in the settings that the frontier does not know must not become another strategy."""
    Frontier(MemoryStore(), FrontierPolicy(revisit=RevisitPolicy(strategy=strategy)))


def test_a_strategy_that_nobody_knows_is_an_error() -> None:
    with pytest.raises(ValueError, match="'weekly'"):
        Frontier(MemoryStore(), FrontierPolicy(revisit=RevisitPolicy(strategy="weekly")))


def test_a_crawl_that_stops_ends_until_something_is_due() -> None:
    """Run again, it makes what has become due."""
    watch = Watch()
    watch.add(HOME)
    watch.run(60.0)
    assert watch.frontier.is_finished()
    watch.now += 2 * DAY
    watch.start(UNIFORM)
    assert not watch.frontier.is_finished(), "nobody has looked yet what is due"
    assert len(watch.run(60.0)) == 1
    assert watch.frontier.is_finished()


def test_an_endless_crawl_waits_for_what_is_due() -> None:
    watch = Watch(revisit=replace(UNIFORM, is_endless=True))
    watch.add(HOME)
    watch.run(60.0)
    assert not watch.frontier.is_finished()
    assert watch.frontier.next_at() == pytest.approx(1000.0 + DAY)


@pytest.mark.parametrize(("first", "expected"), [(60.0, 3600.0), (DAY, DAY), (99 * DAY, 30 * DAY)], ids=str)
def test_uniform_keeps_to_the_limits(first: float, expected: float) -> None:
    """An operator who forbids more than a visit an hour means every strategy."""
    watch = Watch(revisit=replace(UNIFORM, first_seconds=first))
    watch.add(HOME)
    watch.run(60.0)
    assert watch.page().interval == expected
    assert watch.page().next_visit_at == pytest.approx(1000.0 + expected)


def test_a_page_that_changes_is_visited_more_often() -> None:
    """What adaptive is for."""
    adaptive = replace(UNIFORM, strategy="adaptive")
    still, lively = Watch(revisit=adaptive), Watch(revisit=adaptive, answer=changed)
    for watch in (still, lively):
        watch.add(HOME)
        watch.run(20 * DAY)
    assert len(still.asked) < 10 < 20 < len(lively.asked)
    assert lively.page().version == len(lively.asked)
    assert still.page().version == 1


def test_a_budget_is_kept_and_goes_where_it_is_worth_most() -> None:
    """Ten visits a day: most of them to pages that change now and then, not to those that never do."""

    def answer(request: Request, now: float) -> Result:
        return changed(request, now) if "lively" in request.url else ok(request, now)

    watch = Watch(revisit=replace(UNIFORM, strategy="optimal", visits_per_day=10), answer=answer)
    watch.add(*(f"{HOME}{kind}{n}" for n in range(10) for kind in ("lively", "still")))
    watch.run(30 * DAY)
    late = [request for at, request in watch.asked if at > 1000.0 + 15 * DAY]
    assert 120 <= len(late) <= 180
    lively = sum("lively" in request.url for request in late)
    assert lively > 2 * (len(late) - lively)


def test_only_what_the_filter_wants_is_visited_again() -> None:
    """Exclusion wins; sitemaps are asked again wherever they lie."""
    watch = Watch(revisit=replace(UNIFORM, point=revisit_point(include=("/news/",), exclude=("old",))))
    watch.add(f"{HOME}news/1", f"{HOME}news/old", f"{HOME}about")
    watch.add(f"{HOME}sitemap.xml", purpose=Purpose.SITEMAP)
    asked = watch.run(1.5 * DAY)
    again = {(request.url, request.purpose) for _, request in asked if request.last_visit}
    assert again == {(f"{HOME}news/1", Purpose.PAGE), (f"{HOME}sitemap.xml", Purpose.SITEMAP)}


def test_a_filter_that_changed_counts_when_a_page_is_due() -> None:
    watch = Watch()
    watch.add(HOME)
    watch.run(60.0)
    watch.start(replace(UNIFORM, point=revisit_point(exclude=("example",))))
    assert watch.run(5 * DAY) == []
    assert watch.frontier.counters.learned.account.pages == 0


def test_a_page_that_is_gone_is_looked_for_twice_more() -> None:
    """At growing intervals; it may come back."""
    watch = Watch()
    watch.add(HOME)
    watch.run(60.0)
    watch.answer = missing
    asked = watch.run(60 * DAY)
    assert [round((at - 1000.0) / DAY) for at, _ in asked] == [1, 2, 4]
    assert watch.page().outcome == "http_404"
    assert watch.page().next_visit_at == 0.0
    counters = watch.frontier.counters
    assert (counters.totals.revisits, counters.totals.revisits_gone, counters.learned.account.pages) == (
        1,
        1,
        0,
    )


def test_only_pages_of_the_corpus_are_counted_as_visited_again() -> None:
    """A sitemap changes whenever a page does; that says nothing of how fresh the collection is."""
    watch = Watch(answer=changed)
    watch.add(HOME)
    watch.add("http://a.example/sitemap.xml", purpose=Purpose.SITEMAP)
    watch.add("http://a.example/empty")
    watch.answer = lambda request, now: msgspec.structs.replace(
        changed(request, now), text_chars=0 if "empty" in request.url else 100
    )
    asked = watch.run(1.5 * DAY)
    assert len([request for _, request in asked if request.last_visit]) == 3
    counters = watch.frontier.counters
    assert (
        counters.totals.revisits,
        counters.totals.revisits_changed,
        counters.totals.revisits_unchanged,
    ) == (1, 1, 0)
    assert counters.totals.watched_seconds == pytest.approx(DAY, rel=1e-3)


def test_a_copy_of_a_page_that_vanished_was_out_of_date() -> None:
    """Else a collection of dead pages would be called fresh."""
    watch = Watch()
    watch.add(HOME)
    watch.run(60.0)
    watch.answer = lambda request, now: Result(request, status=404, is_changed=True)
    watch.run(10 * DAY)
    counters = watch.frontier.counters
    assert (counters.totals.revisits_changed, counters.totals.revisits_gone) == (0, 1)
    assert counters.totals.watched_seconds == pytest.approx(DAY, rel=1e-3)
    assert 0.0 < counters.totals.fresh_seconds < 0.6 * DAY


def test_a_page_that_comes_back_is_watched_as_before() -> None:
    watch = Watch()
    watch.add(HOME)
    watch.run(60.0)
    watch.answer = missing
    watch.run(1.5 * DAY)
    watch.answer = changed
    asked = watch.run(4 * DAY)
    before = asked[0][1].last_visit
    assert before is not None
    assert (before.outcome, before.etag, before.version) == ("http_404", "", 1)
    assert (watch.page().version, watch.page().misses) == (len(asked) + 1, 0)
    assert watch.frontier.counters.totals.pages == 1, "it is the same page"


def test_a_link_that_was_dead_from_the_start_is_not_asked_for_again() -> None:
    watch = Watch(answer=missing)
    watch.add(HOME)
    assert len(watch.run(60 * DAY)) == 1


def test_trouble_keeps_what_is_known_and_is_tried_again() -> None:
    """A server that is down has not changed its pages."""
    watch = Watch()
    watch.add(HOME)
    watch.run(60.0)
    watch.answer = lambda request, now: Result(request, status=500)
    asked = watch.run(1.5 * DAY)
    assert [request.tries for _, request in asked] == [0, 1, 2]
    page = watch.page()
    assert (page.outcome, page.etag, page.last_visit_at) == ("ok", '"1"', 1000.0)
    assert page.next_visit_at == pytest.approx(asked[-1][0] + DAY)
    watch.answer = ok
    assert len(watch.run(1.5 * DAY)) >= 1
    assert watch.page().tries == 0


def test_limits_on_pages_do_not_forbid_revisits() -> None:
    """The limit is on how big the collection grows, not on how fresh it is kept."""
    limited = FrontierPolicy(politeness=RULES, pages_max=2, pages_per_host=2)
    watch = Watch(rest=limited, revisit=replace(UNIFORM, is_endless=True))
    watch.add(*(f"{HOME}{n}" for n in range(5)))
    asked = watch.run(3.5 * DAY)
    assert len({request.url for _, request in asked}) == 2
    assert len(asked) == 2 * 4
    assert watch.frontier.is_limited()
    assert not watch.frontier.is_finished()
    watch.start(UNIFORM)
    watch.run(60.0)
    assert watch.frontier.is_finished()


def test_a_result_of_an_earlier_visit_is_not_counted() -> None:
    """A harvester that was silent for a while tells what another has done meanwhile."""
    watch = Watch()
    watch.add(HOME)
    (first,) = watch.take()
    watch.bring(first)
    watch.now += DAY
    (again,) = watch.take()
    late = first.hosts[0].requests[0]
    report = Report(again.id, [ok(late, watch.now)])
    watch.frontier.report([report], {}, watch.now)
    assert watch.frontier.counters.totals.revisits == 0
    watch.bring(again)
    watch.bring(again)
    assert watch.frontier.counters.totals.revisits == 1
    watch.frontier.check()


def test_a_revisit_under_way_survives_a_crash() -> None:
    """It is made again, once, with the same last_visit."""
    watch = Watch()
    watch.add(HOME)
    watch.run(60.0)
    watch.now += DAY
    (visit,) = watch.take()
    watch.start(UNIFORM)
    watch.frontier.check()
    watch.now += 120.0
    (again,) = watch.take()
    assert again.hosts[0].requests == visit.hosts[0].requests
    watch.bring(again)
    watch.start(UNIFORM)
    assert watch.page().visits == 2
    watch.frontier.check()


def test_a_page_that_kills_harvesters_is_left_alone() -> None:
    """Else it would do so at every interval."""
    watch = Watch()
    watch.add(HOME)
    watch.run(60.0)
    for _ in range(2):
        watch.now += DAY
        assert len(watch.take()) == 1
        watch.frontier.lose("h1", watch.now, suspects=frozenset({HOME}))
    watch.frontier.check()
    assert watch.run(60 * DAY) == []
    assert watch.page().outcome == "ok"


def test_no_page_is_open_again_while_it_is_watched() -> None:
    """What the corpus has of it is known also while it is asked for again."""
    watch = Watch()
    watch.add(HOME)
    watch.run(60.0)
    watch.now += DAY
    watch.take()
    assert watch.page().outcome != WAITING


# -- hints ---------------------------------------------------------------


def hinting(answers: Answer, when: float) -> Answer:
    """Answers, and a sitemap that tells of a change of every page at that moment after the last visit."""

    def answer(request: Request, now: float) -> Result:
        result = answers(request, now)
        if request.purpose is Purpose.SITEMAP:
            names = [f"{HOME}{n}" for n in range(9)] + ["http://other.example/"]
            hints = [Hint(url, now - when) for url in names]
            is_changed = True if request.last_visit else None
            return msgspec.structs.replace(result, hints=hints, is_changed=is_changed)
        return result

    return answer


def sitemap_watch(answers: Answer) -> Watch:
    adaptive = replace(UNIFORM, strategy="adaptive", first_seconds=4 * DAY, min_seconds=DAY / 2)
    watch = Watch(revisit=adaptive, answer=hinting(answers, 60.0))
    watch.add(*(f"{HOME}{n}" for n in range(9)), "http://other.example/")
    watch.add(f"{HOME}sitemap.xml", purpose=Purpose.SITEMAP)
    watch.run(30 * DAY)
    return watch


def test_hints_that_prove_true_bring_visits_forward() -> None:
    """And those of a site whose dates mean nothing do not."""
    honest, liar = sitemap_watch(changed), sitemap_watch(ok)
    asked, alone = f"{HOME}1", "http://other.example/"  # for a page only its own site speaks
    told, doubted = (Counter(request.url for _, request in watch.asked) for watch in (honest, liar))
    assert told[asked] > told[alone]
    assert doubted[asked] == doubted[alone]


def test_an_entry_of_the_calendar_is_never_there_twice() -> None:
    """Two sources may tell of one page in one step."""
    watch = Watch(revisit=replace(UNIFORM, first_seconds=9 * DAY))
    watch.add(HOME, f"{HOME}2")
    (visit,) = watch.take()
    results = [ok(request, watch.now) for request in visit.hosts[0].requests]
    watch.frontier.report([Report(visit.id, results, is_done=True)], {}, watch.now)
    watch.now += 9 * DAY
    (visit,) = watch.take()
    hints = [Hint(HOME, watch.now - 5.0), Hint(f"{HOME}2", watch.now - 5.0)]
    results = [ok(request, watch.now) for request in visit.hosts[0].requests]
    results = [msgspec.structs.replace(result, hints=hints) for result in results]
    watch.frontier.report([Report(visit.id, results, is_done=True)], {}, watch.now)
    watch.frontier.check()
    assert len([*watch.store.scan(Table.REVISIT)]) == 2


# -- what the figures say ------------------------------------------------


def test_the_figures_tell_how_fresh_the_collection_is() -> None:
    """A page that never changes was fresh all the time; one that always had, only part of it."""
    still, lively = Watch(), Watch(answer=changed)
    for watch in (still, lively):
        watch.add(HOME)
        watch.run(10.5 * DAY)
    assert still.frontier.counters.totals.fresh_seconds == pytest.approx(10 * DAY)
    assert still.frontier.counters.totals.aged_seconds == 0.0
    counters = lively.frontier.counters
    assert counters.totals.watched_seconds == pytest.approx(10 * DAY)
    assert 0.05 < counters.totals.fresh_seconds / counters.totals.watched_seconds < 0.5
    assert 0.0 < counters.totals.aged_seconds / counters.totals.watched_seconds < DAY
