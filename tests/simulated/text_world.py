"""Agents that crawl a web of copied texts together, compared with the index of a single machine.

Harvesters judge each page by what their agent answers, waiting and asking again like real ones. The index of
a single machine gets the same questions and pages at the same moments, but its answers are only compared.
What the agents have stored is read from their logs.
"""

from collections import Counter
from dataclasses import dataclass, field

import msgspec

from simulated.agent_world import AgentWorld, SimulatedAgent
from simulated.text_web import TextWeb
from tiptoe.decide.discard import Discard
from tiptoe.frontier.duplicity import Paragraphs
from tiptoe.harvest.inquiry import Inquiries
from tiptoe.harvest.judgement import DuplicityRules, TextJudgement
from tiptoe.protocol.messages import Inquiry
from tiptoe.protocol.work import Purpose, Result
from tiptoe.store.memory import MemoryStore
from tiptoe.store.tables import Writes
from tiptoe.text.fingerprint import Fingerprint
from tiptoe.url.address import host_of

__all__ = ["OneIndex", "TextWorld"]

RULES = DuplicityRules()
REPORT_SECONDS = 0.5


class _Hosts:
    """As much of a frontier's hosts as the index asks for."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()

    def find(self, host: str) -> "_Site":
        return _Site(self.counts[host])


@dataclass
class _Site:
    pages: int


class OneIndex:
    """The index of a crawl on one machine."""

    def __init__(self) -> None:
        self.store = MemoryStore()
        self.hosts = _Hosts()
        self.paragraphs = Paragraphs(self.store, self.hosts)  # type: ignore[arg-type]

    def learn(self, url: str, hashes: bytes, *, is_kept: bool) -> None:
        batch = Writes()
        self.hosts.counts[host_of(url)] += 1
        self.paragraphs.learn(batch, url, hashes, is_kept=is_kept)
        self.store.write(batch)


@dataclass
class Compared:
    """What was said of one page, by the agents and by one index alone."""

    url: str
    agents: TextJudgement
    alone: TextJudgement
    seconds: float  # until the agents had judged it

    @property
    def is_same(self) -> bool:
        return is_copy(self.agents) == is_copy(self.alone)


def is_copy(judgement: TextJudgement) -> bool:
    return judgement.duplicity is not None and RULES.is_copy(judgement.duplicity)


@dataclass
class _Asker:
    """The texts of one harvester, which asks its agent and the index of one machine."""

    world: "TextWorld"
    agent: SimulatedAgent
    agents: Inquiries | None = None
    alone: Inquiries | None = None

    def _begin(self) -> tuple[Inquiries, Inquiries]:
        """Begin within the harvester's own loop."""
        if self.agents is None or self.alone is None:
            self.agents = Inquiries(self._ask_agent, RULES, report_seconds=REPORT_SECONDS)
            self.alone = Inquiries(self._ask_alone, RULES, report_seconds=REPORT_SECONDS)
        return self.agents, self.alone

    def _ask_agent(self, inquiry: Inquiry) -> None:
        asked_at = self.world.timeline.now

        def answered(marks: dict[int, bytes]) -> None:
            self.world.waits.append(self.world.timeline.now - asked_at)
            self.agent.harvester.hear(lambda: self._begin()[0].answered(marks))

        self.agent.hear(lambda: self.agent.frontier.claim_paragraphs(inquiry.questions, answered))

    def _ask_alone(self, inquiry: Inquiry) -> None:
        marks = self.world.one.paragraphs.claim(inquiry.questions)
        self.agent.harvester.hear(lambda: self._begin()[1].answered(marks))

    async def _learn_alone(self, url: str, mark: Fingerprint, alone: Inquiries) -> TextJudgement:
        judgement = await alone.judge(url, mark)
        self.world.one.learn(url, mark.hashes, is_kept=not is_copy(judgement))
        return judgement

    async def compare(self, result: Result) -> Result:
        if result.request.purpose is not Purpose.PAGE or result.status != 200:
            return result
        agents, alone = self._begin()
        url, began = result.request.url, self.world.timeline.now
        mark = self.world.texts.mark(url)
        loop = self.agent.harvester.loop
        other = loop.create_task(self._learn_alone(url, mark, alone))
        said = await agents.judge(url, mark)
        seconds = self.world.timeline.now - began
        # Not waited for: of two pages read at one moment the index alone may let the other one go ahead.
        other.add_done_callback(
            lambda done: self.world.compared.append(Compared(url, said, done.result(), seconds))
        )
        discard = Discard.DUPLICATE.value if is_copy(said) else ""
        return msgspec.structs.replace(result, fingerprint=mark.hashes, discard=discard)


@dataclass
class TextWorld(AgentWorld):
    """Machines, their agents, and a web of copied texts."""

    seed: int
    machines_max: int = 3
    shards_max: int = 8
    texts: TextWeb = field(init=False)

    def __post_init__(self) -> None:
        self.texts = TextWeb(self.seed, hosts=40)
        super().__init__(self.seed, machines=self.machines_max, shards=self.shards_max, web=self.texts)
        self.one = OneIndex()
        self.compared: list[Compared] = []
        self.waits: list[float] = []

    def started(self, agent: SimulatedAgent) -> None:
        agent.harvester.compare = _Asker(self, agent).compare

    def kept(self) -> dict[bytes, list[str]]:
        """Return the pages that stand in the corpora, by their texts, as the logs have it."""
        kept: dict[bytes, list[str]] = {}
        for frontier in self.stored_frontiers():
            for url in self.web.pages():
                page = frontier.page(url)
                if page is not None and page.outcome == "ok":
                    kept.setdefault(self.texts.whole(url), []).append(url)
        return kept
