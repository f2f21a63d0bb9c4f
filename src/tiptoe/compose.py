"""How is each process put together?

The only module that knows everybody: it turns settings into the values that
each part asks for, and constructs the parts.
"""

import contextlib
import functools
import ipaddress
import re
import socket
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Final

import msgspec

from tiptoe import __version__
from tiptoe.convert.text_judging import Judging, Rate
from tiptoe.decide.parsing import parse_point
from tiptoe.decide.revisiting import revisit_point
from tiptoe.decide.scheduling import SchedulePoint, schedule_point
from tiptoe.decide.storing import StorePoint, store_point
from tiptoe.fetch.client import Client
from tiptoe.fetch.guard import AddressGuard
from tiptoe.fetch.limits import FetchLimits
from tiptoe.fetch.resolve import Resolver
from tiptoe.frontier.frontier import Frontier, FrontierPolicy
from tiptoe.frontier.policy import RevisitPolicy
from tiptoe.frontier.politeness import Politeness
from tiptoe.harvest.busy import BusyNote
from tiptoe.harvest.comparer import Comparer
from tiptoe.harvest.extraction import Extraction
from tiptoe.harvest.harvester import HarvesterPlan
from tiptoe.harvest.judgement import DuplicityRules
from tiptoe.harvest.outlinks import Outlinks
from tiptoe.harvest.page_change import ChangedBy, RevisitRules
from tiptoe.harvest.tools import Tools
from tiptoe.keeper.database import DATABASE
from tiptoe.keeper.plan import KeeperPlan, Reconfiguration
from tiptoe.keeper.settings_file import remember
from tiptoe.keeper.text_index import TextIndex
from tiptoe.observe.eventlog import EventLog
from tiptoe.protocol.work import Purpose
from tiptoe.segment.catchup import Remote, rate_with
from tiptoe.segment.rating_batches import rate_in_batches
from tiptoe.segment.scorer import Scorer
from tiptoe.segment.segmenter_client import SegmenterClient
from tiptoe.segment.segmenters import BuiltIn, Segmenter
from tiptoe.settings.layers import Settings
from tiptoe.settings.live import amended
from tiptoe.settings.remembering import changes_between, to_remember
from tiptoe.store.rocks import RocksStore
from tiptoe.text.language import LanguageIdentifier
from tiptoe.url.canonical import Canonicalizer, CanonicalRules
from tiptoe.url.scope import Scope
from tiptoe.write.logentries import Terms
from tiptoe.write.output_sets import OutputSets
from tiptoe.write.outputs import Outputs
from tiptoe.write.warc import WarcInfo

__all__ = [
    "JUDGING_SETTINGS",
    "LiveSettings",
    "amend_tools",
    "build_canonicalizer",
    "build_frontier",
    "build_tools",
    "document_judging",
    "frontier_policy",
    "harvester_plan",
    "keeper_plan",
    "politeness",
    "schedule",
]


JUDGING_SETTINGS: Final = (
    "text.min_chars", "text.detect_language", "text.languages",
    "text.duplicity", "text.duplicity_min_chars", "text.duplicity_max",
    "segmenter.url", "segmenter.timeout", "segmenter.batch", "segmenter.off",
)  # fmt: skip
"""The settings that say how the texts of documents are judged."""


def politeness(settings: Settings) -> Politeness:
    """Return the rules of politeness in force."""
    return msgspec.convert(settings.politeness, Politeness, from_attributes=True)


def schedule(settings: Settings) -> SchedulePoint:
    """Return what decides which links become requests: for keeper and harvesters the same."""
    own = settings.scope
    return schedule_point(_scope(settings), hops_max=own.hops_max, redirects_max=own.redirects_max)


def _scope(settings: Settings) -> Scope:
    """Return the bounds of the crawl."""
    return Scope(
        include_hosts=tuple(map(re.compile, settings.scope.include)),
        exclude_hosts=tuple(map(re.compile, settings.scope.exclude)),
        depth_max=settings.scope.depth,
    )


def build_canonicalizer(settings: Settings) -> Canonicalizer:
    """Return what gives every URL its one form."""
    return Canonicalizer(
        CanonicalRules(
            tracking_parameters=settings.scope.tracking_parameters,
            session_parameters=settings.scope.session_parameters,
            schemes=frozenset(settings.scope.schemes),
            url_bytes_max=settings.scope.url_bytes_max,
        )
    )


def frontier_policy(settings: Settings) -> FrontierPolicy:
    """Return everything the operator decides about the frontier."""
    return FrontierPolicy(
        politeness=politeness(settings),
        schedule=schedule(settings),
        cdn_ranges=settings.politeness.cdn_ranges,
        pages_max=settings.crawl.max_pages,
        bytes_max=settings.crawl.max_bytes,
        pages_per_host=settings.crawl.pages_per_host,
        shape_pages_max=settings.scope.shape_pages_max,
        textless_pages_max=settings.scope.textless_pages_max,
        follows_sitemaps=settings.scope.sitemaps,
        follows_feeds=settings.scope.feeds,
        reads_tdmrep=settings.text.respect_tdm,
        front_hosts=settings.frontier.front_hosts,
        min_yield=settings.frontier.min_yield,
        trial_pages=settings.frontier.trial_pages,
        unproductive_rest_seconds=settings.frontier.unproductive_rest,
        canonicalizer=build_canonicalizer(settings),
        revisit=revisit_policy(settings),
    )


