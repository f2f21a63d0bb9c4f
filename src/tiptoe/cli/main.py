"""`tiptoe`: the command and its parts."""

import errno
import io
import itertools
import os
import sys

from cyclopts import App, CycloptsError, Group, MissingArgumentError, Parameter
from rich.markup import escape

from tiptoe import __version__
from tiptoe.cli.exits import Exit
from tiptoe.cli.printer import Printer, look_away
from tiptoe.errors import CrawlerError

__all__ = ["app", "main"]

CRAWL_HELP = """Crawl politely from seeds, or go on with an earlier crawl.

The same directory continues the crawl that lives in it, with the settings it remembers; what is given anew
is stronger, shown, and remembered from then on. The word `default` takes a setting back to its default.
Ctrl-C stops cleanly; a second one stops at once and costs nothing but the requests under way.

Exit code 0: nothing is left to ask for; 1: something of ours is broken; 2: the command line, a setting or a
file has to be changed; 3: a limit is reached; 4: not a single page was fetched; 130: stopped by a signal or
by `tiptoe stop`; 141: nobody reads its output.
"""

CRAWL_EXAMPLES = r"""For example:
```
tiptoe crawl https://www.example.cz/ --contact https://example.org/bot
tiptoe crawl seeds.txt --contact me@example.org --include '\.cz$' --out czech
zcat seeds.gz | tiptoe crawl - --contact me@example.org --out czech
tiptoe crawl --out czech                                # goes on, within the same bounds
tiptoe crawl --out czech --max-pages default            # goes on without that limit
```
"""

AUDIT_HELP = """Check the request log of a crawl against every rule of politeness.

Says how many violations there are, and each with its lines of the log; 0 is the only pass. Reads nothing but
DIR/log/requests-*, also while the crawl runs. Exit code 0: none, 1: some, 2: it could not be judged.
"""

AUDIT_EXAMPLES = """For example:
```
tiptoe audit czech
tiptoe audit czech www.example.cz --html report.html    # to be sent to its webmaster
tiptoe audit czech --json
```
"""

REHEARSE_HELP = """Try a configuration on a simulated web, without touching the net.

The crawl is then judged from the servers' side: one violation of politeness and the rehearsal fails.
Unless the configuration says otherwise, pauses are short, and all is over in half a minute.
"""

REHEARSE_EXAMPLES = """For example:
```
tiptoe rehearse
tiptoe rehearse crawl.toml --hosts 50 --max-pages 500
tiptoe rehearse --hosts 20 --revisit adaptive --on-completion loop --max-seconds 60
```
"""

STATUS_EXAMPLES = """For example:
```
tiptoe status czech
tiptoe status czech --json
```
"""

PAUSE_EXAMPLES = """For example:
```
tiptoe pause czech
tiptoe resume czech
```
"""

BLOCK_EXAMPLES = """For example:
```
tiptoe block www.example.cz czech
tiptoe block 192.0.2.7 czech            # all hosts of an address
tiptoe unblock www.example.cz czech
```
"""

SLOW_EXAMPLES = """For example:
```
tiptoe slow www.example.cz czech --delay 2m
tiptoe slow www.example.cz czech --delay 0s     # as configured again
```
"""

STOP_EXAMPLES = """For example:
```
tiptoe stop czech
```
"""

CONFIG_EXAMPLES = """For example:
```
tiptoe config czech                                    # what is in force there, and who said so
tiptoe config --config crawl.toml --max-pages 1000     # is that what you meant?
tiptoe config --format toml > crawl.toml               # a complete file to start from
```
"""

BOTPAGE_EXAMPLES = """For example:
```
tiptoe botpage --contact https://example.org/bot --out bot.html
tiptoe botpage czech --out bot.html                    # of a crawl that has begun
tiptoe botpage --config crawl.toml --purpose "Texts for the Example Corpus." --out bot.html
```
"""

STATS_HELP = """Show what a crawl has found: outcomes, text, types, languages, hosts, times.

Reads only files: the crawl may be running, stopped or crashed.
"""

