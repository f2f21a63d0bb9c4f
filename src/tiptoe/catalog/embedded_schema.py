"""What does the embedded index contain about a page, field by field?

Titles and other short fields are indexed as words that we have cut and folded, titles also as they are spelt.
A text is indexed once, as it is spelt: a second, folded copy would double the cost of an index, so folded
words are found by patterns (`spellings`). Complete entries are stored beside.
"""

from collections.abc import Callable, Mapping
from typing import Final

import msgspec
import tantivy
import xxhash
from tantivy import Filter, TextAnalyzerBuilder, Tokenizer

from tiptoe.catalog.catalog_index import Change
from tiptoe.catalog.corpus_texts import without_text
from tiptoe.catalog.entry import FACETS, IndexTerms, index_terms
from tiptoe.catalog.plain_text import IS_COMPILED, divided
from tiptoe.catalog.query import FIELDS, FieldForm
from tiptoe.catalog.words import separated, spelt_words

__all__ = ["HIDDEN", "ORDERS", "index_document", "index_schema", "register_tokenizers", "source_number"]

HIDDEN: Final = ("positions", "gone", "spellings")
"""Kinds of documents that are no pages: read positions, a page that is gone, spellings found."""

ORDERS: Final[Mapping[str, tuple[str, bool]]] = {
    "newest": ("order_date", True), "oldest": ("order_date", False),
    "longest": ("order_length", True), "shortest": ("order_length", False),
    "usability": ("order_usability", True), "url": ("order_url", False),
    "sample": ("number", False),
}  # fmt: skip
"""The field by which hits are sorted, and whether the highest value comes first."""

NUMBER_BITS: Final = 64
TIE_BITS: Final = 22
"""Lowest bits of a sort number that come from the page's own number, so that ties have a stable order."""

PLACE_MAX: Final = (1 << NUMBER_BITS - TIE_BITS) - 1
ORDER_URL_CHARS: Final = 500
WORD_FIELDS: Final = tuple(
    name for name, form in FIELDS.items() if form is FieldForm.WORDS and name != "text"
)
VALUE_FIELDS: Final = tuple(name for name, form in FIELDS.items() if form is FieldForm.VALUE)
NUMBER_FIELDS: Final = tuple(
    name for name, form in FIELDS.items() if form not in (FieldForm.WORDS, FieldForm.VALUE)
)
ORDERED_NUMBERS: Final = ("date", "length", "usability")
_TEXT_TOKENIZER: Final = "tiptoe_text"
_blanks = TextAnalyzerBuilder(Tokenizer.whitespace()).build()


def index_schema() -> tantivy.Schema:
    """Return the schema of the index."""
    builder = tantivy.SchemaBuilder()
    builder.add_unsigned_field("number", indexed=True, fast=True)
    builder.add_unsigned_field("rank", fast=True)
    builder.add_unsigned_field("source", indexed=True)
    builder.add_text_field("hidden", tokenizer_name="raw", index_option="basic")
    builder.add_text_field("spelling", tokenizer_name="whitespace", index_option="basic")
    builder.add_bytes_field("stored", stored=True)
    builder.add_text_field("text", tokenizer_name=_TEXT_TOKENIZER)
    for name in (*WORD_FIELDS, "exact_title", "own"):
        builder.add_text_field(name, tokenizer_name="whitespace")
    for name in VALUE_FIELDS:
        builder.add_text_field(name, tokenizer_name="raw", index_option="basic")
    for name in (*NUMBER_FIELDS, *(f"order_{number}" for number in ORDERED_NUMBERS)):
        builder.add_unsigned_field(name, fast=True)
    for name in (*(f"facet_{facet}" for facet in FACETS), "order_url"):
        builder.add_text_field(name, tokenizer_name="raw", fast=True, index_option="basic")
    return builder.build()


def register_tokenizers(index: tantivy.Index) -> None:
    """Register how an index for writing cuts texts; the resulting words are the same either way."""
    # Words that are already separated by blanks need only be split.
    words = (
        TextAnalyzerBuilder(Tokenizer.whitespace())
        if IS_COMPILED
        else TextAnalyzerBuilder(Tokenizer.simple()).filter(Filter.lowercase())
    )
    index.register_tokenizer(_TEXT_TOKENIZER, words.build())


def source_number(source: str) -> int:
    """Return the number that stands for a file."""
    return xxhash.xxh3_64_intdigest(source.encode("utf-8", "surrogatepass"))


def index_document(change: Change, learn: Callable[[list[str]], None]) -> tantivy.Document:
    """Return the document for a page; `learn` is given words whose spelling no pattern covers."""
    document = tantivy.Document()
    document.add_unsigned("number", change.number)
    document.add_unsigned("rank", change.rank)
    document.add_unsigned("source", source_number(change.source))
    if change.entry is None:
        document.add_text("hidden", "gone")
        return document
    document.add_bytes("stored", msgspec.msgpack.encode(without_text(change.entry)))
    terms = index_terms(change.entry)
    _add_text(document, terms.text, learn)
    _add_terms(document, terms)
    _add_places(document, terms, change.number, change.entry.described.url)
    return document


def _add_text(document: tantivy.Document, text: str, learn: Callable[[list[str]], None]) -> None:
    parts = divided(text)
    if parts.plain:
        document.add_text("text", parts.plain)
    if parts.other:
        exact = spelt_words(parts.other)
        learn(exact)
        if IS_COMPILED:  # the index cuts only at blanks
            document.add_text("text", separated(exact))
        else:
            document.add_pre_tokenized_text("text", _blanks.pre_tokenize(separated(exact)))


def _add_terms(document: tantivy.Document, terms: IndexTerms) -> None:
    add: Callable[[str, str], None] = document.add_text
    add("title", terms.title.folded)
    add("exact_title", terms.title.exact)
    for field, words in terms.words.items():
        add(field, words)
    if terms.own:
        add("own", " ".join(terms.own))
    for field, values in terms.values.items():
        for value in values:
            add(field, value)
    for facet, value in terms.facets.items():
        add(f"facet_{facet}", value)


def _add_places(document: tantivy.Document, terms: IndexTerms, number: int, url: str) -> None:
    for field, value in terms.numbers.items():
        document.add_unsigned(field, value)
    for name in ORDERED_NUMBERS:
        place = terms.numbers[name] + 1 if name in terms.numbers else 0  # unknown values come first
        tie = number >> NUMBER_BITS - TIE_BITS
        document.add_unsigned(f"order_{name}", min(place, PLACE_MAX) << TIE_BITS | tie)
    document.add_text("order_url", url[:ORDER_URL_CHARS])
