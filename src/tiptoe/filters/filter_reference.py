"""What does the reference page of filters say?

`python -m tiptoe.filters.filter_reference` writes docs/reference/filters.md; a test checks that the file
matches the tables.
"""

from pathlib import Path
from typing import Final

from tiptoe.filters.filter_functions import FUNCTIONS
from tiptoe.filters.process_parameters import ALIASES, DEPTH_DEFAULT, PARAMETERS

__all__ = ["FILTERS_REFERENCE", "filters_page"]

FILTERS_REFERENCE: Final = Path("docs/reference/filters.md")

PREFACE: Final = """\
# Filters

How `tiptoe crawl --filters` reads the files of the robots of Netscape Compass and Sun Portal Server;
[filters](../howto/filters.md) explains how to use them. Nothing in them is ignored silently: a warning with
name, file, line and reason reports whatever is not honoured; whatever would be impolite, unsafe or cannot
be understood is an error, and no crawl starts.

This page is made from the tables by `python -m tiptoe.filters.filter_reference`.

## process.conf, or robot.conf

Settings in a tiptoe file or on the command line take precedence, except for pauses, of which the longest
counts.
"""

FUNCTIONS_HEAD: Final = """
## filter.conf

A line is `STAGE [enable=…] fn=FUNCTION [parameter=value …]`. Stages: Setup, MetaData (the address is
known), Data (the answer is), Enumerate (which links are followed), Generate (what the description says),
Shutdown. `deny=S` denies what matches S; `allow=S` denies everything else. What no line denies is accepted.

Sources in MetaData: `url`, `protocol`, `host` (also as `name:80`), `path` (without the query), `depth`,
`csid`, `enumeration filter`, `generation filter`, and `ip` once it is known: lines about it are applied
right before the request. In Data also `content-type`, `content-charset`, `content-length`,
`content-encoding`, `content-language`, `expires`, `last-modified`, and the META tags of the page by
name. Names of sources and fields are read in lower case.

| function | stages | parameters (required, *optional*) | what it does |
|---|---|---|---|
"""

RULES_PART: Final = """
`Init fn=load-modules shlib=… funcs="a,b"` loads no library: functions of your own are written in
[Python](../howto/filters.md#functions-of-your-own).

## filterrules.conf

`filterrules-process` takes the first enabled site whose servers or domain match host and port. If there is
none, the address is denied. It is also denied if it is deeper than the largest depth of the site's starting
points (or else of the site, or else of the robot). Then the enabled rules that the site uses are tried, in
the order of the file: the first that matches decides. If none matches, the address is accepted. A file
without any `<Site>` has no bounds, and its enabled rules with `default=true` apply everywhere.

| line | parameters |
|---|---|
| `<Rule>` … `</Rule>` | `id`, `name`, `description`, `enable` (true), `default` (false), `action` (deny) |
| `Match`: one is enough | `src` (url, protocol, host, path, type), `by` (exact, contains, prefix, suffix,\
 regex), `value` |
| `<Site>` … `</Site>` | `id`, `name`, `enable` (true), `depth`, `database` (kept, but not used) |
| `Server`, `Domain` | `host` or `name`, `port` (any) |
| `Start` | `url`, `depth`: becomes a seed if its site is enabled |
| `Use` | `rule`, `enable` (true) |

## The other files

`mime.types` is read by `setup-type-by-extension`; if it is missing, the types that Python knows are
used. `downlist.txt` is `crawl.downlist`, unless that is given. Files are looked for at the path
given, relative to the directory and to the one above it, and then by their names alone in the directory.
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
