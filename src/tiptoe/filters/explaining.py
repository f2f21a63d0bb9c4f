"""Which line decides about a URL, in each stage of each filter?

The filters that a crawl uses are applied step by step; anything to be fetched is fetched elsewhere.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tiptoe.filters.chain_steps import ChainStep
from tiptoe.filters.filter_chain import Denied, FilterChain, FilterFault
from tiptoe.filters.resource import PageFacts, Resource
from tiptoe.filters.robot_filters import RobotFilters

__all__ = ["ExplainedStep", "Explanation", "FetchedAnswer", "explain", "is_refused"]


@dataclass(frozen=True, slots=True)
class ExplainedStep:
    """One directive, and its effect."""

    stage: str
    place: str
    function: str
    did: str


@dataclass(slots=True)
class Explanation:
    """The steps of a resource through one filter."""

    kind: str
    filter: str
    steps: list[ExplainedStep]
    denied: Denied | None = None
    denied_in: str = ""  # the stage
    links: list[str] | None = None
    fields: dict[str, list[str]] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class FetchedAnswer:
    """The answer of the server to a request for a URL."""

    hindrance: str = ""  # why there was no request, or no answer
    is_archived: bool = False  # it comes from an earlier request of the crawl
    status: int = 0
    type: str = ""
    body_bytes: int = 0
    moment: float = 0.0  # seconds since 1970
    location: str = ""  # target of a redirect
    markup: str = ""  # of an HTML page, so that it can be tried again without another request


def is_refused(told: Sequence[Explanation]) -> bool:
    """Whether both filters deny a resource by its URL, so that it is not requested."""
    return all(one.denied is not None and one.denied_in == "MetaData" for one in told)


def explain(
    filters: RobotFilters,
    url: str,
    *,
    depth: int = 0,
    ip: str | None = None,
    facts: PageFacts | None = None,
    links: Sequence[str] = (),
) -> list[Explanation]:
    """Pass a URL, and its answer if there is one, through both filters."""
    found = []
    for kind, chain in (("enumeration", filters.enumeration), ("generation", filters.generation)):
        told = Explanation(kind, chain.name, [])
        resource = chain.resource(url, depth, ip)
        stages = [("MetaData", chain.metadata)]
        if facts is not None:
            stages.append(("Data", chain.data))
        for stage, steps in stages:
            if stage == "Data" and facts is not None:
                resource.receive(facts)
            told.steps += _walk(told, stage, steps, resource)
            if told.denied is not None:
                break
        if told.denied is None and facts is not None:
            _finish(told, chain, resource, links)
        found.append(told)
    return found


def _walk(
    told: Explanation, stage: str, steps: Sequence[ChainStep], resource: Resource
) -> Iterator[ExplainedStep]:
    for step in steps:
        before = dict(resource.sources)
        try:
            goes_on = step.goes_on(resource)
        except Exception as error:  # foreign code may raise anything
            told.denied = Denied(step.directive.place, repr(error)[:500], is_fault=True)
        else:
            told.denied = None if goes_on else Denied(*step.why(resource))
        did = "goes on" if told.denied is None else f"denied by {told.denied}"
        changes = _changes(before, resource.sources)
        yield ExplainedStep(stage, step.directive.place, step.directive.function, changes or did)
        if told.denied is not None:
            told.denied_in = stage
            return


def _changes(before: dict[str, str], after: dict[str, str]) -> str:
    changed = [f"{name} = {value[:60]}" for name, value in after.items() if before.get(name) != value]
    return ", ".join([*changed, *(f"{name} is cleared" for name in before.keys() - after.keys())])


def _finish(told: Explanation, chain: FilterChain, resource: Resource, links: Sequence[str]) -> None:
    try:
        if told.kind == "enumeration":
            told.links = chain.links(resource, links)
        else:
            told.fields = chain.describe(resource)
    except FilterFault as fault:
        told.denied = Denied(fault.place, str(fault), is_fault=True)
        told.denied_in = "Enumerate" if told.kind == "enumeration" else "Generate"
