"""What the records of pages say about a collection."""

import math
import random
from collections.abc import Iterable
from dataclasses import dataclass, field

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tiptoe.observe.collection_freshness import (
    Collection,
    HostFreshness,
    changes_behind,
    fresh_chance,
    mean_age,
)
from tiptoe.observe.freshness_report import (
    Measured,
    freshness_lead,
    freshness_page,
    freshness_sections,
    freshness_values,
)
from tiptoe.revisit.change_evidence import ChangeEvidence, Prior, noted

DAY = 86_400.0
NOW = 1_790_000_000.0
BELIEF = Prior.of(1 / (10 * DAY), 1.0)
SEEN = Measured(
    revisits=10, changed=4, unchanged=5, gone=1, watched_seconds=8.0, fresh_seconds=6.0, aged_seconds=4.0
)


@dataclass
class Known:
    """A page as its record has it."""

    version: int = 1
    outcome: str = "ok"
    visits: int = 1
    first_visit_at: float = NOW - 100 * DAY
    last_visit_at: float = NOW - 10 * DAY
    changed_at: float = NOW - 100 * DAY
    hinted_at: float = 0.0
    interval: float = 5 * DAY
    next_visit_at: float = 0.0
    evidence: ChangeEvidence = field(default_factory=ChangeEvidence)


def collection(*pages: Known, trust: float = 0.0, host: str = "a.example") -> Collection:
    found = Collection(NOW)
    add_host(found, host, pages, BELIEF, trust)
    return found


def add_host(
    found: Collection, host: str, pages: Iterable[Known], prior: Prior = BELIEF, trust: float = 0.0
) -> None:
    own = HostFreshness(host=host)
    for page in pages:
        found.add_page(page, own, prior, trust)
    found.sum_up(own)


def test_a_page_never_visited_again_is_judged_by_its_host() -> None:
    """Ten days old, believed to change every ten days: fresh with probability 1/e."""
    found = collection(Known())
    assert found.fresh == pytest.approx(math.exp(-1))
    assert found.aged_seconds == pytest.approx(10 * DAY * math.exp(-1))
    assert found.visited_again == 0


def test_what_visits_found_weighs_more_than_belief() -> None:
    quiet = Known(evidence=ChangeEvidence(0.0, 0.0, 1000 * DAY))
    lively = Known(evidence=ChangeEvidence(100.0, 100 * DAY, 0.0))
    assert collection(quiet).fresh > 0.95
    assert collection(lively).fresh < 0.05
    assert collection(quiet, lively).visited_again == 2


@given(st.floats(1e-9, 1e3), st.floats(0.0, 1e6))
def test_age_and_freshness_stay_within_what_is_possible(rate: float, seconds: float) -> None:
    assert 0.0 <= fresh_chance(rate, seconds) <= 1.0
    assert -1e-6 <= mean_age(rate, seconds) <= seconds


@pytest.mark.parametrize("changes", [1e-6, 0.9e-4, 1.1e-4, 0.01, 1.0, 30.0])
def test_the_age_is_what_chance_gives(changes: float) -> None:
    """The integral of (seconds - t) * rate * exp(-rate * t), summed by hand."""
    rate, steps = changes / 100.0, 20_000
    moments = [(number + 0.5) * 100.0 / steps for number in range(steps)]
    summed = sum((100.0 - at) * rate * math.exp(-rate * at) for at in moments) * 100.0 / steps
    assert mean_age(rate, 100.0) == pytest.approx(summed, rel=1e-3)


def test_the_estimate_is_right_about_pages_that_change_by_chance() -> None:
    """A thousand pages, each visited every two days; then nobody comes for three."""
    chance = random.Random(3)
    pages, fresh, aged = [], 0, 0.0
    for _ in range(1000):
        rate = math.exp(chance.uniform(math.log(0.02), math.log(2.0))) / DAY
        evidence = ChangeEvidence()
        for _ in range(40):
            is_changed = chance.random() > math.exp(-rate * 2 * DAY)
            evidence = noted(
                evidence, quiet_seconds=0.0, open_seconds=2 * DAY, is_changed=is_changed, memory=64.0
            )
        pages.append(Known(evidence=evidence, last_visit_at=NOW - 3 * DAY))
        first_change = chance.expovariate(rate)
        fresh += first_change > 3 * DAY
        aged += max(0.0, 3 * DAY - first_change)
    found = Collection(NOW)
    add_host(found, "a.example", pages, Prior.of(0.3 / DAY, 1.0))
    assert found.fresh == pytest.approx(fresh, rel=0.07)
    assert found.aged_seconds == pytest.approx(aged, rel=0.1)


def test_a_hint_makes_a_copy_doubtful() -> None:
    """A sitemap says the page changed two days ago, and its sitemap is right three times out of four."""
    hinted = collection(Known(hinted_at=NOW - 2 * DAY), trust=0.75)
    plain = collection(Known())
    assert hinted.fresh == pytest.approx(plain.fresh / 4)
    assert hinted.aged_seconds == pytest.approx(0.75 * 2 * DAY + 0.25 * plain.aged_seconds)


