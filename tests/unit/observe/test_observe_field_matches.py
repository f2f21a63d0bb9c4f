"""Rules that stop matching are found from the corpus."""

from pathlib import Path

import msgspec

from tiptoe.fields.rule_book import RuleBook
from tiptoe.fields.rule_file import read_rules
from tiptoe.observe.field_matches import FieldMatches, recent_matches

BOOK = RuleBook(
    read_rules('[[rule]]\nname = "a"\nhosts = ["x.example"]\n[rule.fields]\nprice = "p"\n', "f").rules
)


def counted(found: str) -> FieldMatches:
    """Count pages in the order of their time; + has the field, - has not."""
    matches = FieldMatches(BOOK)
    for number, sign in enumerate(found):
        at = f"2026-11-{number // 24 + 1:02}T{number % 24:02}:00:00Z"
        matches.add("https://x.example/p", at, {"price": 1 if sign == "+" else None})
    return matches


def test_a_rule_that_stops_is_reported_with_host_and_day() -> None:
    (stopped,) = counted("+" * 30 + "-" * 12).stopped
    assert stopped.text == "rule a.price: matched 0 of 12 pages of x.example since 2026-11-02"
    assert (stopped.pages, stopped.matched, stopped.missed) == (42, 30, 12)


def test_a_rule_that_never_matched_is_reported_after_some_pages() -> None:
    assert counted("-" * 9).stopped == []
    (stopped,) = counted("-" * 10).stopped
    assert stopped.text == "rule a.price: matched 0 of 10 pages of x.example since 2026-11-01"


def test_a_rule_that_matches_now_and_then_is_not_reported_too_early() -> None:
    """A field that one page in five has is missing on ten in a row more often than one thinks."""
    assert counted("----+" * 8 + "-" * 10).stopped == []
    assert counted("----+" * 8 + "-" * 40).stopped != []
    assert counted("+" * 20 + "-" * 4).stopped == []


def test_the_order_of_lines_does_not_matter() -> None:
    """Many harvesters write many files."""
    matches = FieldMatches(BOOK)
    times = [(f"2026-11-{day:02}T00:00:00Z", day < 15) for day in range(1, 29)]
    for at, is_match in reversed(times):
        matches.add("https://x.example/p", at, {"price": 1 if is_match else None})
    (stopped,) = matches.stopped
    assert (stopped.missed, stopped.matched_at[:10]) == (14, "2026-11-14")


def test_pages_of_other_hosts_and_from_before_the_rules_do_not_count() -> None:
    matches = FieldMatches(BOOK)
    for _ in range(50):
        matches.add("https://y.example/", "2026-11-01T00:00:00Z", {"price": None})
        matches.add("https://x.example/", "2026-11-01T00:00:00Z", None)
    assert matches.counts() == []


def test_only_the_newest_part_of_a_corpus_is_read_at_the_end_of_a_crawl(tmp_path: Path) -> None:
    folder = tmp_path / "corpus"
    folder.mkdir()
    lines = [
        msgspec.json.encode({
            "url": f"https://x.example/{number}",
            "fetched_at": f"2026-11-01T00:{number // 60:02}:{number % 60:02}Z",
            "fields": {"price": 1 if number < 900 else None},
        })
        for number in range(1000)
    ]  # fmt: skip
    (folder / "h1-00001.jsonl").write_bytes(b"\n".join(lines) + b"\n{torn")
    (everything,) = recent_matches(tmp_path, BOOK).stopped
    (end,) = recent_matches(tmp_path, BOOK, bytes_max=20_000).stopped
    assert (everything.pages, everything.missed) == (1000, 100)
    assert (end.missed, end.pages < 300) == (100, True)
