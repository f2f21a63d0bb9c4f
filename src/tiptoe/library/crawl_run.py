"""How does a program or notebook run a crawl?

As `tiptoe crawl` in processes of its own, in a directory: it goes on if the program ends or crashes, and any
other program, or `tiptoe status`, finds it there. Its settings are listed in docs/reference/settings.md;
politeness cannot be switched off here either.
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
"""Time between two checks whether a crawl has ended."""
ENDED_EARLY: Final = (0, 3, 4)
"""Exit codes of a crawl that was over before it was seen running: done, at a limit, without a page."""


class Crawl(CrawlView):
    """A crawl, given by its directory, that can be inspected and run.

    `seeds` are URLs to begin with; `contact` is the address of a mailbox or a page, which is sent to servers;
    `settings` are others by full name, such as `{"crawl.max_pages": 100}`. An existing crawl needs none of
    them: its directory remembers them. As a context manager it is started and finally stopped.
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
            expect_crawl(self.directory)  # without seeds none can be begun

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def start(self, *, add_seeds: bool = False) -> Self:
        """Begin or continue the crawl, unless it is running; return when it is running.

        `add_seeds` adds the seeds to a crawl that has already begun. SettingsError says what is wrong.
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
        """Start the crawl and wait until it ends."""
        return self.start().wait(timeout)

    def wait(self, timeout: float | None = None) -> Status:
        """Wait until the crawl has ended; return its last figures, including `stopped_because`.

        TimeoutError after `timeout` seconds; the crawl goes on. CrawlerError if it ended without figures.
        """
        for _ in self._until_end(LOOK_SECONDS, timeout):
            pass
        return self._last_figures()

    def progress(self, every: float = 1.0, timeout: float | None = None) -> Iterator[Status]:
        """Yield its figures every `every` seconds until it has ended, and then the final ones."""
        for _ in self._until_end(every, timeout):
            yield self.status
        yield self._last_figures()

    def _until_end(self, every: float, timeout: float | None) -> Iterator[None]:
        """Yield every `every` seconds while the crawl runs; TimeoutError if that takes too long."""
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
        """Make no more requests until `resume`; return the crawl's reply."""
        return ask_aside(self.directory, PauseCrawl(), Done).message

    def resume(self) -> str:
        """End a pause; return the crawl's reply."""
        return ask_aside(self.directory, ResumeCrawl(), Done).message

    def stop(self, timeout: float | None = 120.0) -> None:
        """Finish requests under way and end, if the crawl is running; `start` continues it."""
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
    """Crawl a web simulated on this machine to its end, like `tiptoe rehearse`, and return the crawl.

    No other machine gets a request, so it needs no contact and takes only seconds.
    """
    words = ["rehearse", "--out", str(directory), "--shape", shape, "--fresh"]
    if hosts is not None:
        words += ["--hosts", str(hosts)]
    run_command([*words, *setting_words(settings or {})])
    return Crawl(directory)
