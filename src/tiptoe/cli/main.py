"""`tiptoe`: the command and its parts."""

import errno
import gc
import io
import itertools
import os
import sys
from collections.abc import Mapping
from typing import Any, Final

from cyclopts import App, CycloptsError, Group, MissingArgumentError, Parameter, UnknownOptionError
from rich.markup import escape

from tiptoe import __version__
from tiptoe.cli import catalog_helptexts as catalog_texts
from tiptoe.cli import cluster_helptexts as cluster_texts
from tiptoe.cli import control_helptexts as control_texts
from tiptoe.cli import helptexts as texts
from tiptoe.cli.exits import Exit
from tiptoe.cli.fitted_examples import fitted_examples
from tiptoe.cli.foreign_options import foreign_option_said
from tiptoe.cli.printer import Printer, look_away
from tiptoe.errors import CrawlerError

__all__ = ["app", "main"]

COLLECTED_OBJECTS: Final = 10_000
"""New objects after which cycles are looked for; Python does so after 700, which while a command is imported
means to look through the same modules again and again."""

HELP_FLAGS: Final = frozenset({"--help", "-h"})
LETTER_CHARS: Final = len("-x")


def _said_default(value: object) -> str | None:
    """Return a default as help tells it; what is off, empty or not there unless given needs no words."""
    return None if value is None or value is False or value in ("", ()) else str(value)


app = App(
    name="tiptoe",
    version=__version__,
    help="A quiet web crawler for people who build text corpora.",
    help_epilogue="`tiptoe rehearse` is a good start: it contacts no other machine.",
    help_format="markdown",
    default_parameter=Parameter(show_default=_said_default, negative_bool=(), negative_iterable=()),
)

