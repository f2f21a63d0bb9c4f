"""A folder of files, a list of them and a card: whole, true, and nothing from a page is markup in it."""

import hashlib
import json
import re
import resource
from pathlib import Path

import duckdb
import pytest
from export_samples import export_to, make_crawl, make_document

from tiptoe.errors import SettingsError
from tiptoe.export.dataset_card import CardFacts, dataset_card
from tiptoe.export.dataset_statistics import DatasetStatistics
from tiptoe.export.exporter import ExportPlan, export
from tiptoe.export.formats import FORMATS
from tiptoe.export.hash_tables import SeenHashes
from tiptoe.export.selection import Selection
from tiptoe.write.corpus import Document


def documents(count: int = 50) -> list[Document]:
    return [
        make_document(
            f"Odstavec {number} " + "slovo " * 200, id=f"urn:uuid:{number}", language="cs",
            url=f"https://h{number % 5}.example/{number}",
            fetched_at=f"2026-11-{10 + number % 5}T20:26:55.659223Z",
        )
        for number in range(count)
    ]  # fmt: skip


def plan_of(directory: Path, out: Path, format: str = "jsonl", **changes: object) -> ExportPlan:
    fields: dict[str, object] = {
        "directory": directory, "format": format, "out": out, "selection": Selection(), "shard_bytes": 20_000
    }  # fmt: skip
    return ExportPlan(**(fields | changes))  # type: ignore[arg-type]


def head_of(card: str) -> str:
    _, head, _ = re.split(r"^---\n", card, maxsplit=2, flags=re.MULTILINE)
    return head


@pytest.mark.parametrize("format", ["jsonl", "txt", "vertical"])
def test_the_files_hold_every_document_once_and_are_of_about_the_wanted_size(
    tmp_path: Path, format: str
) -> None:
    crawl = make_crawl(tmp_path, documents())
    amounts = export(plan_of(crawl, tmp_path / "set", format))
    amounts.check()
    export_to(tmp_path / "one", crawl, format)
    manifest = json.loads((tmp_path / "set" / "manifest.json").read_bytes())
    shards = [file for file in manifest["files"] if file["documents"]]
    assert len(shards) > 2
    assert manifest["documents"] == sum(file["documents"] for file in shards) == 50
    whole = b"".join((tmp_path / "set" / file["name"]).read_bytes() for file in shards)
    assert whole == (tmp_path / "one").read_bytes()
    assert all(20_000 <= file["bytes"] < 24_000 for file in shards[:-1])
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(
        ["czech", "one", "set", *(["one.index.tsv"] if format == "txt" else [])]
    )


def test_the_list_is_true_of_every_file(tmp_path: Path) -> None:
    """Whoever copies a dataset can tell whether all of it has come."""
    export(plan_of(make_crawl(tmp_path, documents()), tmp_path / "set", "txt"))
    folder = tmp_path / "set"
    listed = {
        file["name"]: (file["bytes"], file["sha256"])
        for file in json.loads((folder / "manifest.json").read_bytes())["files"]
    }
    found = {
        f"data/{path.name}": (path.stat().st_size, hashlib.sha256(path.read_bytes()).hexdigest())
        for path in (folder / "data").iterdir()
    }
    assert listed == found
    assert any(name.endswith(".index.tsv") for name in found)


def test_the_same_corpus_gives_the_same_dataset(tmp_path: Path) -> None:
    crawl = make_crawl(tmp_path, documents())
    for name in ("a", "b"):
        export(plan_of(crawl, tmp_path / name, "parquet"))
    for path in (tmp_path / "a").rglob("*.*"):
        assert path.read_bytes() == (tmp_path / "b" / path.relative_to(tmp_path / "a")).read_bytes()


def test_a_card_says_what_there_is(tmp_path: Path) -> None:
    export(plan_of(make_crawl(tmp_path, documents()), tmp_path / "set", "parquet", license="cc-by-4.0"))
    card = (tmp_path / "set" / "README.md").read_text(encoding="utf-8")
    head = head_of(card)
    assert "language:\n- 'cs'\n" in head
    assert "license: 'cc-by-4.0'\n" in head
    assert "size_categories:\n- n<1K\n" in head
    assert "    path: 'data/*.parquet'\n" in head
    assert "| documents | 50 |" in card
    assert "| hosts | 5 |" in card
    assert "from 2026-11-10 to 2026-11-14" in card
    assert "- `https://a.example/`" in card  # the seed


