"""What is crawled, by whom, when, and what follows?"""

from dataclasses import dataclass

from tiptoe.settings import form
from tiptoe.settings.opening_hours import be_hours, be_time_zone
from tiptoe.settings.setting import choice, count, duration, flag, phrases, size, text, words

# One argument a line would stretch these tables over twice their length.
# fmt: off

__all__ = ["CrawlSettings"]


@dataclass(frozen=True, slots=True, kw_only=True)
class CrawlSettings:
    """What is crawled, by whom, and when it ends."""

    profile: str = choice(
        "corpus", "corpus", "archive", "site", "watch", option="--profile",
        help="Set of defaults for a common purpose; anything else you give overrides it. corpus: usable "
        "text. archive: everything is kept and followed. site: the whole sites of the seeds. watch: pages "
        "are kept fresh. `tiptoe config --profiles` shows what each of them sets.",
    )
    contact: str = text(
        "", each=form.be_contact, option="--contact",
        help="Web or mail address of the person responsible for the crawl, sent with every request; no crawl "
        "starts without it.",
    )
    name: str = text(
        "tiptoe", each=form.be_product_token, option="--name",
        fixed="robots.txt files were read for this name, and the files of the crawl bear it",
        help="Name of the robot in the User-Agent; robots.txt rules for this name are obeyed.",
    )
    out: str = text(
        "crawl", each=form.be_not_empty, option="--out", is_remembered=False,
        help="Directory of the crawl, for its state and everything it writes. Name it again to continue the "
        "crawl.",
    )
    seeds: tuple[str, ...] = words(
        option="--seed", is_remembered=False,
        help="Where to start: addresses, or files of addresses separated by spaces or line breaks; - is "
        "standard input. http:// may be left out.",
    )
    sitemaps: tuple[str, ...] = words(
        option="--sitemap", is_remembered=False,
        help="Sitemaps to start from, as addresses or files of addresses; then only addresses listed in "
        "sitemaps are requested, unless scope.follow says otherwise.",
    )
    max_pages: int = count(
        0, unit="pages", zero="unlimited", at_least=1, option="--max-pages", live=True,
        help="The crawl ends after this many pages.",
    )
    max_bytes: int = size(
        0, zero="unlimited", at_least=1, option="--max-bytes", live=True,
        help="The crawl ends after this many bytes have been received.",
    )
    max_seconds: float = duration(
        0, zero="unlimited", at_least="1ms", option="--max-seconds", live=True,
        help="A run ends after this long, not counting time in which the process is suspended.",
    )
    pages_per_host: int = count(
        0, unit="pages", zero="unlimited", at_least=1, option="--pages-per-host",
        help="Most pages that are requested from one host.",
    )
    on_end: str = choice(
        "quit", "quit", "idle", "watch", "loop", "again", option="--on-end", live=True,
        help="What happens when nothing is left to request. quit: the crawl ends. idle: it waits for new "
        "seeds, revisits and commands until it is stopped. watch: it waits for pages to be due again (see "
        "revisit.strategy), and ends when no page is watched and no host is to be tried again. loop: every "
        "page is visited again, round after round. again: it forgets what it has found and starts from its "
        "seeds.",
    )
    on_end_command: str = text(
        "", each=form.be_command, option="--on-end-command", is_local=True,
        help="Program with its arguments, run when nothing is left to request or the run ends, before what "
        "on_end says; it gets the figures of `tiptoe status --json` on its standard input. It is run "
        "without a shell.",
    )
    on_end_seconds: float = duration(
        "10m", at_least="1s", at_most="24h", is_local=True,
        help="The command is killed after this long, with all processes it has started.",
    )
    export: str = choice(
        "none", "none", "jsonl", "parquet", "duckdb", "vertical", "txt", "wacz", "site", option="--export",
        help="Export the results in this format, to the folder export of the crawl, when nothing is left to "
        "request or a limit is reached. `tiptoe export` has more options.",
    )
    schedule: tuple[str, ...] = phrases(
        each=be_hours, option="--schedule", live=True,
        help="When requests are made: days, hours or both, such as mon-fri 22:00-06:00; on the command line, "
        "separate several by semicolons. At other times the crawl pauses. None means always.",
    )
    time_zone: str = text(
        "", each=be_time_zone, live=True,
        help="Time zone of the schedule, such as Europe/Prague; empty: that of the machine.",
    )
    downlist: str = text(
        "", option="--downlist", is_remembered=False,
        help="File of addresses that were already downloaded and are not to be fetched again.",
    )
    claims: bool = flag(
        False, option="--claims",
        help="Request only what an exchange of lists has assigned to this robot, so that robots outside a "
        "cluster download nothing twice: see `tiptoe downlist`. Nothing is requested before the first "
        "exchange.",
    )
    background: bool = flag(
        False, option="--background", is_remembered=False,
        help="Keep running after logout, and print to log/console.log; `tiptoe stop` ends the crawl.",
    )
    rehearsal: bool = flag(
        False, fixed="a rehearsal and a real crawl do not mix",
        help="Allow delays below the floor. Accepted only when nothing but this machine (loopback) or "
        "198.18.0.0/15 can be reached: see fetch.proxy and fetch.allow_networks.",
    )
