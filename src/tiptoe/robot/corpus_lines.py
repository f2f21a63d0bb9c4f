"""What do the files of a crawl hold that the server does not have yet?

Only committed data counts: finished files completely, those being written as far as the keeper says. Later
bytes may be rolled back after a crash and replaced by others.
"""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

import msgspec

from tiptoe.observe.decoding import CorpusDecoder
from tiptoe.observe.file_lines import open_listed
from tiptoe.robot.batch_plan import BatchPlan, FileStretch
from tiptoe.write.appendfile import OPEN_SUFFIX
from tiptoe.write.corpus import Document
from tiptoe.write.gone import GonePage
from tiptoe.write.output_kinds import CORPUS, GONE_LIST

__all__ = ["BatchLines", "at_line_ends", "committed_sizes", "read_batch"]

LINE_BYTES_MAX: Final = 256 << 20
TEXT_BYTES_MAX: Final = 6_000_000
"""Maximum length of a description in bytes; a longer text is cut at the end, and the description says so."""

READ_BYTES: Final = 1 << 16


class BatchLines(msgspec.Struct):
    """The lines of a batch."""

    pages: list[msgspec.Raw]
    gone: list[msgspec.Raw]
    unreadable: int = 0


def committed_sizes(directory: Path, open_sizes: Mapping[str, int]) -> dict[str, int]:
    """Return how much of each file is committed, by its final name; `open_sizes` comes from the keeper."""
    found: dict[str, int] = {}
    for kind in (CORPUS, GONE_LIST):
        for path in kind.files(directory):
            final = path.name.removesuffix(OPEN_SUFFIX)
            name = f"{kind.folder}/{final}"
            try:
                size = path.stat().st_size
            except FileNotFoundError:
                continue  # renamed to its final name after it was listed: next time
            found[name] = size if path.name == final else min(size, open_sizes.get(name, 0))
    return found


def at_line_ends(directory: Path, plan: BatchPlan) -> BatchPlan:
    """Return a plan whose stretches end at line ends: shortened, or extended to hold one whole line."""
    stretches: list[FileStretch] = []
    for stretch in plan.stretches:
        try:
            listed = open_listed(_path(directory, stretch))
        except FileNotFoundError:
            continue  # removed since it was listed
        with listed as file:
            last = stretch.last
            while last > stretch.first:  # back to the end of a line
                first = max(last - READ_BYTES, stretch.first)
                file.seek(first)
                end = file.read(last - first).rfind(b"\n")
                if end >= 0:
                    last = first + end + 1
                    break
                last = first
            if last == stretch.first:
                file.seek(stretch.first)
                last += len(file.readline(LINE_BYTES_MAX))
        stretches.append(FileStretch(stretch.name, stretch.first, last))
    return BatchPlan(plan.number, stretches)


def read_batch(directory: Path, plan: BatchPlan) -> BatchLines:
    """Return the lines of a batch, in UTF-8."""
    found = BatchLines([], [])
    decoder = CorpusDecoder(directory, Document)
    for stretch in plan.stretches:
        path = _path(directory, stretch)
        is_corpus = stretch.name.startswith(f"{CORPUS.folder}/")
        for line in _lines(path, stretch):
            try:
                if is_corpus:
                    found.pages.append(_page(decoder.read(path, line)))
                else:
                    gone = msgspec.json.decode(line, type=GonePage)
                    found.gone.append(msgspec.Raw(msgspec.json.encode(gone)))
            except (msgspec.DecodeError, ValueError, LookupError):
                found.unreadable += 1
    return found


def _page(document: Document) -> msgspec.Raw:
    line = msgspec.json.encode(document)
    if len(line) > TEXT_BYTES_MAX:
        paragraphs = _beginning(document.paragraphs, TEXT_BYTES_MAX // 2)
        # Data about each paragraph is cut with it.
        line = msgspec.json.encode(
            msgspec.structs.replace(
                document,
                paragraphs=paragraphs,
                truncated=document.truncated or "length",
                paragraph_langs=None,
                labels=None,
                repeated=None,
                title=(document.title or "")[:10_000] or None,
            )
        )
    return msgspec.Raw(line)


def _beginning(paragraphs: Sequence[str], chars_max: int) -> list[str]:
    kept: list[str] = []
    left = chars_max // 3  # a character of a text takes up to three bytes
    for paragraph in paragraphs:
        if left <= 0:
            break
        kept.append(paragraph[:left])
        left -= len(paragraph)
    return kept


def _path(directory: Path, stretch: FileStretch) -> Path:
    path = directory / stretch.name
    return path if path.exists() else path.with_name(path.name + OPEN_SUFFIX)


def _lines(path: Path, stretch: FileStretch) -> Iterator[bytes]:
    try:
        listed = open_listed(path)
    except FileNotFoundError:
        return  # it was removed: there is nothing to send
    with listed as file:
        file.seek(stretch.first)
        offset = stretch.first
        while offset < stretch.last and (line := file.readline(LINE_BYTES_MAX)).endswith(b"\n"):
            offset += len(line)
            yield line[:-1]
