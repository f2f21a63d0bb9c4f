"""What a crawl did in the last while: counts by the moment, and the files they come from."""

from pathlib import Path

import msgspec

from tiptoe.observe.activity import STRETCH_SECONDS, STRETCHES_MAX, Activity
from tiptoe.observe.activity_files import READ_BYTES_MAX, ActivityFiles
from tiptoe.write.logentries import RequestEntry

NOW = 1_000_000.0


def plotted(
    activity: Activity, now: float = NOW, columns: int = 4, seconds: float = 5.0
) -> dict[str, list[float]]:
    return {plot.name.split()[0]: list(plot.values) for plot in activity.plots(now, columns, seconds)}


def test_counts_are_by_the_minute_and_hosts_by_the_stretch() -> None:
    activity = Activity()
    for host in ("a.example", "b.example", "a.example"):
        activity.add_request(NOW - 3, host, is_page=True, has_failed=False)
    activity.add_request(NOW - 8, "c.example", is_page=False, has_failed=True)
    activity.add_text(NOW - 3, 500)

    assert plotted(activity) == {
        "pages": [0, 0, 0, 36],
        "hosts": [0, 0, 1, 2],
        "characters": [0, 0, 0, 6000],
        "failures": [0, 0, 12, 0],
    }
    assert plotted(activity, columns=2, seconds=10.0)["pages"] == [0, 18]


def test_what_has_just_begun_is_not_shown_as_a_fall() -> None:
    activity = Activity()
    activity.add_request(NOW + 1, "a.example", is_page=True, has_failed=False)
    assert plotted(activity, now=NOW + 2)["pages"] == [0, 0, 0, 0]
    assert plotted(activity, now=NOW + 5)["pages"] == [0, 0, 0, 12]


def test_a_column_stands_for_as_long_as_everything_needs_room() -> None:
    activity = Activity()
    assert activity.step(NOW, 50) == 5.0
    activity.add_text(NOW - 600, 1)
    assert activity.step(NOW, 50) == 30.0
    activity.add_text(NOW - 80_000, 1)
    assert activity.step(NOW, 20) == 3600.0


def test_memory_has_a_bound_however_long_a_crawl_is_watched() -> None:
    activity = Activity()
    for number in range(STRETCHES_MAX + 50):
        at = NOW + number * STRETCH_SECONDS
        activity.add_request(at, f"{number}.example", is_page=True, has_failed=False)
    assert len(activity) == STRETCHES_MAX
    activity.add_request(NOW, "late.example", is_page=True, has_failed=False)
    assert len(activity) == STRETCHES_MAX


def entry(at: float, *, purpose: str = "page", status: int | None = 200, failure: str | None = None) -> bytes:
    logged = RequestEntry(
        started_at=at, ended_at=at, host="a.example", address="192.0.2.1", url="http://a.example/",
        purpose=purpose, robots="allowed", delay=1.0, visit="1", harvester="h1", status=status,
        failure=failure,
    )  # fmt: skip
    return msgspec.json.encode(logged) + b"\n"


def document(at: str, text: str) -> bytes:
    return msgspec.json.encode({"id": "x", "fetched_at": at, "paragraphs": [text, text]}) + b"\n"


def test_files_are_followed_as_they_grow_and_are_finished(tmp_path: Path) -> None:
    (tmp_path / "log").mkdir()
    (tmp_path / "corpus").mkdir()
    log, corpus = tmp_path / "log" / "requests-h1.jsonl", tmp_path / "corpus" / "tiptoe-h1-00001.jsonl.open"
    log.write_bytes(b'{"kind":"opening"}\n' + entry(NOW - 3) + entry(NOW - 3, purpose="robots"))
    corpus.write_bytes(document("1970-01-12T13:46:37Z", "abcde") + b'{"fetched_at":"1970-')
    activity, files = Activity(), ActivityFiles(tmp_path)
    files.follow(activity)
    assert plotted(activity)["pages"] == [0, 0, 0, 12]
    assert plotted(activity)["characters"] == [0, 0, 0, 120]

    with log.open("ab") as file:
        file.write(entry(NOW - 2, status=404) + entry(NOW - 2, status=None, failure="reset"))
    with corpus.open("ab") as file:
        file.write(b'01-12T13:46:37Z","paragraphs":["x"]}\nno JSON\n')
    corpus.rename(corpus.with_suffix(""))
    files.follow(activity)
    files.follow(activity)
    assert plotted(activity)["failures"] == [0, 0, 0, 24]
    assert plotted(activity)["characters"] == [0, 0, 0, 132]


def test_of_a_long_past_only_the_end_is_read(tmp_path: Path) -> None:
    """A log of a month must not delay whoever wants to look."""
    (tmp_path / "log").mkdir()
    line = entry(NOW - 3)
    (tmp_path / "log" / "requests-h1.jsonl").write_bytes(line * (READ_BYTES_MAX // len(line) + 1000))
    activity = Activity()
    ActivityFiles(tmp_path).follow(activity)
    whole = READ_BYTES_MAX // len(line)
    assert whole - 2 < plotted(activity)["pages"][-1] / 12 <= whole


def test_a_corpus_in_another_encoding_is_read_as_such(tmp_path: Path) -> None:
    (tmp_path / "corpus").mkdir()
    text = document("1970-01-12T13:46:37Z", "žluťo").decode().encode("iso-8859-2")
    (tmp_path / "corpus" / "tiptoe-h1-00001.jsonl").write_bytes(text)
    activity = Activity()
    ActivityFiles(tmp_path).follow(activity, "iso-8859-2")
    assert plotted(activity)["characters"] == [0, 0, 0, 120]
