"""Which settings say which filters a crawl uses?"""

from dataclasses import dataclass

from tiptoe.settings.setting import lines, text

# One argument a line would stretch these tables over twice their length.
# fmt: off

__all__ = ["FiltersSettings"]


@dataclass(frozen=True, slots=True, kw_only=True)
class FiltersSettings:
    """Filters written by the operator."""

    dir: str = text(
        "", option="--filters", is_remembered=False,
        help="Directory with process.conf, filter.conf, filterrules.conf, mime.types and downlist.txt, or a "
        "TOML file that says the same: read when the crawl starts, then remembered with it.",
    )
    definition: tuple[str, ...] = lines(
        help="What was read there, as the crawl remembers it; not for hand editing.",
    )
