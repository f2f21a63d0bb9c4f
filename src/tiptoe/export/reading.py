"""Which documents stand in the corpus of a crawl?

In the order of the files. The crawl may be running, stopped or crashed: a torn
last line is passed over, a line that is none of ours is counted.
"""

from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec

from tiptoe.errors import CrawlerError, SettingsError
from tiptoe.export.amounts import Amounts
from tiptoe.observe.figures import read_runs
from tiptoe.observe.lines import corpus_files, whole_lines
from tiptoe.write.corpus import Document

__all__ = ["corpus_bytes", "has_usability", "read_documents"]

Advance = Callable[[int], object]

USABILITY_KEY = b'"usability":'
"""Within a text its quotes would be escaped."""


def corpus_bytes(directory: Path) -> int:
    """Return how much there is to read; what is no crawl, or has no corpus yet, is an error."""
    if not (directory / "crawl.json").is_file():
        raise SettingsError(f"{directory}: not the directory of a crawl; there is no crawl.json in it")
    files = corpus_files(directory)
    if not files:
        raise SettingsError(f"{directory}: there is no corpus in it yet (corpus/*.jsonl)")
    return sum(path.stat().st_size for path in files if path.exists())


def has_usability(directory: Path) -> bool:
    """Say whether a segmenter has rated any document; costs a look at the first, if it has."""
    files = corpus_files(directory)
    return any(USABILITY_KEY in line for path in files for line in whole_lines(path, lambda count: None))


def read_documents(
    directory: Path, amounts: Amounts, advance: Advance = lambda count: None
) -> Iterator[Document]:
    """Yield every document; `advance` hears how many bytes were read."""
    decode = msgspec.json.Decoder(Document).decode
    last_run = read_runs(directory).last
    encoding = last_run.encoding if last_run else "utf-8"
    try:
        for path in corpus_files(directory):
            for line in whole_lines(path, advance):
                try:
                    document = _decode(line, encoding, decode)
                except (msgspec.DecodeError, ValueError, LookupError):
                    amounts.unreadable_lines += 1
                    continue
                amounts.read.add(document)
                yield document
    except OSError as error:
        raise CrawlerError(f"{error.filename}: {error.strerror}") from error


def _decode(line: bytes, encoding: str, decode: Callable[[bytes], Document]) -> Document:
    """Read a line in UTF-8, else in the encoding of the last run: it may have changed between runs."""
    try:
        return decode(line)
    except ValueError:
        if encoding == "utf-8":
            raise
        return decode(line.decode(encoding).encode())