STATS_EXAMPLES = """For example:
```
tiptoe stats czech
tiptoe stats czech --html czech.html
tiptoe stats czech --json --top 100 > czech.json
```
"""

CONVERT_HELP = """Turn the documents of a crawl (pdf, doc, docx, odt, rtf, epub, txt) into text.

Their text enters the corpus, their links join the crawl: at once if it runs, else when it goes on. Each is
converted once; Ctrl-C or a crash costs nothing. Each is read in a process of its own that can do no harm.
"""

CONVERT_EXAMPLES = """For example:
```
tiptoe convert czech
tiptoe convert czech --document-timeout 5m --document-memory 4GiB
tiptoe convert czech --again            # all of them, anew
tiptoe crawl --out czech --set documents.convert=background
```
"""

SERVE_EXAMPLES = """For example:
```
tiptoe segmenter serve
tiptoe segmenter serve --listen 192.0.2.7:8750 --lang cs,sk     # for crawls on other machines
```
"""

CATCH_UP_HELP = """Rate the documents of a crawl whose usability is unknown.

So it is when the segmenter was down or slow. The files of the corpus do not change:
ratings go to DIR/usability, to a file for each of them. Stopped at any moment, it goes on
where it was. Exit code 0: all are rated, 1: some are still unknown.
"""

CATCH_UP_EXAMPLES = """For example:
```
tiptoe segmenter catch-up czech --segmenter http://127.0.0.1:8750
tiptoe segmenter catch-up czech --again --segmenter built-in      # all anew
```
"""

CHECK_SEGMENTER_HELP = """Check whether a segmenter keeps the contract.

Says of each rule what is expected and what came. Exit code 0: all are kept, 1: some are broken.
"""

CHECK_SEGMENTER_EXAMPLES = """For example:
```
tiptoe check segmenter http://127.0.0.1:8750
```
"""

EXPORT_HELP = """Write the corpus of a crawl in a form that other tools load.

Formats: **jsonl**, one document a line, as the corpus has it; **parquet**, for pandas, DuckDB and Hugging
Face; **vertical**, for Sketch Engine and Manatee, with sentences and tokens; **txt**, a paragraph a line, an
empty line between documents, and beside it an index. Every document names its WARC record. Reads only files:
the crawl may be running.

A crawl that visits pages again keeps each version that changed. All are exported, since an export must not
lose text unasked; `--as-of now` makes it a mirror of the web instead: of each page the last version, and
none of pages that are gone. `--as-of 2026-12-31` is the mirror as it was after that day (UTC).

`--dedup paragraph` leaves out every paragraph met before. `--dedup document` leaves out documents with a text
met before, or 90 % of whose characters stand in paragraphs met before. The first one stays. What is left out
is counted.
"""

EXPORT_EXAMPLES = """For example:
```
tiptoe export czech --format parquet
tiptoe export czech --format vertical --lang cs --dedup paragraph --out czech.vert
tiptoe export czech --format txt --sentences --lang cs --lang sk --min-usability 0.5
tiptoe export czech --format parquet --as-of now        # a mirror: one version of each page
tiptoe export czech --format jsonl --out - | zstd > czech.jsonl.zst
```
"""

HISTORY_HELP = """Show when a page was visited, and what each visit found.

Versions are the texts that entered the corpus: the first, and each that had changed. Reads only files, and of
those no more than it must: the crawl may be running.
"""

HISTORY_EXAMPLES = """For example:
```
tiptoe history czech https://www.example.cz/
tiptoe history czech www.example.cz/news --show 3       # the text of version 3
tiptoe history czech www.example.cz/news --diff 2 3     # paragraphs that went and came
```
"""

FRESHNESS_HELP = """Estimate how fresh the collection is, and what revisits have found.

From the record of every page: how often it changes, how likely it is still as we know it, when it is due.
Reads the database beside a running crawl, or that of a stopped one, and changes nothing.
"""

FRESHNESS_EXAMPLES = """For example:
```
tiptoe freshness czech
tiptoe freshness czech --html freshness.html
tiptoe freshness czech --json > freshness.json
```
"""

