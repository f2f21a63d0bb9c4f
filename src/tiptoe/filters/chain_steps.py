"""What does each directive of MetaData and Data do to a resource?

A directive becomes a step: a function that gets the resource and says whether it goes on. Everything that can
be computed in advance is computed here, once.
"""

import hashlib
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Final

from tiptoe.filters.definition import Directive, RobotDefinition
from tiptoe.filters.expressions import VALUE_CHARS_MAX, compile_expression
from tiptoe.filters.filter_plugins import FilterFunction
from tiptoe.filters.resource import Resource
from tiptoe.filters.site_rules import SiteRules

__all__ = ["ChainStep", "StepMaker"]

ALL: Final = "all"
WHOLE_CRAWL: Final = frozenset({"hosts", "objects"})
"""Sources of filter-by-max that are counted over the whole crawl, by the keeper and not here."""

KILOBYTE: Final = 1024

Go = Callable[[Resource], bool]
"""Whether the resource goes on."""

Test = Callable[[str], bool]


@dataclass(frozen=True, slots=True)
class ChainStep:
    """One directive, ready to be carried out."""

    directive: Directive
    goes_on: Go
    looks_at: frozenset[str]  # which of `depth` and `ip` it depends on, directly or through other sources
    rules: SiteRules | None = None  # if present, they know which of their lines denied

    def why(self, resource: Resource) -> tuple[str, str, bool]:
        """Return where a resource was denied, why, and whether it may go on at another depth."""
        if self.rules is not None:
            return self.rules.reason(resource)
        return self.directive.place, self.directive.function, "depth" in self.looks_at


@dataclass(slots=True)
class StepMaker:
    """Makes the steps of one filter, in order: what was set up earlier applies to later ones."""

    definition: RobotDefinition
    depth: int  # of the robot
    plugins: Mapping[str, FilterFunction]
    types: dict[str, str] = field(default_factory=dict)
    rules: SiteRules | None = None
    _derived: dict[str, set[str]] = field(default_factory=dict)  # sources made from `depth` or `ip`

    def set_up(self, line: Directive) -> None:
        """Carry out a directive of Setup."""
        if line.function == "setup-type-by-extension":
            self.types = self.definition.types_in(line.parameters["file"])
        elif line.function == "filterrules-setup":
            config = line.parameters["config"]
            self.rules = SiteRules(self.definition, config, place=line.place, depth=self.depth)

    def make(self, line: Directive) -> ChainStep | None:
        """Return the step of a directive; None if nothing has to be done here."""
        given = line.parameters
        if line.function in self.plugins:
            function = self.plugins[line.function]
            return ChainStep(
                line, lambda resource: function(resource, given) is not False, frozenset({"depth", "ip"})
            )
        if line.function == "filterrules-process":
            rules = self.rules
            return ChainStep(line, rules.allows, frozenset(), rules) if rules is not None else None
        goes_on = self._function(line)
        if goes_on is None:
            return None
        looked_at = self._note_sources(line)
        if "ip" in looked_at:
            # Before the name is looked up nothing can be said: it is judged again once the address is known.
            asked = goes_on
            goes_on = lambda resource: resource.ip is None or asked(resource)  # noqa: E731
        return ChainStep(line, goes_on, frozenset(looked_at))

    def _note_sources(self, line: Directive) -> set[str]:
        """Return which of depth and ip a directive depends on; remember the source it derives from them."""
        source = line.source
        looked_at = {source} & {"depth", "ip"} | self._derived.get(source, set())
        if line.function == "assign-source":
            self._derived[line.parameters["dst"].lower()] = looked_at
        return looked_at

    def _function(self, line: Directive) -> Go | None:
        given = line.parameters
        source = line.source
        match line.function:
            case "filter-by-exact":
                return _by(source, given, lambda wanted: lambda value: value == wanted)
            case "filter-by-prefix":
                return _by(source, given, lambda wanted: lambda value: value.startswith(wanted))
            case "filter-by-regex":
                return _by(source, given, _found, knows_all=False)
            case "filter-by-max":
                return None if source in WHOLE_CRAWL else _at_most(source, int(given["value"]))
            case "assign-source":
                return _assign(given["dst"].lower(), source, given.get("value"))
            case "assign-type-by-extension":
                return _assign_type(source or "path", self.types)
            case "clear-source":
                return _clear(source)
            case "generate-md5":
                return _md5
            case _:  # filter-by-md5 and convert-to-html are handled elsewhere
                return None


def _found(expression: str) -> Test:
    search = compile_expression(expression).search
    return lambda value: search(value[:VALUE_CHARS_MAX]) is not None


def _by(
    source: str, given: Mapping[str, str], test_for: Callable[[str], Test], *, knows_all: bool = True
) -> Go:
    """Return a step that checks `deny`, then `allow`."""
    tests: dict[str, Test] = {}
    for verb in ("deny", "allow"):
        if verb in given:
            is_all = knows_all and given[verb] == ALL
            tests[verb] = (lambda value: True) if is_all else test_for(given[verb])
    deny, allow = tests.get("deny"), tests.get("allow")

    def goes_on(resource: Resource) -> bool:
        value = resource.sources.get(source)
        if value is None:
            # Nothing to compare: neither a denial nor a permission matches.
            return allow is None
        values = (value, resource.host_and_port) if source == "host" else (value,)
        if deny is not None and any(map(deny, values)):
            return False
        return allow is None or any(map(allow, values))

    return goes_on


def _at_most(source: str, maximum: int) -> Go:
    if source == "depth":
        return lambda resource: resource.depth <= maximum
    limit = maximum * KILOBYTE if source == "content-length" else maximum

    def goes_on(resource: Resource) -> bool:
        number = re.match(r"\s*(-?\d{1,15})", resource.sources.get(source, ""), re.ASCII)
        return number is None or int(number[1]) <= limit

    return goes_on


def _assign(target: str, source: str, value: str | None) -> Go:
    def goes_on(resource: Resource) -> bool:
        found = resource.sources.get(source) if value is None else value
        if found is None:
            resource.sources.pop(target, None)
        else:
            resource.sources[target] = found
        return True

    return goes_on


def _assign_type(source: str, types: dict[str, str]) -> Go:
    def goes_on(resource: Resource) -> bool:
        name = resource.sources.get(source, "")
        dot = name.rfind(".")
        if dot > name.rfind("/"):
            found = types.get(name[dot + 1 :].lower())
            if found is not None:
                resource.sources["type"] = found
        return True

    return goes_on


def _clear(source: str) -> Go:
    def goes_on(resource: Resource) -> bool:
        resource.sources.pop(source, None)
        return True

    return goes_on


def _md5(resource: Resource) -> bool:
    if resource.facts is not None:
        digest = hashlib.md5(resource.facts.body, usedforsecurity=False)
        resource.sources["md5"] = digest.hexdigest()
    return True
