"""Does every link of a site lead somewhere, and does the site ask nobody for anything?

    python docs/site/check_site.py build/site

Prints what is wrong, a line each. Exit code 0: nothing, 1: something.
"""

import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

LOADED = {"script": "src", "img": "src", "iframe": "src", "source": "src", "link": "href"}
"""What a browser fetches without being asked, and where from."""


class _Page(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.anchors: set[str] = set()
        self.links: list[str] = []
        self.loaded: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = {name: value or "" for name, value in attrs}
        self.anchors.update(filter(None, (values.get("id"), values.get("name"))))
        if tag == "a" and "href" in values:
            self.links.append(values["href"])
        elif address := values.get(LOADED.get(tag, ""), ""):
            self.loaded.append(address)


def problems(site: Path) -> Iterator[str]:
    """Yield what is wrong with a site."""
    pages = {path: _read(path) for path in sorted(site.rglob("*.html"))}
    for path, page in pages.items():
        name = path.relative_to(site)
        for address in page.loaded:
            if _is_elsewhere(address):
                yield f"{name}: loads {address}"
        for address in page.links + page.loaded:
            if not _is_elsewhere(address) and not _leads_somewhere(path, address, pages):
                yield f"{name}: {address} leads nowhere"
    for path in sorted(site.rglob("*.css")):
        text = path.read_text(encoding="utf-8", errors="replace")
        if "url(http" in text or "url(//" in text or "@import" in text:
            yield f"{path.relative_to(site)}: loads something from elsewhere"


def _read(path: Path) -> _Page:
    page = _Page()
    page.feed(path.read_text(encoding="utf-8"))
    return page


def _is_elsewhere(address: str) -> bool:
    parts = urlsplit(address)
    return bool(parts.netloc) or parts.scheme not in ("", "data")


def _leads_somewhere(path: Path, address: str, pages: dict[Path, _Page]) -> bool:
    parts = urlsplit(address)
    if parts.scheme == "data":
        return True
    target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
    target = target / "index.html" if target.is_dir() else target
    if not target.is_file():
        return False
    is_known = target not in pages or not parts.fragment or unquote(parts.fragment) in pages[target].anchors
    # The page of results has no anchors until somebody searches.
    return is_known or target.name == "search.html"


def main() -> int:
    found = list(problems(Path(sys.argv[1]).resolve()))
    sys.stdout.writelines(f"{line}\n" for line in found)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
