"""A packed archive can be read by others, part by part."""

import gzip
import hashlib
import io
import json
import os
import subprocess
import zipfile
from pathlib import Path

import pytest
from copy_samples import Sent, write_archive

from tiptoe.copies.archive_pages import find_archive, pages_of
from tiptoe.copies.wacz import WaczPlan, write_wacz
from tiptoe.errors import SettingsError

TOOLS = os.environ.get("TIPTOE_ARCHIVE_TOOLS", "")
"""The bin folder of an environment with the packages wacz and pywb, which bring too much along to be ours."""

PAGES = [Sent(f"https://a.example/{number}", f"<title>Page {number}</title>") for number in range(1500)]


def packed(directory: Path, out: Path) -> int:
    """Pack the archive of a crawl."""
    plan = WaczPlan(
        files=find_archive(directory), title="t", software="tiptoe 0", created_at=1_790_000_000.0,
        pages=lambda merged: pages_of(directory, merged),
    )  # fmt: skip
    with out.open("w+b") as file:
        return write_wacz(plan, file, scratch=directory)


@pytest.fixture(scope="module")
def wacz(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wacz")
    write_archive(folder / "crawl", PAGES)
    (folder / "crawl" / "corpus").mkdir()
    line = {"url": "https://a.example/7", "fetched_at": "2026-09-21T14:13:27.0Z", "title": "Seven <b>"}
    (folder / "crawl" / "corpus" / "t-00001.jsonl").write_text(json.dumps(line) + "\n")
    assert packed(folder / "crawl", folder / "t.wacz") == 1500
    return folder / "t.wacz"


def test_every_part_has_its_hash_and_lies_there_as_it_is(wacz: Path) -> None:
    with zipfile.ZipFile(wacz) as parts:
        assert {info.compress_type for info in parts.infolist()} == {zipfile.ZIP_STORED}
        package = json.loads(parts.read("datapackage.json"))
        for resource in package["resources"]:
            data = parts.read(resource["path"])
            assert resource["hash"] == f"sha256:{hashlib.sha256(data).hexdigest()}"
            assert resource["bytes"] == len(data)
        digest = json.loads(parts.read("datapackage-digest.json"))
        assert digest["hash"] == f"sha256:{hashlib.sha256(parts.read('datapackage.json')).hexdigest()}"
        listed = {resource["path"] for resource in package["resources"]}
        assert listed | {"datapackage.json", "datapackage-digest.json"} == set(parts.namelist())


def test_a_record_is_found_by_the_index_of_the_index(wacz: Path) -> None:
    """A browser reads a few thousand bytes of an archive of any size."""
    with zipfile.ZipFile(wacz) as parts:
        meta, *blocks = parts.read("indexes/index.idx").decode().splitlines()
        assert meta.startswith('!meta 0 {"format":"cdxj-gzip-1.0"')
        index = parts.read("indexes/index.cdx.gz")
        wanted = "example,a)/1234 "
        block = json.loads([line for line in blocks if line <= wanted][-1].split(" ", 2)[2])
        lines = gzip.decompress(index[block["offset"] : block["offset"] + block["length"]]).decode()
        entry = json.loads(
            next(line for line in lines.splitlines() if line.startswith(wanted)).split(" ", 2)[2]
        )
        archive = parts.read(f"archive/{entry['filename']}")
    start = int(entry["offset"])
    record = gzip.decompress(archive[start : start + int(entry["length"])])
    assert b"<title>Page 1234</title>" in record


def test_pages_are_listed_once_with_the_titles_that_are_known(wacz: Path) -> None:
    with zipfile.ZipFile(wacz) as parts:
        head, *pages = [json.loads(line) for line in io.BytesIO(parts.read("pages/pages.jsonl"))]
    assert head["format"] == "json-pages-1.0"
    assert len({page["url"] for page in pages}) == len(pages) == 1500
    assert pages[0] == {
        "id": "1",
        "url": "https://a.example/7",
        "ts": "2026-09-21T14:13:27Z",
        "title": "Seven <b>",
    }


def test_without_an_archive_nothing_is_packed(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="--warc"):
        find_archive(tmp_path)


@pytest.mark.skipif(
    not TOOLS, reason="TIPTOE_ARCHIVE_TOOLS names no folder with the programs wacz and wb-manager"
)
def test_the_validator_of_its_makers_finds_nothing(wacz: Path) -> None:
    done = subprocess.run(
        [f"{TOOLS}/wacz", "validate", "-f", str(wacz)], capture_output=True, text=True, check=False
    )

    assert done.returncode == 0, done.stdout + done.stderr
    assert "not" not in done.stdout.lower().replace("note", ""), done.stdout
