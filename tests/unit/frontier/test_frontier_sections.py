"""Which parts of a host are worth more than others."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tiptoe.frontier.sections import NAME_CHARS_MAX, REST, SECTIONS_MAX, UNPRODUCTIVE, Sections, section_of

COST = 10_000.0


def filled(**shares: float) -> Sections:
    """Return sections with twenty pages each that gave these shares of their cost."""
    sections = Sections(b"")
    for name, share in shares.items():
        for _ in range(20):
            sections.add(name, COST, share * COST)
    return sections


@pytest.mark.parametrize(
    ("path", "section"),
    [
        ("/", ""),
        ("/about.html", ""),
        ("/blog/one.html", "blog"),
        ("/blog/2024/05/one.html", "blog"),
        ("/2024/05/one.html", "0"),
        ("/12345-7/x", "0-0"),
        ("/viewtopic.php?t=5/6", "viewtopic.php?"),
        ("/forum/viewtopic.php?t=5", "forum"),
        ("/?page=2", "?"),
        ("/" + "x" * 500 + "/y", "x" * NAME_CHARS_MAX),
    ],
)
def test_a_section_is_the_first_part_of_the_path(path: str, section: str) -> None:
    """Numbers do not make sections of their own: one per article would tell nothing."""
    assert section_of("http://a.example:8080" + path) == section


def test_sections_are_compared_with_their_host() -> None:
    shifts = filled(blog=0.2, news=0.1, shop=0.04, tag=0.0).shifts(0.1, 1.0)
    assert shifts is not None
    urls = [f"http://a.example/{name}/x" for name in ("blog", "news", "shop", "tag", "unknown")]
    assert [shifts.of(url) for url in urls] == [-1, 0, 1, 2, 0]


def test_sections_that_do_not_differ_cost_nothing() -> None:
    """Most hosts are of one kind; their links need not be looked at."""
    assert filled(blog=0.1, news=0.11).shifts(0.1, 1.0) is None
    assert Sections(b"").shifts(0.1, 1.0) is None
    assert filled(blog=0.0).shifts(0.0, 1.0) is None


def test_an_unproductive_section_is_not_asked_until_it_has_rested() -> None:
    sections = filled(tag=0.0, blog=0.1)
    sections.mark_unproductive(sections.add("tag", COST, 0.0), 1000.0)
    stored = sections.encode()
    resting = Sections(stored, woken_before=999.0).shifts(0.1, 1.0)
    assert resting is not None
    assert resting.of("http://a.example/tag/1") == UNPRODUCTIVE
    assert Sections(stored, woken_before=1000.0).shifts(0.1, 1.0) is None  # and begins anew


def test_lists_share_in_what_they_lead_to() -> None:
    """They have no text themselves; without them nobody would find it."""
    sections = filled(archive=0.0, news=0.1)
    archive = sections.find("archive")
    assert archive is not None
    sections.credit(archive, 20 * COST * 0.1)
    assert sections.shifts(0.1, 1.0) is None


@given(st.lists(st.tuples(st.text(max_size=3), st.floats(0, 1)), max_size=200))
def test_sections_are_bounded_and_nothing_is_lost(pages: list[tuple[str, float]]) -> None:
    """A host can name as many as it likes."""
    sections = Sections(b"")
    for name, share in pages:
        sections.add(name, COST, share * COST)
    reopened = Sections(sections.encode())
    names = {REST, *(name for name, _ in pages)}
    kept = [section for name in names if (section := reopened.find(name)) is not None]
    assert len(kept) <= SECTIONS_MAX + 1
    assert sum(section.pages for section in kept) == len(pages)


def test_the_heavy_sections_stay_and_the_light_make_room() -> None:
    sections = filled(blog=0.3, tag=0.0)
    for number in range(200):
        sections.add(f"once-{number}", COST, COST * 0.02)
    shifts = sections.shifts(0.1, 1.0)
    assert shifts is not None
    assert (shifts.of("http://a.example/blog/x"), shifts.of("http://a.example/tag/x")) == (-1, 2)
    assert shifts.of("http://a.example/never/x") == 1  # as those that had to make room
