"""How can many users search the catalogs of crawls?

A catalog may be used by one thread at a time, so each has a thread of its own. Requests wait for it, for a
limited time and in limited number, so that the other pages of the server have threads left. Catalogs stay
open; of many, only those used last.
"""

import shlex
import threading
from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Final, TypeVar

from tiptoe.catalog.catalog import Catalog
from tiptoe.catalog.catalog_directory import has_catalog, open_catalog
from tiptoe.catalog.entry import CatalogEntry
from tiptoe.catalog.search import Concordance, ConcordanceRequest, SearchRequest, SearchResults
from tiptoe.control.crawl_registry import KnownCrawl
from tiptoe.control.web_problem import WebProblem
from tiptoe.errors import CrawlerError, SettingsError
from tiptoe.keeper.database import DATABASE
from tiptoe.keeper.settings_file import recall
from tiptoe.settings.layers import Settings

__all__ = ["CrawlCatalogs", "build_command"]

ANSWER_SECONDS: Final = 20.0
"""Longest wait for an answer, including the time for earlier requests."""

WAITING_MAX: Final = 12
"""Maximum requests that wait at once; the server has 40 threads for all its pages."""

OPEN_MAX: Final = 8
RETRY_SECONDS: Final = 5

_T = TypeVar("_T")


def build_command(crawl: KnownCrawl) -> str:
    """Return the command that builds or updates a catalog."""
    return f"tiptoe catalog build {shlex.quote(str(crawl.directory))}"


class CrawlCatalogs:
    """The catalogs of all crawls; may be used from any thread."""

    def __init__(self, answer_seconds: float = ANSWER_SECONDS, waiting_max: int = WAITING_MAX) -> None:
        self._answer_seconds = answer_seconds
        self._waiting = threading.BoundedSemaphore(waiting_max)
        self._lock = threading.Lock()
        self._readers: OrderedDict[Path, _CatalogReader] = OrderedDict()

    def is_there(self, crawl: KnownCrawl) -> bool:
        """Return whether a crawl has a catalog."""
        return has_catalog(crawl.directory)

    def search(self, crawl: KnownCrawl, request: SearchRequest) -> SearchResults:
        """Return one page of hits; raise QueryMistake, SettingsError or WebProblem if it cannot."""
        return self.ask(crawl, lambda catalog: catalog.search(request))

    def concordance(self, crawl: KnownCrawl, request: ConcordanceRequest) -> Concordance:
        """Return occurrences in context; raise the same errors as `search`."""
        return self.ask(crawl, lambda catalog: catalog.concordance(request))

    def document(self, crawl: KnownCrawl, url_or_id: str) -> CatalogEntry:
        """Return the entry of a page; raise WebProblem when there is none."""
        found = self.ask(crawl, lambda catalog: catalog.document(url_or_id))
        if found is None:
            raise WebProblem(404, f"the catalog of {crawl.name} has no page {url_or_id[:200]}")
        return found

    def ask(self, crawl: KnownCrawl, question: Callable[[Catalog], _T]) -> _T:
        """Run a function on a catalog, in its thread, and return the result."""
        if not self.is_there(crawl):
            raise WebProblem(409, f"{crawl.name} has no catalog yet; `{build_command(crawl)}` makes it")
        if not self._waiting.acquire(blocking=False):
            raise _busy("many are searching just now; try again in a moment")
        try:
            answer = self._submit(crawl, question)
            try:
                return answer.result(self._answer_seconds)
            except TimeoutError:
                answer.cancel()  # only if it has not begun; otherwise it runs to its end
                text = f"no answer within {self._answer_seconds:g} s; ask for less, or try again in a moment"
                raise _busy(text) from None
        finally:
            self._waiting.release()

    def close(self) -> None:
        """Close all catalogs."""
        with self._lock:
            while self._readers:
                self._readers.popitem()[1].close()

    def _submit(self, crawl: KnownCrawl, question: Callable[[Catalog], _T]) -> "Future[_T]":
        database = _database_of(crawl)
        # All under the lock, so that the reader is not closed between finding and using it.
        with self._lock:
            reader = self._readers.pop(crawl.directory, None)
            if reader is not None and reader.database != database:
                reader.close()
                reader = None
            reader = reader or _CatalogReader(crawl, database)
            self._readers[crawl.directory] = reader
            while len(self._readers) > OPEN_MAX:
                self._readers.popitem(last=False)[1].close()
            return reader.submit(question)


class _CatalogReader:
    """A catalog, and the one thread that reads it."""

    def __init__(self, crawl: KnownCrawl, database: str) -> None:
        self.database = database
        self._crawl = crawl
        self._thread = ThreadPoolExecutor(1, thread_name_prefix=f"catalog-{crawl.name}")
        self._catalog: Catalog | None = None

    def submit(self, question: Callable[[Catalog], _T]) -> "Future[_T]":
        return self._thread.submit(self._answer, question)

    def close(self) -> None:
        """Close the catalog, after the requests already submitted."""
        self._thread.submit(self._let_go)
        self._thread.shutdown(wait=False)

    def _answer(self, question: Callable[[Catalog], _T]) -> _T:
        try:
            return question(self._opened())
        except SettingsError:
            raise  # the request is wrong, not the catalog
        except (CrawlerError, OSError, ValueError) as error:
            self._let_go()  # after a lost connection or file, the next request reopens it
            text = f"the catalog of {self._crawl.name} cannot be read: {error}"
            raise WebProblem(
                503, f"{text}; `{build_command(self._crawl)} --rebuild` makes it anew"
            ) from error

    def _opened(self) -> Catalog:
        if self._catalog is None:
            try:
                self._catalog = open_catalog(self._crawl.directory, self.database)
            except SettingsError as error:
                raise WebProblem(409, str(error)) from error
        return self._catalog

    def _let_go(self) -> None:
        catalog, self._catalog = self._catalog, None
        if catalog is not None:
            catalog.close()


def _database_of(crawl: KnownCrawl) -> str:
    """Return the database that a crawl's settings name for its catalog; empty: none."""
    if not (crawl.directory / DATABASE.parent).is_dir():
        return ""  # only files of a crawl, without its state
    remembered = recall(crawl.directory)
    return "" if remembered is None else Settings.load(remembered=remembered).catalog.database


def _busy(said: str) -> WebProblem:
    return WebProblem(503, said, headers={"Retry-After": str(RETRY_SECONDS)})
