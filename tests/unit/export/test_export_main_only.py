"""Of a corpus with labels, the main text can be had alone."""

from pathlib import Path

import msgspec
import pytest
from export_samples import make_document

from tiptoe.errors import SettingsError
from tiptoe.export.export_amounts import ExportAmounts, Omission, TextAmount
from tiptoe.export.exporter import ExportPlan, export
from tiptoe.export.main_only import main_only
from tiptoe.export.selection import Selection
from tiptoe.write.corpus import Document


def labelled(*pairs: tuple[str, str]) -> Document:
    document = make_document(*(text for text, _ in pairs))
    return msgspec.structs.replace(document, labels=[label for _, label in pairs], repeated=[1])


def test_boilerplate_is_left_out_and_counted() -> None:
    amounts = ExportAmounts()
    kept = main_only(labelled(("Menu", "boilerplate"), ("Text.", "main"), ("Rest.", "")), amounts)
    assert kept is not None
    assert (kept.paragraphs, kept.labels, kept.repeated) == (["Text.", "Rest."], ["main", ""], [0])
    assert dict(amounts.omitted) == {Omission.BOILERPLATE: TextAmount(paragraphs=1, characters=4)}


def test_a_document_of_nothing_but_boilerplate_is_left_out() -> None:
    amounts = ExportAmounts()
    assert main_only(labelled(("Menu", "boilerplate")), amounts) is None
    assert dict(amounts.omitted) == {Omission.BOILERPLATE: TextAmount(1, 1, 4)}


def test_documents_without_labels_stay_whole() -> None:
    """Those that were converted have no menus."""
    document = make_document("Kapitola", "Text.")
    assert main_only(document, ExportAmounts()) is document


def test_a_corpus_without_labels_is_an_error_rather_than_exported_whole(tmp_path: Path) -> None:
    crawl = tmp_path / "crawl"
    (crawl / "corpus").mkdir(parents=True)
    (crawl / "crawl.json").write_text("{}")
    line = msgspec.json.encode(make_document("Menu", "Text."))
    (crawl / "corpus" / "tiptoe-00001.jsonl").write_bytes(line + b"\n")
    plan = ExportPlan(
        directory=crawl, format="txt", out=tmp_path / "out.txt", selection=Selection(), is_main_only=True
    )
    with pytest.raises(SettingsError, match="--extraction marked"):
        export(plan)
