"""What are the results of a crawl?

Printed when it ends: pages and text, how polite it was, what was discarded and
why, where the files are, and the first lines of the corpus.
"""

import contextlib
import itertools
import shlex
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

import msgspec
from rich.console import Console
from rich.markup import escape
from rich.padding import Padding
from rich.table import Table

from tiptoe.cli.inputs import Downlist
from tiptoe.convert.progress import CONVERTED, load
from tiptoe.errors import CrawlerError
from tiptoe.keeper.keeper import Keeper
from tiptoe.keeper.likely_reasons import EMPTY_HANDED, TEXTLESS, is_textless, likely_reason, read_anew
from tiptoe.keeper.overview import status_of
from tiptoe.keeper.phrases import blocked_text, copies_text, failure_text, given_up_text, logins_text
from tiptoe.keeper.unfollowed_links import useless_unfollowed
from tiptoe.observe.amounts import counted, human_bytes, human_count, human_seconds, was
from tiptoe.observe.decoding import CorpusDecoder
from tiptoe.observe.field_matches import recent_matches
from tiptoe.observe.file_lines import whole_lines
from tiptoe.observe.gaps import RequestGaps, read_gaps
from tiptoe.observe.meanings import in_plain_words
from tiptoe.observe.outcomes import split_outcomes
from tiptoe.observe.stops import Stop
from tiptoe.protocol.status import Status
from tiptoe.settings.layers import Settings
from tiptoe.settings.schema import SETTINGS
from tiptoe.write.output_kinds import CORPUS, output_folders

__all__ = ["print_files", "print_summary"]

HOSTS_SHOWN = 8
DOCUMENTS_SHOWN = 3
EXCERPT_CHARS = 160
RULES_SHOWN = 10

LIMITS: Final = {
    Stop.PAGE_LIMIT: "crawl.max_pages",
    Stop.BYTE_LIMIT: "crawl.max_bytes",
    Stop.TIME_LIMIT: "crawl.max_seconds",
    Stop.PACKETS: "harvest.batch_count",
}
"""The settings that make a crawl end early."""

STOPPED: Final = frozenset({Stop.OPERATOR, Stop.INTERRUPTED})
"""Ends that were requested; the crawl itself would have continued."""

LIMITS_OF_RUN: Final = frozenset({"crawl.max_seconds", "harvest.batch_count"})


class _Shown(msgspec.Struct):
    """What is shown of a document."""

    url: str
    title: str | None = None
    paragraphs: list[str] = []


def print_summary(
    console: Console, keeper: Keeper, settings: Settings, directory: Path, downlist: Downlist | None = None,
    *, scope: Iterable[str] = (), continued_by: str = "",
) -> None:  # fmt: skip
    """Print the results of this run and of its whole crawl.

    `scope` says what the figures cover, if not everything; `continued_by` is the command that continues a
    stopped crawl, if there is a single one.
    """
    totals = keeper.frontier.counters.totals
    made = read_gaps(directory, pause=settings.politeness.general_pause, hosts_max=HOSTS_SHOWN)
    more = "more than " if made.has_more_hosts else ""
    seconds = keeper.clock.now() - keeper.figures.started_at
    while keeper.figures.notices:  # those of the last moments
        console.print(escape(keeper.figures.notices.popleft()), highlight=False, soft_wrap=True)
    console.print(
        f"\n[bold]The crawl has ended:[/bold] {in_plain_words(keeper.figures.stopped_because or '')}."
    )
    if limit := LIMITS.get(keeper.figures.stopped_because or Stop.FINISHED):
        _print_limit(console, settings, limit)
    elif continued_by and keeper.figures.stopped_because in STOPPED:
        waiting = counted(keeper.frontier.counters.gauges.unasked, "address waits", "addresses wait")
        console.print(escape(f"{continued_by} continues; {waiting}."), highlight=False, soft_wrap=True)
    elif text := blocked_text(keeper.frontier.counters.gauges, directory):
        console.print(f"{escape(text)}.", highlight=False, soft_wrap=True)
    for line in scope:
        console.print(escape(line), highlight=False, soft_wrap=True)
    console.print(
        f"{counted(totals.documents, 'document')} with {counted(totals.text_chars, 'character')} "
        f"of main text, from {counted(totals.pages, 'page')} and "
        f"{counted(made.count, 'request')} to {more}{counted(made.hosts, 'host')} "
        f"({human_bytes(made.bytes_received)} received). "
        f"This run took {human_seconds(seconds)}.{_rounds_text(totals.rounds)}",
        soft_wrap=True,
    )
    _print_converted(console, directory, totals.documents)
    _print_given_up(console, keeper, settings, directory)
    _print_unjudged(console, keeper, directory)
    _print_unheard(console, totals.requests, made)
    _print_revisits(console, status_of(keeper))
    if downlist is not None:
        _print_downlist(console, settings.crawl.downlist, downlist)
    asked, left = split_outcomes(totals.outcomes, totals.discards)
    _print_counts(console, "What came of the requests", asked)
    _print_counts(console, "What was not requested", left)
    _print_counts(console, "What was left out, and why", totals.discards)
    _print_fields(console, settings, directory)
    if made.count:
        _print_politeness(console, settings, made)
    print_files(console, directory)
    _print_corpus(console, directory)


