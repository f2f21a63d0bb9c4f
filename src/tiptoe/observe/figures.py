"""What has a run counted that stands in no other file?

The keeper writes its figures to `log/figures-<run>.json` every few seconds and at
its end, replacing the file as a whole. So they can be read at any time, without
the database: while it runs, after a crash, on another machine.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import msgspec

__all__ = ["FiguresFile", "RecordedRuns", "RunFigures", "read_runs"]

PREFIX: Final = "figures-"


class RunFigures(msgspec.Struct, kw_only=True, frozen=True):
    """Figures of one run; those of the crawl are over all its runs so far."""

    started_at: float
    written_at: float
    stopped_because: str = ""  # a `Stop`; empty while it runs, and after a crash
    encoding: str = "utf-8"  # of the corpus
    # of the crawl
    pages: int = 0
    requests: int = 0
    bytes: int = 0
    documents: int = 0  # pages whose text stands in the corpus
    text_chars: int = 0
    urls: int = 0
    queued: int = 0
    leased: int = 0
    due: int = 0
    hosts: int = 0
    visits: int = 0
    usable_chars: int = 0  # of judged pages
    unproductive_hosts: int = 0
    unproductive: int = 0  # addresses that wait there
    watched: int = 0  # pages that are to be visited again
    revisits: int = 0
    revisits_changed: int = 0
    revisits_unchanged: int = 0
    revisits_gone: int = 0
    revisits_queued: int = 0
    watched_seconds: float = 0.0  # between two visits of a page
    fresh_seconds: float = 0.0
    aged_seconds: float = 0.0
    unjudged: int = 0  # texts that the segmenter did not judge in time
    segmenter: str = ""  # why it does not answer; empty when it does
    outcomes: dict[str, int] = {}
    discards: dict[str, int] = {}
    # of the run
    activities: dict[str, float] = {}
    holds: list[str] = []  # reasons for which nothing is asked
    lost_harvesters: int = 0
    memory_bytes: int = 0
    cpu_seconds: float = 0.0


class FiguresFile:
    """Keeps the figures of one run on disk."""

    def __init__(self, directory: Path, started_at: float, *, encoding: str = "utf-8") -> None:
        # As in the names of the harvesters of this run, and so of their files.
        self._path = directory / "log" / f"{PREFIX}{int(started_at * 1000):x}.json"
        self._started_at = started_at
        self._encoding = encoding

    def write(self, figures: Mapping[str, object], now: float) -> None:
        """Put these figures in place of the earlier ones."""
        known = {name: value for name, value in figures.items() if name in RunFigures.__struct_fields__}
        run = msgspec.convert(
            {**known, "started_at": self._started_at, "written_at": now, "encoding": self._encoding},
            RunFigures,
        )
        scratch = self._path.with_suffix(".new")
        try:
            scratch.write_bytes(msgspec.json.encode(run) + b"\n")
            scratch.replace(self._path)
        except OSError:
            scratch.unlink(missing_ok=True)  # a full disk must not stop the crawl for the sake of its figures


@dataclass(slots=True)
class RecordedRuns:
    """What all runs of a crawl have counted."""

    last: RunFigures | None = None
    count: int = 0
    seconds: float = 0.0
    cpu_seconds: float = 0.0  # of the keeper
    lost_harvesters: int = 0
    activities: Counter[str] = field(default_factory=Counter)
    encodings: dict[str, str] = field(default_factory=dict)  # of the corpus, by run


def read_runs(directory: Path) -> RecordedRuns:
    """Return the figures of all runs; a file that a power cut has spoilt is passed over."""
    runs = RecordedRuns()
    decoder = msgspec.json.Decoder(RunFigures)
    for path in sorted((directory / "log").glob(f"{PREFIX}*.json")):
        try:
            run = decoder.decode(path.read_bytes())
        except (OSError, msgspec.DecodeError, UnicodeDecodeError):
            continue
        runs.count += 1
        runs.seconds += run.written_at - run.started_at
        runs.cpu_seconds += run.cpu_seconds
        runs.lost_harvesters += run.lost_harvesters
        runs.activities.update(run.activities)
        runs.encodings[path.stem.removeprefix(PREFIX)] = run.encoding
        if runs.last is None or run.started_at > runs.last.started_at:
            runs.last = run
    return runs