def test_a_card_names_nobody_who_wants_to_be_forgotten(tmp_path: Path) -> None:
    """A host that is out of the crawl must not come back as one of its seeds."""
    crawl = make_crawl(tmp_path, documents(3))
    seeds = ["https://a.example/", "https://sub.b.example/", "https://c.example/x", "https://c.example/y"]
    (crawl / "crawl.json").write_text(json.dumps({"seeds": seeds}))
    targets = ["*.b.example", "https://c.example/x"]
    (crawl / "forgotten.jsonl").write_text("".join(json.dumps({"target": one}) + "\n" for one in targets))
    export(plan_of(crawl, tmp_path / "set"))
    card = (tmp_path / "set" / "README.md").read_text(encoding="utf-8")
    assert re.findall(r"^- `(.*)`$", card, re.MULTILINE) == [seeds[0], seeds[3]]


def test_a_dataset_without_a_licence_says_so_and_jsonl_says_its_columns(tmp_path: Path) -> None:
    export(plan_of(make_crawl(tmp_path, documents(3)), tmp_path / "set"))
    head = head_of((tmp_path / "set" / "README.md").read_text(encoding="utf-8"))
    assert "license: 'unknown'\n" in head
    assert re.findall(r"^  - name: (\w+)$", head, re.MULTILINE) == [*Document.__struct_fields__, "text"]


def test_what_was_read_from_other_sources_is_not_called_crawled(tmp_path: Path) -> None:
    """Nobody may claim politeness for what others have gathered, nor tell where it lay on this machine."""
    crawl = make_crawl(tmp_path, documents(3))
    (crawl / "crawl.json").write_text(
        '{"seeds": ["file:///home/me/x.warc"], "read_from": ["/home/me/x.warc"]}'
    )
    export(plan_of(crawl, tmp_path / "set"))
    card = (tmp_path / "set" / "README.md").read_text(encoding="utf-8")
    assert "Crawled" not in card
    assert "/home/me" not in card


def test_nothing_from_a_page_is_markup_in_a_card(tmp_path: Path) -> None:
    hostile = "x`|\n---\nlicense: mit\n<script>alert(1)</script>\x1b[31m" + "y" * 500
    with SeenHashes(tmp_path) as hosts:
        found = DatasetStatistics(hosts)
        for number in range(3000):
            found.add(
                make_document(
                    "Text.", license=f"{hostile[:50]}{number}", language=f"q{hostile}", type=hostile
                )
            )
        assert len(found.licenses) <= 1001
        card = dataset_card(CardFacts(name="a'b: c", format="parquet", files="data/*"), found)
    assert "pretty_name: 'a''b: c'\n" in head_of(card)
    assert card.count("\n---\n") == 1
    assert "license: mit\n" not in card
    assert not set("<>\x1b") & set(card.removeprefix("---").partition("\n---\n")[2])
    assert all(line.count("|") in (0, 3, 4) for line in card.splitlines())


@pytest.mark.parametrize(
    ("documents", "label"), [(999, "n<1K"), (1000, "1K<n<10K"), (10**6, "1M<n<10M"), (10**12, "n>1T")]
)
def test_sizes_are_in_the_classes_of_the_hub(tmp_path: Path, documents: int, label: str) -> None:
    with SeenHashes(tmp_path) as hosts:
        found = DatasetStatistics(hosts, documents=documents)
        assert f"- {label}\n" in dataset_card(CardFacts(name="x", format="txt", files="data/*"), found)


def test_a_dataset_is_replaced_only_if_told_and_nothing_else_ever(tmp_path: Path) -> None:
    crawl = make_crawl(tmp_path, documents(3))
    out = tmp_path / "set"
    export(plan_of(crawl, out))
    with pytest.raises(SettingsError, match="--force replaces it"):
        export(plan_of(crawl, out, "parquet"))
    export(plan_of(crawl, out, "parquet", force=True))
    assert [path.suffix for path in (out / "data").iterdir()] == [".parquet"]
    mine = tmp_path / "mine"
    mine.mkdir()
    (mine / "thesis.doc").write_text("years of work")
    with pytest.raises(SettingsError, match="no dataset of ours"):
        export(plan_of(crawl, mine, force=True))
    assert (mine / "thesis.doc").exists()
    with pytest.raises(SettingsError, match="lies among the files of the crawl"):
        export(plan_of(crawl, crawl / "corpus" / "set"))


