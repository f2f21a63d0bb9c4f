"""Sites whose texts lie behind menus, indexes and lists of titles: all of them are found."""

import random
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import pytest
from journey_servers import Talk, html, scripted_server
from test_journey_hostile import crawl_of

pytestmark = pytest.mark.journey

CZECH = (
    ("Ráno", "Včera", "Po dlouhé zimě", "Na konci vesnice", "Za starým mlýnem", "Když přestalo pršet"),
    ("se sešli sousedé", "přijel hasičský vůz", "zavřeli obecní úřad", "začala oprava mostu", "vyšlo slunce"),
    ("a nikdo nevěděl proč", "protože voda stoupala", "aby se poradili o škole", "a děti měly radost"),
    ("jak vypráví pamětníci.", "což starosta potvrdil.", "i když bylo teprve úterý.", "jako každý rok."),
)
GERMAN = (
    ("Am Morgen", "Gestern", "Nach dem langen Winter", "Am Ende des Dorfes", "Hinter der alten Mühle"),
    ("trafen sich die Nachbarn", "kam die Feuerwehr", "schloss das Gemeindeamt", "schien die Sonne"),
    ("und niemand wusste warum", "weil das Wasser gestiegen war", "und die Kinder freuten sich sehr"),
    ("wie die Alten erzählen.", "was der Bürgermeister bestätigte.", "obwohl es erst Dienstag war."),
)


def article(number: int, language: Sequence[Sequence[str]] = CZECH, links: Iterable[str] = ()) -> Talk:
    """A text of some length, and a way back to the start; no two are alike."""
    rng = random.Random(number)
    paragraphs = [" ".join(_sentence(language, rng) for _ in range(6)) for _ in range(4)]
    text = "".join(f"<p>{paragraph}</p>" for paragraph in paragraphs)
    return html(f"<h1>{number}</h1>{text}{_anchors(['/', *links])}".encode())


def _sentence(language: Sequence[Sequence[str]], rng: random.Random) -> str:
    return " ".join(rng.choice(part) for part in language)


def listing(*links: str) -> Talk:
    """Nothing but titles."""
    return html(f"<title>Přehled</title><ul>{_anchors(links)}</ul>".encode())


def _anchors(links: Iterable[str]) -> str:
    return "".join(f'<li><a href="{link}">Titulek {link.strip("/")}</a>' for link in links)


def paged(path: str, links: Sequence[str], size: int = 5) -> dict[str, Talk]:
    """A list in several pages, each of which leads to the next."""
    pages = _batches(links, size)
    paths = [path, *(f"{path}?page={number}" for number in range(2, len(pages) + 1))]
    return {
        own: listing("/", *part, *paths[number + 1 : number + 2])
        for number, (own, part) in enumerate(zip(paths, pages, strict=True))
    }


def _batches(links: Sequence[str], size: int) -> list[Sequence[str]]:
    return [links[start : start + size] for start in range(0, len(links), size)]


def menu_and_lists() -> tuple[dict[str, Talk], list[str]]:
    """Home page with a menu, ten lists of titles, 120 articles."""
    texts = [f"/clanek/{number}" for number in range(120)]
    lists = [f"/rubrika-{name}" for name in "abcdefghij"]
    site = {"/": listing(*lists)}
    site |= {path: listing("/", *part) for path, part in zip(lists, _batches(texts, 12), strict=True)}
    return site | {path: article(number) for number, path in enumerate(texts)}, texts


def index_of_letters() -> tuple[dict[str, Talk], list[str]]:
    """An index from A to Z, a page for each letter, lists with further pages, articles."""
    site: dict[str, Talk] = {"/": listing("/rejstrik/")}
    texts: list[str] = []
    letters = "abcdefgh"
    site["/rejstrik/"] = listing(*(f"/rejstrik/{letter}" for letter in letters))
    for letter in letters:
        lists = [f"/heslo/{letter}{number}" for number in range(2)]
        site[f"/rejstrik/{letter}"] = listing("/", *lists)
        for path in lists:
            own = [f"/text/{path[-2:]}-{number}" for number in range(7)]
            site |= paged(path, own)
            texts += own
    return site | {path: article(number) for number, path in enumerate(texts)}, texts


def forum() -> tuple[dict[str, Talk], list[str]]:
    """Boards, lists of topics with further pages, threads."""
    site: dict[str, Talk] = {"/": listing("/index.php")}
    boards = [f"/viewforum.php?f={number}" for number in range(1, 6)]
    site["/index.php"] = listing(*boards)
    texts: list[str] = []
    for number, board in enumerate(boards):
        own = [f"/viewtopic.php?t={100 * number + topic}" for topic in range(18)]
        pages = _batches(own, 6)
        paths = [board, *(f"{board}&start={6 * page}" for page in range(1, len(pages)))]
        for at, (path, part) in enumerate(zip(paths, pages, strict=True)):
            site[path] = listing("/index.php", *part, *paths[at + 1 : at + 2])
        texts += own
    return site | {path: article(number) for number, path in enumerate(texts)}, texts


SITES = {"menu and lists": menu_and_lists, "index of letters": index_of_letters, "forum": forum}


@pytest.mark.parametrize("name", SITES)
def test_every_text_behind_lists_is_found(tmp_path: Path, name: str) -> None:
    """By default, with the built-in segmenter: lists have too little text to be judged."""
    site, texts = SITES[name]()
    with scripted_server(site) as server, crawl_of(tmp_path, server.origin + "/") as crawl:
        crawl.run()
    assert sorted(set(server.asked) & set(texts)) == sorted(texts)
    documents = {document["url"].removeprefix(server.origin): document for document in crawl.documents()}
    assert all(documents[path]["usability"] > 0.3 for path in texts)


def chains(language: Sequence[Sequence[str]]) -> Mapping[str, Talk]:
    """A home page of titles; behind each a text that leads to a list, and on to more texts."""
    site: dict[str, Talk] = {"/": listing("/1/a", "/1/b")}
    for name in "ab":
        for level in range(1, 6):
            further = f"/{level + 1}/{name}"
            site[f"/{level}/{name}"] = article(10 * level + ord(name), language, [f"/list{level}/{name}"])
            site[f"/list{level}/{name}"] = listing(further)
    return site


def test_a_site_in_another_language_is_left_at_the_second_text(tmp_path: Path) -> None:
    """Lists between the texts hand on what the texts before them had."""
    site = chains(GERMAN)
    with (
        scripted_server(site) as server,
        crawl_of(tmp_path, server.origin + "/", text__languages="cs") as crawl,
    ):
        printed = crawl.run()
    asked = set(server.asked) & set(site)
    assert asked == {"/", *(f"/{place}/{name}" for place in ("1", "list1", "2") for name in "ab")}
    assert "zero_usability" in printed


def test_the_same_site_in_the_language_that_is_wanted_is_crawled_whole(tmp_path: Path) -> None:
    site = chains(CZECH)
    with (
        scripted_server(site) as server,
        crawl_of(tmp_path, server.origin + "/", text__languages="cs") as crawl,
    ):
        crawl.run()
    assert set(site) <= set(server.asked)
