"""The daily tasks of docs/tasks.md are done by the very commands that stand there, and no more of them."""

import json
import re
import shlex
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from journey_crawl import SMALL, Crawl, Pace, Stage, simulated_web, tiptoe, wait_until, whole_lines
from journey_doors import FORM, PASSWORD, doors_open
from journey_servers import Talk, html, scripted_server
from made_documents import doc, pdf
from warcio.archiveiterator import ArchiveIterator

from tiptoe.cli.exits import Exit
from tiptoe.testing.shape import WebShape

pytestmark = pytest.mark.journey

PAGE = Path(__file__).parents[2] / "docs" / "tasks.md"
BLOCKS = re.compile(r"^```(\w*)\n(.*?)^```", re.MULTILINE | re.DOTALL)
OURS, THEIRS = "sh", ""

TASKS = {
    title.strip(): text
    for title, _, text in (part.partition("\n") for part in PAGE.read_text(encoding="utf-8").split("\n## "))
}
COUNTRY = "A country's web to a vertical file"
LONE = ("# Daily tasks", "See how it goes")
"""Parts of the page that no other tool stands beside."""

CHANGING = WebShape(
    seed=5, hosts=12, hosts_per_address=2, pages_per_host=3, pages_spread=0.0, page_bytes=2_000,
    links_per_page=6, external_share=0.0, change_seconds=2.0, static_share=0.2,
)  # fmt: skip
"""Twelve sites whose pages change every few seconds."""

BILINGUAL = WebShape(
    seed=7, hosts=10, hosts_per_address=2, pages_per_host=8, pages_spread=0.0, page_bytes=3_000,
    links_per_page=10, external_share=0.2, languages=("cs", "de"),
)  # fmt: skip

TEXTS = [
    f"<p>{' '.join(f'Word {n} of page {page}, which is like no other.' for n in range(12))}</p>"
    for page in range(4)
]


def blocks(task: str, language: str) -> list[list[list[str]]]:
    """Return the blocks of a task in one language: of each the commands, as words."""
    found = [text for named, text in BLOCKS.findall(TASKS[task]) if named == language]
    return [
        [shlex.split(line) for line in re.sub(r"\\\n\s*", " ", text).splitlines() if line.strip()]
        for text in found
    ]


def do(task: str, meant: Mapping[str, str], *more: str) -> str:
    """Say our commands for a task, with other words for what is meant; return what they printed."""
    (commands,) = blocks(task, OURS)
    return "".join(do_one(command, meant, *more) for command in commands if command[0] == "tiptoe")


def do_one(command: list[str], meant: Mapping[str, str], *more: str) -> str:
    words = [meant.get(word, word) for word in command[1:]]
    done = tiptoe(*words, *more)
    assert done.returncode == Exit.DONE, f"{shlex.join(words)}\n{done.stdout}{done.stderr}"
    return done.stdout


def settings(stage: Stage | None = None, **further: object) -> list[str]:
    """Return the options that make a crawl ask this machine alone, and fast."""
    known: dict[str, object] = {"crawl.rehearsal": "true", "fetch.allow_networks": "127.0.0.0/8"}
    known |= {**Pace().settings(), "harvest.harvesters": 1}
    known |= stage.crawl(has_models=True).settings if stage else {}
    known |= {name.replace("__", "."): value for name, value in further.items()}
    known.pop("crawl.contact", None)  # which the commands name
    return [word for name, value in known.items() for word in ("--set", f"{name}={value}")]


def served(body: bytes, media_type: str) -> Talk:
    head = f"HTTP/1.1 200 OK\r\nContent-Type: {media_type}\r\nContent-Length: {len(body)}\r\n\r\n"
    return lambda visitor: visitor.say(head.encode() + body)


@pytest.fixture(autouse=True)
def _in_an_empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_all_ten_tasks_are_there_and_none_takes_more_commands_than_elsewhere() -> None:
    tasks = [title for title in TASKS if title not in LONE]
    assert len(tasks) == 10
    for task in tasks:
        (ours,) = blocks(task, OURS)
        theirs = blocks(task, THEIRS)
        assert theirs, task
        assert len(ours) <= min(map(len, theirs)), task


