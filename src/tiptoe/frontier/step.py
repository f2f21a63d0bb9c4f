"""What does one step of the frontier change?

Everything that a step writes is collected in one batch and committed
atomically. The step also keeps the counters of the frontier, which are part of the batch.
"""

from collections.abc import Sequence
from collections.abc import Set as AbstractSet

from tiptoe.frontier.calendar import Calendar
from tiptoe.frontier.counters import Counters, Gauges
from tiptoe.frontier.due import Due
from tiptoe.frontier.duplicity import Paragraphs
from tiptoe.frontier.exchanges import Exchanges
from tiptoe.frontier.filemarks import FileMarks
from tiptoe.frontier.gate import Gate
from tiptoe.frontier.holdings import Holdings
from tiptoe.frontier.host import HostRecord, Hosts
from tiptoe.frontier.inbox import LinkInbox
from tiptoe.frontier.mail import MailRoom
from tiptoe.frontier.pages import Pages
from tiptoe.frontier.queues import Queues
from tiptoe.frontier.recount import recount
from tiptoe.frontier.residence import Residences, ShardPlan
from tiptoe.frontier.sections import SectionBook
from tiptoe.frontier.sieve import SIEVE_ROW_URLS, Sieve
from tiptoe.frontier.standing_orders import StandingOrders
from tiptoe.frontier.text_outbox import TextOutbox
from tiptoe.frontier.wishes import OwnersWishes
from tiptoe.frontier.yields import expected_yield
from tiptoe.store.tables import Store, Writes

__all__ = ["Step"]

BOXES_PER_CACHED_HOST = 12
"""Boxes of inboxes per cached host: a box takes a tenth of the memory of a record, and without one a link to
a host costs twice as much."""


class Step:
    """The open step: one batch, the records it changes, the counters."""

    def __init__(
        self, store: Store, *, hosts_cached_max: int, sieve_row_urls: int = SIEVE_ROW_URLS,
        shard: int = 0, plan: ShardPlan | None = None, orders: StandingOrders | None = None,
        shares_texts: bool = False,
    ) -> None:  # fmt: skip
        self.store = store
        self.counters = Counters(store)
        if not self.counters.has(Gauges):
            recount(store, self.counters)
        self.totals, self.gauges = self.counters.totals, self.counters.gauges
        self.ids, self.learned = self.counters.ids, self.counters.learned
        self.hosts = Hosts(store, cached_max=hosts_cached_max)
        self.exchanges = Exchanges(store)
        self.queues = Queues(store, self.gauges, self.exchanges)
        self.gate = Gate(store)
        self.sections = SectionBook()
        self.paragraphs = Paragraphs(store, self.hosts)
        self.pages = Pages(store)
        self.sieve = Sieve(store, self.pages, row_urls=sieve_row_urls)
        self.inbox = LinkInbox(store, boxes_max=BOXES_PER_CACHED_HOST * hosts_cached_max)
        self.calendar = Calendar(store)
        self.due = Due(store, self.gauges)
        self.files = FileMarks(store)
        self.holdings = Holdings(store)
        self.wishes = OwnersWishes.of(store)
        self.batch = Writes()
        # Only in a crawl that has several frontiers:
        self.mail = MailRoom(store, shard) if plan is not None else None
        self.residences = Residences(store, shard, plan) if plan is not None else None
        self.orders = orders if orders is not None else StandingOrders()
        self.text_outbox = TextOutbox(store, self.ids) if shares_texts else None
        self.texts: Paragraphs | TextOutbox = self.paragraphs  # where settled texts are learned
        if self.text_outbox is not None:
            self.texts = self.text_outbox

    @property
    def in_transit(self) -> AbstractSet[bytes]:
        """Keys of hosts that are moving from or to another frontier, of which only some rows are here."""
        return self.residences.in_transit if self.residences is not None else frozenset()

    @property
    def has_changes(self) -> bool:
        """Whether the open step has anything to write besides counters, which can wait for a later step."""
        return bool(self.batch or self.hosts.changed)

    def discard(self, reason: str, count: int = 1) -> None:
        """Count something that was dropped or discarded."""
        self.totals.discards[reason] = self.totals.discards.get(reason, 0) + count

    def outcome(self, name: str) -> None:
        """Count the outcome of a request."""
        self.totals.outcomes[name] = self.totals.outcomes.get(name, 0) + 1

    def host_yield(self, record: HostRecord) -> float:
        """Return how many usable characters per byte to expect from a host."""
        experience = self.learned.experience
        return expected_yield(record.productivity, experience.share, experience.credence_pages)

    def _write_sections(self) -> None:
        credence = self.learned.experience.credence_pages
        for host, sections in self.sections.changed():
            record = self.hosts.obtain(host)
            record.sections = sections.encode()
            record.is_uneven = sections.shifts(self.host_yield(record), credence) is not None
            self.hosts.touch(record)

    def index_texts(self, rows: Writes, rest: Sequence[tuple[str, bytes]] = ()) -> None:
        """Write rows of this shard's block of the index, and send the rest of some texts as a step."""
        if rest and self.text_outbox is not None:
            for url, hashes in rest:
                self.text_outbox.learn_rest(url, hashes)
            self.batch.extend(rows)
            self.commit()
        else:
            self.store.write(rows)  # not a step: neither counters nor anything in memory changes

    def commit(self) -> None:
        """Write the step atomically."""
        self._write_sections()
        self.sieve.write(self.batch)
        self.queues.write(self.batch)
        self.hosts.write(self.batch)
        self.inbox.follow(self.hosts.changed)
        if self.text_outbox is not None:
            self.text_outbox.write(self.batch)
        self.counters.write(self.batch)
        if self.mail is not None:
            self.mail.write(self.batch)
        self.store.write(self.batch)
        self.batch = Writes()
        self.hosts.committed()
        self.sieve.committed()
        self.queues.committed()
        self.inbox.committed()
        self.gate.committed()
        self.pages.committed()
        self.calendar.committed()
        self.due.committed()
        self.sections.committed()
        self.paragraphs.committed()
        self.holdings.committed()
        if self.residences is not None:
            self.residences.committed()
