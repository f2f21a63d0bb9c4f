"""The command lines of the documents that crawl do so, on a simulated web.

Here each crawl gets a few pages, and sites and languages that this web has. `docs_runs.py` says who runs the
other lines.
"""

import itertools
import re
import shlex
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest
from docs_lines import ROOT, blocks_of
from docs_runs import Runner, lines_of
from journey_crawl import SMALL, Stage, simulated_web, tiptoe

from nats_servers import free_ports
from tiptoe.cli.exits import Exit
from tiptoe.settings.schema import SETTINGS

pytestmark = pytest.mark.journey

MEANT: Final = {
    r"\.cz$": r"\.(test|example)$",
    r"\.(cz|sk)$": r"\.(test|example)$",
    r"\.intern\.example$": r"\.(test|example)$",
    "fetch.allow_networks=10.0.0.0/8": "fetch.allow_networks=127.0.0.0/8,198.18.0.0/15",
    "mon-fri 22:00-06:00; sat,sun": "mon-sun",
    "fetch.allow_networks=127.0.0.0/8": "fetch.allow_networks=127.0.0.0/8,198.18.0.0/15",
    "10.0.0.1:7100": f"127.0.0.1:{free_ports(1)[0]}",
    "/usr/local/bin/publish czech": "cat",
}
"""Words of the documents, and what is said here in their place."""

OF_TEXT: Final = frozenset({"--languages", "--fields", "--filters", "--profile", "--export"})
"""Options by which a line is about texts; a crawl of others loads no models."""

SITE: Final = re.compile(
    r"(https?://)?((www|wiki|shop|a|members)\.)?(intern\.)?example(\.cz|\.org)?/?|127\.0\.0\.1:8000"
)


LINES: Final = [shlex.join(words) for words in lines_of(Runner.CRAWLING)]


@pytest.fixture(scope="module")
def stage(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    with simulated_web(tmp_path_factory.mktemp("docs"), SMALL) as stage:
        yield stage


@pytest.fixture(scope="module")
def begun(stage: Stage) -> Path:
    """The directory of a crawl that was stopped on its way."""
    crawl = stage.crawl(crawl__max_pages=5)
    crawl.run(ends=Exit.LIMIT)
    crawl.go_on("--max-pages", "default", "--set", "crawl.max_seconds=10ms", ends=Exit.LIMIT)
    return crawl.out


def test_there_are_enough_of_them() -> None:
    assert len(LINES) > 35


@pytest.mark.parametrize("line", LINES)
def test_a_line_of_the_documents_crawls(
    stage: Stage, begun: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, line: str
) -> None:
    """Whoever copies it gets pages, at the first try."""
    monkeypatch.chdir(tmp_path)
    words = shlex.split(line)
    lay_out(stage, words)
    if is_continued(words):
        shutil.copytree(begun, directory_of(words), symlinks=True)
    spoken = [*said_here(words, stage.homes()[0]), *surroundings(stage, line)]
    done = tiptoe(*spoken)
    assert done.returncode in (Exit.DONE, Exit.LIMIT), f"{shlex.join(spoken)}\n{done.stdout}{done.stderr}"
    assert any(Path(directory_of(words), "warc").glob("*.warc.gz")), done.stdout


def lay_out(stage: Stage, words: list[str]) -> None:
    """Write the files that the documents speak of."""
    homes = "\n".join(stage.homes()[:4])
    for name in ("seeds.txt", "more-seeds.txt", "urls.txt"):
        Path(name).write_text(homes)
    for name in ("token", "members.password"):
        Path(name).touch(mode=0o600)
        Path(name).write_text("a secret that is long enough")
    Path("access.toml").write_text(next(blocks_of(ROOT / "docs/tasks.md", "toml")))
    Path("fields.toml").write_text(next(blocks_of(ROOT / "docs/howto/fields-by-rule.md", "toml")))
    Path("crawl.toml").write_text(
        '[crawl]\ncontact = "https://example.org/bot"\nseeds = ["seeds.txt"]\nout = "czech"\n'
    )
    if "myfilters" in words:
        assert tiptoe("filters", "new", "myfilters").returncode == Exit.DONE


def is_continued(words: list[str]) -> bool:
    """Whether a line goes on with a crawl that somebody has begun."""
    return "--contact" not in words and "--config" not in words


def directory_of(words: list[str]) -> str:
    if "--config" in words:
        return "czech"
    return words[words.index("--out") + 1] if "--out" in words else "crawl"


def said_here(words: list[str], home: str) -> Iterator[str]:
    """Yield the words with what they mean on this web; in the foreground, so that one sees the end."""
    for before, word in itertools.pairwise(["", *words]):
        if word == "--background":
            continue
        if before == "--languages":
            yield "cs,de,en,pl,sk"
        elif before != "--contact" and SITE.fullmatch(word):
            yield home
        elif word.startswith("sh -c"):
            yield (
                word.replace("tiptoe", f"{sys.executable} -m tiptoe")
                .replace("/srv/", "")
                .replace("mail ", "echo ")
            )
        else:
            yield MEANT.get(word, word)


def surroundings(stage: Stage, line: str) -> Iterator[str]:
    """Yield the settings that a crawl of this web needs, and an end to each, but for what the line says."""
    seconds = "6s" if "watch" in line else "30s"  # who watches sees no other end
    is_of_text = not OF_TEXT.isdisjoint(line.split())
    known = stage.crawl([], has_models=is_of_text).settings | {"harvest.harvesters": 1}
    known |= {"crawl.max_pages": 8, "crawl.max_seconds": seconds}
    del known["crawl.contact"]
    for name, value in known.items():
        if name not in line and SETTINGS[name].option not in line.split():
            yield from ("--set", f"{name}={value}")