def revisit_policy(settings: Settings) -> RevisitPolicy:
    """Return when pages are visited again."""
    revisit = settings.revisit
    return RevisitPolicy(
        strategy=revisit.strategy,
        first_seconds=revisit.first,
        min_seconds=revisit.min,
        max_seconds=revisit.max,
        shrink=revisit.shrink,
        grow=revisit.grow,
        objective=revisit.objective,
        visits_per_day=revisit.budget,
        share=revisit.share,
        point=revisit_point(
            _scope(settings), sources=_sources(settings), include=revisit.include, exclude=revisit.exclude
        ),
        uses_hints=revisit.hints,
        is_endless=settings.crawl.on_completion == "loop",
    )


def build_frontier(settings: Settings, directory: Path) -> tuple[Frontier, RocksStore]:
    """Return the frontier of a crawl and the store under it."""
    store = RocksStore(
        directory / DATABASE,
        block_cache_bytes=settings.frontier.block_cache,
        write_buffer_bytes=settings.frontier.write_buffer,
    )
    return Frontier(store, frontier_policy(settings)), store


def keeper_plan(
    settings: Settings, directory: Path, token: str, crawl: str, *, shards: int = 0, agent: str = ""
) -> KeeperPlan:
    """Return what the keeper is told when it starts; members of a cluster count the time together."""
    return KeeperPlan(
        directory=directory,
        settings=settings.to_dict(),
        lease_seconds=settings.harvest.lease,
        harvesters=settings.harvest.harvesters,
        visits_per_harvester=settings.harvest.visits,
        packets_max=settings.harvest.batch_count,
        disk_free_min=settings.write.disk_free_min,
        seconds_max=0.0 if agent else settings.crawl.max_seconds,
        token=token,
        crawl=crawl,
        shards=shards,
        agent=agent,
    )


class LiveSettings:
    """The settings that a crawl goes by while it runs, and what follows when the operator changes some."""

    def __init__(
        self,
        settings: Settings,
        directory: Path,
        *,
        adapt: Callable[[Settings], Settings] = lambda settings: settings,
    ) -> None:
        """`adapt` returns what is gone by in place of what is remembered."""
        self.settings = settings
        self._directory = directory
        self._adapt = adapt

    def remember(self) -> None:
        """Note them for the next run."""
        remember(self._directory, to_remember(self.settings))

    def change(self, plan: KeeperPlan, given: Mapping[str, str]) -> Reconfiguration:
        """Change settings that are live, for this run and the next ones; SettingsError says what is wrong."""
        before, after = self.settings, amended(self.settings, given)
        changes = {change.name: (change.before, change.after) for change in changes_between(before, after)}
        if changes:
            remember(self._directory, to_remember(after))
            self.settings = after
        return Reconfiguration(
            changes=changes,
            plan=keeper_plan(
                self._adapt(after),
                plan.directory,
                plan.token,
                plan.crawl,
                shards=plan.shards,
                agent=plan.agent,
            ),
            policy=frontier_policy(after),
        )


def amend_tools(tools: Tools, settings: Settings) -> None:
    """Let a harvester go by other settings from now on, as far as they are live."""
    tools.politeness = politeness(settings)
    tools.outputs.write_terms(_terms(settings, settings.user_agent(__version__)))


def harvester_plan(settings: Settings) -> HarvesterPlan:
    """Return how a harvester works."""
    return HarvesterPlan(
        lease_seconds=settings.harvest.lease,
        report_seconds=settings.harvest.report_every,
        transfers_max=settings.harvest.transfers,
        syncs=settings.write.sync,
        reads_tdmrep=settings.text.respect_tdm,
    )


