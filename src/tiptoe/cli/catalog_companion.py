"""Who keeps the catalog up to date while the crawl runs (`catalog.enabled`)?

One process beside the crawl, with low priority: `tiptoe catalog build --follow`. If it dies it is
restarted, after ever longer pauses; the crawl continues meanwhile, and the next one reads what was left.
"""

import contextlib
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

from tiptoe.settings.layers import Settings

__all__ = ["DATABASE_VARIABLE", "Companion", "cataloguing", "companion_command"]

DATABASE_VARIABLE: Final = "TIPTOE_CATALOG_DATABASE"
"""Environment variable that passes the database to the companion: anyone can read command lines."""

STOP_SECONDS = 20.0
RESTART_SECONDS = 1.0
RESTART_SECONDS_MAX = 60.0


@contextlib.contextmanager
def cataloguing(settings: Settings) -> Iterator[None]:
    """Keep the catalog up to date while the `with` lasts, if the settings say so."""
    if not settings.catalog.enabled:
        yield
        return
    directory = Path(settings.crawl.out)
    words, further = companion_command(settings)
    errors = directory / "log" / "catalog-errors.log"
    companion = Companion(words, {**os.environ, **further}, errors=errors)
    companion.start()
    try:
        yield
    finally:
        companion.stop()


def companion_command(settings: Settings) -> tuple[list[str], dict[str, str]]:
    """Return the command line of the companion, and environment variables for what must stay private."""
    words = [sys.executable, "-m", "tiptoe", "catalog", "build", settings.crawl.out, "--quiet", "--follow"]
    return words, {DATABASE_VARIABLE: settings.catalog.database}


class Companion:
    """A process that is restarted when it dies, until it is stopped."""

    def __init__(
        self,
        words: Sequence[str],
        environment: Mapping[str, str],
        *,
        errors: Path,
        pause: Callable[[threading.Event, float], object] = threading.Event.wait,
    ) -> None:
        self._words = list(words)
        self._environment = dict(environment)
        self._errors = errors
        self._pause = pause
        self._is_over = threading.Event()
        self._process: subprocess.Popen[bytes] | None = None
        self._thread = threading.Thread(target=self._keep, name="catalog companion", daemon=True)
        self._changing = threading.Lock()

    def start(self) -> None:
        """Start it."""
        self._thread.start()

    def stop(self) -> None:
        """Let it finish its current work; kill it if that takes too long, which loses nothing."""
        with self._changing:
            self._is_over.set()
            if self._process is not None:
                self._process.terminate()
        self._thread.join(STOP_SECONDS)
        if self._thread.is_alive() and self._process is not None:
            self._process.kill()
            self._thread.join()

    def _keep(self) -> None:
        delay = RESTART_SECONDS
        while not self._is_over.is_set():
            with self._changing:
                if self._is_over.is_set():
                    return
                self._process = self._begin()
            if self._process.wait() == 0:
                return
            self._pause(self._is_over, delay)
            delay = min(2 * delay, RESTART_SECONDS_MAX)

    def _begin(self) -> "subprocess.Popen[bytes]":
        self._errors.parent.mkdir(parents=True, exist_ok=True)
        with self._errors.open("ab") as errors:
            return subprocess.Popen(  # noqa: S603  our own command
                self._words, env=self._environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                stderr=errors, start_new_session=True,
            )  # fmt: skip
