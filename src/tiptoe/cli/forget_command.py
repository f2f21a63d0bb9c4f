"""`tiptoe forget`: how is an owner's wish to be forgotten carried out and recorded?"""

import json
from pathlib import Path
from typing import Annotated

import msgspec
from cyclopts import Parameter
from rich.markup import escape

from tiptoe.cli.arguments import AsJson, Directory
from tiptoe.cli.bar import Bytes, bar
from tiptoe.cli.catalog_building import catalog_database
from tiptoe.cli.crawl_meant import target_and_directory
from tiptoe.cli.printer import Printer
from tiptoe.cluster.member_file import read_member
from tiptoe.errors import SettingsError
from tiptoe.forget.forget_orders import ForgetOrders
from tiptoe.forget.journal import Forgotten, Journal, records_of
from tiptoe.frontier.wishes import noted_wishes
from tiptoe.keeper.database import DATABASE
from tiptoe.keeper.settings_file import recall
from tiptoe.observe.amounts import counted, human_count
from tiptoe.settings.layers import Settings
from tiptoe.store.readonly import ReadOnlyStore
from tiptoe.store.tables import Table
from tiptoe.url.wish import Wish, read_wish
from tiptoe.write.output_kinds import ARCHIVE, CORPUS, DESCRIPTIONS, DOCUMENT_LIST, GONE_LIST

__all__ = ["forget_command"]


def forget_command(
    target: Annotated[str, Parameter(help="Host, *.host, address, or beginning of addresses with *.")] = "",
    directory: Directory = Path("crawl"),
    *,
    reason: Annotated[str, Parameter(help="Who asked for it, and why; this is recorded.")] = "",
    dry_run: Annotated[bool, Parameter(help="Only report what would be removed.")] = False,
    list_: Annotated[bool, Parameter(name="--list", help="Show what was forgotten, and when.")] = False,
    resume: Annotated[bool, Parameter(help="Only complete what was interrupted.")] = False,
    as_json: AsJson = False,
) -> int:
    """Remove a host, or pages, permanently from everything that a crawl has."""
    if list_ or resume:
        if target and directory != Path("crawl"):
            raise SettingsError("--list and --resume take a directory and nothing else")
        directory = Path(target) if target else directory
    else:
        directory, target = target_and_directory("forget", directory, target, is_last=True)
    member = read_member(directory)
    if member is not None:
        # Imported here, because other crawls need none of it.
        from tiptoe.cli.member_forget import forget_for_all, list_for_all, resume_at_member, survey_member

        console = Printer(highlight=False)
        if list_:
            return list_for_all(directory, member, console, as_json=as_json)
        if resume:
            return resume_at_member(directory, member, console)
        if dry_run:
            return _tell_survey(survey_member(directory, _wish(target)), console, as_json=as_json)
        wish = _wish(target)
        return forget_for_all(directory, member, wish, _expect_reason(reason), console, as_json=as_json)
    if list_:
        return _list(directory, as_json=as_json)
    console = Printer(highlight=False)
    with bar("reading the files", Bytes, is_hidden=as_json) as shown:
        orders = ForgetOrders(
            directory, catalog_database(directory), _compared_chars_min(directory),
            tell=lambda line: console.print(escape(line), soft_wrap=True), advance=shown.advance,
        )  # fmt: skip
        if resume:
            if orders.resume() is None:
                console.print("Nothing was interrupted.")
            return 0
        wish = _wish(target)
        if dry_run:
            survey = orders.survey(wish)
        else:
            line = orders.forget(wish, _expect_reason(reason))
    if dry_run:
        return _tell_survey(survey, console, as_json=as_json)
    if as_json:
        print(json.dumps(msgspec.to_builtins(line), indent=2))
    else:
        _print_done(console, line)
    return 0


def _expect_reason(reason: str) -> str:
    if not reason.strip():
        raise SettingsError("--reason is missing: say who wants it, and why; it goes on record")
    return reason.strip()


def _tell_survey(found: Journal, console: Printer, *, as_json: bool) -> int:
    if as_json:
        print(json.dumps(msgspec.to_builtins(found), indent=2))
    else:
        _print_survey(console, found)
    return 0


def _wish(target: str) -> Wish:
    if not target:
        raise SettingsError("TARGET is missing; `tiptoe forget --help` explains")
    try:
        return read_wish(target)
    except ValueError as problem:
        raise SettingsError(f"{target!r} is nothing that can be forgotten; {problem}") from None


def _compared_chars_min(directory: Path) -> int:
    remembered = recall(directory)
    return 0 if remembered is None else Settings.load(remembered=remembered).text.duplicity_min_chars


def _print_survey(console: Printer, found: Journal) -> None:
    amounts = [
        (found.removed_from(CORPUS.folder), "document of the corpus", "documents of the corpus"),
        (found.removed_from(ARCHIVE.folder), "answer in the archive", "answers in the archive"),
        (
            found.removed_from(DOCUMENT_LIST.folder),
            "document to be converted",
            "documents to be converted",
        ),
        (
            found.removed_from(GONE_LIST.folder) + found.removed_from(DESCRIPTIONS.folder),
            "note or description",
            "notes and descriptions",
        ),
        (found.catalogued, "page of the catalog", "pages of the catalog"),
        (found.pages, "page that the database knows", "pages that the database knows"),
        (found.queued, "address that waits", "addresses that wait"),
    ]
    if not any(count for count, *_ in amounts):
        console.print(f"There is nothing of {escape(found.target)} here.", soft_wrap=True)
        return
    console.print(f"Of {escape(found.target)}, this would be removed:", soft_wrap=True)
    for count, one, many in amounts:
        console.print(f"  {human_count(count):>8}  {one if count == 1 else many}")


def _print_done(console: Printer, line: Forgotten) -> None:
    if line.is_empty:
        text = f"There is nothing of {line.target} here. It will never be requested."
    else:
        text = (
            f"{line.target} is forgotten: {counted(line.documents, 'document')} of the corpus, "
            f"{counted(line.answers, 'answer')} in the archive, {counted(line.catalogued, 'page')} of the "
            f"catalog, {counted(line.pages, 'page')} and "
            f"{counted(line.queued, 'waiting address', 'waiting addresses')} of the database. "
            "It will never be requested again."
        )
    console.print(escape(text), soft_wrap=True)
    if line.files_away:
        count = len(line.files_away)
        stay = "is elsewhere, and stays as it is" if count == 1 else "are elsewhere, and stay as they are"
        console.print(
            f"{counted(count, 'finished file')} {stay}: put back what is missing and run the command again. "
            f"The first is {escape(line.files_away[0])}",
            soft_wrap=True,
        )


def _list(directory: Path, *, as_json: bool) -> int:
    lines = records_of(directory)
    with ReadOnlyStore(directory / DATABASE, ()) as store:
        noted = {wish.target for wish in noted_wishes(store.scan(Table.META))}
    if as_json:
        print(json.dumps([msgspec.to_builtins(line) for line in lines], indent=2))
        return 0
    console = Printer(highlight=False)
    for line in lines:
        console.print(
            f"{line.forgotten_at[:19]}Z  {escape(line.target)}  {counted(line.documents, 'document')}, "
            f"{counted(line.answers, 'answer')}: {escape(line.reason)}",
            soft_wrap=True,
        )
    for target in sorted(noted - {line.target for line in lines}):
        console.print(
            f"{escape(target)}: not asked any more, and still to be removed; "
            f"`tiptoe forget --resume {directory}`",
            soft_wrap=True,
        )
    if not noted:
        console.print("Nothing was forgotten so far.")
    return 0
