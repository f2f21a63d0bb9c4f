"""What do the two filters of a robot decide together?

A link is not followed, and a request not made, if *both* filters deny it. About an answer each decides by
itself: enumeration whether its links are followed, generation whether its text enters the corpus.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from tiptoe.filters.conf_lines import read_bool
from tiptoe.filters.definition import ENUMERATION, GENERATION, RobotDefinition
from tiptoe.filters.filter_chain import Denied, FilterChain, FilterFault
from tiptoe.filters.filter_functions import FUNCTIONS
from tiptoe.filters.filter_plugins import FilterFunction
from tiptoe.filters.process_parameters import DEPTH_DEFAULT
from tiptoe.filters.resource import PageFacts, Resource
from tiptoe.filters.site_rules import UNLIMITED

__all__ = ["PageVerdict", "RobotFilters", "functions_wanted"]

LOG_TYPES: Final = ("terse", "normal", "verbose")


@dataclass(slots=True)
class PageVerdict:
    """The decisions of the filters about an answer."""

    links_denied: Denied | None = None  # by the enumeration filter
    text_denied: Denied | None = None  # by the generation filter
    links: list[str] | None = None  # to follow; None: all that were found
    resource: Resource | None = (
        None  # as left by the generation filter, for the description that is still to be made
    )


class RobotFilters:
    """Both filters of a robot."""

    def __init__(self, definition: RobotDefinition, plugins: Mapping[str, FilterFunction]) -> None:
        names = {kind: definition.filter_name(kind) for kind in (ENUMERATION, GENERATION)}
        csid = definition.parameter("csid")
        base = {f"{kind} filter": name for kind, name in names.items()}
        base["csid"] = csid.value if csid is not None else ""
        depth = robot_depth(definition)
        chains = {
            kind: FilterChain(definition, name, base=base, depth=depth, plugins=plugins)
            for kind, name in names.items()
        }
        self._has_filters = bool(definition.filters)  # else links and texts are not judged
        self.enumeration = chains[ENUMERATION]
        self.generation = chains[GENERATION]
        # Usually they differ in what they do with a resource, not in how they judge it.
        judging = self.enumeration.judging
        self._judge_alike = judging is not None and judging == self.generation.judging
        depth_max = crawl_depth(definition)
        self.depth_max = None if depth_max == UNLIMITED else depth_max
        self.hosts_max = whole_crawl_limit(definition, "hosts")
        self.log_type = _log_type(definition)
        with_ip = definition.parameter("enable-ip")
        self._keeps_ip = definition.has_process and (with_ip is None or read_bool(with_ip.value) is not False)

    @property
    def describes(self) -> bool:
        """Whether pages of the corpus get descriptions."""
        return self.generation.describes

    @property
    def reads_headings(self) -> bool:
        return self.generation.reads_headings

    def refuse_links(self, urls: Sequence[str], depth: int) -> dict[str, Denied]:
        """Return which of some links are not followed, and why."""
        doubtful = self.enumeration.doubtful(urls, depth)
        if not doubtful:
            return {}
        found = ((url, self.refuses_link(url, depth)) for url in doubtful)
        return {url: denied for url, denied in found if denied is not None}

    def refuses_link(self, url: str, depth: int) -> Denied | None:
        """Return why a link is not followed: enumeration's reason, if generation denies it too."""
        first = self.enumeration.judge_address(self.enumeration.resource(url, depth))
        if first is None:
            return None
        second = self.generation.judge_address(self.generation.resource(url, depth))
        if second is None:
            return None
        if second.is_by_depth and not first.is_by_depth:
            return Denied(first.place, first.why, is_by_depth=True)
        return first

    def refuses_request(self, url: str, depth: int, ip: str, *, is_source: bool) -> Denied | None:
        """Return why a request is not made; for sitemaps and feeds (`is_source`) only enumeration counts."""
        if not self.enumeration.doubtful([url], depth):
            return None
        first = self.enumeration.judge_address(self.enumeration.resource(url, depth, ip))
        if first is None or is_source:
            return first
        second = self.generation.judge_address(self.generation.resource(url, depth, ip))
        return first if second is not None else None

    def judge(self, url: str, depth: int, ip: str, facts: PageFacts, links: Sequence[str]) -> PageVerdict:
        """Decide what becomes of the links and the text of an answer."""
        verdict = PageVerdict()
        enumerated = generated = self.enumeration.resource(url, depth, ip)
        denied = verdict.links_denied = self.enumeration.judge_answer(enumerated, facts)
        if denied is None and self._has_filters:
            try:
                verdict.links = self.enumeration.links(enumerated, links)
            except FilterFault as fault:
                verdict.links_denied = Denied(fault.place, str(fault), is_fault=True)
        if denied is not None or not self._judge_alike:
            generated = self.generation.resource(url, depth, ip)
            verdict.text_denied = self.generation.judge_answer(generated, facts)
        if verdict.text_denied is None and self.generation.describes:
            verdict.resource = generated
        return verdict

    def describe(self, resource: Resource) -> dict[str, list[str]] | Denied:
        """Return the fields of a description, or why it could not be made."""
        try:
            fields = self.generation.describe(resource)
        except FilterFault as fault:
            return Denied(fault.place, str(fault), is_fault=True)
        if self._keeps_ip and resource.ip:
            fields.setdefault("ip", [resource.ip])
        return fields


def functions_wanted(definition: RobotDefinition) -> frozenset[str]:
    """Return the functions of other packages that the two filters call."""
    names = {definition.filter_name(kind) for kind in (ENUMERATION, GENERATION)}
    called = {line.function for name in names for line in definition.directives_of(name)}
    return frozenset(called - FUNCTIONS.keys())


def robot_depth(definition: RobotDefinition) -> int:
    """Return how many links are followed from a starting point that has no depth of its own."""
    given = definition.parameter("depth")
    if given is not None:
        return int(given.value)
    return DEPTH_DEFAULT if definition.has_process else UNLIMITED


def crawl_depth(definition: RobotDefinition) -> int:
    """Return the maximum depth of any page of the crawl."""
    own = robot_depth(definition)
    depths = [own, *(start.depth for start in definition.starts if start.depth is not None)]
    for site in definition.sites:
        if site.is_enabled:
            asked = (site.depth, *(start.depth for start in site.starts))
            depths += [depth for depth in asked if depth is not None]
    return UNLIMITED if UNLIMITED in depths else max(depths)


def whole_crawl_limit(definition: RobotDefinition, source: str) -> int:
    """Return how many hosts or objects the filters allow in the whole crawl; 0: no limit."""
    limits = [
        int(line.parameters["value"])
        for kind in (ENUMERATION, GENERATION)
        for line in definition.directives_of(definition.filter_name(kind))
        if line.function == "filter-by-max" and line.source == source
    ]
    return max(limits, default=0)


def _log_type(definition: RobotDefinition) -> str:
    """Return how much is logged: the most that any filter wants."""
    lines = [
        line.parameters.get("logtype", "normal")
        for kind in (ENUMERATION, GENERATION)
        for line in definition.directives_of(definition.filter_name(kind))
        if line.function == "filterrules-setup"
    ]
    return max(lines, key=LOG_TYPES.index, default="normal")
