"""Is long work begun, watched and cancelled by those who may, and ended with the server?"""

import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from control_rig import NOW, Rig, make_crawl, rig

from tiptoe.cli.progress_lines import ProgressLines
from tiptoe.control.crawl_registry import KnownCrawl
from tiptoe.control.crawl_tasks import LINES_MAX, CrawlTasks
from tiptoe.control.rehearsal import rehearsal_settings, rehearsal_words, remove_rehearsal
from tiptoe.control.user_role import UserRole
from tiptoe.control.web_problem import WebProblem
from tiptoe.keeper.settings_file import remember

TASKS = "/api/v1/crawls/old/tasks"
WAITS = """import signal; print('{"done": 3, "total": 9}', flush=True); signal.pause()"""
SAYS = r"""print('line\n' * 400 + '<script>x</script>'); print('{"done": "?"}'); raise SystemExit(3)"""


@pytest.fixture
def crawl(tmp_path: Path) -> KnownCrawl:
    directory = make_crawl(tmp_path / "old")
    remember(directory, {"crawl.contact": "me@example.org", "crawl.max_pages": 50})
    return KnownCrawl(name="old", directory=directory)


@pytest.fixture
def server(tmp_path: Path, crawl: KnownCrawl) -> Iterator[Rig]:
    with rig(tmp_path / "control", roots=(tmp_path,)) as made:
        made.parts.crawls.open(crawl.directory, NOW)
        yield made
        made.parts.tasks.close()


def tasks_with(tmp_path: Path, *program: str, at_once: int = 2) -> CrawlTasks:
    """Return the tasks of a server on which every command is this program."""
    return CrawlTasks(tmp_path / "cache", lambda: NOW, program=program, at_once=at_once, grace_seconds=5.0)


def await_that(is_so: Callable[[], bool]) -> None:
    for _ in range(1000):
        if is_so():
            return
        threading.Event().wait(0.01)
    raise AssertionError("it never came about")


def test_work_tells_how_far_it_is_and_ends_when_it_is_cancelled(crawl: KnownCrawl, tmp_path: Path) -> None:
    tasks = tasks_with(tmp_path, sys.executable, "-c", WAITS, at_once=1)
    assert not tasks.state(crawl, "catalog").began_at
    tasks.start(crawl, "catalog")
    await_that(lambda: tasks.state(crawl, "catalog").done == 3)
    assert tasks.state(crawl, "catalog").total == 9
    with pytest.raises(WebProblem, match="under way already"):
        tasks.start(crawl, "catalog")
    with pytest.raises(WebProblem, match="busy with other work"):
        tasks.start(KnownCrawl(name="other", directory=tmp_path), "catalog")
    tasks.cancel(crawl, "catalog")
    await_that(lambda: not tasks.state(crawl, "catalog").is_running)
    state = tasks.state(crawl, "catalog")
    assert (state.is_cancelled, state.fault) == (True, "")
    with pytest.raises(WebProblem, match="nothing under way"):
        tasks.cancel(crawl, "catalog")


def test_what_work_says_is_kept_within_bounds_and_a_failure_is_told(
    crawl: KnownCrawl, tmp_path: Path
) -> None:
    tasks = tasks_with(tmp_path, sys.executable, "-c", SAYS)
    tasks.start(crawl, "catalog")
    await_that(lambda: not tasks.state(crawl, "catalog").is_running)
    state = tasks.state(crawl, "catalog")
    assert (len(state.lines), state.fault) == (LINES_MAX, "it ended with code 3")
    broken = tasks_with(tmp_path, str(tmp_path / "nowhere"))
    broken.start(crawl, "catalog")
    await_that(lambda: not broken.state(crawl, "catalog").is_running)
    assert "could not be started" in broken.state(crawl, "catalog").fault


def test_work_ends_with_the_server(crawl: KnownCrawl, tmp_path: Path) -> None:
    tasks = tasks_with(tmp_path, sys.executable, "-c", WAITS)
    tasks.start(crawl, "catalog")
    await_that(lambda: tasks.state(crawl, "catalog").done == 3)
    tasks.close()
    assert not tasks.state(crawl, "catalog").is_running


def test_work_is_for_operators_and_shown_as_text(server: Rig, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server.parts.tasks, "_program", [sys.executable, "-c", SAYS])
    reader, program = server.program(UserRole.READER), server.program(UserRole.OPERATOR)
    assert reader.post(f"{TASKS}/catalog").status_code == 403
    assert program.post(f"{TASKS}/nothing").status_code == 404
    assert program.post(f"{TASKS}/catalog").status_code == 202
    await_that(lambda: not any(one["is_running"] for one in reader.get(TASKS).json()))
    assert program.delete(f"{TASKS}/catalog").status_code == 409
    assert server.parts.trail.read()[0].action == "task.start"
    browser = server.browser(UserRole.OPERATOR, user="eva")
    page = browser.get("/crawls/old/tasks/catalog").text
    assert "it ended with code 3" in page
    assert "&lt;script&gt;x" in page
    assert "<script>x" not in page
    assert 'action="/crawls/old/tasks/catalog"' in browser.get("/crawls/old/search").text
    assert browser.get("/crawls/old/tasks/nothing").status_code == 404
    assert browser.post("/crawls/old/tasks/catalog/cancel").status_code == 409


def test_a_catalog_is_really_built(server: Rig, crawl: KnownCrawl) -> None:
    (crawl.directory / "corpus").mkdir()
    (crawl.directory / "corpus" / "h1-00001.jsonl").write_bytes(b"not a document\n")
    program = server.program(UserRole.OPERATOR)
    program.post(f"{TASKS}/catalog")
    await_that(lambda: not any(one["is_running"] for one in program.get(TASKS).json()))
    built = program.get(TASKS).json()[0]
    assert (built["fault"], built["done"], built["total"]) == ("", 15, 15)
    assert "read into the catalog" in built["lines"][0]
    assert program.get("/api/v1/crawls/old/search").json()["total"] == 0
    server.parts.catalogs.close()


def test_a_rehearsal_goes_by_the_settings_and_touches_nothing_else(crawl: KnownCrawl, tmp_path: Path) -> None:
    """It would begin with a command of the operator, or at ten in the evening, or on other machines."""
    given = {
        "crawl.contact": "me@example.org", "crawl.on_end_command": "publish.sh", "scope.depth": 3,
        "crawl.schedule": ["22:00-06:00"], "fetch.proxy": "http://127.0.0.1:1",
    }  # fmt: skip
    remember(crawl.directory, given)
    assert rehearsal_settings(crawl) == {"crawl.contact": "me@example.org", "scope.depth": 3}
    words = rehearsal_words(crawl, tmp_path)
    assert words[0] == "rehearse"
    assert "depth = 3" in Path(words[1]).read_text()
    (tmp_path / "rehearsal-old").mkdir()
    remove_rehearsal(crawl, tmp_path)
    assert [path.name for path in tmp_path.glob("rehearsal*")] == []


def test_progress_is_told_once_a_second() -> None:
    told: list[str] = []
    lines = ProgressLines(10, clock=iter([0.0, 0.4, 1.1]).__next__, write=told.append)
    for _ in range(3):
        lines.advance(4)
    assert told == ['{"done": 4, "total": 10}', '{"done": 12, "total": 12}']
