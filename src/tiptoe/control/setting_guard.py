"""Which settings may be changed remotely, and by whom?

Some name files of the machine, or where output is written: a form must not be able to read or write those.
Others open networks or ports: only an administrator may change these. Pure."""

from collections.abc import Iterable
from typing import Final

from tiptoe.control.user_role import UserRole
from tiptoe.control.visitor import Visitor
from tiptoe.control.web_problem import WebProblem
from tiptoe.settings.schema import SETTINGS

__all__ = ["FROM_HERE_ONLY", "refuse_settings", "setting_refusal"]

FROM_HERE_ONLY: Final = frozenset(
    {
        "crawl.out", "crawl.seeds", "crawl.sitemaps", "crawl.downlist", "crawl.background",
        "crawl.on_end_command", "fetch.access", "filters.dir", "text.fields", "harvest.token_file",
        "catalog.database", "cluster.servers", "cluster.agent", "cluster.crawl",
    }
)  # fmt: skip
"""These name files, programs and machines; they are set only on the command line of the machine itself."""

FOR_ADMINISTRATORS: Final = frozenset(
    {
        "crawl.rehearsal",
        "fetch.proxy",
        "fetch.nameservers",
        "fetch.allow_networks",
        "harvest.listen",
        "segmenter.url",
    }
)
"""These decide which hosts the machine connects to."""


def setting_refusal(name: str, visitor: Visitor) -> str:
    """Return why a visitor may not change a setting from here; empty if permitted."""
    if name not in SETTINGS:
        return "there is no such setting"
    if name in FROM_HERE_ONLY:
        return "names a file, a program or a machine; it is set where the crawl runs, on the command line"
    if name in FOR_ADMINISTRATORS and not visitor.may(UserRole.ADMINISTRATOR):
        return "decides whom this machine talks to; that takes an administrator"
    return ""


def refuse_settings(names: Iterable[str], visitor: Visitor) -> None:
    """Raise WebProblem if the visitor may not change one of these."""
    errors = {name: refusal for name in names if (refusal := setting_refusal(name, visitor))}
    if errors:
        status = 422 if any(name not in SETTINGS or name in FROM_HERE_ONLY for name in errors) else 403
        raise WebProblem(status, "; ".join(f"{name}: {one}" for name, one in errors.items()), errors=errors)
