"""Which filters does a crawl use, and how are they changed? Used by pages and API alike."""

import shlex
from collections.abc import Mapping
from pathlib import Path

import msgspec

from tiptoe.control.control_parts import ControlParts
from tiptoe.control.filter_files import (
    KEPT_FILES,
    FilterCheck,
    check_files,
    expect_files,
    filters_folder,
    keep_files,
    kept_files,
)
from tiptoe.control.filter_simulator import SimulatedPage, Simulation, simulate
from tiptoe.control.setting_fields import load_settings
from tiptoe.control.user_role import UserRole
from tiptoe.control.visitor import Visitor
from tiptoe.control.web_problem import WebProblem
from tiptoe.errors import SettingsError
from tiptoe.filters.definition import ENUMERATION, GENERATION, PHASES, RobotDefinition, from_lines
from tiptoe.filters.filter_directory import robot_files
from tiptoe.keeper.settings_file import recall
from tiptoe.protocol.robot_messages import FILTER_FILES
from tiptoe.settings.setting import DEFAULT_WORD

__all__ = ["FilterActions", "FilterLine", "FiltersView", "KeptFilters"]

DIR, DEFINITION = "filters.dir", "filters.definition"


class FilterLine(msgspec.Struct, frozen=True, kw_only=True):
    """One directive in force."""

    kind: str  # enumeration or generation
    filter: str
    phase: str
    place: str  # as filter.conf:12
    function: str
    parameters: dict[str, str]


class FiltersView(msgspec.Struct, frozen=True, kw_only=True):
    """The filters of a crawl."""

    lines: list[FilterLine]  # in force, by chain and phase
    rules: int  # of filterrules.conf, in force
    sites: int
    files: dict[str, str]  # kept for the next start; if none are, written from what is in force
    check: FilterCheck
    is_kept: bool
    is_pending: bool  # the next start uses the files, if it is made here
    command: str  # that starts the crawl with the files


class KeptFilters(msgspec.Struct, frozen=True, kw_only=True):
    """What was kept, and when it takes effect."""

    check: FilterCheck
    message: str
    command: str


