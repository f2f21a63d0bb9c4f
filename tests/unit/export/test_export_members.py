"""One export of what several machines have written."""

from pathlib import Path

import msgspec
import pytest
from export_samples import make_crawl, make_document

from tiptoe.errors import SettingsError
from tiptoe.export.export_amounts import ExportAmounts, Omission
from tiptoe.export.exporter import ExportPlan, bytes_to_read, export
from tiptoe.export.selection import Selection
from tiptoe.export.versions import AS_IT_IS
from tiptoe.write.corpus import Document


def make_members(folder: Path, *corpora: list[Document]) -> list[Path]:
    return [make_crawl(folder / str(number), documents) for number, documents in enumerate(corpora)]


def exported(out: Path, directories: list[Path], **more: object) -> tuple[list[str], ExportAmounts]:
    """Return the first paragraphs of what an export has written, and its figures."""
    plan = ExportPlan(
        directory=directories[0], members=tuple(directories[1:]), format="jsonl", out=out,
        selection=Selection(), **more,  # type: ignore[arg-type]
    )  # fmt: skip
    assert bytes_to_read(plan) > 0
    amounts = export(plan)
    amounts.check()
    lines = out.read_bytes().splitlines()
    return [msgspec.json.decode(line, type=Document).paragraphs[0] for line in lines], amounts


def test_the_corpora_of_all_machines_become_one(tmp_path: Path) -> None:
    first = make_document("první", url="http://a.example/")
    second = make_document("druhý", url="http://b.example/")
    assert exported(tmp_path / "out", make_members(tmp_path, [first], [second]))[0] == ["první", "druhý"]


def test_a_page_that_two_agents_have_written_is_exported_once(tmp_path: Path) -> None:
    """One had died before the others knew of it; what it left is in a file that was not finished."""
    left = make_document("zůstalo po mrtvém", url="http://a.example/")
    again = make_document("znovu", url="http://a.example/")
    changed = make_document("změněno", url="http://a.example/", version=2)
    directories = make_members(tmp_path, [left], [again, changed])
    finished = next((directories[1] / "corpus").iterdir())
    finished.rename(finished.with_name("h2-00001.jsonl"))

    texts, amounts = exported(tmp_path / "out", directories)

    assert texts == ["znovu", "změněno"]
    assert amounts.omitted[Omission.COPY].documents == 1


def test_documents_that_were_converted_have_no_versions(tmp_path: Path) -> None:
    facts = {"url": "http://a.example/x.pdf", "type": "application/pdf"}
    directories = make_members(
        tmp_path, [make_document("jeden", id="1", **facts)], [make_document("dva", id="2", **facts)]
    )
    assert exported(tmp_path / "out", directories)[0] == ["jeden", "dva"]


def test_a_mirror_has_the_last_version_whoever_wrote_it(tmp_path: Path) -> None:
    old = make_document("stará", fetched_at="2026-01-01T00:00:00Z", version=1)
    new = make_document("nová", fetched_at="2026-02-01T00:00:00Z", version=2)
    directories = make_members(tmp_path, [new], [old])
    assert exported(tmp_path / "out", directories, as_of=AS_IT_IS)[0] == ["nová"]


def test_nothing_is_written_among_the_files_of_a_member(tmp_path: Path) -> None:
    directories = make_members(tmp_path, [make_document("x")], [make_document("y")])
    with pytest.raises(SettingsError, match="among the files of the crawl"):
        exported(directories[1] / "corpus" / "out.jsonl", directories)
    with pytest.raises(SettingsError, match="among the files of the crawl"):
        exported(directories[0] / "members" / "out.jsonl", directories)
