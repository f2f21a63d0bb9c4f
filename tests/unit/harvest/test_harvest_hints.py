"""INC-4: what sitemaps and feeds say of changes is told, as far as it can be news."""

from tiptoe.harvest import hints
from tiptoe.harvest.hints import find_hints
from tiptoe.protocol.work import Hint, LastVisit

NOW = 1_790_000_000.0
DAY = 86_400.0
BEFORE = LastVisit(visits=1, visited_at=NOW - 10 * DAY)
SITEMAP = "http://a.example/sitemap.xml"


def resolve(base: str, href: str) -> str:
    return "" if href.startswith("mailto:") else href.replace("#top", "")


def found(*dates: tuple[str, float | None]) -> list[Hint]:
    return find_hints(dates, SITEMAP, BEFORE, NOW, resolve)


def test_dates_later_than_our_last_look_are_hints() -> None:
    """With a day of slack, since many dates are whole days."""
    assert found(
        ("http://a.example/old", NOW - 12 * DAY),
        ("http://a.example/day", NOW - 10.5 * DAY),
        ("http://a.example/new#top", NOW - DAY),
        ("http://a.example/undated", None),
    ) == [Hint("http://a.example/day", NOW - 10.5 * DAY), Hint("http://a.example/new", NOW - DAY)]


def test_what_lies_in_the_future_has_not_happened() -> None:
    """A clock that is a little ahead is forgiven; tomorrow is not."""
    assert found(("http://a.example/1", NOW + DAY)) == []
    assert found(("http://a.example/1", NOW + 60)) == [Hint("http://a.example/1", NOW)]


def test_a_site_speaks_only_for_itself() -> None:
    """Else anybody could send us to others as often as he likes."""
    assert found(("http://b.example/1", NOW - DAY), ("mailto:x@a.example", NOW - DAY)) == []


def test_hints_are_bounded() -> None:
    """A site that dates everything today has to be short."""
    dates = [(f"http://a.example/{number}", NOW - DAY) for number in range(hints.HINTS_MAX + 5)]
    assert len(found(*dates)) == hints.HINTS_MAX
