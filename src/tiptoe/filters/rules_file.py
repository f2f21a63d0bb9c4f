"""What does filterrules.conf contain: which rules, which sites, and where does the crawl start?

    <Rule id=image name="Image files" enable=true default=true action=deny>
        Match src=type by=prefix value="image/"
    </Rule>
    <Site id=docs enable=true depth=6>
        Server host=docs.example.org port=80        or: Domain name=example.org
        Start url="http://docs.example.org/" depth=4
        Use rule=image
    </Site>

That robot's file was written by its administration tool and its syntax was never published; this one has the
documented fields, in the style of the other files.
"""

import re
from collections.abc import Iterable
from typing import Final

import msgspec

from tiptoe.filters.conf_lines import Statement, quote, read_bool, read_depth, read_statements, tags_balanced
from tiptoe.filters.definition import (
    FilterRule,
    MatchLine,
    RobotDefinition,
    RuleUse,
    Site,
    SiteServer,
    StartingPoint,
)
from tiptoe.filters.filter_problem import FilterFindings

__all__ = ["BY", "SOURCES", "read_rules", "take_statement", "write_rules"]

HEADS: Final = frozenset({"<Rule", "</Rule", "<Site", "</Site", "Match", "Server", "Domain", "Start", "Use"})
SOURCES: Final = ("url", "protocol", "host", "path", "type")
BY: Final = ("exact", "contains", "prefix", "suffix", "regex")
ACTIONS: Final = ("deny", "allow")
WITHIN: Final = {"Match": "Rule", "Server": "Site", "Domain": "Site", "Start": "Site", "Use": "Site"}
PORT_MAX: Final = 65_535


class _Fields:
    """The parameters of a statement, taken one by one; any left over are errors."""

    def __init__(self, statement: Statement, findings: FilterFindings) -> None:
        self._left = dict(statement.parameters)
        self._statement = statement
        self._findings = findings

    def text(self, name: str, *, is_needed: bool = False) -> str:
        value = self._left.pop(name, "")
        if is_needed and not value:
            self.wrong(f"{name} is missing")
        return value

    def flag(self, name: str, default: bool) -> bool:
        value = self._left.pop(name, None)
        said = default if value is None else read_bool(value)
        if said is None:
            self.wrong(f"{name}={value}: true or false")
        return bool(said)

    def depth(self) -> int | None:
        value = self._left.pop("depth", None)
        depth = read_depth(value) if value is not None else None
        if value is not None and depth is None:
            self.wrong(f"depth={value}: a number of links, or -1 for no limit")
        return depth

    def port(self) -> int:
        value = self._left.pop("port", "0")
        if not re.fullmatch(r"\d{1,5}", value, re.ASCII) or int(value) > PORT_MAX:
            self.wrong(f"port={value}: a number up to {PORT_MAX}")
            return 0
        return int(value)

    def one_of(self, name: str, words: Iterable[str], default: str = "") -> str:
        value = self._left.pop(name, default)
        if value not in words:
            self.wrong(f"{name}={value}: one of {', '.join(words)}")
        return value

    def end(self) -> None:
        for name in self._left:
            self.wrong(f"{name} is not known here")

    def wrong(self, what: str) -> None:
        self._findings.error(self._statement.place, f"{self._statement.head.lstrip('<')}: {what}")


def read_rules(
    text: str, file: str, definition: RobotDefinition, findings: FilterFindings, *, called: str
) -> None:
    """Add the rules and sites of a file to a definition; `called` is how directives name the file."""
    for inside, statement in tags_balanced(read_statements(text, file, HEADS, findings), findings):
        if statement.head not in ("<Rule", "<Site", *WITHIN):
            findings.error(statement.place, f"{statement.head or 'this line'} is not known here")
        elif statement.head in WITHIN and inside != WITHIN[statement.head]:
            findings.error(statement.place, f"{statement.head} belongs into a <{WITHIN[statement.head]}>")
        else:
            take_statement(statement, definition, findings, called=called)


