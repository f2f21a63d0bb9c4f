"""How are the filters of a robot written in TOML?

    [process]                               what process.conf says
    csid = "x-catalog://…"
    [[process.start]]
    url = "http://docs.example.org/"

    [[filter]]                              what filter.conf says, stage by stage
    name = "enumeration-default"
    MetaData = [
        {fn = "filter-by-max", src = "depth", value = "12"},
    ]

    [[rules]]                               what filterrules.conf says
    file = "./config/filterrules.conf"
    [[rules.rule]]
    [[rules.site]]

    [[types]]                               what mime.types says
    file = "./config/mime.types"

The contents are the same as in the text files: each form can be converted to the other without loss, except
for comments.
"""

import json
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from tiptoe.filters.conf_lines import Statement
from tiptoe.filters.definition import (
    PHASES,
    Directive,
    FilterRule,
    ModuleLine,
    NamedFilter,
    ProcessParameter,
    RobotDefinition,
    Site,
    StartingPoint,
    TypeTable,
)
from tiptoe.filters.filter_file import read_directive
from tiptoe.filters.filter_problem import FilterFindings
from tiptoe.filters.process_file import read_start
from tiptoe.filters.rules_file import take_statement

__all__ = ["read_toml_filters", "write_toml_filters"]

BARE: Final = re.compile(r"[A-Za-z0-9_-]+")
SECTIONS: Final = frozenset({"process", "module", "filter", "rules", "types", "downlist-file"})

Table = Mapping[str, Any]


# -- writing ---------------------------------------------------------------


def write_toml_filters(robot: RobotDefinition, *, downlist: str = "") -> str:
    """Return the text of a file with the same contents."""
    lines = [f"downlist-file = {_literal(downlist)}", ""] if downlist else []
    if robot.has_process:
        lines += [
            "[process]",
            *(f"{_key(given.name)} = {_literal(given.value)}" for given in robot.parameters),
        ]
        for start in robot.starts:
            lines += ["", "[[process.start]]", *_pairs(_start(start))]
        lines.append("")
    for module in robot.modules:
        lines += ["[[module]]", *_pairs({"shlib": module.library, "funcs": list(module.functions)}), ""]
    for head in robot.filters:
        lines += ["[[filter]]", f"name = {_literal(head.name)}"]
        for stage in PHASES:
            calls = [_call(one) for one in robot.directives if (one.filter, one.stage) == (head.name, stage)]
            lines += _array(stage, calls)
        lines.append("")
    for file in robot.rule_files:
        lines += ["[[rules]]", f"file = {_literal(file)}", ""]
        for rule in robot.rules:
            lines += _rule_lines(rule) if rule.file == file else []
        for site in robot.sites:
            lines += _site_lines(site) if site.file == file else []
    for table in robot.types:
        lines += [
            "[[types]]",
            f"file = {_literal(table.file)}",
            f"types = {_inline(dict(sorted(table.types.items())))}",
            "",
        ]
    return "\n".join(lines).rstrip("\n") + "\n"


def _call(line: Directive) -> dict[str, Any]:
    switch = {} if line.is_enabled else {"enable": False}
    return {**switch, "fn": line.function, **line.parameters}


def _start(start: StartingPoint) -> dict[str, Any]:
    return {"url": start.url, **({"depth": start.depth} if start.depth is not None else {})}


def _rule_lines(rule: FilterRule) -> list[str]:
    values = {
        "id": rule.id, "name": rule.name, "description": rule.description, "enable": rule.is_enabled,
        "default": rule.is_default, "action": rule.action,
    }  # fmt: skip
    matches = [{"src": line.src, "by": line.by, "value": line.value} for line in rule.matches]
    return ["[[rules.rule]]", *_pairs(values), *_array("match", matches), ""]


def _site_lines(site: Site) -> list[str]:
    values: dict[str, Any] = {"id": site.id, "name": site.name, "enable": site.is_enabled}
    values |= {"depth": site.depth} if site.depth is not None else {}
    values |= {"database": site.database}
    servers = [
        {"domain" if server.is_domain else "host": server.host}
        | ({"port": server.port} if server.port else {})
        for server in site.servers
    ]
    uses = [{"rule": use.rule} | ({} if use.is_enabled else {"enable": False}) for use in site.uses]
    arrays = {"server": servers, "start": [_start(start) for start in site.starts], "use": uses}
    listed = [line for name, items in arrays.items() for line in _array(name, items)]
    return ["[[rules.site]]", *_pairs(values), *listed, ""]


def _pairs(said: Mapping[str, Any]) -> list[str]:
    return [f"{_key(name)} = {_literal(value)}" for name, value in said.items() if value != ""]