def _print_converted(console: Console, directory: Path, documents: int) -> None:
    """Print how many documents were converted: the keeper counts pages but does not know their texts."""
    try:
        converted = load(directory).counts.get(CONVERTED, 0)
    except CrawlerError:
        return  # `tiptoe convert` reports damage
    if converted:
        console.print(
            f"`tiptoe convert` has added {counted(converted, 'document')} (pdf and the like): "
            f"{counted(documents + converted, 'document')} in all.",
            highlight=False, soft_wrap=True,
        )  # fmt: skip


def _rounds_text(rounds: int) -> str:
    return f" Everything was gone through {counted(rounds, 'more time')} (crawl.on_end)." if rounds else ""


def _print_limit(console: Console, settings: Settings, name: str) -> None:
    """Print which setting ended the crawl, and how to continue."""
    setting = SETTINGS[name]
    text = f"The limit is {name} = {setting.show(settings.value(name))} ({settings.origin(name)}). "
    if name in LIMITS_OF_RUN:
        text += "Run it again with the same directory for as much again; "
    else:
        text += f"Continue in the same directory with {setting.option} MORE; "
    text += f"{setting.option} {setting.zero} takes the limit away."
    console.print(escape(text), highlight=False, soft_wrap=True)


def _print_given_up(console: Console, keeper: Keeper, settings: Settings, directory: Path) -> None:
    """Print why there are no pages, if there are none, and which hosts were given up."""
    totals = keeper.frontier.counters.totals
    gone = keeper.frontier.counters.gauges.gone_hosts
    if not totals.pages:
        console.print("\n[bold]No page was fetched[/bold]")
        likely = likely_reason(EMPTY_HANDED, gone or totals.outcomes, totals.discards)
        _print_likely(console, likely)
        waiting = keeper.frontier.counters.gauges.queued
        lines = failure_text(totals.outcomes, gone, totals.discards, waiting=waiting)
        for line in lines if len(lines) > 1 or not likely else ():  # a single one would repeat the cause
            console.print(f"  {escape(line)}", soft_wrap=True, highlight=False)
    elif is_textless(totals):
        console.print("\n[bold]No text entered the corpus[/bold]")
        _print_likely(console, likely_reason(TEXTLESS, totals.outcomes))
        _print_likely(console, read_anew(directory, totals.outcomes) if settings.write.warc else "")
        _print_likely(console, useless_unfollowed(totals.discards))
    if text := given_up_text(keeper.frontier.given_up, keeper.frontier.counters.gauges.gone_hosts):
        console.print(f"Hosts given up: {escape(text)}.", soft_wrap=True, highlight=False)
    if text := logins_text(keeper.figures.login_faults):
        console.print(f"{escape(text)}.", soft_wrap=True, highlight=False)


def _print_likely(console: Console, said: str) -> None:
    if said:
        console.print(f"  {escape(said)}", soft_wrap=True, highlight=False)


def _print_unjudged(console: Console, keeper: Keeper, directory: Path) -> None:
    """Print that a segmenter did not answer, if so."""
    unjudged, fault = keeper.frontier.counters.totals.unjudged, keeper.segmenter.fault
    if not (unjudged or fault):
        return
    why = f" It does not answer: {fault}." if fault else ""
    console.print(
        f"Texts that the segmenter did not judge: {human_count(unjudged)}.{escape(why)} "
        f"`tiptoe segmenter catch-up {escape(shlex.quote(str(directory)))}` rates them.",
        soft_wrap=True,
        highlight=False,
    )


def _print_unheard(console: Console, heard: int, made: RequestGaps) -> None:
    """Print by how much the request log, which knows of every request, is ahead of the keeper."""
    unheard = made.count - made.cut_off - heard
    parts = []
    if made.bad_lines:
        bad = counted(made.bad_lines, "line")
        console.print(
            f"{bad} of the request log cannot be read, and {was(made.bad_lines)} not counted.", soft_wrap=True
        )
    if made.cut_off:
        parts.append(f"{human_count(made.cut_off)} {was(made.cut_off)} under way when a harvester died")
    if unheard > 0:
        parts.append(
            f"{human_count(unheard)} {was(unheard)} broken off at the end, "
            "or answered too late for the keeper to hear of it"
        )
    if parts:
        text = "; ".join(parts)
        console.print(f"Of these requests {text}: they are not among those below.", soft_wrap=True)


