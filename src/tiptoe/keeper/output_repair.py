"""What does the database know of that the files lack, and how is it recovered?

    examine the files ─▶ which pages were in damaged parts? ─▶ queue them once more
        ─▶ mend the files ─▶ note how they are now

The order matters: if the process dies in between, the next start finds the same damage and ends up with the
same result. The pages that a file held are known from the reports that made it grow
(`frontier/holdings.py`); those that can still be read in it are not lost.
"""

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

import msgspec

from tiptoe.frontier.filemarks import FileMark, FileState
from tiptoe.frontier.holdings import GONE, LISTED, Item
from tiptoe.frontier.losses import Loss, Verdicts
from tiptoe.keeper.crawl_frontier import CrawlFrontier
from tiptoe.keeper.sowing import batches
from tiptoe.observe.decoding import corpus_encoding
from tiptoe.write.archive import Advance
from tiptoe.write.contents import Proof, pages_in
from tiptoe.write.gone import GonePage
from tiptoe.write.output_kinds import (
    CONVERTED_TEXTS,
    GONE_LIST,
    PageMark,
    PagePart,
    harvester_kind,
    writer_of,
)
from tiptoe.write.record import iso_date
from tiptoe.write.recovery import Finding, examine, mend, path_of
from tiptoe.write.replacing import replace_lines

__all__ = ["Damage", "OutputRepair", "repair_at_start"]


def repair_at_start(
    directory: Path, frontier: CrawlFrontier, live: Collection[str], *, now: float, reads: bool,
    shard: int | None = None,
) -> list[str]:  # fmt: skip
    """Repair the output files after a crash or a fault; return lines worth reporting.

    If the crawl has several shards, the frontier is that of `shard`, and only the files of that shard are
    examined. For a shard that was just taken, or that all harvesters know to be lost, none is `live`.
    """
    return OutputRepair(directory, frontier, now=now, shard=shard).run(live, reads=None if reads else ())


@dataclass(frozen=True, slots=True)
class Damage:
    """What was lost from the files of a shard that another agent holds, and the state of those files now."""

    losses: list[Loss]
    marks: dict[str, FileMark | None]  # None: the file no longer exists


@dataclass(slots=True)
class Lost:
    """The pages in the damaged parts of one file."""

    losses: dict[bytes, Loss] = field(default_factory=dict)
    gone: list[bytes] = field(default_factory=list)
    count: int = 0


