"""How is a member of a crawl on many machines put together?

Separate from `compose`, so that neither a crawl on one machine nor a harvester imports it.
"""

import dataclasses
import re
import secrets
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Final

from tiptoe.cluster.cluster_agent import HARVESTER_LEASES, AgentPlan
from tiptoe.cluster.crawl_record import CrawlRecord
from tiptoe.cluster.engine import Engine
from tiptoe.cluster.member import ClusterMember, MemberPlan
from tiptoe.cluster.shard_labels import ShardLabels, label_rules, labels_taken
from tiptoe.cluster.shard_runner import RunnerPlan
from tiptoe.compose_rules import frontier_policy
from tiptoe.keeper.database import DATABASE
from tiptoe.keeper.directory import CrawlDirectory
from tiptoe.keeper.plan import SessionPlan
from tiptoe.observe.eventlog import EventLog
from tiptoe.settings.layers import Settings
from tiptoe.store.partition import PARTITION_BYTES
from tiptoe.store.rocks import RocksStore

__all__ = ["agent_name", "build_member", "member_settings", "open_member_store"]

NAME_LENGTH_MAX: Final = 40
INCARNATION_BYTES: Final = 6
REPORT_SECONDS: Final = 0.5
"""Pause between reports of harvesters, unless configured: each is written to the log of each shard in it."""

GATHER_SECONDS: Final = 0.2
"""Seconds from one sending of gathered steps to the logs to the next; all shards send at once."""


def agent_name(settings: Settings) -> str:
    """Return the name of this machine in the cluster: the configured one, or its host name."""
    own = re.sub("[^A-Za-z0-9_-]", "-", socket.gethostname().partition(".")[0]).strip("-_")
    return settings.cluster.agent or own[:NAME_LENGTH_MAX] or "agent"


def member_settings(settings: Settings) -> Settings:
    """Return the settings of a member and its harvesters, whose leases must end before its own."""
    lease = min(settings.harvest.lease, settings.cluster.lease / HARVESTER_LEASES)
    report_every = min(settings.harvest.report_every or REPORT_SECONDS, lease / 3)
    harvest = dataclasses.replace(settings.harvest, lease=lease, report_every=report_every)
    return dataclasses.replace(settings, harvest=harvest)


def open_member_store(settings: Settings, directory: Path) -> RocksStore:
    """Return the database in which a member keeps the shards that it holds or follows."""
    return RocksStore(
        directory / DATABASE,
        block_cache_bytes=settings.frontier.block_cache,
        write_buffer_bytes=settings.frontier.write_buffer,
        prefix_bytes=PARTITION_BYTES,
    )


def build_member(
    settings: Settings, directory: CrawlDirectory, engine: Engine, store: RocksStore, record: CrawlRecord,
    plan: SessionPlan, log: EventLog, *, settings_known: int, seconds_max: Callable[[], float],
) -> ClusterMember:  # fmt: skip
    """Return a member of a crawl; `settings` are those of `member_settings`.

    They include all changes up to the command `settings_known`.
    """
    name = agent_name(settings)
    rules = label_rules(settings.cluster.affinity)
    labels = ShardLabels(record.shards, rules)
    agent = AgentPlan(
        agent=name,
        incarnation=f"{name}-{secrets.token_hex(INCARNATION_BYTES)}",
        labels=labels.labels,
        takes=labels_taken(settings.cluster.takes, rules),
        weight=settings.cluster.weight,
        lease_seconds=settings.cluster.lease,
        settings_known=settings_known,
        runner=RunnerPlan(agent=name, grace_seconds=settings.harvest.lease, gather_seconds=GATHER_SECONDS),
    )
    member = MemberPlan(
        agent=agent,
        robot=settings.crawl.name,
        identity=record.identity,
        shards=labels,
        disk_wait_seconds=settings.cluster.disk_wait,
        seconds_max=seconds_max,
        remember=plan.remember,
    )
    return ClusterMember(directory, engine, store, frontier_policy(settings), member, log)