def _print_revisits(console: Console, status: Status) -> None:
    counts = {
        "changed": status.revisits_changed,
        "unchanged": status.revisits_unchanged,
        "gone": status.revisits_gone,
    }
    if not any(counts.values()):
        return
    found = ", ".join(f"{human_count(count)} {name}" for name, count in counts.items() if count)
    console.print(f"Pages of the corpus, visited again: {found}.", soft_wrap=True)
    if copies := copies_text(status):
        console.print(f"Between two visits, our copies were {copies} (estimated).", soft_wrap=True)


def _print_downlist(console: Console, file: str, downlist: Downlist) -> None:
    strange = (
        f"; words there that are no address: {human_count(downlist.strange)}" if downlist.strange else ""
    )
    console.print(
        "Taken as downloaded, and so not requested: "
        f"{counted(len(downlist.urls), 'address', 'addresses')} "
        f"of {escape(file)}{strange}.",
        soft_wrap=True,
    )


def _print_counts(console: Console, title: str, counts: dict[str, int]) -> None:
    if not counts:
        return
    table = Table(box=None, show_header=False)
    table.add_column(justify="right")
    for name, count in sorted(counts.items(), key=lambda pair: -pair[1]):
        table.add_row(f"  {human_count(count)}", escape(name), in_plain_words(name))
    console.print(f"\n[bold]{title}[/bold]")
    console.print(table)


def _print_fields(console: Console, settings: Settings, directory: Path) -> None:
    """Print which rules for fields find nothing any more, judging by the newest part of the corpus."""
    if not settings.text.field_rules:
        return
    # Imported here: it loads everything that judges texts, which takes as long as the keeper's own code.
    from tiptoe.compose_judging import field_rules

    book = field_rules(settings)
    stopped = recent_matches(directory, book).stopped if book is not None else []
    if not stopped:
        return
    console.print("\n[bold]Fields that are no longer found[/bold]")
    for count in stopped[:RULES_SHOWN]:
        console.print(f"  {escape(count.text)}", highlight=False, soft_wrap=True)
    if len(stopped) > RULES_SHOWN:
        console.print(f"  and {len(stopped) - RULES_SHOWN} more: tiptoe stats {escape(str(directory))}")


def _print_politeness(console: Console, settings: Settings, made: RequestGaps) -> None:
    rules = settings.politeness
    table = Table(box=None)
    for heading in ("  host", "requests", "shortest pause", "longest series", "mean answer"):
        table.add_column(heading, justify="left" if heading == "  host" else "right")
    for host in made.most_asked:
        gap = f"{host.shortest_gap:.2f} s" if host.shortest_gap is not None else "-"
        table.add_row(
            f"  {escape(host.host)}",
            str(host.requests),
            gap,
            str(host.longest_series),
            f"{host.mean_seconds * 1000:.0f} ms",
        )
    console.print("\n[bold]Politeness, according to the request log[/bold]")
    console.print(table)
    if made.hosts > len(made.most_asked):
        console.print(f"  and {counted(made.hosts - len(made.most_asked), 'more host')}")
    allowed = (
        f"allowed: a pause of {rules.req_delay:g} s or more, "
        f"{counted(rules.max_reqs, 'request')} in a series, "
        f"{counted(rules.max_hosts, 'host')} of an address; then it rests {rules.general_pause:g} s"
    )
    console.print(Padding(allowed, (0, 0, 0, 2), expand=False))


def print_files(console: Console, directory: Path) -> None:
    """Print where the files are, and what they hold."""
    console.print("\n[bold]Files[/bold]")
    for folder, what in output_folders().items():
        if not (directory / folder).exists():
            continue
        files = [file for file in (directory / folder).glob("*") if file.is_file()]
        size = human_bytes(sum(file.stat().st_size for file in files))
        where = escape(str(directory / folder))
        line = f"[cyan]{where}/[/cyan]  {counted(len(files), 'file')}, {size}: {what}"
        console.print(Padding(line, (0, 0, 0, 2), expand=False), highlight=False)


def _print_corpus(console: Console, directory: Path) -> None:
    documents = list(itertools.islice(_documents(directory), DOCUMENTS_SHOWN))
    if not documents:
        return
    console.print("\n[bold]From the corpus[/bold]")
    for document in documents:
        longest = max(document.paragraphs, key=len, default="")
        excerpt = longest if len(longest) <= EXCERPT_CHARS else longest[:EXCERPT_CHARS] + "…"
        named = f"  [cyan]{escape(document.url)}[/cyan]  {escape(document.title or '')}"
        console.print(named, soft_wrap=not console.is_terminal)
        if console.is_terminal:
            console.print(Padding(escape(excerpt), (0, 0, 0, 4)), highlight=False)
        else:  # in a file each text is one line
            console.print(f"    {escape(excerpt)}", highlight=False, soft_wrap=True)


def _documents(directory: Path) -> Iterator[_Shown]:
    decoder = CorpusDecoder(directory, _Shown)
    for path in CORPUS.files(directory):
        for line in whole_lines(path):
            with contextlib.suppress(msgspec.DecodeError, ValueError):
                yield decoder.read(path, line)
