"""How is a crawl started so that it outlives the server?

By the command that people type, `tiptoe crawl --background`: it reports whether the crawl is at work, and
what is wrong if it is not. Initial settings and seeds are in two files beside the crawl's directory, readable
only by their owner: `NAME.toml` and `NAME.seeds`."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from tiptoe.cluster.private_files import write_private
from tiptoe.control.crawl_registry import KnownCrawl
from tiptoe.control.tiptoe_process import ProcessOutput, TiptoeProcesses
from tiptoe.control.web_problem import WebProblem

__all__ = ["check_plan", "launch", "settings_words", "to_toml_file"]

START_SECONDS: Final = 60.0
CHECK_SECONDS: Final = 30.0


def launch(processes: TiptoeProcesses, crawl: KnownCrawl, *, adds_seeds: bool = False) -> None:
    """Start or continue a crawl, maybe with more seeds; raise WebProblem with its message if it fails."""
    words = [*_words(crawl, "crawl", adds_seeds=adds_seeds), "--background"]
    done = processes.run(words, seconds=START_SECONDS, cwd=crawl.directory.parent)
    if done.code:
        raise WebProblem(422, _complaint(done, crawl) or f"the crawl ended at once, with code {done.code}")


def check_plan(processes: TiptoeProcesses, crawl: KnownCrawl) -> str:
    """Return the error with which a crawl would refuse to start; empty when there is none."""
    done = processes.run(
        [*_words(crawl, "config"), "--format", "json"], seconds=CHECK_SECONDS, cwd=crawl.directory.parent
    )
    return _complaint(done, crawl) if done.code else ""


def to_toml_file(settings: Mapping[str, object]) -> str:
    """Return settings by full name as a TOML file; values are strings or lists of strings."""
    lines: list[str] = []
    for section in dict.fromkeys(name.partition(".")[0] for name in settings):
        lines.append(f"[{section}]")
        for name, value in settings.items():
            if name.startswith(f"{section}."):
                # A JSON string is valid TOML, except for one character that TOML requires to be escaped.
                lines.append(f"{name.partition('.')[2]} = {json.dumps(value)}".replace("\x7f", "\\u007f"))
    return "\n".join(lines) + "\n"


def _words(crawl: KnownCrawl, command: str, *, adds_seeds: bool = False) -> list[str]:
    beside = crawl.directory.parent
    words = [command, *settings_words(crawl)]
    if crawl.seeds and (adds_seeds or not crawl.has_begun):
        path = beside / f"{crawl.name}.seeds"
        write_private(path, crawl.seeds)
        words += ["--seed", str(path), *(["--add-seeds"] if adds_seeds else [])]
    return [*words, "--out", str(crawl.directory)]


def settings_words(crawl: KnownCrawl) -> list[str]:
    """Return the command-line words for the initial settings of a crawl, after writing their file."""
    beside = crawl.directory.parent
    beside.mkdir(parents=True, exist_ok=True, mode=0o700)
    if not crawl.settings:
        return []
    path = beside / f"{crawl.name}.toml"
    write_private(path, to_toml_file(crawl.settings))
    return ["--config", str(path)]


def _complaint(done: ProcessOutput, crawl: KnownCrawl) -> str:
    """Return the error message of a command, with readable names in place of internal paths."""
    said = done.fault.removeprefix("tiptoe: ")
    beside: Path = crawl.directory.parent
    for path, known in ((f"{crawl.name}.toml", "settings"), (f"{crawl.name}.seeds", "seeds")):
        said = said.replace(str(beside / path), known)
    return said
