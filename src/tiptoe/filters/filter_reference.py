"""What does the reference page of filters say?

`python -m tiptoe.filters.filter_reference` writes docs/reference/filters.md; a test keeps that file equal to
the tables.
"""

from pathlib import Path
from typing import Final

from tiptoe.filters.filter_functions import FUNCTIONS
from tiptoe.filters.process_parameters import ALIASES, DEPTH_DEFAULT, PARAMETERS

__all__ = ["FILTERS_REFERENCE", "filters_page"]

FILTERS_REFERENCE: Final = Path("docs/reference/filters.md")

PREFACE: Final = """\
# Filters

The files of the robot of Netscape Compass and Sun Portal Server, as `tiptoe crawl --filters` reads them;
how to use them is told [elsewhere](../howto/filters.md). Nothing in them is ignored silently: what is
not honoured is told by name, file, line and reason, as a warning; what would be impolite, unsafe or
cannot be understood is an error, and no crawl starts.

This page is made from the tables by `python -m tiptoe.filters.filter_reference`.

## process.conf, or robot.conf

What is given in a file of ours or on the command line is stronger, but for pauses, of which the longest
counts.
"""

FUNCTIONS_HEAD: Final = """
## filter.conf

A line is `STAGE [enable=…] fn=FUNCTION [parameter=value …]`. Stages: Setup, MetaData (the address is
known), Data (the answer is), Enumerate (which links are followed), Generate (what the description says),
Shutdown. `deny=S` denies what matches; `allow=S` everything else. What no line denies is accepted.

Sources in MetaData: `url`, `protocol`, `host` (also as `name:80`), `path` (without the query), `depth`,
`csid`, `enumeration filter`, `generation filter`, and `ip` once it is known: lines about it are asked
right before the request. In Data also `content-type`, `content-charset`, `content-length`,
`content-encoding`, `content-language`, `expires`, `last-modified`, and the META tags of the page by
name. Names of sources and fields are read in lower case.

| function | stages | parameters (needed, *optional*) | what it does |
|---|---|---|---|
"""

RULES_PART: Final = """
`Init fn=load-modules shlib=… funcs="a,b"` loads no library: functions of one's own are
[Python](../howto/filters.md#functions-of-your-own).

## filterrules.conf

`filterrules-process` takes the first enabled site whose servers or domain match host and port. None:
denied. Deeper than the largest depth of its starting points (else of the site, else of the robot):
denied. Then the enabled rules that the site uses, in the order of the file: the first that matches
decides. Nothing matches: accepted. A file without any `<Site>` has no bounds, and its enabled rules with
`default=true` hold everywhere.

| line | parameters |
|---|---|
| `<Rule>` … `</Rule>` | `id`, `name`, `description`, `enable` (true), `default` (false), `action` (deny) |
| `Match`: one is enough | `src` (url, protocol, host, path, type), `by` (exact, contains, prefix, suffix,\
 regex), `value` |
| `<Site>` … `</Site>` | `id`, `name`, `enable` (true), `depth`, `database` (kept, and not used) |
| `Server`, `Domain` | `host` or `name`, `port` (any) |
| `Start` | `url`, `depth`: becomes a seed if its site is enabled |
| `Use` | `rule`, `enable` (true) |

## The other files

`mime.types` is read by `setup-type-by-extension`; if it is missing, the types that Python knows are
used. `downlist.txt` is `crawl.downlist`, unless that is given. Files are looked for where they are
named, relative to the directory and to the one above it, and then by their names alone in the directory.
"""


def filters_page() -> str:
    """Return the page in Markdown."""
    parts = [PREFACE, "| parameter | here |", "|---|---|"]
    parts += [f"| `{name}` | {rule.becomes} |" for name, rule in PARAMETERS.items()]
    parts.append("| `URL href=… depth=…` | a seed |")
    other = ", ".join(f"`{alias}` for `{name}`" for alias, name in ALIASES.items())
    parts.append(f"\nOther spellings are understood, with a warning: {other}.")
    parts.append(
        f"Without `depth` a robot follows {DEPTH_DEFAULT} links; without a process.conf there is no limit."
    )
    parts.append(FUNCTIONS_HEAD.rstrip("\n"))
    for name, rule in FUNCTIONS.items():
        needed = [*rule.needed, *([" or ".join(rule.either)] if rule.either else [])]
        optional = [f"*{one}*" for one in rule.optional if one not in rule.either]
        once = "; once per filter" if rule.is_single else ""
        taken = ", ".join([*needed, *optional])
        parts.append(f"| `{name}` | {', '.join(rule.stages)} | {taken} | {rule.does}{once} |")
    return "\n".join([*parts, RULES_PART.rstrip("\n")]) + "\n"


if __name__ == "__main__":
    FILTERS_REFERENCE.write_text(filters_page(), encoding="utf-8")
