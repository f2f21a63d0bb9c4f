"""`tiptoe rehearse`: try a configuration on a simulated web, without touching the net."""

import shutil
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Literal

from cyclopts import Parameter
from rich.console import Console
from rich.markup import escape

from tiptoe.cli.crawl import run_crawl
from tiptoe.cli.options import Layers, takes_settings
from tiptoe.errors import CrawlerError, SettingsError
from tiptoe.keeper.directory import MARKER
from tiptoe.settings.layers import Settings
from tiptoe.settings.schema import SETTINGS
from tiptoe.testing.addresses import networks_of
from tiptoe.testing.judge import Rules, judge
from tiptoe.testing.recorder import read_arrivals
from tiptoe.testing.served import SpawnedWeb, spawn_web
from tiptoe.testing.shape import WebShape

__all__ = ["rehearse_command"]

PRESETS = {
    "crawl.contact": "https://example.org/bot",
    "crawl.out": "rehearsal",
    "politeness.req_delay": "100ms",
    "politeness.general_pause": "500ms",
    "politeness.max_reqs": "20",
    "politeness.backoff_first": "100ms",
    "politeness.backoff_forgive": "1s",
    "harvest.harvesters": "2",
}
"""A web that answers at once need not be waited for; file and command line have the last word."""


REPLACED = frozenset({"crawl.seeds", "crawl.downlist", "crawl.background", "fetch.proxy", "harvest.listen"})
"""What a rehearsal decides by itself and so does not offer as an option."""

NOWHERE = ("http://127.0.0.1:1", "127.0.0.1:1")
"""Proxy and name server while the simulated web does not stand yet."""

SEEDS = 20
HOSTS = 400
VIOLATIONS_SHOWN = 20


@takes_settings(only=SETTINGS.keys() - REPLACED)
def rehearse_command(
    file: Annotated[Path | None, Parameter(help="Configuration to rehearse, such as crawl.toml.")] = None,
    *,
    shape: Annotated[
        Literal["tiny", "demo", "realistic"],
        Parameter(help="What kind of web: `realistic` is as uneven, broken and slow as the real one."),
    ] = "demo",
    hosts: Annotated[int | None, Parameter(help="How many hosts the simulated web has.")] = None,
    web: Annotated[int, Parameter(help="Which simulated web: the same number is the same web.")] = 1,
    fresh: Annotated[
        bool, Parameter(help="Remove an earlier rehearsal from the directory first.", negative="")
    ] = False,
    layers: Layers,
) -> int:
    """Crawl a web that exists only on this machine, then judge the crawl from the servers' side.

    Nothing outside this machine is contacted: seeds, proxy and name servers of the configuration are
    replaced by those of the simulated web. Unless configured otherwise, pauses are short.
    """
    if file is not None:
        layers = Layers(file, layers.overrides)
    whole = _shape(shape, web, hosts)
    console = Console()
    out = _directory(layers.load(presets=PRESETS, forced=_surroundings(whole, *NOWHERE)))
    record = out.with_name(out.name + "-arrivals.jsonl")
    if fresh:
        _remove(out, record)
    out.parent.mkdir(parents=True, exist_ok=True)
    with spawn_web(whole, record=record) as spawned:
        surroundings = _surroundings(whole, spawned.proxy_url or "", spawned.dns_address)
        settings = layers.load(presets=PRESETS, forced={**surroundings, "crawl.out": str(out)})
        console.print(f"A simulated web of {whole.hosts} hosts stands on this machine; the crawl begins.")
        seeds = [spawned.web.home_of(index) for index in range(min(whole.hosts, SEEDS))]
        code = run_crawl(settings, seeds, console)
    _judge(settings, spawned, record, console)
    return code


def _shape(name: Literal["tiny", "demo", "realistic"], seed: int, hosts: int | None) -> WebShape:
    """Return the web to crawl; without a number of hosts, one that a rehearsal can finish."""
    if name == "tiny":
        shape = WebShape.tiny(seed)
    else:
        shape = WebShape.demo(seed) if name == "demo" else WebShape.realistic(seed)
    return replace(shape, hosts=min(shape.hosts, HOSTS) if hosts is None else hosts)


def _directory(settings: Settings) -> Path:
    """Return where to rehearse: never where the configuration puts the crawl itself."""
    out = Path(settings.crawl.out)
    origin = settings.origin("crawl.out")
    return out if origin.startswith(("--", "preset")) else out.with_name(out.name + "-rehearsal")


def _remove(out: Path, record: Path) -> None:
    """Remove an earlier rehearsal; what left no record of arrivals was none."""
    if (out / MARKER).exists():
        if not record.exists():
            raise SettingsError(
                f"{out}: holds a crawl that is no rehearsal, so it stays; choose another --out"
            )
        shutil.rmtree(out)
    record.unlink(missing_ok=True)


def _judge(settings: Settings, spawned: SpawnedWeb, record: Path, console: Console) -> None:
    """Compare what arrived at the servers with the rules; not polite is not passed."""
    rules = settings.politeness
    violations = judge(
        read_arrivals(record),
        Rules(
            req_delay=rules.req_delay,
            max_hosts=rules.max_hosts,
            max_reqs=rules.max_reqs,
            general_pause=rules.general_pause,
            crawl_delays=spawned.web.crawl_delay_of,
            is_allowed=lambda url: spawned.web.is_allowed(url, settings.crawl.name),
        ),
    )
    console.print(
        f"\n[bold]The servers' side:[/bold] {len(violations)} violations of politeness in their own records, "
        f"[cyan]{escape(str(record))}[/cyan].",
        highlight=False,
        soft_wrap=True,
    )
    for violation in violations[:VIOLATIONS_SHOWN]:
        console.print(f"  {escape(str(violation))}", highlight=False, soft_wrap=True)
    if violations:
        raise CrawlerError("the rehearsal was not polite; please report this")


def _surroundings(shape: WebShape, proxy: str, nameserver: str) -> dict[str, object]:
    """Return the settings that keep a rehearsal on this machine, whatever its configuration says."""
    return {
        "crawl.rehearsal": True,
        "crawl.seeds": (),
        "crawl.downlist": "",
        "crawl.background": False,
        "harvest.listen": "",
        "fetch.proxy": proxy,
        "fetch.nameservers": (nameserver,),
        "fetch.allow_networks": networks_of(shape),
    }