REPAIR_HELP = """Read everything a crawl has written, repair what can be, and say what is lost.

The crawl must not run. The database is saved as far as it can be read, damaged records are taken out of the
files, indexes are made anew. The next `tiptoe crawl` asks again for pages whose texts or answers are lost.
"""

REPAIR_EXAMPLES = """For example:
```
tiptoe repair czech
tiptoe repair czech --check        # change nothing; exit code 1: something is damaged
tiptoe repair czech --lost         # finished files that are not there were not moved: they are lost
```
"""

SIMULATE_HELP = """Try the strategies of revisiting in virtual time, on pages whose every change is known.

Prints how fresh each strategy keeps them, beside the figures of the thesis of the Brno crawler and the best
that is possible. Touches no crawl and no net. Exit code 0: everything that is to hold does, 1: something
does not.
"""

SIMULATE_EXAMPLES = """For example:
```
tiptoe simulate revisit --experiment server
tiptoe simulate revisit --experiment poisson --pages 10000
tiptoe simulate revisit --out plots                      # all of them: some minutes
tiptoe simulate revisit --experiment hosts --format json
```
"""


def _said_default(value: object) -> str | None:
    """Return a default as help tells it; what is off, empty or not there unless given needs no words."""
    return None if value is None or value is False or value == "" else str(value)


app = App(
    name="tiptoe",
    version=__version__,
    help="A quiet web crawler for people who build text corpora.",
    help_epilogue="`tiptoe rehearse` is a good start: it touches no foreign host.",
    help_format="markdown",
    default_parameter=Parameter(show_default=_said_default),
)

_places = itertools.count()  # commands are listed in the order in which they are offered


def _offer(
    group: Group | None, name: str, target: str, help: str, examples: str = "", *, under: App = app
) -> None:
    # Commands are named by path, so that each starts without importing the others.
    under.command(
        f"tiptoe.cli.{target}", name=name, help=help, help_epilogue=examples, group=group,
        sort_key=next(_places),
    )  # fmt: skip


def _offer_several(group: Group, name: str, help: str) -> App:
    several = App(
        name=name, help=help, group=group, help_format="markdown", version_flags=(), help_epilogue="",
        sort_key=next(_places),
    )  # fmt: skip
    app.command(several)
    return several


_work = Group.create_ordered("Crawl")
_offer(_work, "crawl", "crawl:crawl_command", CRAWL_HELP, CRAWL_EXAMPLES)
_offer(_work, "convert", "convert:convert_command", CONVERT_HELP, CONVERT_EXAMPLES)
_offer(_work, "repair", "repair:repair_command", REPAIR_HELP, REPAIR_EXAMPLES)
_offer(_work, "rehearse", "rehearse:rehearse_command", REHEARSE_HELP, REHEARSE_EXAMPLES)

_running = Group.create_ordered("A word with a running crawl")
_offer(_running, "status", "control:status", "Show the figures of a running crawl.", STATUS_EXAMPLES)
_offer(_running, "pause", "control:pause", "Make no further request until `tiptoe resume`.", PAUSE_EXAMPLES)
_offer(_running, "resume", "control:resume", "Go on after `tiptoe pause`.", PAUSE_EXAMPLES)
_offer(
    _running,
    "block",
    "control:block",
    "Ask nothing more of a host or IP address, from this moment on.",
    BLOCK_EXAMPLES,
)
_offer(
    _running, "unblock", "control:unblock", "Let a blocked host or IP address be asked again.", BLOCK_EXAMPLES
)
_offer(
    _running,
    "slow",
    "control:slow",
    "Ask a host or IP address more rarely, from this moment on.",
    SLOW_EXAMPLES,
)
_offer(
    _running,
    "stop",
    "control:stop",
    "Stop a running crawl cleanly; the next `tiptoe crawl` goes on.",
    STOP_EXAMPLES,
)

