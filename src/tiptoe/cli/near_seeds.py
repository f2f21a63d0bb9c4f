"""What does `scope.within` mean for the seeds of a crawl?

Worked out from all seeds of a crawl, old and new, before it starts; harvesters and other machines are only
told the resulting places.
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
    """Return the setting that keeps a crawl near its seeds, including those it began with."""
    if settings.scope.within == "anywhere":
        return {}
    every = [*(CrawlDirectory(Path(settings.crawl.out)).known_seeds() or ()), *seeds]
    places = seed_places(settings.scope.within, every, RegisteredDomains().of)
    if not places:
        return {}  # this machine joins a crawl whose seeds others know, or there are no seeds
    if len(places) > WORDS_MAX:
        problem = f"the seeds lie in {len(places)} places, and at most {WORDS_MAX} can be told apart"
        raise SettingsError(settings.complain("scope.within", problem))
    return {PLACES: places}
