"""`tiptoe segmenter`, `tiptoe check segmenter`: what rates how usable a text is, and does it work?"""

import asyncio
import contextlib
import sys
from pathlib import Path
from typing import Annotated

import msgspec
import uvloop
from cyclopts import Parameter
from rich.markup import escape
from rich.table import Table

from tiptoe import __version__
from tiptoe.cli.arguments import AsJson, Directory
from tiptoe.cli.bar import Bytes, bar
from tiptoe.cli.listening import why_not_taken
from tiptoe.cli.printer import Printer
from tiptoe.errors import ProtocolError, SettingsError
from tiptoe.forget.journal import expect_nothing_pending
from tiptoe.keeper.settings_file import SETTINGS_FILE, recall
from tiptoe.observe.amounts import counted, human_count
from tiptoe.observe.printable import printable
from tiptoe.observe.process import stopping_signals
from tiptoe.segment.catchup import CaughtUp, RateTexts, Remote, catch_up, finished_files, rate_with
from tiptoe.segment.conformance import CHECKS, Outcome, check_segmenter
from tiptoe.segment.segmenter_service import Service
from tiptoe.segment.segmenters import scorer_for
from tiptoe.segment.server import Server
from tiptoe.settings.form import be_service
from tiptoe.settings.layers import Settings

__all__ = ["catch_up_command", "check_segmenter_command", "serve_command"]

BUILT_IN = "built-in"
LISTEN = "127.0.0.1:8750"
PORT_MAX = 65_535


# -- serve ---------------------------------------------------------------


def serve_command(
    *,
    listen: Annotated[
        str,
        Parameter(help="Where to listen, as host:port; port 0 takes any free one. There is no password."),
    ] = LISTEN,
    languages: Annotated[
        str, Parameter(name="--lang", help="Languages that count as usable, such as cs,sk; none means all.")
    ] = "",
) -> int:
    """Run the built-in segmenter as a service until it is stopped."""
    host, port = _listener(listen)
    wanted = [word.strip() for word in languages.split(",") if word.strip()]
    service = Service(scorer_for(wanted))
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(_serve(service, host, port))
    return 0


async def _serve(service: Service, host: str, port: int) -> None:
    stopped = asyncio.Event()
    for number in stopping_signals():
        asyncio.get_running_loop().add_signal_handler(number, stopped.set)
    try:
        async with Server(service.respond, host, port, note=_tell) as server:
            shown = f"[{host}]" if ":" in host else host
            print(f"segmenter ready at http://{shown}:{server.port}", flush=True)
            await stopped.wait()
    except OSError as problem:
        raise SettingsError(f"--listen {host}:{port}: {why_not_taken(problem, host, port)}") from None


def _tell(fault: str) -> None:
    print(f"tiptoe segmenter: {fault}", file=sys.stderr, flush=True)


def _listener(given: str) -> tuple[str, int]:
    host, colon, port = given.rpartition(":")
    if not (host and colon and port.isascii() and port.isdecimal() and int(port[:6]) <= PORT_MAX):
        raise SettingsError(f"--listen {given}: expected host:port, such as {LISTEN}")
    return host.strip("[]"), int(port)


# -- check ---------------------------------------------------------------


def check_segmenter_command(
    url: Annotated[str, Parameter(help="Address of the segmenter, such as http://127.0.0.1:8750.")],
    *,
    timeout: Annotated[float, Parameter(help="Longest wait for an answer, in seconds.")] = 10.0,
    as_json: AsJson = False,
) -> int:
    """Check whether a segmenter fulfils the contract."""
    _require_service("URL", url)
    if not 0.01 <= timeout <= 3600:
        raise SettingsError(f"--timeout {timeout:g}: from 0.01 to 3600 seconds")
    outcomes = []
    with bar("checking", total=len(CHECKS)) as shown:
        for outcome in check_segmenter(url, timeout_seconds=timeout):
            outcomes.append(outcome)
            shown.advance()
    kept = sum(outcome.is_kept for outcome in outcomes)
    if as_json:
        values = {"url": url, "kept": kept, "checks": outcomes}
        print(msgspec.json.format(msgspec.json.encode(values), indent=1).decode())
    else:
        _print_outcomes(url, outcomes, kept)
    return 0 if kept == len(outcomes) else 1


