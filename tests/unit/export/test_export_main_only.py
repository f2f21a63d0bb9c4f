"""Of a corpus with labels, the main text can be had alone."""

import dataclasses
from pathlib import Path

import msgspec
import pytest
from export_samples import make_document

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


@pytest.mark.parametrize(("is_main_only", "exported"), [(True, "Text.\n\n"), (False, "Menu\nText.\n\n")])
def test_an_export_has_the_main_text_unless_told_otherwise(
    tmp_path: Path, is_main_only: bool, exported: str
) -> None:
    """What a linguist sees first should not be a menu."""
    crawl, out = tmp_path / "crawl", tmp_path / "out.txt"
    (crawl / "corpus").mkdir(parents=True)
    (crawl / "crawl.json").write_text("{}")
    line = msgspec.json.encode(labelled(("Menu", "boilerplate"), ("Text.", "main")))
    (crawl / "corpus" / "tiptoe-00001.jsonl").write_bytes(line + b"\n")
    plan = ExportPlan(directory=crawl, format="txt", out=out, selection=Selection())
    export(plan if is_main_only else dataclasses.replace(plan, is_main_only=False))
    assert out.read_text() == exported
