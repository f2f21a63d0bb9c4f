"""What does a corpus look like as JSON lines?

Like the corpus itself, in UTF-8, whatever encoding the crawl writes. With sentences,
each document has the field `sentences`: a list of sentences for every paragraph.
"""

from collections.abc import Iterable

import msgspec

from tiptoe.export.output import Output
from tiptoe.export.selection import language_of
from tiptoe.text.word_tokens import Splitter
from tiptoe.write.corpus import Document, encode_line

__all__ = ["write_jsonl"]


class SplitDocument(Document, kw_only=True, frozen=True):
    """A document with its sentences."""

    sentences: list[list[str]]


def write_jsonl(documents: Iterable[Document], output: Output, sentences: bool) -> None:
    """Write one document per line."""
    splitter, write = Splitter(), output.file.write
    for document in documents:
        if sentences:
            language = language_of(document)
            split = [splitter.sentence_texts(paragraph, language) for paragraph in document.paragraphs]
            document = SplitDocument(**msgspec.structs.asdict(document), sentences=split)
        write(encode_line(document, has_boilerplate=True) + b"\n")  # unwanted paragraphs were removed before