def _array(name: str, items: Iterable[Mapping[str, Any]]) -> list[str]:
    rows = [f"    {_inline(item)}," for item in items]
    return [f"{name} = [", *rows, "]"] if rows else []


def _inline(said: Mapping[str, Any]) -> str:
    return "{" + ", ".join(f"{_key(name)} = {_literal(value)}" for name, value in said.items()) + "}"


def _key(name: str) -> str:
    return name if BARE.fullmatch(name) else _literal(name)


def _literal(value: Any) -> str:
    if isinstance(value, str) and "\\" in value and "'" not in value and value.isprintable():
        return f"'{value}'"  # keeps the backslashes of regular expressions readable
    # TOML can read what JSON writes, which escapes all control characters but one.
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


# -- reading ---------------------------------------------------------------


def read_toml_filters(text: str, file: str, findings: FilterFindings) -> tuple[RobotDefinition, str]:
    """Return the definition in a file, and the name of the downlist that it wants."""
    robot = RobotDefinition()
    try:
        tables = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        findings.error(file, str(error))
        return robot, ""
    for name in tables.keys() - SECTIONS:
        findings.error(file, f"{name}: not known here; {', '.join(sorted(SECTIONS))} are")
    try:
        _read(robot, tables, file, findings)
    except KeyError as error:
        findings.error(file, f"not as `tiptoe filters import` writes it: {error.args[0]} is missing")
    except (TypeError, ValueError, AttributeError) as error:
        findings.error(file, f"not as `tiptoe filters import` writes it: {error}")
    return robot, str(tables.get("downlist-file", ""))


def _read(robot: RobotDefinition, tables: Table, file: str, findings: FilterFindings) -> None:
    robot.has_process = "process" in tables
    process = dict(tables.get("process", {}))
    for number, start in enumerate(process.pop("start", []), start=1):
        given = {"href" if name == "url" else name: value for name, value in _words(start).items()}
        read_start(Statement("URL", f"{file}[process.start {number}]", given), robot, findings)
    for name, value in process.items():
        robot.parameters.append(ProcessParameter(name, _word(value), f"{file}[process.{name}]"))
    for number, module in enumerate(tables.get("module", []), start=1):
        functions = tuple(map(str, module["funcs"]))
        robot.modules.append(ModuleLine(module.get("shlib", ""), functions, f"{file}[module {number}]"))
    for table in tables.get("filter", []):
        _read_filter(robot, dict(table), file, findings)
    for table in tables.get("rules", []):
        for statement in _statements(table, file):
            take_statement(statement, robot, findings, called=str(table["file"]))
    for table in tables.get("types", []):
        robot.types.append(
            TypeTable(str(table["file"]), {key: str(value) for key, value in table["types"].items()})
        )


def _read_filter(robot: RobotDefinition, table: dict[str, Any], file: str, findings: FilterFindings) -> None:
    name = str(table.pop("name"))
    robot.filters.append(NamedFilter(name, f"{file}[filter {name}]"))
    for stage in PHASES:
        for number, call in enumerate(table.pop(stage, []), start=1):
            place = f"{file}[{name}.{stage} {number}]"
            read_directive(Statement(stage, place, _words(call)), name, robot, findings)
    if table:
        raise ValueError(f"filter {name}: {', '.join(table)} is not known there")


def _statements(rules: Table, file: str) -> Iterator[Statement]:
    """Yield the statements of filterrules.conf, so that both forms are read and checked alike."""
    for rule in map(dict, rules.get("rule", [])):
        place = f"{file}[rule {rule.get('id', '')}]"
        matches = rule.pop("match", [])
        yield Statement("<Rule", place, _words(rule))
        for number, match in enumerate(matches, start=1):
            yield Statement("Match", f"{place[:-1]}.match {number}]", _words(match))
    for site in map(dict, rules.get("site", [])):
        place = f"{file}[site {site.get('id', '')}]"
        parts = {name: site.pop(name, []) for name in ("server", "start", "use")}
        yield Statement("<Site", place, _words(site))
        for server in map(_words, parts["server"]):
            is_domain = "domain" in server
            name = {"name": server.pop("domain")} if is_domain else {}
            yield Statement("Domain" if is_domain else "Server", place, {**name, **server})
        yield from (Statement("Start", place, _words(start)) for start in parts["start"])
        yield from (Statement("Use", place, _words(use)) for use in parts["use"])


def _words(table: Table) -> dict[str, str]:
    """Return the parameters of a table as in text files."""
    return {name: _word(value) for name, value in table.items()}


def _word(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if not isinstance(value, str | int):
        raise TypeError(f"{value!r} is neither a text nor a number")
    return str(value)
