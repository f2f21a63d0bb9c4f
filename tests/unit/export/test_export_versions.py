"""The collection as it was at a moment."""

import random
from datetime import UTC, datetime, timedelta
from pathlib import Path

import msgspec
import pytest
from export_samples import export_to, make_crawl, make_document

from tiptoe.errors import SettingsError
from tiptoe.export.export_amounts import ExportAmounts, Omission
from tiptoe.export.selection import Selection
from tiptoe.export.versions import AS_IT_IS, read_moment
from tiptoe.write.corpus import Document
from tiptoe.write.gone import GonePage

BEGAN = datetime(2026, 3, 1, 12, tzinfo=UTC)


def on_day(day: float) -> str:
    return (BEGAN + timedelta(days=day)).isoformat().replace("+00:00", "Z")


def version(page: str, day: float, text: str = "", **changes: object) -> Document:
    return make_document(
        text or f"{page} {day:g}", url=f"https://a.example/{page}", fetched_at=on_day(day), **changes
    )


def gone(directory: Path, page: str, day: float) -> None:
    """List a page as gone."""
    listed = GonePage(url=f"https://a.example/{page}", gone_at=on_day(day), status=410)
    (directory / "gone").mkdir(exist_ok=True)
    with (directory / "gone" / "h1-00001.jsonl").open("ab") as file:
        file.write(msgspec.json.encode(listed) + b"\n")


def mirror(directory: Path, as_of: datetime | None, **options: object) -> tuple[list[str], ExportAmounts]:
    """Return the texts of a mirror, and the figures of the export."""
    out = directory.parent / "out.jsonl"
    amounts = export_to(out, directory, "jsonl", as_of=as_of, **options)  # type: ignore[arg-type]
    lines = out.read_bytes().splitlines()
    out.unlink()
    return [msgspec.json.decode(line)["paragraphs"][0] for line in lines], amounts


def test_of_each_page_the_last_version_is_taken(tmp_path: Path) -> None:
    """Versions lie in the files of whichever harvester fetched them: in no order of time."""
    directory = make_crawl(
        tmp_path, [version("x", 9.0), version("y", 1.0), version("x", 2.0), version("x", 5.0)]
    )
    texts, amounts = mirror(directory, AS_IT_IS)
    assert texts == ["x 9", "y 1"]
    assert amounts.omitted[Omission.REPLACED].documents == 2


@pytest.mark.parametrize(
    ("day", "texts"), [(0.0, []), (1.0, ["x 1"]), (4.9, ["x 1", "y 2"]), (5.0, ["x 5", "y 2"])]
)
def test_what_came_later_does_not_count(tmp_path: Path, day: float, texts: list[str]) -> None:
    directory = make_crawl(tmp_path, [version("x", 1.0), version("x", 5.0), version("y", 2.0)])
    found, amounts = mirror(directory, BEGAN + timedelta(days=day))
    assert found == texts
    assert amounts.omitted[Omission.LATER].documents == sum(at > day for at in (1.0, 5.0, 2.0))


def test_a_page_that_is_gone_is_left_out_until_it_comes_back(tmp_path: Path) -> None:
    directory = make_crawl(tmp_path, [version("x", 1.0), version("x", 9.0), version("y", 1.0)])
    gone(directory, "x", 4.0)
    assert mirror(directory, BEGAN + timedelta(days=3))[0] == ["x 1", "y 1"]
    texts, amounts = mirror(directory, BEGAN + timedelta(days=5))
    assert texts == ["y 1"]
    assert amounts.omitted[Omission.GONE].documents == 1
    assert mirror(directory, AS_IT_IS)[0] == ["x 9", "y 1"]


def test_without_a_moment_every_version_is_exported(tmp_path: Path) -> None:
    """An export must not lose text unasked."""
    directory = make_crawl(
        tmp_path, [version("x", 1.0), version("x", 5.0, version=2), version("x", 7.0, version=3)]
    )
    gone(directory, "x", 8.0)
    texts, amounts = mirror(directory, None)
    assert texts == ["x 1", "x 5", "x 7"]
    assert amounts.later_versions == 2