class OutputRepair:
    """One examination of all output files, and their repair."""

    def __init__(
        self,
        directory: Path,
        frontier: CrawlFrontier,
        *,
        now: float,
        shard: int | None = None,
        proves: bool = True,
        advance: Advance = lambda count: None,
    ) -> None:
        self._directory = directory
        self._frontier = frontier
        self._now = now
        self._shard = shard
        self._proves = proves
        self._advance = advance
        self._encoding = corpus_encoding(directory) or "utf-8"
        self.verdicts = Verdicts()

    def files(self) -> list[str]:
        """Return the names of all files that the database knows, wherever they are."""
        return list(self._frontier.outputs.marks())

    def examine(self, live: Collection[str] = (), *, reads: Collection[str] | None = None) -> list[Finding]:
        """Return the findings about files that need attention; nothing is changed."""
        here = self._files_here()
        return examine(
            self._directory,
            {name: mark.size for name, mark in here.items()},
            finished={name for name, mark in here.items() if mark.state is not FileState.OPEN},
            live=live,
            shard=self._shard,
            encoding=self._encoding,
            reads=reads,
            proof_of=self._proof_of if self._proves else None,
            advance=self._advance,
        )

    def _files_here(self) -> dict[str, FileMark]:
        """Return the files that are here, or should be: harvesters of other machines may write elsewhere."""
        files = self._frontier.outputs.marks()
        missing = {name for name in files if path_of(self._directory, name) is None}
        writers = {writer_of(name) for name in files.keys() - missing}
        return {
            name: mark
            for name, mark in files.items()
            if name not in missing or (mark.state is not FileState.AWAY and _is_among(name, writers))
        }

    def run(self, live: Collection[str] = (), *, reads: Collection[str] | None = None) -> list[str]:
        """Examine and repair everything; return lines worth reporting."""
        return self.put_right(self.examine(live, reads=reads))

    def put_right(self, findings: list[Finding], away: Iterable[str] = ()) -> list[str]:
        """Mend files, and queue the pages that were lost from them; files that are `away` are lost too."""
        away = list(away)
        losses, gone, said = self._appraise(findings, away)
        self._queue(losses)
        self._restore_gone(gone)
        self._frontier.outputs.note(self._repair_all(findings) | dict.fromkeys(away))
        return [*said, *self._summary(len(losses))]

    def put_right_for(self, findings: list[Finding], away: Iterable[str] = ()) -> tuple[Damage, list[str]]:
        """Mend files of a shard held elsewhere; return the damage for its holder, and lines to report.

        If this process dies before the holder knows, the same damage is found again: the files are still
        shorter than their marks.
        """
        away = list(away)
        losses, gone, said = self._appraise(findings, away)
        self._restore_gone(gone)
        marks = self._repair_all(findings) | dict.fromkeys(away)
        return Damage(list(losses.values()), marks), said

    def account_for(self, damage: Damage) -> None:
        """Queue what another agent found lost, and record the new state of its files."""
        self._queue({loss.key: loss for loss in damage.losses})
        self._frontier.outputs.note(damage.marks)

    def _appraise(
        self, findings: list[Finding], away: list[str]
    ) -> tuple[dict[bytes, Loss], list[bytes], list[str]]:
        """Return the lost pages, the keys of lost lines about pages that are gone, and lines to report."""
        losses: dict[bytes, Loss] = {}
        gone: list[bytes] = []
        values = {}
        lost_files = [Finding(file=name, what="lost", damage=[(0, 0)]) for name in away]
        for finding in [*findings, *lost_files]:
            lost = self._lost_in(finding)
            for loss in lost.losses.values():
                _add(losses, loss)
            gone += lost.gone
            values[finding.file] = _words_for(finding, self._directory, lost.count)
        return losses, gone, [line for name in sorted(values) if (line := values[name])]

    def _repair_all(self, findings: list[Finding]) -> dict[str, FileMark | None]:
        """Mend files; return their new marks."""
        marks: dict[str, FileMark | None] = {}
        for finding in findings:
            size = mend(self._directory, finding, now=self._now)
            marks[finding.file] = _mark_after(finding, size)
        return marks

    def describe(self, finding: Finding) -> str:
        """Return a line about a file; empty if all is well."""
        return _words_for(finding, self._directory, self._lost_in(finding).count)

    # -- what was lost ---------------------------------------------------

    def _lost_in(self, finding: Finding) -> Lost:
        name, lost = finding.file, Lost()
        part = harvester_kind(name).part
        if part is None or not (finding.damage or finding.what == "away"):
            return lost
        items: dict[PageMark, Item] = {}
        others: set[str] = set()
        for holding in self._frontier.outputs.holdings(name):
            others.update(other for other in holding.files if _is_neighbour(other, name))
            items.update((mark, item) for item in holding.items() if (mark := _mark_of(part, item)))
        if finding.what != "away":
            for mark in self._present(finding, others):
                items.pop(mark, None)
        lost.count = len(items)
        if finding.what == "away":
            return lost
        if part is PagePart.ABSENCE:
            lost.gone = [key for key, _ in items]
        else:
            converted = self._converted() if any(item.signs & LISTED for item in items.values()) else set()
            for item in items.values():
                if item.key not in converted:
                    _add(lost.losses, _loss_of(part, item))
        return lost

    def _present(self, finding: Finding, others: Iterable[str]) -> Iterator[PageMark]:
        """Yield what can be read from a file, and from others that the same reports made grow."""
        kind = harvester_kind(finding.file)
        path = path_of(self._directory, finding.file)
        if path is not None:
            yield from pages_in(path, kind, encoding=self._encoding, damage=finding.damage)
        for name in others:
            path = path_of(self._directory, name)
            if path is not None:
                yield from pages_in(path, kind, encoding=self._encoding)

    def _converted(self) -> set[bytes]:
        """Return the documents whose converted texts are in the corpus: they need no line in a list."""
        kind, encoding = CONVERTED_TEXTS, self._encoding
        paths = kind.files(self._directory)
        return {key for path in paths for key, _ in pages_in(path, kind, encoding=encoding)}

    def _proof_of(self, name: str) -> Proof:
        """Return a test that tells genuine lines from those that a fault has changed."""
        part = harvester_kind(name).part
        checks: dict[PageMark, int] = {}
        for holding in self._frontier.outputs.holdings(name):
            for item in holding.items():
                if part is not None and (mark := _mark_of(part, item)) is not None:
                    checks[mark] = item.check

        def is_written(mark: PageMark, check: int) -> bool:
            if mark in checks:
                return checks[mark] == check
            # Its report may have come too late and the page been requested again; but it must be known.
            return self._frontier.page_at(mark[0]) is not None

        return is_written

    # -- what is done about it -------------------------------------------

    def _queue(self, losses: dict[bytes, Loss]) -> None:
        for batch in batches(list(losses.values())):
            self.verdicts += self._frontier.outputs.ask_again(batch, self._now)

    def _restore_gone(self, keys: list[bytes]) -> None:
        """Write again which pages have left the web; the database knows them."""
        lines = []
        for key in keys:
            page = self._frontier.page_at(key)
            if page is not None and page.version and page.outcome not in ("ok", "waiting"):
                reason = "" if page.outcome.startswith("http_") else page.outcome
                gone_at = iso_date(page.last_visit_at)
                left = GonePage(url=page.url, gone_at=gone_at, status=page.status, reason=reason)
                lines.append(msgspec.json.encode(left) + b"\n")
        if lines:
            folder = self._directory / GONE_LIST.folder
            folder.mkdir(exist_ok=True)
            writer = f"restored-{int(self._now * 1000):x}"
            if self._shard is not None:  # others may be at work at the same moment
                writer += f".s{self._shard:02d}"
            replace_lines(folder / f"{writer}-00001.jsonl", lines)

    def _summary(self, pages: int) -> Iterator[str]:
        verdicts = self.verdicts
        if not pages:
            return
        again = _count(verdicts.asked, "page is", "pages are")
        yield f"{again} requested again, because something of them was lost"
        if verdicts.superseded:
            has = _count(verdicts.superseded, "page has", "pages have")
            yield f"{has} a later version elsewhere: the earlier one is lost"
        if verdicts.out_of_reach:
            cannot = _count(verdicts.out_of_reach, "page cannot", "pages cannot")
            yield f"{cannot} be requested again: given up since, or under way"


