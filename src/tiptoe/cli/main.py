"""`tiptoe`: the command and its parts."""

import errno
import gc
import io
import itertools
import os
import sys
from collections.abc import Mapping
from typing import Any, Final

from cyclopts import App, CycloptsError, Group, Parameter
from rich.markup import escape

from tiptoe import __version__
from tiptoe.cli import catalog_helptexts, cluster_helptexts, control_helptexts, helptexts
from tiptoe.cli.exits import Exit
from tiptoe.cli.fitted_examples import fitted_examples
from tiptoe.cli.mistakes import mistake_message
from tiptoe.cli.printer import Printer, look_away
from tiptoe.errors import CrawlerError

__all__ = ["app", "main"]

COLLECTED_OBJECTS: Final = 10_000
"""Number of new objects after which Python looks for cycles. Its default, 700, means going through the same
modules again and again while a command is imported."""

HELP_FLAGS: Final = frozenset({"--help", "-h"})


def _default_text(value: object) -> str | None:
    """Return a default as help shows it; nothing for what is off, empty or absent by default."""
    return None if value is None or value is False or value in ("", ()) else str(value)


app = App(
    name="tiptoe",
    version=__version__,
    help="A quiet web crawler for people who build text corpora.",
    help_epilogue="`tiptoe rehearse` is a good start: it contacts no other machine.",
    help_format="markdown",
    default_parameter=Parameter(show_default=_default_text, negative_bool=(), negative_iterable=()),
)

# Commands are named by import path, so that each starts without importing the others. Help lists them in
# this order.
COMMANDS: Final[Mapping[str, Mapping[str, str]]] = {
    "Crawl": {
        "crawl": "crawl_command:crawl_command",
        "convert": "convert_command:convert_command",
        "read": "read_command:read_command",
        "repair": "repair_command:repair_command",
        "forget": "forget_command:forget_command",
        "rehearse": "rehearse_command:rehearse_command",
    },
    "A running crawl": {
        "status": "control_commands:status",
        "why": "why_command:why_command",
        "pause": "control_commands:pause",
        "resume": "control_commands:resume",
        "block": "control_commands:block",
        "unblock": "control_commands:unblock",
        "slow": "control_commands:slow",
        "set": "control_commands:set_",
        "stop": "control_commands:stop",
    },
    "In the browser": {
        "control": "",
        "control serve": "control_serve_command:serve_control_command",
        "control crawls": "control_client_commands:crawls_command",
        "control status": "control_client_commands:show_command",
        "control start": "control_client_commands:start_command",
        "control stop": "control_client_commands:stop_command",
        "control pause": "control_client_commands:pause_command",
        "control resume": "control_client_commands:resume_command",
        "control block": "control_client_commands:block_command",
        "control unblock": "control_client_commands:unblock_command",
        "control slow": "control_client_commands:slow_command",
        "control set": "control_client_commands:set_command",
        "control call": "control_client_commands:call_command",
        "control robots": "control_robot_commands:robots_command",
        "control command": "control_robot_commands:command_command",
        "robot": "robot_command:robot_command",
    },
    "Many machines": {
        "cluster": "",
        "cluster try": "cluster_try_command:try_command",
        "cluster status": "cluster_commands:status_command",
        "cluster agents": "cluster_commands:agents_command",
        "cluster gather": "cluster_gather_command:gather_command",
        "cluster share": "cluster_gather_command:share_command",
        "cluster commands": "cluster_commands:commands_command",
        "cluster drain": "cluster_commands:drain_command",
        "cluster stop": "cluster_commands:stop_command",
        "cluster lost": "cluster_commands:lost_command",
        "cluster remove": "cluster_commands:remove_command",
        "cluster import": "cluster_transfer_commands:import_command",
        "cluster export": "cluster_transfer_commands:export_command",
        "cluster server": "cluster_server_command:server_command",
        "cluster add-user": "cluster_user_commands:add_user_command",
        "cluster remove-user": "cluster_user_commands:remove_user_command",
        "cluster users": "cluster_user_commands:users_command",
    },
    "Robots that share nothing": {
        "downlist": "",
        "downlist export": "downlist_command:export_command",
        "downlist merge": "downlist_command:merge_command",
        "downlist apply": "downlist_command:apply_command",
        "downlist exchange": "downlist_command:exchange_command",
    },
    "Results": {
        "stats": "stats_command:stats_command",
        "export": "export_command:export_command",
        "freshness": "freshness_command:freshness_command",
        "history": "history_command:history_command",
        "audit": "audit_command:audit_command",
        "search": "search_command:search_command",
        "catalog": "",
        "catalog build": "catalog_commands:build_command",
        "catalog export": "catalog_commands:export_descriptions_command",
        "catalog import": "catalog_commands:import_descriptions_command",
        "segmenter": "",
        "segmenter serve": "segmenter_command:serve_command",
        "segmenter catch-up": "segmenter_command:catch_up_command",
    },
    "Before you start": {
        "config": "config_command:config_command",
        "scope": "",
        "scope explain": "scope_command:explain_command",
        "botpage": "botpage_command:botpage_command",
        "filters": "",
        "filters new": "filters_command:new_command",
        "filters check": "filters_command:check_command",
        "filters explain": "filters_explain_command:explain_filters_command",
        "filters import": "filters_command:import_command",
        "filters export": "filters_command:export_filters_command",
        "fields": "",
        "fields check": "fields_command:check_fields_command",
        "fields try": "fields_command:try_fields_command",
        "check": "",
        "check segmenter": "segmenter_command:check_segmenter_command",
        "simulate": "",
        "simulate revisit": "simulate_command:simulate_revisit_command",
        "completion": "completion_command:completion_command",
        "manual": "manual_command:manual_command",
    },
}
"""Where each command is implemented, by group (empty: it only has subcommands); `TEXTS` say what it does."""