# Commands are named by path, so that each starts without importing the others. They are listed in this order.
# fmt: off
COMMANDS: Final[Mapping[str, Mapping[str, tuple[str, str, str]]]] = {
    "Crawl": {
        "crawl": ("crawl_command:crawl_command", texts.CRAWL_HELP, texts.CRAWL_EXAMPLES),
        "convert": ("convert_command:convert_command", texts.CONVERT_HELP, texts.CONVERT_EXAMPLES),
        "read": ("read_command:read_command", texts.READ_HELP, texts.READ_EXAMPLES),
        "repair": ("repair_command:repair_command", texts.REPAIR_HELP, texts.REPAIR_EXAMPLES),
        "forget": ("forget_command:forget_command",
                   texts.FORGET_HELP, texts.FORGET_EXAMPLES),
        "rehearse": ("rehearse_command:rehearse_command", texts.REHEARSE_HELP, texts.REHEARSE_EXAMPLES),
    },
    "A running crawl": {
        "status": ("control_commands:status",
                   "Show the figures of a running crawl.", texts.STATUS_EXAMPLES),
        "why": ("why_command:why_command", texts.WHY_HELP, texts.WHY_EXAMPLES),
        "pause": ("control_commands:pause",
                  "Make no more requests until `tiptoe resume`.", texts.PAUSE_EXAMPLES),
        "resume": ("control_commands:resume", "Continue after `tiptoe pause`.", texts.PAUSE_EXAMPLES),
        "block": ("control_commands:block",
                  "Make no more requests to a host or IP address, from now on.", texts.BLOCK_EXAMPLES),
        "unblock": ("control_commands:unblock",
                    "Allow requests to a blocked host or IP address again.", texts.BLOCK_EXAMPLES),
        "slow": ("control_commands:slow",
                 "Make requests to a host or IP address less often, from now on.", texts.SLOW_EXAMPLES),
        "set": ("control_commands:set_", texts.SET_HELP, texts.SET_EXAMPLES),
        "stop": ("control_commands:stop",
                 "Stop a running crawl cleanly; the next `tiptoe crawl` continues it.",
                 texts.STOP_EXAMPLES),
    },
    "In the browser": {
        "control": ("", "Run crawls from one place, in the browser.", ""),
        "control serve": ("control_serve_command:serve_control_command",
                          control_texts.CONTROL_SERVE_HELP, control_texts.CONTROL_SERVE_EXAMPLES),
        "control crawls": ("control_client_commands:crawls_command",
                           "List all crawls of a control server.", control_texts.CONTROL_CRAWLS_EXAMPLES),
        "control status": ("control_client_commands:show_command",
                           "Show the state of a crawl on a control server.", ""),
        "control start": ("control_client_commands:start_command",
                          "Start or continue a crawl on a control server.", ""),
        "control stop": ("control_client_commands:stop_command",
                         "Stop a crawl on a control server cleanly.", ""),
        "control pause": ("control_client_commands:pause_command", "Pause a crawl on a control server.", ""),
        "control resume": ("control_client_commands:resume_command", "Continue a paused crawl.", ""),
        "control block": ("control_client_commands:block_command",
                          "Make a crawl send no more requests to a host or address.", ""),
        "control unblock": ("control_client_commands:unblock_command",
                            "Let a crawl send requests to a blocked host or address again.", ""),
        "control slow": ("control_client_commands:slow_command",
                         "Make a crawl send requests to a host or address less often.", ""),
        "control set": ("control_client_commands:set_command",
                        "Change live settings of a running crawl on a control server.", ""),
        "control call": ("control_client_commands:call_command",
                         "Call any operation of the API, and print the answer.",
                         control_texts.CONTROL_CALL_EXAMPLES),
        "control robots": ("control_robot_commands:robots_command",
                           "List the robots of a control server.", control_texts.CONTROL_ROBOTS_EXAMPLES),
        "control command": ("control_robot_commands:command_command",
                            control_texts.CONTROL_COMMAND_HELP, control_texts.CONTROL_COMMAND_EXAMPLES),
        "robot": ("robot_command:robot_command", control_texts.ROBOT_HELP, control_texts.ROBOT_EXAMPLES),
    },
    "Many machines": {
        "cluster": ("", "Share a crawl among many machines.", ""),
        "cluster try": ("cluster_try_command:try_command",
                        "Try a whole cluster on this machine, on a simulated web.",
                        cluster_texts.CLUSTER_TRY_EXAMPLES),
        "cluster status": ("cluster_commands:status_command",
                           "Show the state of a crawl on many machines.",
                           cluster_texts.CLUSTER_STATUS_EXAMPLES),
        "cluster agents": ("cluster_commands:agents_command",
                           "List the members of a crawl, and what each of them holds.", ""),
        "cluster gather": ("cluster_gather_command:gather_command",
                           "Copy new files of the other members to DIR/members.",
                           cluster_texts.CLUSTER_GATHER_EXAMPLES),
        "cluster share": ("cluster_gather_command:share_command",
                          "Let other members read the files of one that has stopped.", ""),
        "cluster commands": ("cluster_commands:commands_command",
                             "List the commands that were given to a crawl.", ""),
        "cluster drain": ("cluster_commands:drain_command",
                          "Make one member hand its part of the crawl over to the others and end.",
                          cluster_texts.CLUSTER_DRAIN_EXAMPLES),
        "cluster stop": ("cluster_commands:stop_command",
                         "Stop the whole crawl: all members end cleanly.", ""),
        "cluster lost": ("cluster_commands:lost_command",
                         "Request pages again that were on the disk of a lost member.",
                         cluster_texts.CLUSTER_LOST_EXAMPLES),
        "cluster remove": ("cluster_commands:remove_command",
                           "Delete a crawl from the servers.", cluster_texts.CLUSTER_REMOVE_EXAMPLES),
        "cluster import": ("cluster_transfer_commands:import_command",
                           cluster_texts.CLUSTER_IMPORT_HELP, cluster_texts.CLUSTER_IMPORT_EXAMPLES),
        "cluster export": ("cluster_transfer_commands:export_command",
                           cluster_texts.CLUSTER_EXPORT_HELP, cluster_texts.CLUSTER_EXPORT_EXAMPLES),
        "cluster server": ("cluster_server_command:server_command",
                           cluster_texts.CLUSTER_SERVER_HELP, cluster_texts.CLUSTER_SERVER_EXAMPLES),
        "cluster add-user": ("cluster_user_commands:add_user_command",
                             "Give somebody access to the crawls of a cluster, or to only one of them.",
                             cluster_texts.CLUSTER_USER_EXAMPLES),
        "cluster remove-user": ("cluster_user_commands:remove_user_command",
                                "Withdraw somebody's access; open connections are closed.",
                                cluster_texts.CLUSTER_USER_EXAMPLES),
        "cluster users": ("cluster_user_commands:users_command",
                          "List who has access, and to which crawl.", ""),
    },
    "Robots that share nothing": {
        "downlist": ("", "Keep robots from downloading the same pages.", ""),
        "downlist export": ("downlist_command:export_command",
                            texts.DOWNLIST_EXPORT_HELP, texts.DOWNLIST_EXAMPLES),
        "downlist merge": ("downlist_command:merge_command",
                           texts.DOWNLIST_MERGE_HELP, texts.DOWNLIST_EXAMPLES),
        "downlist apply": ("downlist_command:apply_command",
                           texts.DOWNLIST_APPLY_HELP, texts.DOWNLIST_EXAMPLES),
        "downlist exchange": ("downlist_command:exchange_command",
                              "Exchange the lists of crawls on one machine: export, merge and apply.",
                              texts.DOWNLIST_EXCHANGE_EXAMPLES),
    },
    "Results": {
        "stats": ("stats_command:stats_command", texts.STATS_HELP, texts.STATS_EXAMPLES),
        "export": ("export_command:export_command", texts.EXPORT_HELP, texts.EXPORT_EXAMPLES),
        "freshness": ("freshness_command:freshness_command", texts.FRESHNESS_HELP, texts.FRESHNESS_EXAMPLES),
        "history": ("history_command:history_command", texts.HISTORY_HELP, texts.HISTORY_EXAMPLES),
        "audit": ("audit_command:audit_command", texts.AUDIT_HELP, texts.AUDIT_EXAMPLES),
        "search": ("search_command:search_command", catalog_texts.SEARCH_HELP, catalog_texts.SEARCH_EXAMPLES),
        "catalog": ("", "Make the pages of a crawl searchable.", ""),
        "catalog build": ("catalog_commands:build_command",
                          catalog_texts.CATALOG_BUILD_HELP, catalog_texts.CATALOG_BUILD_EXAMPLES),
        "catalog export": ("catalog_commands:export_descriptions_command",
                           catalog_texts.CATALOG_EXPORT_HELP, catalog_texts.CATALOG_EXPORT_EXAMPLES),
        "catalog import": ("catalog_commands:import_descriptions_command",
                           catalog_texts.CATALOG_IMPORT_HELP, catalog_texts.CATALOG_IMPORT_EXAMPLES),
        "segmenter": ("", "Rate how usable texts are, telling running text from lists and debris.", ""),
        "segmenter serve": ("segmenter_command:serve_command",
                            "Run the built-in segmenter as a service until it is stopped.",
                            texts.SERVE_EXAMPLES),
        "segmenter catch-up": ("segmenter_command:catch_up_command",
                               texts.CATCH_UP_HELP, texts.CATCH_UP_EXAMPLES),
    },
    "Before you start": {
        "config": ("config_command:config_command",
                   "Print every setting, its value and where it was set.", texts.CONFIG_EXAMPLES),
        "scope": ("", "Check which addresses belong to a crawl.", ""),
        "scope explain": ("scope_command:explain_command",
                          texts.SCOPE_EXPLAIN_HELP, texts.SCOPE_EXPLAIN_EXAMPLES),
        "botpage": ("botpage_command:botpage_command",
                    "Write the information page for webmasters.", texts.BOTPAGE_EXAMPLES),
        "filters": ("", "Check, explain and convert filters.", ""),
        "filters new": ("filters_command:new_command",
                        "Write a set of filters to start from.", texts.FILTERS_NEW_EXAMPLES),
        "filters check": ("filters_command:check_command",
                          texts.FILTERS_CHECK_HELP, texts.FILTERS_CHECK_EXAMPLES),
        "filters explain": ("filters_explain_command:explain_filters_command",
                            texts.FILTERS_EXPLAIN_HELP, texts.FILTERS_EXPLAIN_EXAMPLES),
        "filters import": ("filters_command:import_command",
                           "Convert filters to TOML, on standard output.",
                           texts.FILTERS_IMPORT_EXAMPLES),
        "filters export": ("filters_command:export_filters_command",
                           "Convert a TOML file to text files.",
                           texts.FILTERS_IMPORT_EXAMPLES),
        "fields": ("", "Check rules for fields of documents, and try them on a page.", ""),
        "fields check": ("fields_command:check_fields_command",
                         texts.FIELDS_CHECK_HELP, texts.FIELDS_CHECK_EXAMPLES),
        "fields try": ("fields_command:try_fields_command", texts.FIELDS_TRY_HELP, texts.FIELDS_TRY_EXAMPLES),
        "check": ("", "Check whether a service of your own follows its contract.", ""),
        "check segmenter": ("segmenter_command:check_segmenter_command",
                            texts.CHECK_SEGMENTER_HELP, texts.CHECK_SEGMENTER_EXAMPLES),
        "simulate": ("", "Try strategies in virtual time: a year takes seconds.", ""),
        "simulate revisit": ("simulate_command:simulate_revisit_command",
                             texts.SIMULATE_HELP, texts.SIMULATE_EXAMPLES),
        "completion": ("completion_command:completion_command",
                       texts.COMPLETION_HELP, texts.COMPLETION_EXAMPLES),
        "manual": ("manual_command:manual_command", texts.MANUAL_HELP, texts.MANUAL_EXAMPLES),
    },
}
# fmt: on
"""Where each command is (nowhere: it only has others under it), what it does, and examples; in groups."""


