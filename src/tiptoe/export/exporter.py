"""How is a corpus exported, from its lines to the finished file?"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Final

import msgspec

from tiptoe import __version__
from tiptoe.errors import SettingsError
from tiptoe.export.corpus_documents import corpus_bytes, has_usability, read_documents
from tiptoe.export.dataset_card import CardFacts, dataset_card
from tiptoe.export.dataset_folder import CARD, MANIFEST, DatasetFolder, Manifest
from tiptoe.export.dataset_statistics import DatasetStatistics
from tiptoe.export.duplicates import Dedup, by_document, by_paragraph, keep_all
from tiptoe.export.export_amounts import ExportAmounts, Omission
from tiptoe.export.formats import FORMATS
from tiptoe.export.hash_tables import LastMoments, SeenHashes
from tiptoe.export.main_only import main_only
from tiptoe.export.output import STANDARD_OUTPUT, Output
from tiptoe.export.selection import Selection
from tiptoe.export.versions import AS_IT_IS, Mirror, mirror_bytes, version_key
from tiptoe.observe.crawl_marker import crawl_seeds, forgotten_targets
from tiptoe.observe.crawl_members import MEMBERS_FOLDER
from tiptoe.url.wish import read_wish
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
    is_main_only: bool = True  # without paragraphs labelled as boilerplate
    dedup: str = "none"
    sentences: bool = False
    force: bool = False
    members: tuple[Path, ...] = ()  # directories of further agents of the same crawl
    shard_bytes: int | None = None  # None: one file; otherwise a folder of files of about this size
    license: str | None = None  # as given by the operator


def bytes_to_read(plan: ExportPlan) -> int:
    """Return how many bytes an export reads; SettingsError if there is nothing to read."""
    size = corpus_bytes(plan.directory, *plan.members)
    return size if plan.as_of is None else 2 * size + mirror_bytes(plan.directory, *plan.members)


def export(plan: ExportPlan, advance: Callable[[int], object] = lambda count: None) -> ExportAmounts:
    """Write the wanted documents to a file; `advance` is told how many bytes of the corpus were read."""
    _check(plan)
    amounts = ExportAmounts()
    # Beside the output there is room for a corpus; the directory for temporary files may be too small.
    scratch = None if plan.out == STANDARD_OUTPUT else plan.out.parent
    target = _target(plan)
    with target, ExitStack() as stack:
        seen = stack.enter_context(SeenHashes(scratch))
        mirror = None
        if plan.as_of is not None:
            mirror = Mirror(stack.enter_context(LastMoments(scratch)), plan.as_of)
            mirror.learn(plan.directory, advance, plan.members)
        copies = stack.enter_context(SeenHashes(scratch)) if plan.members else None
        documents = _wanted(plan, mirror, seen, amounts, advance, copies)
        if isinstance(target, Output):
            FORMATS[plan.format].write(documents, target, plan.sentences)
        else:
            _write_dataset(plan, target, documents, stack.enter_context(SeenHashes(scratch)))
    amounts.written_bytes = target.written_bytes
    return amounts


def _target(plan: ExportPlan) -> Output | DatasetFolder:
    """Return the output: a file, or a folder of files."""
    if plan.shard_bytes is None:
        return Output(plan.out, force=plan.force)
    form, name = FORMATS[plan.format], plan.directory.resolve().name
    return DatasetFolder(plan.out, name, form, shard_bytes=plan.shard_bytes, force=plan.force)


def _write_dataset(
    plan: ExportPlan, folder: DatasetFolder, documents: Iterator[Document], hosts: SeenHashes
) -> None:
    """Write the files of a dataset, the list of them and the card."""
    found, has_fields = DatasetStatistics(hosts), False

    def counted() -> Iterator[Document]:
        nonlocal has_fields
        for document in documents:
            found.add(document)
            has_fields |= document.fields is not None
            yield document

    folder.write(counted(), sentences=plan.sentences)
    seeds = crawl_seeds(plan.directory)
    forgotten = [read_wish(target) for target in forgotten_targets(plan.directory)]
    facts = CardFacts(
        name=plan.directory.resolve().name, format=plan.format, license=plan.license,
        files=f"data/*{FORMATS[plan.format].suffix}", is_crawled=seeds is not None,
        seeds=[
            seed
            for seed in seeds or ()
            # No paths on this machine, and no owners who want to be forgotten.
            if not seed.startswith("file:") and not any(wish.covers(seed) for wish in forgotten)
        ],
        choices=_choices(plan), version=__version__, has_fields=has_fields, has_sentences=plan.sentences,
    )  # fmt: skip
    folder.add(CARD, dataset_card(facts, found).encode("utf-8", "replace"))
    manifest = Manifest(
        tool=f"tiptoe {__version__}", format=plan.format, documents=found.documents,
        characters=found.characters, files=folder.files,
    )  # fmt: skip
    folder.add(MANIFEST, msgspec.json.format(msgspec.json.encode(manifest), indent=2) + b"\n")


def _choices(plan: ExportPlan) -> list[str]:
    """Return in words which part of a corpus is exported."""
    choices = ["the main text of each page, without boilerplate" if plan.is_main_only else "all text"]
    if plan.selection.languages:
        choices.append(f"documents in {', '.join(sorted(plan.selection.languages))}")
    if plan.selection.usability_min > 0.0:
        choices.append(f"of a usability of {plan.selection.usability_min:g} or more")
    if plan.as_of is not None:
        moment = "now" if plan.as_of == AS_IT_IS else plan.as_of.isoformat()
        choices.append(f"one version of each page, as of {moment}")
    if plan.dedup != "none":
        choices.append(f"every {plan.dedup} once")
    return choices


def _check(plan: ExportPlan) -> None:
    """Raise SettingsError for an impossible plan before anything is done."""
    directories = (plan.directory, *plan.members)
    corpus_bytes(*directories)
    names = ("state", MEMBERS_FOLDER, *output_folders())
    folders = [(directory / name).resolve() for directory in directories for name in names]
    if any(folder in plan.out.resolve().parents for folder in folders):
        raise SettingsError(f"--out {plan.out}: lies among the files of the crawl itself")
    if plan.shard_bytes is not None and plan.format == "duckdb":
        raise SettingsError("--shard-size: a DuckDB file is one file; export it without, or as parquet")
    if plan.selection.usability_min > 0.0 and not has_usability(*directories):
        raise SettingsError(
            f"--min-usability: no document in {plan.directory} has a usability; it comes from a segmenter"
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
        # The last pages that an agent wrote before it died are requested again by others.
        if copies is not None and not copies.add(version_key(document)):
            amounts.omitted[Omission.COPY].add(document)
            continue
        # Versions are chosen first: an older one does not replace a last one that is not selected.
        omission = (mirror.omission(document) if mirror else None) or plan.selection.omission(document)
        if omission is not None:
            amounts.omitted[omission].add(document)
            continue
        main = main_only(document, amounts) if plan.is_main_only else document
        left = without_known(main, seen, amounts) if main is not None else None
        if left is not None:
            amounts.written.add(left)
            yield left