def _print_outcomes(url: str, outcomes: list[Outcome], kept: int) -> None:
    table = Table(box=None, header_style="dim", padding=(0, 2, 0, 0))
    for heading in ("", "check", "expected", "came"):
        table.add_column(heading, overflow="fold")
    for outcome in outcomes:
        verdict = "[green]kept[/green]" if outcome.is_kept else "[bold red]broken[/bold red]"
        table.add_row(verdict, outcome.name, outcome.expected, escape(_printable(outcome.came)))
    console = Printer(highlight=False)
    if not kept and len({outcome.came for outcome in outcomes}) == 1:
        console.print(f"every check: {escape(_printable(outcomes[0].came))}", soft_wrap=True)
    else:
        console.print(table)
    console.print(f"\n{escape(url)}: {kept} of {len(outcomes)} checks kept", soft_wrap=True)


def _printable(came: str) -> str:
    """Return received text, made safe to print: no markup or control characters may reach the terminal."""
    return printable(came[:300])


# -- catch up ------------------------------------------------------------


def catch_up_command(
    directory: Directory = Path("crawl"),
    *,
    url: Annotated[
        str | None,
        Parameter(
            name="--segmenter",
            help="Address of a segmenter, or `built-in`; by default the one that the crawl uses.",
        ),
    ] = None,
    again: Annotated[
        bool, Parameter(help="Rate everything again, for instance with a better segmenter.")
    ] = False,
    batch: Annotated[int, Parameter(help="Number of documents to send at once.")] = 50,
    timeout: Annotated[float, Parameter(help="Seconds to wait for an answer.")] = 60.0,
) -> int:
    """Rate the documents of a crawl whose usability is unknown."""
    if not 1 <= batch <= 1000:
        raise SettingsError(f"--batch {batch}: from 1 to 1000")
    if not 0.01 <= timeout <= 3600:
        raise SettingsError(f"--timeout {timeout:g}: from 0.01 to 3600 seconds")
    expect_nothing_pending(directory)
    # A corpus copied without the state of its crawl can be rated as well.
    remembered = recall(directory) if (directory / SETTINGS_FILE).exists() else None
    own = Settings.load(remembered=remembered)
    url = own.segmenter.url if url is None else url
    if url and url != BUILT_IN:
        with contextlib.closing(_remote(url, batch, timeout)) as remote:
            done = _catch_up(directory, remote, batch, again)
    else:
        done = _catch_up(directory, rate_with(scorer_for(list(own.text.languages))), batch, again)
    print(
        f"{counted(done.rated, 'document')} rated; rated before: {human_count(done.known)}, "
        f"still unknown: {human_count(done.unknown)}"
    )
    if done.unjudged:
        print(f"{human_count(done.unjudged)} have too little text to be judged")
    if done.bad_lines:
        print(f"{counted(done.bad_lines, 'line')} could not be read")
    if done.open_files:
        print(f"still being written: {counted(done.open_files, 'file')}; run this again when that is over")
    return 1 if done.unknown else 0


def _remote(url: str, batch: int, timeout: float) -> Remote:
    _require_service("--segmenter", url)
    return Remote(url, f"tiptoe/{__version__}", timeout_seconds=timeout, documents_max=batch)


def _catch_up(directory: Path, rate: RateTexts, batch: int, again: bool) -> CaughtUp:
    total = sum(path.stat().st_size for path in finished_files(directory))
    with bar("rating", Bytes, total=total) as shown:
        try:
            return catch_up(directory, rate, documents_max=batch, again=again, advance=shown.advance)
        except ProtocolError as problem:
            raise ProtocolError(f"{problem}; what is rated so far is kept") from None


def _require_service(name: str, url: str) -> None:
    try:
        be_service(url)
    except ValueError as problem:
        raise SettingsError(f"{name} {url}: {problem}") from None