def test_an_export_that_fails_leaves_what_was_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    crawl, out = make_crawl(tmp_path, documents(3)), tmp_path / "set"
    export(plan_of(crawl, out))
    before = (out / "manifest.json").read_bytes()

    def fail(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("tiptoe.export.exporter.FORMATS", {"txt": FORMATS["txt"]._replace(write=fail)})
    with pytest.raises(KeyboardInterrupt):
        export(plan_of(crawl, out, "txt", force=True))
    assert (out / "manifest.json").read_bytes() == before
    assert sorted(path.name for path in tmp_path.iterdir()) == ["czech", "set"]


def test_a_duckdb_file_has_a_table_of_documents(tmp_path: Path) -> None:
    found = make_document("Jeden.", "Dva.", lang="cs", fields={"price": 3.5}, repeated=[1])
    crawl = make_crawl(tmp_path, [found, make_document("Tři.", title=None)])
    amounts = export_to(tmp_path / "x.duckdb", crawl, "duckdb", sentences=True)
    assert amounts.written_bytes == (tmp_path / "x.duckdb").stat().st_size
    with duckdb.connect(str(tmp_path / "x.duckdb"), read_only=True) as connection:
        rows = connection.execute(
            "select text, paragraphs, title, repeated, (fields->>'price')::double, sentences, "
            "epoch_us(fetched_at) from documents"
        ).fetchall()
    moment = rows[0][6]
    assert rows == [
        ("Jeden.\nDva.", ["Jeden.", "Dva."], "Titulek", [1], 3.5, [["Jeden."], ["Dva."]], moment),
        ("Tři.", ["Tři."], None, [], None, [["Tři."]], moment),
    ]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["czech", "x.duckdb"]


def test_the_files_of_a_crawl_load_as_they_are_even_if_a_field_is_null_for_long(tmp_path: Path) -> None:
    """By somebody else's code, from the raw folder: what is rare must not lose its kind."""
    rare = make_document("Text.", lang_others=["en"], repeated=[0], usability=0.5, truncated="length")
    unknown = [make_document("Text.", title=None, last_modified=None) for _ in range(3000)]
    crawl = make_crawl(tmp_path, [*unknown, rare])
    files = f"read_json('{crawl}/corpus/*.jsonl*', format='newline_delimited', sample_size=-1)"
    kinds = {row[0]: row[1] for row in duckdb.execute(f"describe select * from {files}").fetchall()}
    assert [kinds[name] for name in ("lang_others", "repeated", "usability", "truncated", "text")] == [
        "VARCHAR[]", "BIGINT[]", "DOUBLE", "VARCHAR", "VARCHAR",
    ]  # fmt: skip
    assert kinds["fetched_at"] == kinds["last_modified"] == "TIMESTAMP WITH TIME ZONE"
    found = duckdb.execute(
        f"select count(*), count(title), max(usability), max(text) from {files}"
    ).fetchall()
    assert found == [(3001, 1, 0.5, "Text.")]


def test_a_duckdb_file_is_one_file_and_no_stream(tmp_path: Path) -> None:
    crawl = make_crawl(tmp_path, documents(3))
    with pytest.raises(SettingsError, match="a DuckDB file is one file"):
        export(plan_of(crawl, tmp_path / "set", "duckdb"))
    with pytest.raises(SettingsError, match="cannot be piped"):
        export(plan_of(crawl, Path("-"), "duckdb", shard_bytes=None))


def test_a_duckdb_file_that_does_not_fit_is_a_message_and_leaves_nothing(tmp_path: Path) -> None:
    """A full disk is nothing unusual; here files may have as many bytes as the table has, and no more."""
    crawl = make_crawl(tmp_path, documents(3))
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, limits[1]))
    try:
        with pytest.raises(SettingsError, match="DuckDB cannot write there: "):
            export(plan_of(crawl, tmp_path / "x", "duckdb", shard_bytes=None))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert [path.name for path in tmp_path.iterdir()] == ["czech"]


def test_without_the_library_an_export_to_duckdb_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(__import__("sys").modules, "duckdb", None)
    with pytest.raises(SettingsError, match="scripts/install duckdb"):
        export(plan_of(make_crawl(tmp_path, documents(3)), tmp_path / "x", "duckdb", shard_bytes=None))
    assert not (tmp_path / "x").exists()
