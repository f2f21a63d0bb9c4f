"""What does a corpus look like for Sketch Engine and Manatee?

One token per line, with `<g/>` before tokens that follow without a space, and
sentences, paragraphs and documents as structures. As Manatee's `encodevert` reads it:
tokens and values are literal, without entities; a line is a structure only if all of
it is a known tag; structures without tokens are errors, so none are written.
"""

import re
from collections.abc import Iterable
from itertools import chain, repeat

from tiptoe.export.output import Output
from tiptoe.export.selection import language_of
from tiptoe.text.word_tokens import Splitter
from tiptoe.write.corpus import Document

__all__ = ["write_vertical"]

GLUE = "<g/>"

VALUE_CHARS_MAX = 8000
"""Maximum length of a value: Manatee cuts values at 32767 bytes, and a character has at most four."""

_EATEN_BACKSLASH = re.compile(r"\\(?=\\|$)")
"""A backslash that Manatee takes for an escape: before another one, or before the closing quote."""


def write_vertical(documents: Iterable[Document], output: Output, sentences: bool) -> None:
    """Write documents as structures of tokens; sentences are always included."""
    splitter = Splitter()
    for document in documents:
        body = _body(document, splitter)
        if body:
            lines = (_head(document), *body, "</doc>\n")
            output.file.write("\n".join(lines).encode("utf-8", "replace"))


def _head(document: Document) -> str:
    values: dict[str, object] = {
        "id": document.id,
        "url": document.url,
        "title": document.title or "",
        "lang": language_of(document),
        "crawled": document.fetched_at,
        "modified": document.last_modified or "",
        "type": document.type,
        "warc_file": document.warc_file,
        "warc_offset": document.warc_offset,
    }
    for name, share in (("usability", document.usability), ("duplicity", document.duplicity)):
        if isinstance(share, float):
            values[name] = f"{share:.2f}"
    if document.version > 1:
        values["version"] = document.version
    return "<doc " + " ".join(f'{name}="{_value(value)}"' for name, value in values.items()) + ">"


def _value(value: object) -> str:
    """Return a value as it is written between double quotes."""
    text = " ".join(str(value)[:VALUE_CHARS_MAX].split())
    return _EATEN_BACKSLASH.sub(r"\\\\", text).replace('"', "&quot;")


def _body(document: Document, splitter: Splitter) -> list[str]:
    """Return the lines between the tags of a document."""
    language, lines = language_of(document), list[str]()
    for paragraph, label in zip(document.paragraphs, _labels(document), strict=False):
        # Checking the whole saves checking each token. (No token but "<" itself begins with that sign.)
        is_plain = paragraph.isprintable()
        begin = len(lines)
        for tokens in splitter.sentences(paragraph, language):
            if tokens[0][1]:
                lines.append(GLUE)
            lines.append("<s>")
            for number, (text, is_glued) in enumerate(tokens):
                if is_glued and number:
                    lines.append(GLUE)
                lines.append(text if is_plain else _token(text))
            lines.append("</s>")
        if len(lines) > begin:
            lines.insert(begin, f'<p class="{_value(label)}">' if label else "<p>")
            lines.append("</p>")
    return lines


def _labels(document: Document) -> Iterable[str]:
    return chain(document.labels, repeat("")) if isinstance(document.labels, list) else repeat("")


def _token(text: str) -> str:
    """Return a token as a single line, whatever a reader takes for a line break."""
    return "".join(text.split()) or "?"
