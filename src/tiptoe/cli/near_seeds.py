"""What does `scope.within` mean for the seeds at hand?

Read from all seeds of a crawl, old and new, before it starts; harvesters and other machines only hear the
places that follow.
"""

from collections.abc import Iterable
from pathlib import Path
from typing import Final

from tiptoe.errors import SettingsError
from tiptoe.keeper.directory import CrawlDirectory
from tiptoe.settings.kind import WORDS_MAX
from tiptoe.settings.layers import Settings
from tiptoe.url.registered_domain import RegisteredDomains
from tiptoe.url.seed_places import seed_places

__all__ = ["places_of"]

PLACES: Final = "scope.seed_places"


def places_of(settings: Settings, seeds: Iterable[str]) -> dict[str, object]:
    """Return the setting that says where a crawl stays by its seeds, those that it began with included."""
    if settings.scope.within == "anywhere":
        return {}
    every = [*(CrawlDirectory(Path(settings.crawl.out)).known_seeds() or ()), *seeds]
    places = seed_places(settings.scope.within, every, RegisteredDomains().of)
    if not places:
        return {}  # others know them: this machine joins a crawl, or there is nothing to begin with
    if len(places) > WORDS_MAX:
        problem = f"the seeds lie in {len(places)} places, and at most {WORDS_MAX} can be told apart"
        raise SettingsError(settings.complain("scope.within", problem))
    return {PLACES: places}