def test_an_older_version_does_not_stand_in_for_one_that_is_not_selected(tmp_path: Path) -> None:
    """A mirror of the Czech web must not hold a page that is English by now."""
    directory = make_crawl(tmp_path, [version("x", 1.0, language="cs"), version("x", 5.0, language="en")])
    texts, amounts = mirror(directory, AS_IT_IS, selection=Selection(languages=frozenset({"cs"})))
    assert texts == []
    assert {reason.value for reason, _ in amounts.omissions()} == {"replaced", "other_language"}


def test_duplicates_are_sought_among_the_versions_taken(tmp_path: Path) -> None:
    """What an old version said is no reason to leave it out of the page that says it now."""
    directory = make_crawl(
        tmp_path, [version("x", 1.0, "same"), version("x", 5.0, "new"), version("y", 2.0, "same")]
    )
    assert mirror(directory, AS_IT_IS, dedup="paragraph")[0] == ["new", "same"]


def test_a_version_that_stands_there_twice_is_taken_once(tmp_path: Path) -> None:
    directory = make_crawl(tmp_path, [version("x", 1.0), version("x", 1.0)])
    assert mirror(directory, AS_IT_IS)[0] == ["x 1"]


def test_lines_of_other_hands_spoil_nothing(tmp_path: Path) -> None:
    """A torn list, a date that is none: the rest of the mirror stands."""
    directory = make_crawl(tmp_path, [version("x", 1.0), make_document("undated", fetched_at="soon")])
    gone(directory, "other", 2.0)
    with (directory / "gone" / "h1-00001.jsonl").open("ab") as file:
        file.write(b'{"url":\xff}\n{"url":"https://a.example/x","gone_')
    assert mirror(directory, AS_IT_IS)[0] == ["x 1", "undated"]


def test_a_mirror_is_what_a_plain_dictionary_would_say(tmp_path: Path) -> None:
    """Thousands of versions in any order, against the definition."""
    chance = random.Random(5)
    events = [
        (f"p{chance.randrange(300)}", chance.random() * 100, chance.random() < 0.1) for _ in range(2000)
    ]
    directory = make_crawl(tmp_path, [version(page, day) for page, day, is_gone in events if not is_gone])
    for page, day, is_gone in events:
        if is_gone:
            gone(directory, page, day)
    last: dict[str, tuple[float, bool]] = {}
    for page, day, is_gone in events:
        if day <= 60 and day > last.get(page, (-1.0, False))[0]:
            last[page] = (day, is_gone)
    wanted = {f"{page} {day:g}" for page, (day, is_gone) in last.items() if not is_gone}
    texts, _ = mirror(directory, BEGAN + timedelta(days=60))
    assert set(texts) == wanted
    assert len(texts) == len(wanted)


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        (" Now", AS_IT_IS),
        ("2026-12-31", datetime(2026, 12, 31, 23, 59, 59, 999_999, tzinfo=UTC)),
        ("2026-12-31T18:00", datetime(2026, 12, 31, 18, tzinfo=UTC)),
        ("2026-12-31T18:00+02:00", datetime(2026, 12, 31, 16, tzinfo=UTC)),
        (" 2026-12-31T18:00:00Z ", datetime(2026, 12, 31, 18, tzinfo=UTC)),
    ],
)
def test_moments_are_read_as_people_give_them(text: str, moment: datetime) -> None:
    """A day means all of it: whoever says the 31st wants what was fetched on the 31st."""
    assert read_moment(text) == moment


@pytest.mark.parametrize("text", ["", "tomorrow", "31.12.2026", "2026-13-01", "2026-12-31T25:00"])
def test_what_is_no_moment_is_refused(text: str) -> None:
    with pytest.raises(SettingsError, match="expected now, a day"):
        read_moment(text)
