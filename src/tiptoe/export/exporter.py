"""What happens between the corpus and the file?"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Final

from tiptoe.errors import SettingsError
from tiptoe.export.corpus_documents import corpus_bytes, has_labels, has_usability, read_documents
from tiptoe.export.duplicates import Dedup, by_document, by_paragraph, keep_all
from tiptoe.export.export_amounts import ExportAmounts, Omission
from tiptoe.export.formats import FORMATS
from tiptoe.export.hash_tables import LastMoments, SeenHashes
from tiptoe.export.main_only import main_only
from tiptoe.export.output import STANDARD_OUTPUT, Output
from tiptoe.export.selection import Selection
from tiptoe.export.versions import Mirror, mirror_bytes, version_key
from tiptoe.observe.crawl_members import MEMBERS_FOLDER
from tiptoe.write.corpus import Document
from tiptoe.write.output_kinds import output_folders

__all__ = ["DEDUPS", "ExportPlan", "bytes_to_read", "export"]

DEDUPS: Final[Mapping[str, Dedup]] = {"paragraph": by_paragraph, "document": by_document, "none": keep_all}


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportPlan:
    """What is to be exported, and how."""

    directory: Path
    format: str
    out: Path
    selection: Selection
    as_of: datetime | None = None  # None: every version of every page
    is_main_only: bool = False  # without what is labelled as boilerplate
    dedup: str = "none"
    sentences: bool = False
    force: bool = False
    members: tuple[Path, ...] = ()  # directories of further agents of the same crawl


def bytes_to_read(plan: ExportPlan) -> int:
    """Return how many bytes an export reads; what cannot be read is an error."""
    size = corpus_bytes(plan.directory, *plan.members)
    return size if plan.as_of is None else 2 * size + mirror_bytes(plan.directory, *plan.members)


def export(plan: ExportPlan, advance: Callable[[int], object] = lambda count: None) -> ExportAmounts:
    """Write the wanted documents to a file; `advance` hears how many bytes of the corpus were read."""
    _check(plan)
    amounts = ExportAmounts()
    # Beside the output there is room for a corpus; where temporary files lie there may be none.
    scratch = None if plan.out == STANDARD_OUTPUT else plan.out.parent
    with Output(plan.out, force=plan.force) as output, ExitStack() as stack:
        seen = stack.enter_context(SeenHashes(scratch))
        mirror = None
        if plan.as_of is not None:
            mirror = Mirror(stack.enter_context(LastMoments(scratch)), plan.as_of)
            mirror.learn(plan.directory, advance, plan.members)
        copies = stack.enter_context(SeenHashes(scratch)) if plan.members else None
        documents = _wanted(plan, mirror, seen, amounts, advance, copies)
        FORMATS[plan.format].write(documents, output, plan.sentences)
    amounts.written_bytes = output.written_bytes
    return amounts


def _check(plan: ExportPlan) -> None:
    """Raise SettingsError for what cannot be done, before anything is."""
    directories = (plan.directory, *plan.members)
    corpus_bytes(*directories)
    names = ("state", MEMBERS_FOLDER, *output_folders())
    folders = [(directory / name).resolve() for directory in directories for name in names]
    if any(folder in plan.out.resolve().parents for folder in folders):
        raise SettingsError(f"--out {plan.out}: lies among the files of the crawl itself")
    if plan.selection.usability_min > 0.0 and not has_usability(*directories):
        raise SettingsError(
            f"--min-usability: no document in {plan.directory} has a usability; it comes from a segmenter"
        )
    if plan.is_main_only and not has_labels(*directories):
        raise SettingsError(
            f"--main: no paragraph in {plan.directory} is labelled; crawl with --extraction marked for that"
        )


def _wanted(
    plan: ExportPlan,
    mirror: Mirror | None,
    seen: SeenHashes,
    amounts: ExportAmounts,
    advance: Callable[[int], object],
    copies: SeenHashes | None,
) -> Iterator[Document]:
    """Yield what is left of the corpus after the choice of versions, selection and deduplication."""
    without_known = DEDUPS[plan.dedup]
    for document in read_documents(plan.directory, amounts, advance, plan.members):
        # What an agent wrote last before it died is asked for again by others.
        if copies is not None and not copies.add(version_key(document)):
            amounts.omitted[Omission.COPY].add(document)
            continue
        # Which versions count is settled: an older one does not stand in for a last one that is not selected.
        omission = (mirror.omission(document) if mirror else None) or plan.selection.omission(document)
        if omission is not None:
            amounts.omitted[omission].add(document)
            continue
        main = main_only(document, amounts) if plan.is_main_only else document
        left = without_known(main, seen, amounts) if main is not None else None
        if left is not None:
            amounts.written.add(left)
            yield left
