"""Which settings contradict each other?

Looks at values only; `layers` knows where they were written.

Rule: delays may be below their lower bounds only if no foreign host can be reached.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from tiptoe.settings.form import is_rehearsal_network, is_rehearsal_proxy
from tiptoe.settings.kind import Value
from tiptoe.settings.schema import SETTINGS

__all__ = ["broken_floors", "broken_rules", "stays_home"]


def stays_home(*, proxy: str, networks: Sequence[str]) -> bool:
    """Return whether requests can reach nothing but this machine or the benchmark range."""
    return (is_rehearsal_proxy(proxy) or (not proxy and bool(networks))) and all(
        map(is_rehearsal_network, networks)
    )


def broken_floors(values: Mapping[str, Value]) -> Iterator[tuple[str, str]]:
    """Yield each relaxed setting below its lower bound, unless this is a rehearsal."""
    if values["crawl.rehearsal"] and _stays_home(values):
        return
    for name, setting in SETTINGS.items():
        value = values[name]
        if setting.relaxed and setting.at_least is not None and value < setting.at_least:  # type: ignore[operator]
            yield name, f"{setting.misfit(value)} (less only in a rehearsal, see crawl.rehearsal)"


def broken_rules(values: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield each setting that conflicts with another, and why."""
    if values["crawl.rehearsal"] and not _stays_home(values):
        yield (
            "crawl.rehearsal",
            "needs fetch.proxy at a loopback address such as http://127.0.0.1:8080, "
            "or fetch.allow_networks with nothing but 127.0.0.0/8, ::1/128 and 198.18.0.0/15",
        )
    if values["harvest.listen"] and not values["harvest.token_file"]:
        yield "harvest.listen", "needs harvest.token_file: nobody may bring results without the secret"
    if values["harvest.report_every"] * 3 > values["harvest.lease"]:
        yield "harvest.report_every", "at most a third of harvest.lease, or leases run out between reports"
    if values["revisit.min"] > values["revisit.max"]:
        yield "revisit.min", "at most revisit.max"
    if values["crawl.on_end"] == "watch" and values["revisit.strategy"] == "none":
        yield "crawl.on_end", "watch needs a revisit.strategy: nothing would ever be due again"
    if values["crawl.on_end"] == "again" and values["cluster.servers"]:
        yield (
            "crawl.on_end",
            "not again in a cluster, which never forgets what it has seen; loop visits it again",
        )
    if values["crawl.export"] != "none" and values["cluster.servers"]:
        yield "crawl.export", "not in a cluster, of whose machines none has it all; use `tiptoe export`"
    if values["crawl.claims"] and values["cluster.servers"]:
        yield "crawl.claims", "not in a cluster, whose machines divide the web among themselves"
    if values["text.languages"] and not values["text.detect_language"]:
        yield "text.languages", "needs text.detect_language: else texts in all languages would be taken"
    if values["fetch.requisites"] != "none" and not values["write.warc"]:
        yield "fetch.requisites", "needs write.warc: what pages need is kept in the archive and nowhere else"
    yield from _visits_too_short(values)
    for source in ("sitemaps", "feeds"):
        if values["scope.follow"] == source and not values[f"scope.{source}"]:
            yield "scope.follow", f"{source}, but scope.{source} = false: nothing would be followed"
    if not values["scope.schemes"]:
        yield "scope.schemes", "at least one protocol"


def _visits_too_short(values: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Check that requests for pages are left if every visit has to fetch expired rules again."""
    rules = 2 if values["text.respect_tdm"] else 1
    expires = values["politeness.robots_expiry"] <= values["politeness.general_pause"]
    if expires and values["politeness.max_reqs"] <= rules:
        yield (
            "politeness.max_reqs",
            f"at least {rules + 1} unless politeness.robots_expiry is longer than general_pause: "
            "else every visit asks for the rules of the host and for nothing else",
        )


def _stays_home(values: Mapping[str, Any]) -> bool:
    return stays_home(proxy=values["fetch.proxy"], networks=values["fetch.allow_networks"])
