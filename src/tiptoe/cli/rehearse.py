"""`tiptoe rehearse`: try a configuration on a simulated web, without touching the net."""

import shutil
from dataclasses import replace
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter
from rich.console import Console

from tiptoe.cli.crawl import run_crawl
from tiptoe.cli.options import Layers, takes_settings
from tiptoe.errors import SettingsError
from tiptoe.keeper.directory import MARKER
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


@takes_settings()
def rehearse_command(
    file: Annotated[Path | None, Parameter(help="Configuration to rehearse, such as crawl.toml.")] = None,
    *,
    hosts: Annotated[int | None, Parameter(help="Hosts of the simulated web.")] = None,
    seed: Annotated[int, Parameter(help="Which simulated web; the same number is the same web.")] = 1,
    fresh: Annotated[
        bool, Parameter(help="Forget an earlier rehearsal in the same directory.", negative="")
    ] = False,
    layers: Layers,
) -> int:
    """Crawl a web that exists only on this machine, then judge the crawl from the server's side.

    Nothing outside this machine is contacted: seeds, proxy and name servers of the configuration are
    replaced by those of the simulated web. Unless configured otherwise, pauses are short.

    Examples:

        tiptoe rehearse

        tiptoe rehearse crawl.toml --hosts 50 --max-pages 500
    """
    if file is not None:
        layers = Layers(file, layers.overrides)
    shape = WebShape.demo(seed)
    if hosts is not None:
        shape = replace(shape, hosts=hosts)
    console = Console()
    out = Path(
        layers.load(
            presets={**PRESETS, "crawl.rehearsal": True, "fetch.proxy": "http://127.0.0.1:1"}
        ).crawl.out
    )
    record = out.with_name(out.name + "-arrivals.jsonl")
    if fresh and (out / MARKER).exists():
        shutil.rmtree(out)
        record.unlink(missing_ok=True)
    out.parent.mkdir(parents=True, exist_ok=True)
    with spawn_web(shape, record=record) as web:
        settings = layers.load(presets=PRESETS, forced=_surroundings(web))
        console.print(f"A simulated web of {shape.hosts} hosts stands on this machine; the crawl begins.")
        code = run_crawl(settings, [web.web.home_of(index) for index in range(min(shape.hosts, 20))], console)
    rules = settings.politeness
    violations = judge(
        read_arrivals(record),
        Rules(
            req_delay=rules.req_delay,
            max_hosts=rules.max_hosts,
            max_reqs=rules.max_reqs,
            general_pause=rules.general_pause,
            crawl_delays=web.web.crawl_delay_of,
            is_allowed=web.web.is_allowed,
        ),
    )
    console.print(
        f"\n[bold]The servers' side:[/bold] {len(violations)} violations of politeness in their records."
    )
    for violation in violations[:20]:
        console.print(f"  {violation}", highlight=False)
    if violations:
        raise SettingsError("the rehearsal was not polite; please report this")
    return code


def _surroundings(web: SpawnedWeb) -> dict[str, object]:
    return {
        "crawl.rehearsal": True,
        "crawl.seeds": (),
        "fetch.proxy": web.proxy_url,
        "fetch.nameservers": (web.dns_address,),
        "fetch.allow_networks": ("198.18.0.0/15",),
    }
