"""Which test runs which command line of the documents?

Each line is run by one of them, on the simulated web, with what stands for its hosts and files there. A line
that is new, and that nobody would run, fails `tests/test_docs_commands.py`.
"""

import contextlib
import enum
import io
import shlex
from collections.abc import Mapping
from typing import Final

from docs_lines import PAGES, command_lines, page_name

from tiptoe.cli.main import app

__all__ = ["CRAWLS", "LINES", "SKETCHES", "Runner", "lines_of", "run", "runner_of", "said"]

Words = tuple[str, ...]


class Runner(enum.Enum):
    """The tests."""

    READING = "test_commands_that_read_a_crawl_do_what_the_documents_say"
    WORKING = "test_commands_that_work_on_a_crawl_do_what_the_documents_say"
    EXCHANGING = "test_lists_are_exchanged_as_the_documents_say"
    REHEARSING = "the three tests above, which begin with a rehearsal"
    ALONE = "test_commands_that_need_no_crawl_do_what_the_documents_say"
    SEGMENTER = "test_the_suite_passes_on_the_service_of_the_command_line"
    TASKS = "test_journey_tasks.py"
    CRAWLING = "test_a_line_of_the_documents_crawls"
    RUNNING = "test_a_running_crawl_obeys_the_lines_of_the_documents"
    CONTROL = "test_a_control_server_does_what_the_documents_say"
    CLUSTER = "test_journey_docs_cluster.py"
    NOBODY = "nobody"


SKETCHES: Final[Mapping[Words, str]] = {
    ("crawl", "...", "--max-reqs", "500", "--general-pause", "1m"): "the rest is said by dots",
    (
        "crawl", "seeds.txt", "--cluster", "member.json", "--crawl-name", "czech", "…",
        "--set", "cluster.affinity=sk=.sk,campus=195.113.0.0/16",
    ): "the rest is said by dots",
    (
        "crawl", "seeds.txt", "--cluster", "member.json", "--crawl-name", "czech", "…",
        "--set", "cluster.takes=sk",
    ): "the rest is said by dots",
    ("cluster", "try", "--agents", "3"): "`cluster try` is the same: three are the default",
}  # fmt: skip
"""Lines that nobody can type as they are, and why."""

READING: Final = {"audit", "botpage", "config", "export", "freshness", "history", "repair", "search", "stats"}
"""Commands that ask nobody, end by themselves, and change no crawl."""

WORKING: Final = {
    "block", "catalog", "config", "convert", "fields", "filters", "forget", "read", "repair", "scope", "slow",
    "why",
}  # fmt: skip
"""Commands that work on a crawl that has stopped: they ask nobody, and end by themselves."""

CRAWLS: Final = ("czech", "crawl", "rehearsal", "sites", "cc")
"""How the documents call a crawl, or what was read from an archive."""

TASKS: Final = "docs/tasks.md"

LINES: Final[dict[Words, set[str]]] = {}
"""Every line once, with the pages where it stands."""

for _page in PAGES:
    for _line in command_lines(_page):
        LINES.setdefault(tuple(_line), set()).add(page_name(_page))


def lines_of(runner: Runner) -> list[Words]:
    """Return the lines that a test runs, in the order of the pages."""
    return [words for words in LINES if runner_of(words) is runner]


def runner_of(words: Words) -> Runner:
    """Return the test that runs a line."""
    if words in SKETCHES:
        return Runner.NOBODY
    if words[0] == "crawl":
        return _runner_of_crawl(words)
    if words[0] in ("status", "set", "stop", "pause", "resume"):
        return Runner.RUNNING
    if words[0] in ("control", "robot"):
        return Runner.CONTROL
    if words[0] == "cluster" or "copy/members/*" in words:
        return Runner.CLUSTER
    if words[0] in READING and _is_about_known_crawl(words):
        return Runner.READING
    if words[0] in WORKING:
        return Runner.WORKING
    return {
        "downlist": Runner.EXCHANGING,
        "rehearse": Runner.REHEARSING,
        "check": Runner.SEGMENTER,
        "--version": Runner.ALONE,
    }.get(words[0], Runner.NOBODY)


def _runner_of_crawl(words: Words) -> Runner:
    if LINES[words] == {TASKS}:
        return Runner.TASKS
    if "--cluster" in words:
        return Runner.CLUSTER
    if "--claims" in words:
        return Runner.RUNNING
    starts = {"--contact", "--out", "--config"}.intersection(words)
    return Runner.CRAWLING if starts else Runner.ALONE


def _is_about_known_crawl(words: Words) -> bool:
    """Whether a command is about a crawl that is there and nothing else that is not."""
    places = [word for word in words[1:] if not word.startswith("-")]
    has_crawl = words[0] == "botpage" or (bool(places) and places[0] in CRAWLS)
    needs_more = {"--config", "--lost", "--database", "--diff", "--show", "--segmenter"} & set(words)
    return has_crawl and not needs_more and not any("…" in word or "..." in word for word in words)


def run(*words: str) -> object:
    """Run a command within this process; return its exit code."""
    return _run(*words)[0]


def said(*words: str) -> str:
    """Run a command within this process, which has to succeed; return what it printed."""
    code, printed = _run(*words)
    assert code in (None, 0), f"tiptoe {shlex.join(words)}: {code}\n{printed}"
    return printed


def _run(*words: str) -> tuple[object, str]:
    printed = io.BytesIO()
    written = io.TextIOWrapper(printed, encoding="utf-8", write_through=True)  # some write bytes
    with contextlib.redirect_stdout(written), contextlib.redirect_stderr(io.StringIO()):
        code = app(words, result_action="return_value", print_error=False, exit_on_error=False)
    return code, printed.getvalue().decode()