def test_what_is_not_in_the_corpus_is_no_part_of_the_collection() -> None:
    """Sitemaps are watched, and pages that are gone looked for; neither can be fresh."""
    found = collection(
        Known(),
        Known(next_visit_at=NOW + 9e9),
        Known(version=0, next_visit_at=NOW - 1),  # a sitemap
        Known(outcome="http_404", next_visit_at=NOW + 1),
        Known(outcome="noindex", version=3),
    )
    assert (found.pages, found.gone, found.watched, found.watched_beside) == (2, 2, 1, 2)
    assert found.due == {"overdue": 0, "within an hour": 0, "within a day": 0, "within a week": 0, "later": 1}
    assert found.next_visit_at == NOW + 9e9
    assert found.intervals.count == 1
    assert found.biggest_hosts()[0].overdue == 0
    told = freshness_values(found, SEEN)
    assert (told["watched"], told["watched_beside"]) == (1, 2)
    (due,) = (section for section in freshness_sections(found, SEEN) if "visited again" in section.heading)
    assert "Not among them: 2 sitemaps, feeds, " in due.note


def test_a_second_try_is_no_second_visit() -> None:
    assert collection(Known(visits=3)).visited_again == 0


def test_changes_found_are_told_beside_those_there_must_have_been() -> None:
    """Two changes between two visits are found as one; a page that never changed has hidden none."""
    lively = ChangeEvidence(4.0, 4 * DAY, 6 * DAY)
    pages = [
        Known(version=5, evidence=lively, changed_at=NOW - 10 * DAY, first_visit_at=NOW - 20 * DAY),
        Known(evidence=ChangeEvidence(0.0, 0.0, 10 * DAY)),
    ]
    found = collection(*pages)
    assert (found.changes, found.changed, found.changed_last, found.visited_again) == (4, 1, 1, 2)
    told = freshness_values(found, SEEN)["estimated"]
    assert told["changes_found"] == 4
    assert found.changes_expected > 4.0
    assert told["changes_caught"] == pytest.approx(4 / found.changes_expected)


@pytest.mark.parametrize("rate", [1e-9, 1e-4, 0.1, 1.0, 5.0])
def test_behind_a_change_stand_those_that_went_by_unseen(rate: float) -> None:
    """The mean of a Poisson number that is not 0, drawn."""
    rng = random.Random(1)
    drawn = [n for n in (_poisson(rng, rate * 2.0) for _ in range(20_000)) if n]
    expected = changes_behind(rate, 2.0)
    assert expected >= 1.0
    if drawn:
        assert expected == pytest.approx(sum(drawn) / len(drawn), rel=0.05)


def _poisson(rng: random.Random, mean: float) -> int:
    count, waited = 0, rng.expovariate(1.0)
    while waited < mean:
        count += 1
        waited += rng.expovariate(1.0)
    return count


def test_only_the_biggest_hosts_are_kept() -> None:
    """A crawl may have millions of them."""
    found = Collection(NOW, hosts_max=3)
    for number in range(20):
        add_host(found, f"h{number}", [Known()] * (1 + number * 7 % 20))
    assert [own.pages for own in found.biggest_hosts()] == [20, 19, 18]
    assert found.hosts_count == 20
    assert found.pages == sum(range(1, 21))


def test_the_report_is_told_to_people_and_programs() -> None:
    found = collection(Known(next_visit_at=NOW - 1), host="<b>&.example")
    told = freshness_values(found, SEEN)
    assert told["measured"]["found_a_change"] == pytest.approx(4 / 9)
    assert told["measured"]["freshness"] == 0.75
    assert told["measured"]["mean_age_seconds"] == 0.5
    assert told["due"]["overdue"] == 1
    assert told["hosts"]["biggest"][0]["freshness"] == pytest.approx(found.fresh)
    headings = [section.heading for section in freshness_sections(found, SEEN)]
    assert headings == [
        "The collection now, estimated", "All revisits so far", "When pages are visited again",
        "Mean time between changes, estimated", "Intervals between visits", "Biggest hosts",
    ]  # fmt: skip
    assert "about 36.8 % of them are as we know them" in freshness_lead(found, SEEN)


def test_names_from_the_web_are_harmless_on_the_page() -> None:
    page = freshness_page("<x>", collection(Known(), host="<b>&.example"), SEEN)
    assert "&lt;b&gt;&amp;.example" in page
    assert "<b>" not in page


@pytest.mark.parametrize("pages", [[], [Known()]])
def test_what_nobody_can_say_is_not_said(pages: list[Known]) -> None:
    """Before the second round there is nothing to estimate from."""
    found, nothing = collection(*pages), Measured()
    assert freshness_values(found, nothing)["estimated"] is None
    assert "%" not in freshness_lead(found, nothing)
    assert freshness_page("x", found, nothing)
    assert all("estimated" not in section.heading for section in freshness_sections(found, nothing))
