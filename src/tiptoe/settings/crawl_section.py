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
        help="Settings that belong together, under all that is given otherwise. corpus: usable text. "
        "archive: everything is kept and followed. site: the sites of the seeds, whole. watch: pages are "
        "kept fresh. `tiptoe config --profiles` tells what each of them sets.",
    )
    contact: str = text(
        "", each=form.be_contact, option="--contact",
        help="Web or mail address of whoever answers for the crawl, sent with every request; "
        "no crawl starts without it.",
    )
    name: str = text(
        "tiptoe", each=form.be_product_token, option="--name",
        fixed="robots.txt files were read for this name, and the files of the crawl bear it",
        help="Name of the robot in the User-Agent; robots.txt rules for this name are obeyed.",
    )
    out: str = text(
        "crawl", each=form.be_not_empty, option="--out", is_remembered=False,
        help="Directory of the crawl: its state and all it writes. The same directory continues the crawl.",
    )
    seeds: tuple[str, ...] = words(
        option="--seed", is_remembered=False,
        help="Where to start: addresses, or files of addresses separated by spaces or lines; - is the "
        "standard input. http:// may be left out.",
    )
    sitemaps: tuple[str, ...] = words(
        option="--sitemap", is_remembered=False,
        help="Sitemaps to start from, as addresses or files of addresses: only what sitemaps name is asked "
        "for then, unless scope.follow says otherwise.",
    )
    max_pages: int = count(
        0, unit="pages", zero="unlimited", option="--max-pages", live=True,
        help="The crawl ends after this many pages.",
    )
    max_bytes: int = size(
        0, zero="unlimited", option="--max-bytes", live=True,
        help="The crawl ends after this many bytes have been received.",
    )
    max_seconds: float = duration(
        0, zero="unlimited", option="--max-seconds", live=True,
        help="The crawl ends after this long, pauses of the process not counted.",
    )
    pages_per_host: int = count(
        0, unit="pages", zero="unlimited", option="--pages-per-host",
        help="No more pages than this are asked of one host.",
    )
    on_end: str = choice(
        "quit", "quit", "idle", "watch", "loop", "again", option="--on-end", live=True,
        help="What happens when nothing is left to ask for. quit: the crawl ends. idle: it stays, for new "
        "seeds, revisits and commands, until it is stopped. watch: it waits for pages to be due again (see "
        "revisit.strategy), and ends when no page is watched and no host is to be tried again. loop: every "
        "page is visited again, round after round. again: it forgets what it has met and starts from its "
        "seeds.",
    )
    on_end_command: str = text(
        "", each=form.be_command, option="--on-end-command", is_local=True,
        help="Program with its arguments, run when nothing is left to ask for or the run ends, before what "
        "on_end says; the figures of `tiptoe status --json` come on its standard input. No shell reads it.",
    )
    on_end_seconds: float = duration(
        "10m", at_least="1s", at_most="24h", is_local=True,
        help="The command is ended after this long, with all that it has started.",
    )
    export: str = choice(
        "none", "none", "jsonl", "parquet", "duckdb", "vertical", "txt", "wacz", "site", option="--export",
        help="What is made of a crawl that has ended, by itself or at a limit: an export of this form, in "
        "the folder export of its directory. `tiptoe export` has further choices.",
    )
    schedule: tuple[str, ...] = phrases(
        each=be_hours, option="--schedule", live=True,
        help="When requests are made: days, hours or both, such as mon-fri 22:00-06:00; on a command line "
        "several are separated by semicolons. At other times the crawl pauses. None means always.",
    )
    time_zone: str = text(
        "", each=be_time_zone, live=True,
        help="Time zone of schedule, such as Europe/Prague; empty: that of the machine.",
    )
    downlist: str = text(
        "", option="--downlist", is_remembered=False,
        help="File of addresses that are already downloaded and not to be fetched again.",
    )
    claims: bool = flag(
        False, option="--claims",
        help="Ask only for what an exchange of lists has left to this robot, so that robots that share no "
        "cluster download nothing twice: see `tiptoe downlist`. Nothing is asked before the first exchange.",
    )
    background: bool = flag(
        False, option="--background", is_remembered=False,
        help="Go on after logout, and print to log/console.log; `tiptoe stop` ends the crawl.",
    )
    rehearsal: bool = flag(
        False, fixed="a rehearsal and a real crawl do not mix",
        help="Allow delays below the floor. Accepted only when nothing but this machine (loopback) or "
        "198.18.0.0/15 can be reached: see fetch.proxy and fetch.allow_networks.",
    )