def _is_among(name: str, writers: Collection[str]) -> bool:
    """Whether the harvester that wrote a file worked here: then at least its log is here."""
    own = writer_of(name)  # prefixed with the name of the crawl, except for logs
    return own in writers or any(own.endswith(f"-{one}") or one.endswith(f"-{own}") for one in writers)


def _is_neighbour(other: str, name: str) -> bool:
    """Whether a record that belongs in one file may be in the other."""
    return other != name and harvester_kind(other) is harvester_kind(name)


def _mark_of(part: PagePart, item: Item) -> PageMark | None:
    """Return the mark of what a visit wrote in a file with this part of pages; None if it wrote nothing."""
    if part is PagePart.TEXT:
        return (item.key, item.version) if item.version else None
    if part is PagePart.ABSENCE:
        return (item.key, "") if item.signs & GONE else None
    if not item.stored_at or (part is PagePart.LISTING and not item.signs & LISTED):
        return None
    return item.key, iso_date(item.stored_at)


def _loss_of(part: PagePart, item: Item) -> Loss:
    if part is PagePart.TEXT:
        return Loss(item.key, version=item.version, chars=item.chars)
    if part is PagePart.LISTING:
        return Loss(item.key, is_listing=True)
    return Loss(item.key, stored_at=item.stored_at)


def _add(losses: dict[bytes, Loss], loss: Loss) -> None:
    """Merge the loss of a page in one file, or from one visit, with its other losses; the latest counts."""
    other = losses.get(loss.key, loss)
    later = max((loss, other), key=lambda one: one.version)
    losses[loss.key] = replace(
        later,
        stored_at=max(loss.stored_at, other.stored_at),
        is_listing=loss.is_listing or other.is_listing,
    )


def _mark_after(finding: Finding, size: int | None) -> FileMark | None:
    if finding.what == "away":
        return FileMark(finding.committed, FileState.AWAY)
    return None if size is None else FileMark(size, FileState.FINISHED)


# -- words -------------------------------------------------------------------


def _count(number: int, one: str, many: str) -> str:
    return f"{number:,} {one if number == 1 else many}"


def _words_for(finding: Finding, directory: Path, pages: int) -> str:
    """Return a line about a file; empty if all is well."""
    kind = harvester_kind(finding.file)
    held = _count(pages, *kind.records) if kind.part is not None else ""
    if finding.what == "away":
        return (
            f"{finding.file}: is not there any more, with {held or 'what it had'}; if it was moved, all is "
            f"well; if it is lost, `tiptoe repair {directory} --lost` requests its pages again"
        )
    if finding.what == "lost":
        return f"{finding.file}: is lost, {finding.committed:,} bytes" + (f", with {held}" if held else "")
    if finding.what == "rebuilt":
        return f"{finding.file}: was damaged; rebuilt from its archive, {len(finding.lines or ()):,} lines"
    if finding.damage:
        words = f"{finding.file}: {finding.lost_bytes:,} of {finding.committed:,} bytes cannot be read"
        return f"{words}, with {held}" if held else words
    if finding.cut_bytes:
        return f"{finding.file}: a tail of {finding.cut_bytes} unacknowledged bytes was cut off"
    return ""