def build_tools(settings: Settings, directory: Path, incarnation: str, *, is_sharded: bool = False) -> Tools:
    """Return what a harvester works with; to be called on its running loop."""
    limits = _fetch_limits(settings)
    allowed = tuple(map(ipaddress.ip_network, settings.fetch.allow_networks))
    # A rehearsal may be impolite, so it must not reach anybody else.
    guard = AddressGuard(allowed, is_closed=settings.is_rehearsal)
    user_agent = settings.user_agent(__version__)
    contact = settings.crawl.contact
    log = EventLog.at(directory / "log" / f"harvester-{incarnation}.log", incarnation)
    return Tools(
        harvester=incarnation,
        agent=settings.crawl.name,
        client=Client(
            limits,
            user_agent,
            sender=contact if "@" in contact and "/" not in contact else None,
            proxy=settings.fetch.proxy or None,
            files="file" in settings.scope.schemes,
        ),
        resolver=Resolver(guard, settings.fetch.nameservers),
        limits=limits,
        politeness=politeness(settings),
        outlinks=Outlinks(build_canonicalizer(settings), schedule(settings)),
        outputs=OutputSets(
            incarnation,
            functools.partial(_outputs, settings, directory, user_agent),
            terms=_terms(settings, user_agent),
            is_sharded=is_sharded,
        ),
        busy=BusyNote(directory / "state" / f"{incarnation}.busy"),
        log=log,
        accept_language=settings.fetch.accept_language,
        keeps_archive=settings.write.warc,
        sources=_sources(settings),
        respects_tdm=settings.text.respect_tdm,
        parse=parse_point(keeps_documents=settings.documents.convert != "never"),
        store=_store_point(settings),
        extraction=_extraction(settings),
        revisit=RevisitRules(
            is_on=settings.revisit.strategy != "none",
            change=ChangedBy(settings.revisit.change),
            uses_hints=settings.revisit.hints,
        ),
        duplicity=_duplicity(settings),
        languages=LanguageIdentifier.load() if settings.text.detect_language else None,
        segmenter=_segmenter(settings, log, user_agent),
    )


def _sources(settings: Settings) -> frozenset[Purpose]:
    followed = {Purpose.SITEMAP: settings.scope.sitemaps, Purpose.FEED: settings.scope.feeds}
    return frozenset(purpose for purpose, is_followed in followed.items() if is_followed)


def _segmenter(settings: Settings, log: EventLog, user_agent: str) -> Segmenter | None:
    own = settings.segmenter
    if own.off:
        return None
    if not own.url:
        return BuiltIn(Scorer(wanted=settings.text.languages))
    return SegmenterClient(
        own.url,
        timeout_seconds=own.timeout,
        documents_max=own.batch,
        user_agent=user_agent,
        note=lambda reason: log.note("segmenter.failed", reason=reason),
    )


def _extraction(settings: Settings) -> Extraction | None:
    wanted = settings.text.extraction
    return None if wanted == "all" else Extraction.load(keeps_boilerplate=wanted == "marked")


def _duplicity(settings: Settings) -> DuplicityRules | None:
    if not settings.text.duplicity:
        return None
    own = settings.text
    return DuplicityRules(chars_min=own.duplicity_min_chars, duplicity_max=own.duplicity_max)


def _store_point(settings: Settings) -> StorePoint:
    """Return what decides whether the text of a page or document enters the corpus."""
    own = settings.text
    duplicity = _duplicity(settings)
    return store_point(
        respects_tdm=own.respect_tdm,
        chars_min=own.min_chars,
        languages=own.languages if own.detect_language else (),
        is_copy=duplicity.is_copy if duplicity else None,
    )


def _fetch_limits(settings: Settings) -> FetchLimits:
    return FetchLimits(
        connect_seconds=settings.fetch.connect_timeout,
        total_seconds=settings.fetch.total_timeout,
        header_bytes_max=settings.fetch.header_max,
        body_bytes_max=settings.fetch.body_max,
        decoded_bytes_max=settings.fetch.decoded_max,
    )


def _outputs(
    settings: Settings, directory: Path, user_agent: str, writer: str, terms: Terms | None
) -> Outputs:
    info = WarcInfo(
        software=f"tiptoe/{__version__}",
        operator=settings.crawl.contact,
        user_agent=user_agent,
        hostname=socket.gethostname(),
    )
    return Outputs(
        directory,
        writer,
        info=info,
        crawl=settings.crawl.name,
        warc_bytes_max=settings.write.warc_size,
        corpus_bytes_max=settings.write.corpus_size,
        corpus_encoding=settings.write.encoding,
        compression_level=settings.write.warc_level,
        terms=terms,
    )


def _terms(settings: Settings, user_agent: str) -> Terms:
    """Return what the request log says of the rules in force."""
    named = {"user_agent": user_agent, "agent": settings.crawl.name}
    return msgspec.convert(asdict(settings.politeness) | named, Terms)


@contextlib.contextmanager
def document_judging(settings: Settings, directory: Path) -> Iterator[Judging]:
    """Bring together who judges the texts of documents: the same that judge pages.

    A keeper or segmenter that does not answer leaves a text unjudged, and the work goes on.
    """
    identifier = LanguageIdentifier.load() if settings.text.detect_language else None
    rules = _duplicity(settings)
    with TextIndex(directory) as index, _rating(settings) as rate:
        yield Judging(
            store=_store_point(settings),
            identify=identifier.identify_document if identifier else None,
            compare=Comparer(index.look, rules) if rules else None,
            rate=rate,
        )


@contextlib.contextmanager
def _rating(settings: Settings) -> Iterator[Rate | None]:
    own = settings.segmenter
    if own.off:
        yield None
    elif not own.url:
        yield rate_in_batches(rate_with(Scorer(wanted=settings.text.languages)), own.batch)
    else:
        agent = f"tiptoe/{__version__}"
        remote = Remote(own.url, agent, timeout_seconds=own.timeout, documents_max=own.batch)
        with contextlib.closing(remote):
            yield rate_in_batches(remote, own.batch)
