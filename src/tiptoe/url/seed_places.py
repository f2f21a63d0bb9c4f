"""What are the bounds of a crawl that is to stay near its seeds?

They are derived from the seeds once and stored with the crawl, because harvesters and other machines do not
know the seeds. A leading www. makes no difference, nor does http or https, because most sites use both.
"""

from collections.abc import Callable, Iterable

from tiptoe.url.address import host_of

__all__ = ["both_ways", "folders_meant", "seed_places"]

WWW = "www."


def seed_places(within: str, seeds: Iterable[str], site_of: Callable[[str], str]) -> list[str]:
    """Return the sites, hosts or folders of canonical URLs, each once; nothing if there is no such bound."""
    match within:
        case "site":
            found = [site_of(host_of(seed)) for seed in seeds]
        case "host":
            found = [host_of(seed).removeprefix(WWW) for seed in seeds]
        case "path":
            found = [_folder(seed) for seed in seeds]
        case _:
            found = []
    return sorted(set(found))


def both_ways(hosts: Iterable[str]) -> frozenset[str]:
    """Return hosts with and without www."""
    bare = {host.removeprefix(WWW) for host in hosts}
    return frozenset(bare | {WWW + host for host in bare})


def folders_meant(folders: Iterable[str]) -> list[str]:
    """Return folders by all URLs they may have: http and https, with and without www."""
    found = []
    for folder in folders:
        scheme, _, rest = folder.partition("://")
        schemes = ("http", "https") if scheme in ("http", "https") else (scheme,)
        rests = [rest] if not host_of(folder) else [rest.removeprefix(WWW), WWW + rest.removeprefix(WWW)]
        found += [f"{one}://{other}" for one in schemes for other in rests]
    return found


def _folder(url: str) -> str:
    """Return the folder of a page."""
    path = url.partition("?")[0]
    return path[: path.rfind("/") + 1]
