"""Which settings say where a crawl can be searched?"""

from dataclasses import dataclass

from tiptoe.settings import form
from tiptoe.settings.setting import flag, text

# One argument a line would stretch these tables over twice their length.
# fmt: off

__all__ = ["CatalogSettings"]


@dataclass(frozen=True, slots=True, kw_only=True)
class CatalogSettings:
    """The catalog in which the pages of a crawl can be searched."""

    enabled: bool = flag(
        False, option="--catalog", is_local=True,
        help="Keep the catalog up to date while crawling, in a separate process with low priority; otherwise "
        "`tiptoe search` and `tiptoe catalog build` do it when they are run.",
    )
    database: str = text(
        "", each=form.be_database, is_local=True,
        help="PostgreSQL database for the catalog, such as postgresql://user@host/name; empty: it is in "
        "DIR/catalog. Put a password into ~/.pgpass, or into a settings file that only you can read.",
    )
