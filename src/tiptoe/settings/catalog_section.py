"""Which settings say where a crawl can be searched?"""

from dataclasses import dataclass

from tiptoe.settings import form
from tiptoe.settings.setting import flag, text

# One argument a line would stretch these tables over twice their length.
# fmt: off

__all__ = ["CatalogSettings"]


@dataclass(frozen=True, slots=True, kw_only=True)
class CatalogSettings:
    """Where the pages of a crawl can be searched."""

    enabled: bool = flag(
        False, option="--catalog", is_local=True,
        help="Keep the catalog up to date while crawling, in a process of its own with low priority; else "
        "`tiptoe search` and `tiptoe catalog build` do when they are called.",
    )
    database: str = text(
        "", each=form.be_database, is_local=True,
        help="PostgreSQL database for the catalog, such as postgresql://user@host/name; empty: it lies in "
        "DIR/catalog. A password belongs in ~/.pgpass, or in a file of settings that only you can read.",
    )
