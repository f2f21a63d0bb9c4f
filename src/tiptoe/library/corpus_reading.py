"""Which documents are in a corpus?

The same as for `tiptoe export`: later ratings apply, only one copy counts if two agents have written the same
page, and if a moment is given, the last version of each page that still existed then.
"""

from collections.abc import Iterator
from contextlib import ExitStack
from datetime import UTC, datetime
from pathlib import Path

import msgspec

from tiptoe.errors import SettingsError
from tiptoe.export.corpus_documents import corpus_bytes, read_documents
from tiptoe.export.export_amounts import ExportAmounts
from tiptoe.export.hash_tables import LastMoments, SeenHashes
from tiptoe.export.main_only import main_only
from tiptoe.export.versions import Mirror, read_moment, version_key
from tiptoe.forget.journal import expect_nothing_pending
from tiptoe.observe.crawl_marker import MARKER
from tiptoe.observe.crawl_members import member_directories
from tiptoe.observe.decoding import CorpusDecoder
from tiptoe.observe.file_lines import whole_lines
from tiptoe.write.corpus import Document
from tiptoe.write.output_kinds import CORPUS
from tiptoe.write.ratings import read_late

__all__ = ["read_corpus"]


def read_corpus(
    source: str | Path,
    *members: str | Path,
    as_of: str | datetime | None = None,
    main: bool = True,
) -> Iterator[Document]:
    """Yield the documents of a crawl, or of one file of its corpus (.jsonl), in the order of the files.

    `source` is the directory of a crawl, including files collected there from other machines; `members` are
    further directories of the same crawl. `as_of` is `"now"`, a day or a moment: then there is one version of
    each page, and none of pages that were gone. Paragraphs labelled as boilerplate are left out unless `main`
    is False. A crawl may be running: incomplete lines are skipped.
    """
    path = Path(source)
    if path.is_file():
        if as_of is not None or members:
            raise SettingsError(f"{path}: a file has no moments or members; name the directory of the crawl")
        documents = _file_documents(path)
    else:
        directories = tuple(Path(member) for member in members) or tuple(member_directories(path))
        corpus_bytes(path, *directories)  # raises at once if something is wrong
        expect_nothing_pending(path)
        moment = read_moment(as_of, name="as_of") if isinstance(as_of, str) else as_of
        documents = _crawl_documents(path, directories, moment)
    return _main_text(documents) if main else documents


def _main_text(documents: Iterator[Document]) -> Iterator[Document]:
    amounts = ExportAmounts()
    for document in documents:
        left = main_only(document, amounts)
        if left is not None:
            yield left


def _file_documents(path: Path) -> Iterator[Document]:
    # A file of a crawl is in the encoding of its run, any other in UTF-8.
    home = path.resolve().parent.parent
    is_ours = path.resolve().parent.name == CORPUS.folder and (home / MARKER).is_file()
    decoder = CorpusDecoder(home if is_ours else path.parent, Document)
    late = read_late(path.resolve()) if is_ours else {}
    offset = 0
    for line in whole_lines(path):
        try:
            document = decoder.read(path, line)
        except (msgspec.DecodeError, ValueError, LookupError) as error:
            raise SettingsError(f"{path}: no document of a corpus at byte {offset}: {error}") from error
        if offset in late:
            document = msgspec.structs.replace(document, usability=late[offset].usability)
        yield document
        offset += len(line) + 1


def _crawl_documents(
    directory: Path, members: tuple[Path, ...], as_of: datetime | None
) -> Iterator[Document]:
    with ExitStack() as stack:
        mirror = None
        if as_of is not None:
            moment = as_of if as_of.tzinfo else as_of.replace(tzinfo=UTC)
            mirror = Mirror(stack.enter_context(LastMoments(None)), moment)
            mirror.learn(directory, lambda count: None, members)
        copies = stack.enter_context(SeenHashes(None)) if members else None
        for document in read_documents(directory, ExportAmounts(), members=members):
            if copies is not None and not copies.add(version_key(document)):
                continue
            if mirror is None or mirror.omission(document) is None:
                yield document
