"""What has a run counted that is in no other file?

The keeper writes its figures to `log/figures-<run>.json` every few seconds and at
its end, replacing the file as a whole. So they can be read at any time without
the database: during the run, after a crash, on another machine.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import msgspec

from tiptoe.protocol.status import Status
from tiptoe.protocol.status_sum import sum_statuses

__all__ = ["RunHistory", "read_runs", "run_statuses", "write_figures"]

PREFIX: Final = "figures-"


def write_figures(directory: Path, status: Status) -> None:
    """Replace the earlier figures of their run by these."""
    # Named after the run, like its harvesters and their files.
    path = directory / "log" / f"{PREFIX}{int(status.started_at * 1000):x}.json"
    scratch = path.with_suffix(".new")
    try:
        scratch.write_bytes(msgspec.json.encode(status) + b"\n")
        scratch.replace(path)
    except OSError:
        scratch.unlink(missing_ok=True)  # a full disk must not stop the crawl for the sake of its figures


@dataclass(slots=True)
class RunHistory:
    """What all runs of a crawl have counted."""

    last: Status | None = None
    count: int = 0
    seconds: float = 0.0
    cpu_seconds: float = 0.0  # of the keeper
    lost_harvesters: int = 0
    activities: Counter[str] = field(default_factory=Counter)
    encodings: dict[str, str] = field(default_factory=dict)  # of the corpus, by run


def read_runs(directory: Path, *members: Path) -> RunHistory:
    """Return the figures of all runs; skip files damaged by a power cut.

    With the directories of further agents of the same crawl, `last` is the sum of their last figures.
    """
    runs = RunHistory()
    last: list[Status] = []
    for one in (directory, *members):
        runs.last = None
        _add_runs(runs, one)
        last += [runs.last] if runs.last is not None else []
    runs.last = sum_statuses(last) if len(last) > 1 else next(iter(last), None)
    return runs


def run_statuses(directory: Path) -> list[Status]:
    """Return the last figures of each run, in the order of the runs."""
    return sorted((status for _, status in _figures(directory)), key=lambda status: status.started_at)


def _figures(directory: Path) -> Iterator[tuple[Path, Status]]:
    decoder = msgspec.json.Decoder(Status)
    for path in sorted((directory / "log").glob(f"{PREFIX}*.json")):
        try:
            yield path, decoder.decode(path.read_bytes())
        except (OSError, msgspec.DecodeError, UnicodeDecodeError):
            continue


def _add_runs(runs: RunHistory, directory: Path) -> None:
    for path, run in _figures(directory):
        runs.count += 1
        runs.seconds += run.now - run.started_at
        runs.cpu_seconds += run.cpu_seconds
        runs.lost_harvesters += run.lost_harvesters
        runs.activities.update(run.activities)
        runs.encodings[path.stem.removeprefix(PREFIX)] = run.encoding
        if runs.last is None or run.started_at > runs.last.started_at:
            runs.last = run
