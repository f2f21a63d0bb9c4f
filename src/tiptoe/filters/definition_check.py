"""Are the files of a robot consistent?

All errors are reported at once, each with its place; nothing is ignored silently.
"""

import re
from collections import Counter
from collections.abc import Collection
from typing import Final

from tiptoe.filters.definition import (
    ENUMERATION,
    GENERATION,
    LINE_CHARS_MAX,
    Directive,
    RobotDefinition,
    Site,
    to_lines,
)
from tiptoe.filters.expressions import expression_fault, is_slow
from tiptoe.filters.filter_functions import FUNCTIONS, check_directive
from tiptoe.filters.filter_problem import FilterFindings
from tiptoe.filters.process_parameters import WantedSetting, check_parameters

__all__ = ["check_definition"]

SET_UP_BY: Final = {
    "assign-type-by-extension": "setup-type-by-extension",
    "filterrules-process": "filterrules-setup",
}
COUNTED: Final = ("hosts", "objects")
EXPRESSIONS: Final = {"filter-by-regex": ("allow", "deny"), "generate-by-regex": ("match",)}
AUTHORITY: Final = re.compile(r"[a-z]+://([^/:?#@]+)(?::(\d+))?", re.IGNORECASE)


def check_definition(
    definition: RobotDefinition, plugins: Collection[str], findings: FilterFindings
) -> tuple[RobotDefinition, list[WantedSetting]]:
    """Note everything that is wrong; return the definition in our spelling, and the settings it wants."""
    robot, wanted = check_parameters(definition, findings)
    _check_modules(robot, plugins, findings)
    if robot.filters:
        _check_filters(robot, plugins, findings)
    _check_rules(robot, findings)
    _check_sites(robot, findings)
    _check_length(robot, findings)
    if not findings.errors:
        wanted += _objects_wanted(robot)
    return robot, wanted


def _check_modules(robot: RobotDefinition, plugins: Collection[str], findings: FilterFindings) -> None:
    for module in robot.modules:
        missing = [name for name in module.functions if name not in plugins]
        what = f"{module.library or 'shlib'} is not loaded: functions are Python (entry point tiptoe.filters)"
        if missing:
            what += f"; not installed: {', '.join(missing)}"
        findings.warn(module.place, what)


def _check_filters(robot: RobotDefinition, plugins: Collection[str], findings: FilterFindings) -> None:
    known = {head.name: head for head in robot.filters}
    used = {kind: robot.filter_name(kind) for kind in (ENUMERATION, GENERATION)}
    for kind, name in used.items():
        if name not in known:
            given = robot.parameter(f"{kind}-filter")
            place = given.place if given is not None else robot.filters[0].place
            has = ", ".join(known)
            findings.error(place, f"there is no filter {name} for {kind}; the file has {has}")
    if len(set(used.values())) < len(used):
        place = known[used[ENUMERATION]].place if used[ENUMERATION] in known else robot.filters[0].place
        findings.error(
            place, "one filter cannot be both: enumeration-filter and generation-filter are the same"
        )
    kinds = {name: kind for kind, name in used.items()}
    functions: dict[str, object] = dict.fromkeys(plugins)
    for name, head in known.items():
        lines = [line for line in robot.directives if line.filter == name]
        for line in lines:
            if line.is_enabled:
                check_directive(line, kinds.get(name, ""), functions, findings)
        _check_together(robot.directives_of(name), findings)
        if kinds.get(name) == ENUMERATION and not any(line.stage == "Enumerate" for line in lines):
            findings.warn(head.place, f"no link is followed: {name} has no Enumerate")


