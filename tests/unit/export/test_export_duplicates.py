"""Text that was exported before is left out, and counted."""

from collections.abc import Iterator

import pytest
from export_samples import make_document

from tiptoe.export.duplicates import by_document, by_paragraph, keep_all
from tiptoe.export.export_amounts import ExportAmounts, Omission, TextAmount
from tiptoe.export.hash_tables import SeenHashes


@pytest.fixture
def seen() -> Iterator[SeenHashes]:
    with SeenHashes() as hashes:
        yield hashes


def test_a_paragraph_stays_where_it_stands_first(seen: SeenHashes) -> None:
    amounts = ExportAmounts()
    first = make_document("Menu", "První článek.", "Menu")
    second = make_document("Menu", "Druhý článek.")
    kept = [by_paragraph(document, seen, amounts) for document in (first, second)]
    assert [document.paragraphs for document in kept if document] == [
        ["Menu", "První článek."],
        ["Druhý článek."],
    ]
    assert dict(amounts.omitted) == {Omission.DUPLICATE: TextAmount(paragraphs=2, characters=8)}


def test_a_document_of_which_nothing_is_left_is_counted_as_one(seen: SeenHashes) -> None:
    amounts = ExportAmounts()
    by_paragraph(make_document("jedna", "dvě"), seen, amounts)
    assert by_paragraph(make_document("dvě"), seen, amounts) is None
    assert dict(amounts.omitted) == {Omission.DUPLICATE: TextAmount(1, 1, 3)}


def test_case_and_composition_make_no_difference(seen: SeenHashes) -> None:
    by_paragraph(make_document("Žluťoučký kůň"), seen, ExportAmounts())
    assert by_paragraph(make_document("ŽLUŤOUČKÝ KŮŇ"), seen, ExportAmounts()) is None
    assert by_paragraph(make_document("Z\u030cluťoučký kůň"), seen, ExportAmounts()) is None
    assert by_paragraph(make_document("Žlutoučký kůň"), seen, ExportAmounts()) is not None


def test_what_is_said_of_paragraphs_stays_with_them(seen: SeenHashes) -> None:
    by_paragraph(make_document("Menu"), seen, ExportAmounts())
    labels = ["boilerplate", "main", "notice"]
    document = make_document("Menu", "Text", "Cookies", labels=labels, repeated=[0, 2])
    kept = by_paragraph(document, seen, ExportAmounts())
    assert kept is not None
    assert (kept.paragraphs, kept.labels, kept.repeated) == (["Text", "Cookies"], ["main", "notice"], [1])


def test_the_same_text_is_a_duplicate(seen: SeenHashes) -> None:
    amounts = ExportAmounts()
    assert by_document(make_document("a", "b"), seen, amounts) is not None
    assert by_document(make_document("A", "B", url="https://b.example/"), seen, amounts) is None
    assert dict(amounts.omitted) == {Omission.DUPLICATE: TextAmount(1, 2, 2)}


@pytest.mark.parametrize(("known", "is_omitted"), [(90, True), (89, False)])
def test_nine_tenths_of_known_text_make_a_near_duplicate(
    seen: SeenHashes, known: int, is_omitted: bool
) -> None:
    """The date in a corner must not save a copy."""
    amounts = ExportAmounts()
    by_document(make_document("x" * known, "jiný"), seen, amounts)
    copy = make_document("x" * known, "y" * (100 - known))
    assert (by_document(copy, seen, amounts) is None) == is_omitted
    assert (Omission.NEAR_DUPLICATE in amounts.omitted) == is_omitted


def test_what_was_left_out_makes_nothing_else_a_duplicate(seen: SeenHashes) -> None:
    """The new tenth of a near-duplicate is not in the export, so it is not known."""
    by_document(make_document("x" * 95), seen, ExportAmounts())
    assert by_document(make_document("x" * 95, "yyyyy"), seen, ExportAmounts()) is None
    assert by_document(make_document("yyyyy"), seen, ExportAmounts()) is not None


def test_documents_stay_whole(seen: SeenHashes) -> None:
    document = make_document("Menu", "Dlouhý text článku, který je nový.", "Menu")
    by_document(make_document("Menu"), seen, ExportAmounts())
    assert by_document(document, seen, ExportAmounts()) is document
    assert keep_all(document, seen, ExportAmounts()) is document