TEXTS: Final = (helptexts, control_helptexts, cluster_helptexts, catalog_helptexts)


def _offer_all() -> None:
    place = itertools.count()
    helps = {words: help for texts in TEXTS for words, help in texts.HELP.items()}
    examples = {words: shown for texts in TEXTS for words, shown in texts.EXAMPLES.items()}
    for title, commands in COMMANDS.items():
        group = Group.create_ordered(title)
        for words, target in commands.items():
            *parents, name = words.split()
            under = app[parents[0]] if parents else app
            listed: dict[str, Any] = {"group": None if parents else group, "sort_key": next(place)}
            if target:
                shown = fitted_examples(examples.get(words, ""))
                path = f"tiptoe.cli.{target}"
                under.command(path, name=name, help=helps[words], help_epilogue=shown, **listed)
            else:
                form: dict[str, Any] = {"help_format": "markdown", "version_flags": (), "help_epilogue": ""}
                app.command(App(name=name, help=helps[words], **form, **listed))


_offer_all()
app["--help"].group = app["--version"].group = (Group.create_ordered("Options"),)


def main() -> None:
    """Run the command line; print our own errors as messages, not tracebacks."""
    gc.set_threshold(COLLECTED_OBJECTS)
    _speak_unicode()
    try:
        try:
            code = _run()
        finally:
            sys.stdout.flush()  # a reader that has gone is noticed here, where it can still be handled
    except BrokenPipeError:
        look_away()
        code = Exit.UNREAD
    sys.exit(code)


def _run() -> int:
    """Run the command; return its exit code."""
    words = sys.argv[1:]
    if words[:1] == ["help"]:  # as with git
        words = [*words[1:], "--help"]
    try:
        if HELP_FLAGS.intersection(words):
            _name_arguments(words)
        code: int | None = app(
            words, console=Printer(narrow=True), result_action="return_value",
            print_error=False, exit_on_error=False,
        )  # fmt: skip
        return code or 0
    except CrawlerError as error:
        return _complain(str(error))
    except CycloptsError as error:
        return _complain(mistake_message(error))
    except KeyboardInterrupt:
        return Exit.INTERRUPTED
    except BrokenPipeError:
        raise
    except OSError as error:
        # The operator can do something about an unreadable file or a full disk. Other errors are our bugs.
        if error.filename is None and error.errno not in (errno.ENOSPC, errno.EDQUOT):
            raise
        if error.filename is None:
            return _complain("the disk is full (or a quota is used up); make room, then repeat the command")
        return _complain(f"{os.fsdecode(error.filename)}: {error.strerror}")


def _name_arguments(given: list[str]) -> None:
    """Make the help of a command name each of its arguments instead of `[ARGS]`."""
    from tiptoe.cli.command_tree import declared_usage  # only help needs it

    words, apps, _ = app.parse_commands([word for word in given if word not in HELP_FLAGS])
    apps[-1].usage = f"Usage: {declared_usage(app, words)}"


def _complain(message: str) -> int:
    printer = Printer(file=sys.stderr, highlight=False)
    printer.print(f"[bold red]tiptoe:[/bold red] {escape(message)}", soft_wrap=True)
    return Exit.MISTAKEN


def _speak_unicode() -> None:
    """Write UTF-8 to files and pipes, and what it can show to a terminal: no text may cause a traceback."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            encoding = stream.encoding if stream.isatty() else "utf-8"
            stream.reconfigure(encoding=encoding, errors="backslashreplace")