def take_statement(
    statement: Statement, definition: RobotDefinition, findings: FilterFindings, *, called: str
) -> None:
    """Add a rule or a site to a definition, or a line to its last rule or site."""
    fields = _Fields(statement, findings)
    if statement.head == "<Rule":
        definition.rules.append(_rule(statement, fields, called))
    elif statement.head == "<Site":
        definition.sites.append(_site(statement, fields, called))
    elif statement.head == "Match":
        definition.rules[-1] = _with_match(definition.rules[-1], statement, fields)
    else:
        definition.sites[-1] = _with_line(definition.sites[-1], statement, fields)
    fields.end()


def _rule(statement: Statement, fields: _Fields, called: str) -> FilterRule:
    return FilterRule(
        file=called,
        id=fields.text("id", is_needed=True),
        name=fields.text("name"),
        description=fields.text("description"),
        is_enabled=fields.flag("enable", True),
        is_default=fields.flag("default", False),
        action=fields.one_of("action", ACTIONS, "deny"),
        place=statement.place,
    )


def _site(statement: Statement, fields: _Fields, called: str) -> Site:
    return Site(
        file=called,
        id=fields.text("id", is_needed=True),
        name=fields.text("name"),
        is_enabled=fields.flag("enable", True),
        depth=fields.depth(),
        database=fields.text("database"),
        place=statement.place,
    )


def _with_match(rule: FilterRule, statement: Statement, fields: _Fields) -> FilterRule:
    match = MatchLine(
        fields.one_of("src", SOURCES),
        fields.one_of("by", BY),
        fields.text("value", is_needed=True),
        statement.place,
    )
    return msgspec.structs.replace(rule, matches=(*rule.matches, match))


def _with_line(site: Site, statement: Statement, fields: _Fields) -> Site:
    if statement.head == "Start":
        start = StartingPoint(fields.text("url", is_needed=True), fields.depth(), statement.place)
        return msgspec.structs.replace(site, starts=(*site.starts, start))
    if statement.head == "Use":
        use = RuleUse(fields.text("rule", is_needed=True), statement.place, fields.flag("enable", True))
        return msgspec.structs.replace(site, uses=(*site.uses, use))
    is_domain = statement.head == "Domain"
    host = fields.text("name" if is_domain else "host", is_needed=True).lower().rstrip(".")
    server = SiteServer(host, fields.port(), is_domain)
    return msgspec.structs.replace(site, servers=(*site.servers, server))


def write_rules(definition: RobotDefinition, called: str) -> str:
    """Return the text of a file with the same contents."""
    lines: list[str] = []
    for rule in definition.rules:
        if rule.file == called:
            lines += ["", *_rule_lines(rule)]
    for site in definition.sites:
        if site.file == called:
            lines += ["", *_site_lines(site)]
    return "\n".join(lines).lstrip("\n") + "\n"


def _rule_lines(rule: FilterRule) -> list[str]:
    values = {"id": rule.id, "name": rule.name, "description": rule.description}
    switches = {"enable": rule.is_enabled, "default": rule.is_default}
    lines = [f"<Rule{_given(values)}{_switched(switches)} action={rule.action}>"]
    lines += [f"    Match src={match.src} by={match.by} value={quote(match.value)}" for match in rule.matches]
    return [*lines, "</Rule>"]


def _site_lines(site: Site) -> list[str]:
    values = {"id": site.id, "name": site.name, "database": site.database}
    lines = [f"<Site{_given(values)}{_switched({'enable': site.is_enabled})}{_deep(site.depth)}>"]
    for server in site.servers:
        port = f" port={server.port}" if server.port else ""
        named = (
            f"Domain name={quote(server.host)}" if server.is_domain else f"Server host={quote(server.host)}"
        )
        lines.append(f"    {named}{port}")
    lines += [f"    Start url={quote(start.url)}{_deep(start.depth)}" for start in site.starts]
    for use in site.uses:
        lines.append(f"    Use rule={quote(use.rule)}{'' if use.is_enabled else ' enable=false'}")
    return [*lines, "</Site>"]


def _given(said: dict[str, str]) -> str:
    return "".join(f" {name}={quote(value)}" for name, value in said.items() if value)


def _switched(switches: dict[str, bool]) -> str:
    return "".join(f" {name}={'true' if is_on else 'false'}" for name, is_on in switches.items())


def _deep(depth: int | None) -> str:
    return "" if depth is None else f" depth={depth}"