_after = Group.create_ordered("What it has brought, and how")
_offer(_after, "stats", "stats:stats_command", STATS_HELP, STATS_EXAMPLES)
_offer(_after, "export", "export:export_command", EXPORT_HELP, EXPORT_EXAMPLES)
_offer(_after, "freshness", "freshness:freshness_command", FRESHNESS_HELP, FRESHNESS_EXAMPLES)
_offer(_after, "history", "history:history_command", HISTORY_HELP, HISTORY_EXAMPLES)
_offer(_after, "audit", "audit:audit_command", AUDIT_HELP, AUDIT_EXAMPLES)

_segmenter = _offer_several(_after, "segmenter", "Say how usable texts are: as a service, or later.")
_offer(
    None, "serve", "segmenter:serve_command", "Run the built-in segmenter as a service until it is stopped.",
    SERVE_EXAMPLES, under=_segmenter,
)  # fmt: skip
_offer(
    None, "catch-up", "segmenter:catch_up_command", CATCH_UP_HELP, CATCH_UP_EXAMPLES, under=_segmenter
)  # fmt: skip

_before = Group.create_ordered("Before you start")
_offer(
    _before,
    "config",
    "config:config_command",
    "Print every setting, its value and who set it, also for a crawl.",
    CONFIG_EXAMPLES,
)
_offer(
    _before,
    "botpage",
    "botpage:botpage_command",
    "Write the information page for webmasters.",
    BOTPAGE_EXAMPLES,
)

_check = _offer_several(_before, "check", "Check whether a service of your own keeps its contract.")
_offer(
    None, "segmenter", "segmenter:check_segmenter_command", CHECK_SEGMENTER_HELP, CHECK_SEGMENTER_EXAMPLES,
    under=_check,
)  # fmt: skip

_simulate = _offer_several(_before, "simulate", "Try strategies in virtual time: a year takes seconds.")
_offer(
    None, "revisit", "simulate:simulate_revisit_command", SIMULATE_HELP, SIMULATE_EXAMPLES, under=_simulate
)  # fmt: skip

app["--help"].group = app["--version"].group = (Group.create_ordered("Options"),)


def main() -> None:
    """Run the command line; our own faults are messages, not tracebacks."""
    _speak_unicode()
    try:
        try:
            code = _run()
        finally:
            sys.stdout.flush()  # here a reader that has gone can still be met
    except BrokenPipeError:
        look_away()
        code = Exit.UNREAD
    sys.exit(code)


def _run() -> int:
    """Run the command; return its exit code."""
    try:
        code: int | None = app(
            sys.argv[1:], console=Printer(narrow=True), result_action="return_value",
            print_error=False, exit_on_error=False,
        )  # fmt: skip
        return code or 0
    except CrawlerError as error:
        return _complain(str(error))
    except CycloptsError as error:
        return _complain(_mistake(error))
    except KeyboardInterrupt:
        return Exit.INTERRUPTED
    except BrokenPipeError:
        raise
    except OSError as error:
        # A file that may not be read, a disk that is full: the operator can help. The rest is for us.
        if error.filename is None and error.errno not in (errno.ENOSPC, errno.EDQUOT):
            raise
        where = f"{os.fsdecode(error.filename)}: " if error.filename is not None else ""
        return _complain(f"{where}{error.strerror}")


def _mistake(error: CycloptsError) -> str:
    """Return what is wrong with a command line, and where to look it up."""
    said = str(error).partition(" Available commands")[0].rstrip(".")
    if isinstance(error, MissingArgumentError) and error.argument is not None and not error.tokens_so_far:
        name = error.argument.name
        said = f"{name.lstrip('-').upper() if error.argument.field_info.is_positional else name} is missing"
    link = " " if said.endswith("?") else "; "
    return f"{said}{link}`{' '.join(['tiptoe', *(error.command_chain or ())])} --help` explains"


def _complain(message: str) -> int:
    printer = Printer(file=sys.stderr, highlight=False)
    printer.print(f"[bold red]tiptoe:[/bold red] {escape(message)}", soft_wrap=True)
    return Exit.MISTAKEN


def _speak_unicode() -> None:
    """Write UTF-8 into files and pipes, and to a terminal what it can show: no text is worth a traceback."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            encoding = stream.encoding if stream.isatty() else "utf-8"
            stream.reconfigure(encoding=encoding, errors="backslashreplace")
