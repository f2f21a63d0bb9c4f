"""Which documents stand in the corpus of a crawl?

In the order of the files. The crawl may be running, stopped or crashed: a torn
last line is passed over, a line that is none of ours is counted. A rating that came
later (`tiptoe segmenter catch-up`) takes the place of the one in the line.
"""

import re
from collections.abc import Iterator
from pathlib import Path

import msgspec

from tiptoe.errors import CrawlerError, SettingsError
from tiptoe.export.export_amounts import ExportAmounts
from tiptoe.observe.crawl_marker import expect_crawl
from tiptoe.observe.decoding import CorpusDecoder
from tiptoe.observe.file_lines import whole_lines
from tiptoe.write.archive import Advance
from tiptoe.write.corpus import Document
from tiptoe.write.output_kinds import CORPUS
from tiptoe.write.ratings import read_late

__all__ = ["corpus_bytes", "corpus_lines", "has_labels", "has_usability", "read_documents"]

RATED, LABELLED = re.compile(rb'"usability":[0-9]'), re.compile(rb'"labels":\[')
"""Within a text the quotes would be escaped."""


def corpus_bytes(directory: Path) -> int:
    """Return how much there is to read; what is no crawl, or has no corpus yet, is an error."""
    expect_crawl(directory)
    files = CORPUS.files(directory)
    if not files:
        raise SettingsError(f"{directory}: there is no corpus in it yet (corpus/*.jsonl)")
    return sum(path.stat().st_size for path in files if path.exists())


def has_usability(directory: Path) -> bool:
    """Say whether a segmenter has rated any document; costs a look at the first, if it has."""
    return any(map(read_late, CORPUS.files(directory))) or _has(directory, RATED)


def has_labels(directory: Path) -> bool:
    """Say whether the paragraphs of any document are labelled; costs a look at the first, if they are."""
    return _has(directory, LABELLED)


def _has(directory: Path, said: re.Pattern[bytes]) -> bool:
    files = CORPUS.files(directory)
    return any(said.search(line) for path in files for line in whole_lines(path))


def read_documents(
    directory: Path, amounts: ExportAmounts, advance: Advance = lambda count: None
) -> Iterator[Document]:
    """Yield every document; `advance` hears how many bytes were read."""
    decoder = CorpusDecoder(directory, Document)
    rated_file, late = Path(), {}
    for path, offset, line in corpus_lines(directory, advance):
        if path != rated_file:
            rated_file, late = path, read_late(path)  # as many as there are documents in one file
        try:
            document = decoder.read(path, line)
        except (msgspec.DecodeError, ValueError, LookupError):
            amounts.unreadable_lines += 1
            continue
        if offset in late:
            document = msgspec.structs.replace(document, usability=late[offset].usability)
        amounts.read.add(document)
        amounts.later_versions += document.version > 1
        yield document


def corpus_lines(directory: Path, advance: Advance) -> Iterator[tuple[Path, int, bytes]]:
    """Yield every line with its file and its offset there."""
    try:
        for path in CORPUS.files(directory):
            offset = 0
            for line in whole_lines(path, advance):
                yield path, offset, line
                offset += len(line) + 1
    except OSError as error:
        raise CrawlerError(f"{error.filename}: {error.strerror}") from error