def _check_together(lines: list[Directive], findings: FilterFindings) -> None:
    """Check what the directives of a filter require of each other."""
    counts: Counter[str] = Counter()
    called: set[str] = set()
    for line in lines:
        counts[line.function] += 1
        rule = FUNCTIONS.get(line.function)
        if rule is not None and rule.is_single and counts[line.function] == 2:
            findings.error(line.place, f"{line.function} may stand in a filter once")
        needed = SET_UP_BY.get(line.function)
        if needed and needed not in {other.function for other in lines if other.stage == "Setup"}:
            findings.error(line.place, f"{line.function} needs {needed} in Setup of the same filter")
        if line.function == "filter-by-md5" and "generate-md5" not in called:
            findings.error(line.place, "filter-by-md5 needs generate-md5 before it")
        is_counted = line.function == "filter-by-max" and line.source in COUNTED
        if is_counted and line.parameters.get("value") == "0":
            findings.error(line.place, "filter-by-max: value=0 would allow nothing at all")
        for name in EXPRESSIONS.get(line.function, ()):
            if is_slow(line.parameters.get(name, "")):
                findings.warn(line.place, f"{name}: a repetition within a repetition may take very long")
        called.add(line.function)


def _check_rules(robot: RobotDefinition, findings: FilterFindings) -> None:
    seen: set[tuple[str, str]] = set()
    for rule in robot.rules:
        if (rule.file, rule.id) in seen:
            findings.error(rule.place, f"a second rule has the id {rule.id}")
        seen.add((rule.file, rule.id))
        if not rule.matches:
            findings.warn(rule.place, f"rule {rule.id} matches nothing: it has no Match")
        for line in rule.matches:
            if line.by == "regex" and (fault := expression_fault(line.value)):
                findings.error(line.place, f"value={line.value[:60]}: {fault}")
            elif line.by == "regex" and is_slow(line.value):
                findings.warn(line.place, "a repetition within a repetition may take very long")


def _check_sites(robot: RobotDefinition, findings: FilterFindings) -> None:
    rules = {(rule.file, rule.id) for rule in robot.rules}
    seen: set[tuple[str, str]] = set()
    for site in robot.sites:
        if (site.file, site.id) in seen:
            findings.error(site.place, f"a second site has the id {site.id}")
        seen.add((site.file, site.id))
        if not site.servers:
            findings.error(site.place, f"site {site.id} has no Server and no Domain")
        for use in site.uses:
            if (site.file, use.rule) not in rules:
                findings.error(use.place, f"Use: there is no rule {use.rule}")
        _check_starts(site, findings)
    if robot.sites and not any(site.is_enabled for site in robot.sites):
        findings.error(robot.sites[0].place, "no site is enabled: nothing would be crawled")


def _check_starts(site: Site, findings: FilterFindings) -> None:
    for start in site.starts:
        found = AUTHORITY.match(start.url)
        if found is None:
            findings.error(start.place, f"Start: {start.url[:60]!r} is no address such as http://a.example/")
        elif not any(
            found[1].lower() == server.host
            or (server.is_domain and found[1].lower().endswith(f".{server.host}"))
            for server in site.servers
        ):
            findings.warn(start.place, f"Start: {start.url[:60]} lies on no server of site {site.id}")


def _check_length(robot: RobotDefinition, findings: FilterFindings) -> None:
    for part, line in zip(robot.parts(), to_lines(robot)[1:], strict=True):
        place = getattr(part, "place", getattr(part, "file", ""))
        if len(line) > LINE_CHARS_MAX:
            findings.error(place, f"too long: more than {LINE_CHARS_MAX} characters in all")
        elif not line.isprintable():
            findings.error(place, "there are control characters, or others that cannot be seen, in it")


def _objects_wanted(robot: RobotDefinition) -> list[WantedSetting]:
    """Return the limit of pages that the filters want; the larger one of two, since it ends the crawl."""
    limits = [
        line
        for kind in (ENUMERATION, GENERATION)
        for line in robot.directives_of(robot.filter_name(kind))
        if line.function == "filter-by-max" and line.source == "objects"
    ]
    if not limits:
        return []
    largest = max(limits, key=lambda line: int(line.parameters["value"]))
    return [WantedSetting("crawl.max_pages", largest.parameters["value"], largest.place)]
