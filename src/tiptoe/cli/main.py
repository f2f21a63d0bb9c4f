"""`tiptoe`: the command and its parts."""

import os
import sys

from cyclopts import App
from rich.console import Console
from rich.markup import escape

from tiptoe import __version__
from tiptoe.errors import CrawlerError

__all__ = ["app", "main"]

app = App(
    name="tiptoe",
    version=__version__,
    help="A quiet web crawler for people who build text corpora.",
)
# Commands are named by path, so that each starts without importing the others.
app.command(
    "tiptoe.cli.crawl:crawl_command",
    name="crawl",
    help="Crawl politely from seeds, or go on with an earlier crawl.",
)
app.command(
    "tiptoe.cli.rehearse:rehearse_command",
    name="rehearse",
    help="Try a configuration on a simulated web, without touching the net.",
)
app.command("tiptoe.cli.control:status", name="status", help="Show the figures of a running crawl.")
app.command("tiptoe.cli.control:pause", name="pause", help="Make no further request until `resume`.")
app.command("tiptoe.cli.control:resume", name="resume", help="Go on after `pause`.")
app.command("tiptoe.cli.control:block", name="block", help="Ask nothing more of a host or address, at once.")
app.command(
    "tiptoe.cli.control:unblock", name="unblock", help="Let a blocked host or address be asked again."
)
app.command("tiptoe.cli.control:slow", name="slow", help="Ask a host or address more rarely, at once.")
app.command("tiptoe.cli.control:stop", name="stop", help="Stop a running crawl cleanly.")
app.command(
    "tiptoe.cli.config:config_command",
    name="config",
    help="Print every setting, its value and where it came from.",
)
app.command(
    "tiptoe.cli.botpage:botpage_command", name="botpage", help="Write the information page for webmasters."
)


def main() -> None:
    """Run the command line; our own faults are messages, not tracebacks."""
    try:
        sys.exit(app())
    except CrawlerError as error:
        Console(stderr=True).print(
            f"[bold red]tiptoe:[/bold red] {escape(str(error))}", highlight=False, soft_wrap=True
        )
        sys.exit(2)
    except BrokenPipeError:
        # The reader of our output has gone, as with `| head`.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(0)
