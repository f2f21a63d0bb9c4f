"""How is a harvester put together?"""

import functools
import socket
from dataclasses import asdict, replace
from pathlib import Path

import msgspec

from tiptoe import __version__
from tiptoe.compose_judging import (
    documents_kept,
    duplicity_rules,
    field_rules,
    text_extraction,
    text_store_point,
)
from tiptoe.compose_rules import (
    access_rules,
    address_guard,
    build_canonicalizer,
    politeness,
    revisit_policy,
    robot_filters,
    schedule,
    sources_read,
)
from tiptoe.decide.fetching import fetch_point
from tiptoe.decide.filtering import LinkFilter, PageFilter
from tiptoe.decide.parsing import parse_point
from tiptoe.fetch.client import Client
from tiptoe.fetch.limits import FetchLimits
from tiptoe.fetch.resolve import Resolver
from tiptoe.harvest.busy import BusyNote
from tiptoe.harvest.filter_log import FilterLog
from tiptoe.harvest.harvester import HarvesterPlan
from tiptoe.harvest.outlinks import Outlinks
from tiptoe.harvest.page_change import ChangedBy, RevisitRules
from tiptoe.harvest.requisites import ROLES_BY_CHOICE, Requisites
from tiptoe.harvest.tools import Tools
from tiptoe.observe.eventlog import EventLog
from tiptoe.segment.scorer import Scorer
from tiptoe.segment.segmenter_client import SegmenterClient
from tiptoe.segment.segmenters import BuiltIn, Segmenter
from tiptoe.settings.layers import Settings
from tiptoe.text.language import LanguageIdentifier
from tiptoe.write.logentries import Terms
from tiptoe.write.output_sets import OutputSets
from tiptoe.write.outputs import Outputs
from tiptoe.write.warc import WarcInfo

__all__ = ["amend_tools", "build_resolver", "build_tools", "harvester_plan", "lone_visit_tools"]

REPORT_SECONDS = 0.2
"""Pause between reports, unless configured."""

LONE_CONNECT_SECONDS = 10.0
LONE_TOTAL_SECONDS = 20.0
LONE_BODY_BYTES = 5 << 20


def amend_tools(tools: Tools, settings: Settings) -> None:
    """Apply changed live settings to the tools of a harvester."""
    tools.politeness = politeness(settings)
    tools.outputs.write_terms(_terms(settings, settings.user_agent(__version__)))


def harvester_plan(settings: Settings) -> HarvesterPlan:
    """Return how a harvester works."""
    return HarvesterPlan(
        lease_seconds=settings.harvest.lease,
        report_seconds=settings.harvest.report_every or REPORT_SECONDS,
        transfers_max=settings.harvest.transfers,
        syncs=settings.write.sync,
        reads_tdmrep=settings.text.respect_tdm,
    )


def build_tools(settings: Settings, directory: Path, incarnation: str, *, is_sharded: bool = False) -> Tools:
    """Return the tools of a harvester; to be called on its running event loop."""
    limits = _fetch_limits(settings)
    user_agent = settings.user_agent(__version__)
    log = EventLog.at(directory / "log" / f"harvester-{incarnation}.log", incarnation)
    filters = robot_filters(settings, with_plugins=True)
    links, pages = None, None
    if filters is not None:
        tell = FilterLog(log, filters.log_type)
        links, pages = LinkFilter(filters, tell), PageFilter(filters, tell)
    return Tools(
        harvester=incarnation,
        agent=settings.crawl.name,
        client=_client(settings, limits, user_agent, files="file" in settings.scope.schemes),
        resolver=build_resolver(settings),
        limits=limits,
        politeness=politeness(settings),
        outlinks=Outlinks(build_canonicalizer(settings), schedule(settings, links)),
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
        sources=sources_read(settings),
        respects_tdm=settings.text.respect_tdm,
        requisites=_requisites(settings),
        fetch=fetch_point(pages),
        filters=pages,
        access=access_rules(settings),
        rule_book=field_rules(settings),
        parse=parse_point(documents_kept(settings)),
        store=text_store_point(settings),
        extraction=text_extraction(settings),
        revisit=RevisitRules(
            is_on=revisit_policy(settings).strategy != "none",
            change=ChangedBy(settings.revisit.change),
            uses_hints=settings.revisit.hints,
        ),
        duplicity=duplicity_rules(settings),
        languages=LanguageIdentifier.load() if settings.text.detect_language else None,
        segmenter=_segmenter(settings, log, user_agent),
    )


def lone_visit_tools(settings: Settings, directory: Path, incarnation: str, scratch: Path) -> Tools:
    """Return the tools for requesting a single page; to be called on the running event loop.

    A person waits for the result, so slow or long answers are cut earlier than in a crawl.
    """
    user_agent = settings.user_agent(__version__)
    usual = _fetch_limits(settings)
    limits = replace(
        usual,
        connect_seconds=min(usual.connect_seconds, LONE_CONNECT_SECONDS),
        total_seconds=min(usual.total_seconds, LONE_TOTAL_SECONDS),
        body_bytes_max=min(usual.body_bytes_max, LONE_BODY_BYTES),
        decoded_bytes_max=min(usual.decoded_bytes_max, LONE_BODY_BYTES),
    )
    return Tools(
        harvester=incarnation,
        agent=settings.crawl.name,
        client=_client(settings, limits, user_agent, files=False),
        resolver=build_resolver(settings),
        limits=limits,
        politeness=politeness(settings),
        outlinks=Outlinks(build_canonicalizer(settings), schedule(settings, None)),
        outputs=OutputSets(
            incarnation,
            functools.partial(_outputs, settings, directory, user_agent),
            terms=_terms(settings, user_agent),
        ),
        busy=BusyNote(scratch / "busy"),
        log=EventLog.at(scratch / "log", incarnation),
        accept_language=settings.fetch.accept_language,
    )


def _client(settings: Settings, limits: FetchLimits, user_agent: str, *, files: bool) -> Client:
    contact = settings.crawl.contact
    return Client(
        limits,
        user_agent,
        sender=contact if "@" in contact and "/" not in contact else None,
        proxy=settings.fetch.proxy or None,
        files=files,
    )


def build_resolver(settings: Settings) -> Resolver:
    """Return a resolver of names; to be called on the running event loop."""
    return Resolver(address_guard(settings), settings.fetch.nameservers)


def _requisites(settings: Settings) -> Requisites | None:
    own = settings.fetch
    if own.requisites == "none":
        return None
    return Requisites(
        roles=ROLES_BY_CHOICE[own.requisites],
        are_elsewhere=own.requisites_elsewhere,
        count_max=own.requisites_max,
        bytes_max=own.requisite_body_max,
    )


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
    """Return what the request log records about the rules in force."""
    named = {"user_agent": user_agent, "agent": settings.crawl.name}
    return msgspec.convert(asdict(settings.politeness) | named, Terms)
