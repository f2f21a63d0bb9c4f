"""`tiptoe botpage`: what should webmasters know about this robot?

Writes one self-contained HTML page with the limits that are actually in force.
"""

import sys
from html import escape
from importlib.metadata import version
from importlib.resources import files
from pathlib import Path
from string import Template
from typing import Annotated, Final

from cyclopts import Parameter

from tiptoe.cli.arguments import CRAWL_MARK
from tiptoe.cli.options import Layers, takes_settings
from tiptoe.errors import SettingsError
from tiptoe.keeper.settings_file import recall
from tiptoe.observe.crawl_marker import no_crawl
from tiptoe.settings.form import be_contact
from tiptoe.settings.layers import Settings

__all__ = ["botpage_command", "render_botpage"]

PURPOSE: Final = (
    "The robot gathers text for a language corpus: a collection of written language "
    "for research and for the development of language tools."
)

UNITS: Final = (("hour", 3600), ("minute", 60), ("second", 1))


@takes_settings(only=["crawl.contact", "crawl.name"])
def botpage_command(
    directory: Annotated[
        Path | None, Parameter(help="Directory of a crawl; the page states its settings."), CRAWL_MARK
    ] = None,
    *,
    purpose: Annotated[
        str, Parameter(help="What the texts are collected for, in a sentence or two.")
    ] = PURPOSE,
    mail: Annotated[
        str, Parameter(help="Mail address to show on the page, if the contact is a web address.")
    ] = "",
    out: Annotated[Path | None, Parameter(help="File to write; without it the page is printed.")] = None,
    layers: Layers,
) -> None:
    """Write the information page for webmasters, with the limits in force.

    Put it where the contact address of the crawl points.
    """
    remembered = recall(directory) if directory is not None else None
    if directory is not None and remembered is None:
        raise no_crawl(directory)
    _check_mail(mail)
    settings = layers.load(remembered=remembered)
    page = render_botpage(settings, version=version("tiptoe"), purpose=purpose, mail=mail)
    if out is None:
        print(page, end="")
    else:
        try:
            out.write_text(page, encoding="utf-8")
        except OSError as problem:
            raise SettingsError(f"--out {out}: cannot be written: {problem.strerror}") from None
        print(f"written to {out}")
    if not mail and _is_web(settings.crawl.contact):
        # To stderr: standard output may be redirected into a file and must hold only the page.
        print(
            f"tiptoe: the only contact on the page is {settings.crawl.contact}; if that is where the page "
            "will be, add an address to write to: --mail ADDRESS",
            file=sys.stderr,
        )


def render_botpage(settings: Settings, *, version: str, purpose: str = PURPOSE, mail: str = "") -> str:
    """Return the page, with all given texts escaped."""
    politeness = settings.politeness
    plain = {
        "name": settings.crawl.name,
        "version": version,
        "user_agent": settings.user_agent(version),
        "purpose": purpose,
        "robots_expiry": in_words(politeness.robots_expiry),
        "retry_after_max": in_words(politeness.retry_after_max),
        "backoff_first": in_words(politeness.backoff_first),
        "tdm": _tdm_sentence(settings.text.respect_tdm),
    }
    fields = {name: escape(value) for name, value in plain.items()}
    template = Template(files("tiptoe.cli").joinpath("botpage.html").read_text(encoding="utf-8"))
    return template.substitute(
        fields, contact=_contact_links(settings.crawl.contact, mail), limits=_limit_rows(settings)
    )


def in_words(seconds: float) -> str:
    """Return a span in words: "1 minute 30 seconds"."""
    if seconds < 1:
        return f"{seconds * 1000:g} milliseconds"
    parts = []
    rest = seconds
    for unit, length in UNITS:
        amount, rest = (rest, 0) if unit == "second" else divmod(rest, length)
        if amount:
            parts.append(f"{amount:g} {unit}{'' if amount == 1 else 's'}")
    return " ".join(parts)


def _limit_rows(settings: Settings) -> str:
    politeness = settings.politeness
    limits = [
        (
            "Between the end of an answer and the next request to the same host",
            in_words(politeness.req_delay),
        ),
        ("Requests at the same time to one host", "1"),
        ("Requests to one host in a series", f"{politeness.max_reqs:,}"),
        ("Hosts of one IP address in a series", f"{politeness.max_hosts:,}"),
        ("Rest of the IP address after each series", in_words(politeness.general_pause)),
        (
            "Pause as a multiple of the time your server took to answer",
            f"{politeness.slow_factor:g} × (up to {in_words(politeness.delay_max)})",
        ),
        ("Largest answer that is taken", f"{settings.fetch.body_max / 2**20:,.4g} MiB"),
    ]
    if settings.crawl.pages_per_host:
        limits.append(("Pages of one host in all", f"{settings.crawl.pages_per_host:,}"))
    return "\n".join(
        f"<tr><th scope=row>{escape(what)}</th><td>{escape(limit)}</td></tr>" for what, limit in limits
    )


def _check_mail(mail: str) -> None:
    try:
        be_contact(mail)
    except ValueError:
        pass
    else:
        if not _is_web(mail):
            return
    raise SettingsError(f"--mail {mail}: expected a mail address, such as bot@example.org")


def _is_web(contact: str) -> bool:
    return "://" in contact


def _contact_links(contact: str, mail: str) -> str:
    """Return links to the contacts; when there is a mail address, the page does not link to itself."""
    named = [mail] if mail and _is_web(contact) else [mail, contact]
    return ", ".join(_contact_link(one) for one in dict.fromkeys(filter(None, named)))


def _contact_link(contact: str) -> str:
    address = contact.removeprefix("mailto:")
    target = contact if _is_web(contact) else f"mailto:{address}"
    return f'<a href="{escape(target)}">{escape(address)}</a>'


def _tdm_sentence(respected: bool) -> str:
    if respected:
        return (
            "A reservation after the TDM Reservation Protocol is obeyed: the text does not enter the corpus."
        )
    return (
        "This crawl has a legal ground that a reservation does not touch, so reserved texts may be kept. "
        "Write to us if you disagree. A reservation is declared so:"
    )
