"""Which settings did the last run of a crawl use, and what is the operator told about them?"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from rich.console import Console
from rich.markup import escape

from tiptoe.cli.options import FORCED
from tiptoe.errors import SettingsError
from tiptoe.keeper.settings_file import recall
from tiptoe.settings.layers import Settings
from tiptoe.settings.remembering import SettingChange, changes_between, refuse_unchangeable

__all__ = ["Past"]


@dataclass(frozen=True, slots=True)
class Past:
    """The settings of the last run of a crawl, if there was one."""

    directory: Path
    values: Mapping[str, object] | None  # by full name; None: this run starts without remembered settings
    settings: Settings | None = None  # None: there was no run, or its settings are unknown
    recalled: Mapping[str, object] | None = None

    @classmethod
    def recall(cls, directory: Path, *, is_forgotten: bool = False) -> Self:
        """Read what a directory remembers; damage is an error unless everything will be forgotten anyway."""
        try:
            values = recall(directory)
            settings = None if values is None else Settings.load(remembered=values)
        except SettingsError:
            if not is_forgotten:
                raise
            return cls(directory, None)
        return cls(directory, None if is_forgotten else values, settings, values)

    def changes(self, settings: Settings) -> list[SettingChange]:
        """Return the settings that differ from the last run."""
        return [] if self.settings is None else changes_between(self.settings, settings)

    def refuse_unchangeable(self, settings: Settings) -> None:
        """Refuse settings that would spoil what the directory holds."""
        if self.settings is not None:
            refuse_unchangeable(self.settings, settings, self.directory)

    def expect_unchanged(self) -> None:
        """Refuse to continue if another run has changed the settings meanwhile; call with the lock held."""
        if self.recalled is not None and recall(self.directory) != self.recalled:
            raise SettingsError(
                f"{self.directory}: another run has just changed its settings; give the command once more"
            )

    def tell(self, settings: Settings, console: Console) -> None:
        """Print the settings of this run that come from earlier runs."""
        if self.settings is None:
            return
        if self.values:
            where = escape(str(self.directory))
            console.print(
                f"continuing with the settings of the last run; `tiptoe config {where}` shows them",
                highlight=False,
                soft_wrap=True,
            )
        for change in self.changes(settings):
            if settings.origin(change.name) == FORCED:
                continue
            text = escape(f"changed since the last run: {change}")
            console.print(text, highlight=False, soft_wrap=True)