def _offer_all() -> None:
    place = itertools.count()
    for title, commands in COMMANDS.items():
        group = Group.create_ordered(title)
        for words, (target, help, examples) in commands.items():
            *parents, name = words.split()
            under = app[parents[0]] if parents else app
            listed: dict[str, Any] = {"group": None if parents else group, "sort_key": next(place)}
            if target:
                shown = fitted_examples(examples)
                under.command(f"tiptoe.cli.{target}", name=name, help=help, help_epilogue=shown, **listed)
            else:
                form: dict[str, Any] = {"help_format": "markdown", "version_flags": (), "help_epilogue": ""}
                app.command(App(name=name, help=help, **form, **listed))


_offer_all()
app["--help"].group = app["--version"].group = (Group.create_ordered("Options"),)


def main() -> None:
    """Run the command line; our own faults are messages, not tracebacks."""
    gc.set_threshold(COLLECTED_OBJECTS)
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
        if HELP_FLAGS.intersection(sys.argv[1:]):
            _name_arguments(sys.argv[1:])
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


def _name_arguments(given: list[str]) -> None:
    """Have the help of a command name each thing that it takes, in place of `[ARGS]`."""
    from tiptoe.cli.command_tree import declared_usage  # which only help needs

    words, apps, _ = app.parse_commands([word for word in given if word not in HELP_FLAGS])
    apps[-1].usage = f"Usage: {declared_usage(app, words)}"


def _mistake(error: CycloptsError) -> str:
    """Return what is wrong with a command line, and where to look it up."""
    said = str(error).partition(" Available commands")[0].rstrip(".")
    if isinstance(error, MissingArgumentError) and error.argument is not None and not error.tokens_so_far:
        name = error.argument.name
        said = f"{name.lstrip('-').upper() if error.argument.field_info.is_positional else name} is missing"
        if choices := error.argument.get_choices():
            said += f": one of {', '.join(choices)}"
    elif isinstance(error, UnknownOptionError):
        said = _unknown_option(error, said)
    link = " " if said.endswith("?") else "; "
    return f"{said}{link}`{' '.join(['tiptoe', *(error.command_chain or ())])} --help` explains"


def _unknown_option(error: UnknownOptionError, said: str) -> str:
    """Return the same of an option that nobody knows here, but perhaps elsewhere."""
    option = error.token.value
    if list(error.command_chain or ()) == ["crawl"] and (ours := foreign_option_said(option)):
        return f"{said.partition('.')[0]}; {ours}"
    is_letter = len(option.partition("=")[0]) <= LETTER_CHARS  # is like any other one
    return said.partition(". Did you mean")[0] if is_letter else said


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