def test_a_site_is_mirrored_for_offline_reading(tmp_path: Path) -> None:
    scripts = {
        "/": html(f"<link rel=stylesheet href=/s.css><a href=/two>two</a>{TEXTS[0]}".encode()),
        "/two": html(f'<a href="/">home</a><img src=/1.png>{TEXTS[1]}'.encode()),
        "/s.css": served(b"p { color: navy }", "text/css"),
        "/1.png": served(b"PNG", "image/png"),
    }
    with scripted_server(scripts) as server:
        do("Mirror a site for offline reading", {"https://www.example.cz/": f"{server.origin}/"}, *settings())
    (folder,) = (tmp_path / "example/export/example-site").glob("127.*")
    assert {path.name for path in folder.iterdir()} == {"index.html", "two.html", "s.css", "1.png"}
    assert 'href="two.html"' in (folder / "index.html").read_text(encoding="utf-8-sig")


def test_a_list_of_addresses_becomes_text(tmp_path: Path) -> None:
    scripts = {f"/{n}": html(f"<a href=/3>3</a>{text}".encode()) for n, text in enumerate(TEXTS)}
    with scripted_server(scripts) as server:
        (tmp_path / "urls.txt").write_text("".join(f"{server.origin}/{n}\n" for n in range(3)))
        do("A list of URLs to text", {}, *settings())
    text = (tmp_path / "texts/export/texts.txt").read_text()
    assert [f"of page {n}," in text for n in range(4)] == [True, True, True, False]


def test_only_the_pdfs_of_a_site_are_kept_by_what_they_are(tmp_path: Path) -> None:
    """One has no ending, another document lies about its own; pages lead there and are not kept."""
    report = pdf([[(50, 800, 10, "Printed text.")]])
    scripts = {
        "/": html(
            f"<a href=/report.pdf>a</a><a href=/get?id=7>b</a><a href=/old.pdf>c</a>{TEXTS[0]}".encode()
        ),
        "/report.pdf": served(report, "application/pdf"),
        "/get?id=7": served(report + b"\n", "application/octet-stream"),
        "/old.pdf": served(doc(["Old text.\r"]), "application/pdf"),
    }
    with scripted_server(scripts) as server:
        do("Only the PDFs of a site", {"https://www.example.cz/": f"{server.origin}/"}, *settings())
        assert set(scripts) <= set(server.asked)
    (folder,) = (tmp_path / "pdfs/export/pdfs-site").glob("127.*")
    assert sorted(path.read_bytes() for path in folder.iterdir()) == sorted([report, report + b"\n"])


def test_a_site_behind_a_login_is_crawled(tmp_path: Path) -> None:
    (rule,) = (text for named, text in BLOCKS.findall(TASKS["A site behind a login"]) if named == "toml")
    rule = rule.replace("members.example.org", FORM).replace("password =", "word =")
    rule = rule.replace("corpus-robot", "robot")
    (tmp_path / "access.toml").write_text(rule.replace("[rule.login]", "allow_http = true\n[rule.login]"))
    (tmp_path / "members.password").write_text(PASSWORD)
    (tmp_path / "members.password").chmod(0o600)
    with doors_open() as doors:
        do("A site behind a login", {"https://members.example.org/": doors.url(FORM)}, *settings())
    texts = "".join(path.read_text() for path in (tmp_path / "members/corpus").iterdir())
    assert texts.count("for members alone") > 8
    assert PASSWORD not in texts


def test_a_collection_is_one_that_other_tools_read(tmp_path: Path) -> None:
    """By warcio and an index as pywb has it; digests are checked."""
    with simulated_web(tmp_path, SMALL) as stage:
        (tmp_path / "seeds.txt").write_text("\n".join(stage.homes()[:2]))
        do("A WARC collection for pywb", {}, *settings(stage))
    urls = set()
    for path in (tmp_path / "sites/warc").glob("*.warc.gz"):
        with path.open("rb") as file:
            for record in ArchiveIterator(file, check_digests="raise"):
                record.content_stream().read()
                if record.rec_type == "response":
                    urls.add(record.rec_headers.get_header("WARC-Target-URI"))
    index = (tmp_path / "sites/warc/index.cdxj").read_text()
    assert len(urls) > 20
    assert all(f'"url":"{url}"' in index.replace(": ", ":") for url in urls)


