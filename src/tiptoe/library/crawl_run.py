"""How does a program or notebook run a crawl?

The crawl is `tiptoe crawl` in processes of its own, in a directory: it goes on when the program ends or
crashes, and any other program, or `tiptoe status`, finds it there. What it needs to know stands in
docs/reference/settings.md; politeness cannot be left out here either.
"""

import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from types import TracebackType
from typing import Final, Literal, Self

from tiptoe.errors import CrawlerError
from tiptoe.library.asking import ask_aside
from tiptoe.library.crawl_view import CrawlView
from tiptoe.library.own_command import SettingValue, run_command, setting_words
from tiptoe.observe.crawl_marker import MARKER, expect_crawl
from tiptoe.protocol.operator import Done, PauseCrawl, ResumeCrawl, StopCrawl
from tiptoe.protocol.status import Status

__all__ = ["Crawl", "rehearse"]

LOOK_SECONDS: Final = 0.1
"""Between two looks whether a crawl has ended."""
ENDED_EARLY: Final = (0, 3, 4)
"""Exit codes of a crawl that was over before it could be seen at work: done, at a limit, without a page."""


class Crawl(CrawlView):
    """A crawl, by its directory: to be looked at, and to be run.

    `seeds` are addresses to begin with; `contact` is an address of mail or of a page, which servers are told;
    `settings` are others by full name, such as `{"crawl.max_pages": 100}`. A crawl that exists needs none of
    them: its directory remembers. As a context manager it is started and, in the end, stopped.
    """

    def __init__(
        self,
        directory: str | Path,
        *members: str | Path,
        seeds: Iterable[str] = (),
        contact: str | None = None,
        settings: Mapping[str, SettingValue] | None = None,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        super().__init__(directory, *members)
        self.seeds = (seeds,) if isinstance(seeds, str) else tuple(seeds)
        self.settings = dict(settings or {}) | ({"crawl.contact": contact} if contact else {})
        self._sleep = sleep
        if not self.seeds and not self.settings:
            expect_crawl(self.directory)  # there is nothing to begin one with

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def start(self, *, add_seeds: bool = False) -> Self:
        """Begin, or go on, unless it is running; return when it is at work.

        `add_seeds` adds the seeds to a crawl that has begun. What is wrong is a SettingsError that says so.
        """
        if self.is_running and not add_seeds:
            return self
        words = ["crawl", "--out", str(self.directory), *setting_words(self.settings)]
        has_begun = (self.directory / MARKER).is_file()
        sown = "\n".join(self.seeds) if add_seeds or not has_begun else ""
        if sown:
            words += ["-", *(["--add-seeds"] if add_seeds else [])]
        if not self.is_running:
            words.append("--background")
        run_command(words, said_to_it=sown, ends=ENDED_EARLY)
        return self

    def run(self, timeout: float | None = None) -> Status:
        """Start it and wait for its end."""
        return self.start().wait(timeout)

    def wait(self, timeout: float | None = None) -> Status:
        """Wait until it has ended; return its last figures, `stopped_because` among them.

        TimeoutError after `timeout` seconds: the crawl goes on. CrawlerError if it ended without a word.
        """
        for _ in self._until_end(LOOK_SECONDS, timeout):
            pass
        return self._last_figures()

    def progress(self, every: float = 1.0, timeout: float | None = None) -> Iterator[Status]:
        """Yield its figures every so many seconds until it has ended, and those of the end."""
        for _ in self._until_end(every, timeout):
            yield self.status
        yield self._last_figures()

    def _until_end(self, every: float, timeout: float | None) -> Iterator[None]:
        """Go around every so many seconds while it runs; TimeoutError if that takes too long."""
        expect_crawl(self.directory)
        waited = 0.0
        while self.is_running:
            if timeout is not None and waited >= timeout:
                raise TimeoutError(f"{self.directory}: still crawling after {timeout:g} s")
            yield
            self._sleep(every)
            waited += every

    def _last_figures(self) -> Status:
        last = self.status
        if not last.stopped_because:
            log = self.directory / "log" / "console.log"
            raise CrawlerError(f"{self.directory}: the crawl ended without a word; {log} may say why")
        return last

    def pause(self) -> str:
        """Have it ask for nothing more until `resume`; return what it said."""
        return ask_aside(self.directory, PauseCrawl(), Done).said

    def resume(self) -> str:
        """Have it go on."""
        return ask_aside(self.directory, ResumeCrawl(), Done).said

    def stop(self, timeout: float | None = 120.0) -> None:
        """Have it finish what is under way and end; nothing if it is not running. `start` goes on with it."""
        if not self.is_running:
            return
        try:
            ask_aside(self.directory, StopCrawl(), Done)
        except CrawlerError:
            if self.is_running:
                raise
        self.wait(timeout)


def rehearse(
    directory: str | Path = "rehearsal",
    *,
    shape: Literal["tiny", "demo", "realistic"] = "tiny",
    hosts: int | None = None,
    settings: Mapping[str, SettingValue] | None = None,
) -> Crawl:
    """Crawl a web that is simulated on this machine, to its end, and return the crawl: as `tiptoe rehearse`.

    Nobody else is asked for anything, so it needs no contact and takes seconds.
    """
    words = ["rehearse", "--out", str(directory), "--shape", shape, "--fresh"]
    if hosts is not None:
        words += ["--hosts", str(hosts)]
    run_command([*words, *setting_words(settings or {})])
    return Crawl(directory)