class FilterActions:
    """The actions of one visitor on the filters of a crawl."""

    def __init__(self, parts: ControlParts, visitor: Visitor, now: float, crawl: str) -> None:
        self._parts = parts
        self._visitor = visitor
        self._now = now
        self._crawl = parts.crawls.get(crawl)

    @property
    def command(self) -> str:
        """The command that starts the crawl with the files that are kept."""
        folder, home = filters_folder(self._crawl.directory), self._crawl.directory
        return shlex.join(["tiptoe", "crawl", "--filters", str(folder), "--out", str(home)])

    def view(self) -> FiltersView:
        """Return the filters in force, and the files that are kept."""
        definition = self._in_force()
        kept = kept_files(self._crawl.directory)
        files = kept or _written(definition)
        return FiltersView(
            lines=_lines(definition),
            rules=len(definition.rules),
            sites=len(definition.sites),
            files=files,
            check=check_files(files, self._visitor),
            is_kept=bool(kept),
            is_pending=DIR in self._crawl.settings,
            command=self.command,
        )

    def check(self, files: Mapping[str, str]) -> FilterCheck:
        """Return what is wrong in files, without keeping them."""
        return check_files(expect_files(files), self._visitor)

    def keep(self, files: Mapping[str, str]) -> KeptFilters:
        """Keep valid files in place of the previous ones; the next start uses them."""
        wanted = expect_files(files)
        check = check_files(wanted, self._visitor)
        if check.errors:
            errors: dict[str, str] = {}
            for one in check.errors:
                place = f"{one.file}:{one.line}"
                errors[place] = "; ".join(filter(None, [errors.get(place), one.what]))
            raise WebProblem(422, "nothing was kept: there are errors in the files", errors=errors)
        keep_files(self._crawl.directory, wanted)
        pending = {
            name: value for name, value in self._crawl.settings.items() if name not in (DIR, DEFINITION)
        }
        if wanted:
            pending[DIR] = str(filters_folder(self._crawl.directory).absolute())
        elif _is_any(self._in_force()):
            pending[DEFINITION] = DEFAULT_WORD
        self._parts.crawls.replan(self._crawl.name, settings=pending)
        self._parts.trail.note(
            self._visitor.user, "filters.keep", f"crawl/{self._crawl.name}", ", ".join(wanted) or "none",
            now=self._now, address=self._visitor.address,
        )  # fmt: skip
        what = "the filters were saved" if wanted else "the files were removed"
        return KeptFilters(
            check=check,
            message=f"{what}; this holds from the next start on",
            command=self.command if wanted else "",
        )

    def add(self, files: Mapping[str, str]) -> KeptFilters:
        """Keep files in addition to those already kept."""
        return self.keep({**kept_files(self._crawl.directory), **files})

    def download(self, name: str) -> str:
        """Return one file as the view shows it; raise WebProblem when there is none."""
        text = self.view().files.get(name) if name in KEPT_FILES else None
        if text is None:
            raise WebProblem(
                404, f"{self._crawl.name} has no {name[:100]!r}; there may be {', '.join(KEPT_FILES)}"
            )
        return text

    def simulate(self, request: SimulatedPage, by: str = "") -> Simulation:
        """Send a URL through the filters that are kept (`files`) or in force (`crawl`)."""
        if by not in ("", "files", "crawl"):
            raise WebProblem(422, "by: files or crawl", errors={"by": "expected files or crawl"})
        folder = filters_folder(self._crawl.directory)
        has_files = bool(kept_files(self._crawl.directory))
        has_lines = _is_any(self._in_force())
        if not has_files and not has_lines:
            raise WebProblem(409, f"{self._crawl.name} has no filters: nothing would be denied")
        if (by == "files" and not has_files) or (by == "crawl" and not has_lines):
            where = "kept for it" if by == "files" else "in force"
            raise WebProblem(409, f"there are no filters {where}", errors={"by": f"none {where}"})
        uses_files = has_files if not by else by == "files"
        filters = folder if uses_files else self._crawl.directory
        if not request.fetch:
            return simulate(self._parts.processes, self._crawl, filters, request)
        return self._simulate_fetched(filters, request)

    def _simulate_fetched(self, filters: Path, request: SimulatedPage) -> Simulation:
        """Do so with the server's answer, which is fetched in the name of the crawl."""
        if not self._visitor.may(UserRole.OPERATOR):
            raise WebProblem(403, "to have a page fetched takes the role operator")
        with self._parts.fetches.turn(self._now):
            self._parts.trail.note(
                self._visitor.user, "filters.fetch", f"crawl/{self._crawl.name}", request.url[:300],
                now=self._now, address=self._visitor.address,
            )  # fmt: skip
            return simulate(self._parts.processes, self._crawl, filters, request)

    def _in_force(self) -> RobotDefinition:
        """Return the filters that the crawl remembers; a planned one has none yet."""
        remembered = recall(self._crawl.directory) or {}
        settings, errors = load_settings({}, remembered=remembered)
        if settings is None:
            raise SettingsError("; ".join(f"{name}: {one}" for name, one in errors.items()))
        return from_lines(settings.filters.definition)


def _is_any(definition: RobotDefinition) -> bool:
    return next(definition.parts(), None) is not None


def _lines(definition: RobotDefinition) -> list[FilterLine]:
    return [
        FilterLine(
            kind=kind, filter=line.filter, phase=line.stage, place=line.place, function=line.function,
            parameters=line.parameters,
        )
        for kind in (ENUMERATION, GENERATION)
        for phase in PHASES
        for line in definition.directives_of(definition.filter_name(kind))
        if line.stage == phase
    ]  # fmt: skip


def _written(definition: RobotDefinition) -> dict[str, str]:
    """Return the files for the filters in force; empty when they cannot be written as one set of files."""
    try:
        files = robot_files(definition)
    except SettingsError:
        return {}
    return {name: files[name] for name in FILTER_FILES if name in files}