def test_many_sites_are_watched_in_the_background(tmp_path: Path) -> None:
    """Each page that changes has another version, and no site is bothered."""
    with simulated_web(tmp_path, CHANGING) as stage:
        (tmp_path / "news.txt").write_text("\n".join(stage.homes()))
        crawl = Crawl(tmp_path / "news", [], {})
        stage.crawls.append(crawl)
        do("Watch 500 news sites", {}, *settings(stage, revisit__first="1s", revisit__min="1s"))

        wait_until(lambda: is_each_asked_twice(stage, crawl), "a second visit of each home")
        wait_until(lambda: len(changed_pages(crawl)) > 5, "a second version of several pages")
        crawl.tell("stop")
    assert len(changed_pages(crawl)) > 5
    assert stage.violations() == []


def is_each_asked_twice(stage: Stage, crawl: Crawl) -> bool:
    asked = Counter(entry.url for entry in crawl.requests())
    return all(asked[home] > 1 for home in stage.homes())


def changed_pages(crawl: Crawl) -> set[str]:
    """Return the pages of which the corpus has different texts."""
    versions: dict[str, set[str]] = {}
    for line in whole_lines((crawl.out / "corpus").glob("*.jsonl*")):
        document = json.loads(line)
        versions.setdefault(document["url"], set()).add(document["text"])
    return {url for url, texts in versions.items() if len(texts) > 1}


@dataclass(frozen=True, slots=True)
class Survivor:
    """A crawl of one language that was killed and has continued."""

    stage: Stage
    crawl: Crawl
    pages_before: int  # when it was killed


@pytest.fixture(scope="module")
def czech(tmp_path_factory: pytest.TempPathFactory) -> Survivor:
    folder = tmp_path_factory.mktemp("czech")
    with pytest.MonkeyPatch.context() as patch, simulated_web(folder, BILINGUAL) as stage:
        patch.chdir(folder)
        (folder / "seeds.txt").write_text("\n".join(stage.homes()))
        crawl = stage.crawl([], name="czech", harvest__harvesters=1, has_models=True)
        ((begin, _),) = blocks(COUNTRY, OURS)
        del crawl.settings["crawl.contact"]
        begin = [word for word in begin[2:] if word not in ("--out", "czech")]  # said already
        crawl.start(*(r"-cs\.[a-z]+$" if word == r"\.cz$" else word for word in begin))
        crawl.wait_for_lines(20)
        crawl.kill_all()
        before = sum(line.count(b"\n") for line in map(Path.read_bytes, (folder / "czech/corpus").iterdir()))
        do("Continue after power loss", {})
    return Survivor(stage, crawl, before)


def is_czech(url: str) -> bool:
    return "-cs." in url


def test_a_crawl_continues_after_power_loss(czech: Survivor) -> None:
    """All is there, and nothing twice."""
    wanted = czech.stage.truth(is_in_scope=is_czech)
    assert 0 < czech.pages_before < len(wanted)
    assert czech.crawl.urls() == wanted
    assert czech.stage.violations() == []


def test_a_countrys_web_becomes_a_vertical_file(czech: Survivor, tmp_path: Path) -> None:
    ((_, export),) = blocks(COUNTRY, OURS)
    assert do_one(export, {"czech": str(czech.crawl.out)})
    vertical = (tmp_path / "czech.vert").read_text()
    assert set(re.findall(r'url="([^"]+)"', vertical)) == set(czech.crawl.urls())


def test_a_webmaster_is_told_what_was_asked(czech: Survivor, tmp_path: Path) -> None:
    entries = czech.crawl.requests()
    host = entries[-1].host
    do("Tell a webmaster what was asked", {"www.example.cz": host, "czech": str(czech.crawl.out)})
    report = (tmp_path / "report.html").read_text()
    assert all(urlsplit(entry.url).path in report for entry in entries if entry.host == host)


def test_it_can_be_found_out_why_a_site_is_missing(czech: Survivor) -> None:
    german = next(home for home in czech.stage.homes() if not is_czech(home))
    host = urlsplit(german).hostname or ""
    said = do("Find out why a site is missing", {"www.example.cz": host, "czech": str(czech.crawl.out)})
    assert host in said
    assert "scope.include" in said
