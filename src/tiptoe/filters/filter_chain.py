"""How does a resource pass through one filter?

    MetaData   judged by its URL                `judge_address`
    Data       judged by its answer             `judge_answer`, which repeats MetaData first
    Enumerate  which links are followed         `links`
    Generate   what its description says        `describe`

The first directive that denies ends the chain. A resource that reaches its end is accepted.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from tiptoe.filters.chain_steps import ChainStep, StepMaker
from tiptoe.filters.definition import Directive, RobotDefinition
from tiptoe.filters.describing import Make, maker_of
from tiptoe.filters.filter_functions import FUNCTIONS
from tiptoe.filters.filter_plugins import FilterFunction
from tiptoe.filters.link_choice import Choose, chooser_of
from tiptoe.filters.link_doubt import doubts_of
from tiptoe.filters.resource import PageFacts, Resource

__all__ = ["Denied", "FilterChain", "FilterFault"]

JUDGING: Final = frozenset({"Setup", "MetaData", "Data"})
"""Stages that can deny a resource."""


class FilterFault(Exception):
    """A function of another package has failed; the page is lost."""

    def __init__(self, line: Directive, error: Exception) -> None:
        super().__init__(f"{line.place}: {line.function}: {error!r}"[:500])
        self.place = line.place


@dataclass(frozen=True, slots=True)
class Denied:
    """A filter takes no further action on a resource."""

    place: str  # the line that denies, such as filter.conf:12
    why: str
    is_by_depth: bool = False  # found nearer to a seed it may be allowed
    is_fault: bool = False  # a function has failed, so nothing was decided

    def __str__(self) -> str:
        return f"{self.place} ({self.why})"


class FilterChain:
    """One filter, ready for use. Keeps no state between resources."""

    def __init__(
        self,
        definition: RobotDefinition,
        name: str,
        *,
        base: Mapping[str, str],
        depth: int,
        plugins: Mapping[str, FilterFunction],
    ) -> None:
        self.name = name
        self._base = base
        known = FUNCTIONS.keys() | plugins.keys()
        # The keeper skips functions of other packages: they run in harvesters.
        lines = [line for line in definition.directives_of(name) if line.function in known]
        maker = StepMaker(definition, depth, plugins)
        for line in lines:
            if line.stage == "Setup":
                maker.set_up(line)
        self.metadata = _steps(lines, "MetaData", maker)
        self._doubts = doubts_of(self.metadata, maker.types)
        self.data = _steps(lines, "Data", maker)
        self._makers = [
            (line, _own(plugins[line.function], line) if line.function in plugins else maker_of(line))
            for line in lines
            if line.stage == "Generate"
        ]
        self._choosers = [
            (line, _chosen(plugins[line.function], line) if line.function in plugins else chooser_of(line))
            for line in lines
            if line.stage == "Enumerate"
        ]
        # What functions of other packages do to a resource is unknown.
        self.judging = None if plugins.keys() & {line.function for line in lines} else _judging(lines)
        called = {line.function for line in lines}
        self.drops_copies = "filter-by-md5" in called
        self.describes = bool(self._makers)
        self.reads_headings = "extract-html-toc" in called or any(
            "skip-headings" in line.parameters for line in lines
        )

    def resource(self, url: str, depth: int, ip: str | None = None) -> Resource:
        """Return a new resource for this filter."""
        return Resource(url, depth, self._base, ip=ip)

    def doubtful(self, urls: Sequence[str], depth: int) -> Sequence[str]:
        """Return the URLs that MetaData may deny at this depth; it denies no others."""
        return urls if self._doubts is None else self._doubts.among(urls, depth)

    def judge_address(self, resource: Resource) -> Denied | None:
        """Carry out MetaData."""
        return _run(self.metadata, resource)

    def judge_answer(self, resource: Resource, facts: PageFacts) -> Denied | None:
        """Carry out MetaData, then Data with the answer."""
        denied = _run(self.metadata, resource)
        if denied is not None:
            return denied
        resource.receive(facts)
        return _run(self.data, resource)

    def links(self, resource: Resource, found: Sequence[str]) -> list[str]:
        """Return which links of a resource are followed; FilterFault if a function fails."""
        chosen: list[str] = []
        for line, choose in self._choosers:
            try:
                chosen += choose(resource, found)
            except Exception as error:  # whatever the code of others does
                raise FilterFault(line, error) from error
        return chosen if len(self._choosers) < 2 else list(dict.fromkeys(chosen))

    def describe(self, resource: Resource) -> dict[str, list[str]]:
        """Carry out Generate and return the fields of the description; FilterFault if a function fails."""
        for line, make in self._makers:
            try:
                make(resource)
            except Exception as error:  # whatever the code of others does
                raise FilterFault(line, error) from error
        fields = resource.fields
        return fields if all(fields.values()) else {name: values for name, values in fields.items() if values}


def _judging(lines: Iterable[Directive]) -> list[tuple[str, str, dict[str, str]]]:
    """Return everything that a verdict depends on: filters with the same result judge alike."""
    return [(line.stage, line.function, line.parameters) for line in lines if line.stage in JUDGING]


def _steps(lines: Iterable[Directive], stage: str, maker: StepMaker) -> list[ChainStep]:
    made = (maker.make(line) for line in lines if line.stage == stage)
    return [step for step in made if step is not None]


def _run(steps: list[ChainStep], resource: Resource) -> Denied | None:
    for step in steps:
        try:
            if step.goes_on(resource):
                continue
        except Exception as error:  # whatever the code of others does
            return Denied(step.directive.place, f"{step.directive.function}: {error!r}"[:500], is_fault=True)
        return Denied(*step.why(resource))
    return None


def _own(function: FilterFunction, line: Directive) -> Make:
    def make(resource: Resource) -> None:
        function(resource, line.parameters)

    return make


def _chosen(function: FilterFunction, line: Directive) -> Choose:
    def choose(resource: Resource, found: Sequence[str]) -> Sequence[str]:
        resource.links = list(found)
        function(resource, line.parameters)
        return [str(link) for link in resource.links]

    return choose
