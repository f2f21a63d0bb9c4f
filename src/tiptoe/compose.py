"""How is each process put together?

This module turns settings into the values that each part needs, and constructs the parts of a keeper. The
modules beside it do the same for rules that several processes use, harvesters, members, `tiptoe read`, and
the parts that judge texts. No other module knows all parts.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from tiptoe.compose_rules import access_rules, frontier_policy
from tiptoe.forget.journal import load_journal
from tiptoe.frontier.anew import begin_anew, has_begun_anew
from tiptoe.frontier.frontier import Frontier
from tiptoe.keeper.database import DATABASE
from tiptoe.keeper.plan import KeeperPlan, Reconfiguration
from tiptoe.keeper.settings_file import remember
from tiptoe.settings.layers import Settings
from tiptoe.settings.live import amended
from tiptoe.settings.opening_hours import OpeningHours, zone_named
from tiptoe.settings.remembering import changes_between, to_remember
from tiptoe.settings.schema import SETTINGS
from tiptoe.store.rocks import RocksStore

__all__ = ["LiveSettings", "build_frontier", "keeper_plan", "open_store"]

SHARED: Final = frozenset(name for name, setting in SETTINGS.items() if not setting.is_local)
"""Settings that all members of a crawl on many machines share."""


def build_frontier(settings: Settings, directory: Path) -> tuple[Frontier, RocksStore]:
    """Return the frontier of a crawl and its store, after completing any forgetting that was begun."""
    if load_journal(directory) is not None:
        # Imported here, because it imports the catalog, which a crawl otherwise does not need.
        from tiptoe.forget.forget_orders import finish_forgetting

        finish_forgetting(
            directory, database=settings.catalog.database, chars_min=settings.text.duplicity_min_chars
        )
    store = open_store(settings, directory)
    if has_begun_anew(store):
        begin_anew(store)
    return Frontier(store, frontier_policy(settings)), store


def open_store(settings: Settings, directory: Path) -> RocksStore:
    """Return the database of a crawl."""
    return RocksStore(
        directory / DATABASE,
        block_cache_bytes=settings.frontier.block_cache,
        write_buffer_bytes=settings.frontier.write_buffer,
    )


def keeper_plan(
    settings: Settings, directory: Path, token: str, crawl: str, *, shards: int = 0, agent: str = ""
) -> KeeperPlan:
    """Return the plan of a keeper; on a cluster, `max_seconds` is enforced by the members together."""
    return KeeperPlan(
        directory=directory,
        settings=_for_harvesters(settings),
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
        shared_settings=SHARED if agent else frozenset(),
        on_end=settings.crawl.on_end,
        opening=OpeningHours.read(settings.crawl.schedule, zone_named(settings.crawl.time_zone)).at,
    )


def _for_harvesters(settings: Settings) -> dict[str, Any]:
    """Return the settings for harvesters, also on other machines: without the catalog's database."""
    plain = settings.to_dict()
    del plain["catalog"]
    if settings.fetch.access:  # absolute, because harvesters may start in another directory
        plain["fetch"]["access"] = str(Path(settings.fetch.access).absolute())
    return plain


class LiveSettings:
    """The settings of a running crawl, and what follows when the operator changes some of them."""

    def __init__(
        self,
        settings: Settings,
        directory: Path,
        *,
        adapt: Callable[[Settings], Settings] = lambda settings: settings,
    ) -> None:
        """`adapt` turns the remembered settings into those that are used."""
        self.settings = settings
        self._directory = directory
        self._adapt = adapt

    def remember(self) -> None:
        """Store the settings for the next run."""
        remember(self._directory, to_remember(self.settings))

    def change(self, plan: KeeperPlan, given: Mapping[str, str]) -> Reconfiguration:
        """Change live settings, for this run and the next ones; raise SettingsError saying what is wrong."""
        before, after = self.settings, amended(self.settings, given)
        if "politeness.max_reqs" in given:  # a visit must still have room for a login
            access_rules(after)
        changes = {change.name: (change.before, change.after) for change in changes_between(before, after)}
        if changes:
            remember(self._directory, to_remember(after))
            self.settings = after
        return Reconfiguration(
            changes=changes,
            plan=replace(
                keeper_plan(
                    self._adapt(after),
                    plan.directory,
                    plan.token,
                    plan.crawl,
                    shards=plan.shards,
                    agent=plan.agent,
                ),
                seconds_spent=plan.seconds_spent,
            ),
            policy=frontier_policy(after),
        )
