"""`tiptoe freshness`: from the keeper's database to a report."""

import json
from pathlib import Path

import msgspec
import pytest

from tiptoe.cli.freshness_command import freshness_command
from tiptoe.cli.main import app
from tiptoe.errors import SettingsError
from tiptoe.frontier.counters import Counters, Learned, Totals
from tiptoe.frontier.host import HostRecord
from tiptoe.frontier.page_record import PageRecord
from tiptoe.keeper.survey import survey
from tiptoe.revisit.budget import Account, Habits
from tiptoe.store.rocks import RocksStore
from tiptoe.store.tables import Table, Writes
from tiptoe.url.address import host_key, page_key

NOW = 1_790_000_000.0
HOUR = 3600.0


@pytest.fixture
def crawl(tmp_path: Path) -> Path:
    """A crawl of two hosts: the pages of one change every hour, those of the other never."""
    (tmp_path / "crawl.json").write_text('{"seeds": ["https://lively.example/"]}')
    store = RocksStore(tmp_path / "state" / "frontier", block_cache_bytes=1 << 20, write_buffer_bytes=1 << 20)
    batch = Writes()
    encode = msgspec.msgpack.encode
    for host, rate in (("lively.example", 1.0 / HOUR), ("quiet.example", 0.001 / HOUR)):
        batch.put(Table.HOST, host_key(host), encode(HostRecord(host, account=Account(pages=3, rate=rate))))
        for number in range(3):
            page = PageRecord(
                f"https://{host}/{number}", 200, "ok", visits=1, version=1, first_visit_at=NOW - HOUR,
                last_visit_at=NOW - HOUR, next_visit_at=NOW + HOUR,
            )  # fmt: skip
            batch.put(Table.PAGE, page_key(page.url), encode(page))
        batch.put(Table.PAGE, page_key(f"https://{host}/queued"), b"")
    account = Account(pages=6, habits=Habits(-13.9 * 5080 * HOUR, 5080 * HOUR, 100))
    counters = Counters()
    counters.totals = Totals(
        urls=8, revisits=100, revisits_changed=50, revisits_unchanged=50, watched_seconds=5080 * HOUR,
        fresh_seconds=4000 * HOUR,
    )  # fmt: skip
    counters.learned = Learned(account=account)
    counters.write(batch)
    store.write(batch)
    store.close()
    return tmp_path


def test_pages_are_judged_by_what_their_hosts_are_like(crawl: Path) -> None:
    """None of these pages was visited twice, yet their hosts are known."""
    found, measured = survey(crawl, NOW)
    assert (found.pages, found.watched, found.hosts_count) == (6, 6, 2)
    assert measured.changed == 50
    fresh = {own.host: own.fresh / own.pages for own in found.biggest_hosts()}
    assert fresh["lively.example"] < 0.6
    assert fresh["quiet.example"] > 0.95


def test_a_running_crawl_can_be_asked(crawl: Path) -> None:
    store = RocksStore(crawl / "state" / "frontier", block_cache_bytes=1 << 20, write_buffer_bytes=1 << 20)
    found, _ = survey(crawl, NOW)
    store.close()
    assert found.pages == 6


def test_progress_is_told(crawl: Path) -> None:
    totals: list[int] = []
    survey(crawl, NOW, total=totals.append)
    assert totals == [8]


def test_people_programs_and_pages(crawl: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert app(["freshness", str(crawl)], result_action="return_value") == 0
    printed = capsys.readouterr()
    assert printed.out.startswith("6 pages of 2 hosts: about ")
    assert "quiet.example" in printed.out
    assert printed.err == ""  # no bar where nobody watches

    freshness_command(crawl, as_json=True, html=crawl / "page.html")
    told = json.loads(capsys.readouterr().out)
    assert told["measured"]["freshness"] == pytest.approx(4000 / 5080)
    page = (crawl / "page.html").read_text(encoding="utf-8")
    assert "lively.example" in page
    for span in ("overdue", "within an hour", "within a day", "within a week", "later"):
        assert f">{span}</span>" in page  # a column without its name tells nothing


@pytest.mark.parametrize("top", [0, 1_000_000])
def test_a_number_of_hosts_that_makes_no_sense_is_refused(crawl: Path, top: int) -> None:
    with pytest.raises(SettingsError, match="--top"):
        freshness_command(crawl, top=top)


def test_what_is_no_crawl_is_a_message(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="not the directory of a crawl"):
        freshness_command(tmp_path)
    (tmp_path / "crawl.json").write_text("{}")
    with pytest.raises(SettingsError, match="no database of a crawl"):
        freshness_command(tmp_path)
    (tmp_path / "crawl.json").write_text('{"read_from": ["pages"]}')
    with pytest.raises(SettingsError, match="`tiptoe read` made it, without requests"):
        freshness_command(tmp_path)


def test_a_page_that_cannot_be_written_is_a_message(crawl: Path) -> None:
    with pytest.raises(SettingsError, match=r"--html .*: cannot be written"):
        freshness_command(crawl, html=crawl / "nowhere" / "x.html")
