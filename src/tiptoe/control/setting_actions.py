"""How are the settings of a crawl shown and changed? Used by pages and API alike.

planned   all may change; the crawl will be started with them
stopped   all but the fixed ones may change; the changes take effect at the next start
running   live ones may change; the changes take effect at once
"""

from collections.abc import Collection, Mapping

import msgspec

from tiptoe.control.control_parts import ControlParts
from tiptoe.control.crawl_actions import CrawlActions
from tiptoe.control.crawl_launch import check_plan
from tiptoe.control.crawl_registry import KnownCrawl
from tiptoe.control.setting_fields import differences, load_settings
from tiptoe.control.setting_guard import refuse_settings, setting_refusal
from tiptoe.control.visitor import Visitor
from tiptoe.control.web_problem import WebProblem
from tiptoe.errors import SettingsError
from tiptoe.keeper.directory import find_keeper
from tiptoe.keeper.settings_file import recall
from tiptoe.settings.layers import Settings
from tiptoe.settings.schema import SETTINGS
from tiptoe.url.passwords import without_passwords

__all__ = ["CrawlSettingsView", "SettingActions", "plan_crawl"]

SEEDS_CHARS_MAX = 8 << 20


class CrawlSettingsView(msgspec.Struct, frozen=True, kw_only=True):
    """The settings of a crawl, and which of them are pending."""

    settings: Settings
    is_running: bool
    has_begun: bool
    pending: dict[str, object]  # what changes with the next start


class SettingActions:
    """The actions of one visitor on the settings of a crawl."""

    def __init__(self, parts: ControlParts, visitor: Visitor, now: float, crawl: str) -> None:
        self._parts = parts
        self._visitor = visitor
        self._now = now
        self._crawl = parts.crawls.get(crawl)

    def view(self) -> CrawlSettingsView:
        """Return the current settings, with those that take effect at the next start."""
        crawl = self._crawl
        is_running = find_keeper(crawl.directory) is not None
        remembered = recall(crawl.directory) if crawl.has_begun else None
        pending = {} if is_running and not crawl.settings else crawl.settings
        settings, errors = load_settings(pending, remembered=remembered)
        if settings is None:
            raise SettingsError("; ".join(f"{name}: {one}" for name, one in errors.items()))
        return CrawlSettingsView(
            settings=settings, is_running=is_running, has_begun=crawl.has_begun, pending=dict(pending)
        )

    def refusal(self, name: str, view: CrawlSettingsView) -> str:
        """Return why a setting cannot be changed now; empty when it can."""
        setting = SETTINGS[name]
        if view.has_begun and setting.fixed:
            return f"stays as it was when the crawl began: {setting.fixed}"
        if view.is_running and not setting.live:
            return "can be changed when the crawl is stopped"
        return setting_refusal(name, self._visitor)

    def change(self, given: Mapping[str, object]) -> dict[str, object]:
        """Replace all changeable settings by these; return what has changed."""
        view = self.view()
        names = [name for name in SETTINGS if not self.refusal(name, view)]
        self._refuse([name for name in given if name not in names], view)
        kept = {name: SETTINGS[name].plain(view.settings.value(name)) for name in view.settings.origins}
        wanted = {name: value for name, value in kept.items() if name not in names}
        after, errors = load_settings({**wanted, **{name: given[name] for name in given if name in names}})
        if after is None:
            raise WebProblem(422, "nothing was changed: some settings are wrong", errors=errors)
        changes = differences(view.settings, after, names)
        if changes:
            self._carry_out(changes, view)
        return changes

    def change_some(self, given: Mapping[str, object], names: Collection[str]) -> dict[str, object]:
        """Replace the settings of the given names by these; all others stay."""
        view = self.view()
        stay = {
            name: SETTINGS[name].plain(view.settings.value(name))
            for name in view.settings.origins
            if name not in names and not self.refusal(name, view)
        }
        return self.change({**stay, **given})

    def _refuse(self, names: list[str], view: CrawlSettingsView) -> None:
        refuse_settings(names, self._visitor)  # also unknown ones
        if names:
            errors = {name: self.refusal(name, view) for name in names}
            text = "; ".join(f"{name} {refusal}" for name, refusal in errors.items())
            raise WebProblem(422, text, errors=errors)

    def _carry_out(self, changes: dict[str, object], view: CrawlSettingsView) -> None:
        if view.is_running:
            actions = CrawlActions(self._parts, self._visitor, self._now, self._crawl.name)
            actions.reconfigure({name: _as_word(name, value) for name, value in changes.items()})
            return
        self._parts.crawls.replan(self._crawl.name, settings={**self._crawl.settings, **changes})
        for name, value in changes.items():
            before = SETTINGS[name].show(view.settings.value(name)) or "none"
            detail = without_passwords(f"{name}: {before} -> {_as_word(name, value)}")
            self._parts.trail.note(
                self._visitor.user, "setting.next", f"crawl/{self._crawl.name}", detail,
                now=self._now, address=self._visitor.address,
            )  # fmt: skip


def plan_crawl(
    parts: ControlParts, visitor: Visitor, now: float, *, name: str, seeds: str,
    settings: Mapping[str, object], note: str = "",
) -> KnownCrawl:  # fmt: skip
    """Plan a crawl that can be started; raise WebProblem with all errors, by field."""
    refuse_settings(settings, visitor)
    loaded, errors = load_settings(settings)
    if loaded is not None and not loaded.crawl.contact:
        errors["crawl.contact"] = "needed: an address that webmasters can turn to, sent with every request"
    if not seeds.strip():
        errors["seeds"] = "at least one address to begin with"
    elif len(seeds) > SEEDS_CHARS_MAX:
        errors["seeds"] = f"more than {SEEDS_CHARS_MAX} characters; begin with some of them"
    if errors:
        raise WebProblem(422, "the crawl cannot be planned so", errors=errors)
    made = parts.crawls.plan(name, now, settings=settings, seeds=seeds, note=note[:2000])
    try:
        complaint = check_plan(parts.processes, made)
    except WebProblem:  # the server is busy: the name stays free for the next attempt
        parts.crawls.forget(name)
        raise
    if complaint:
        parts.crawls.forget(name)
        raise WebProblem(422, complaint, errors={"seeds" if "seeds" in complaint else "": complaint})
    parts.trail.note(visitor.user, "crawl.plan", f"crawl/{name}", now=now, address=visitor.address)
    return made


def _as_word(name: str, value: object) -> str:
    """Return a value as written after `--set`; commas are part of phrases such as `sat,sun`."""
    if isinstance(value, list | tuple):
        return ("; " if SETTINGS[name].kind.name == "phrases" else ",").join(map(str, value))
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)
