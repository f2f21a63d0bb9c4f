"""What does a corpus look like as plain text?

One file with one paragraph per line and an empty line after each document. With
sentences, there is one sentence per line, an empty line after each paragraph, and two
after the document. Plain text cannot tell where it comes from; the index beside it
does, with the line on which each document begins, and its WARC record.
"""

from collections.abc import Iterable

from tiptoe.export.output import Output
from tiptoe.export.selection import language_of
from tiptoe.text.word_tokens import Splitter
from tiptoe.write.corpus import Document

__all__ = ["INDEX_SUFFIX", "write_txt"]

INDEX_SUFFIX = ".index.tsv"
INDEX_HEAD = ("line", "lines", "id", "url", "title", "lang", "fetched_at", "warc_file", "warc_offset")


def write_txt(documents: Iterable[Document], output: Output, sentences: bool) -> None:
    """Write all text to one file."""
    index, splitter, number = output.beside(INDEX_SUFFIX), Splitter(), 1
    if index is not None:
        index.write(_row(*INDEX_HEAD))
    for document in documents:
        language = language_of(document)
        if sentences:
            lines = [
                line
                for paragraph in document.paragraphs
                for line in (*splitter.sentence_texts(_line(paragraph), language), "")
            ]
        else:
            lines = list(map(_line, document.paragraphs))
        output.file.write("\n".join((*lines, "", "")).encode("utf-8", "replace"))
        if index is not None:
            known = (document.id, document.url, document.title or "", language, document.fetched_at)
            index.write(_row(number, len(lines), *known, document.warc_file, document.warc_offset))
        number += len(lines) + 1


def _line(text: str) -> str:
    """Return a text as one line, whatever a reader takes for a line break."""
    return text if text.isprintable() else " ".join(text.split())


def _row(*cells: object) -> bytes:
    return ("\t".join(_line(str(cell)) for cell in cells) + "\n").encode("utf-8", "replace")
