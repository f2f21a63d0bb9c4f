"""Who converts documents while the crawl runs (`documents.convert = "background"`)?

One process beside the crawl, with low priority: `tiptoe convert --follow`. When
the crawl has nothing left to do, the remaining documents are converted; if that
yields links, the crawl continues.
"""

import contextlib
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from tiptoe.observe.run_figures import read_runs
from tiptoe.observe.stops import Stop
from tiptoe.settings.layers import Settings
from tiptoe.write.dropbox import waiting_links

__all__ = ["convert_rest", "converting"]

STOP_SECONDS = 15.0


@contextlib.contextmanager
def converting(settings: Settings) -> Iterator[None]:
    """Convert documents while the `with` lasts, if the settings say so."""
    if settings.documents.convert != "background":
        yield
        return
    process = _start(settings, "--follow")
    try:
        yield
    finally:
        process.terminate()
        try:
            process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()  # which loses only the work on the current document
            process.wait()


def convert_rest(settings: Settings) -> bool:
    """Convert the documents left when a crawl has nothing else to do; return whether it has to continue."""
    directory = Path(settings.crawl.out)
    last = read_runs(directory).last
    if settings.documents.convert != "background" or last is None or last.stopped_because != Stop.FINISHED:
        return False
    _start(settings).wait()
    return bool(waiting_links(directory))


def _start(settings: Settings, *options: str) -> "subprocess.Popen[bytes]":
    # Here, not above: the document converters take a quarter of a second to load, and few crawls need them.
    from tiptoe.cli.convert_command import OPTIONS

    directory = Path(settings.crawl.out)
    values = settings.to_dict()
    words = [sys.executable, "-m", "tiptoe", "convert", str(directory), "--quiet", *options]
    for name in OPTIONS:
        section, _, key = name.partition(".")
        value = values[section][key]
        words += ["--set", f"{name}={','.join(value) if isinstance(value, list) else value}"]
    with (directory / "log" / "convert-errors.log").open("ab") as errors:
        return subprocess.Popen(  # noqa: S603  our own command
            words, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=errors
        )
