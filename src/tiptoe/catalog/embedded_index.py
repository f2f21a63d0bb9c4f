"""How is a catalog stored in the directory of its crawl?

In a tantivy index, which searches, counts and sorts. `embedded_schema` defines the data of a page,
`embedded_queries` the queries. Texts are not stored a second time, but read from the corpus (`corpus_texts`).
One hidden document, which no query finds, contains the positions: so they are committed together with what
was read. A page that is gone leaves a document that only says when; further hidden documents contain the
spellings found so far.
"""

import errno
import os
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import msgspec
import tantivy
from tantivy import FieldType, Occur, Query

from tiptoe.catalog.catalog_index import Change, KnownPage, Matches, ReadPosition
from tiptoe.catalog.corpus_texts import CorpusTexts
from tiptoe.catalog.embedded_queries import QueryTranslation, without_hidden
from tiptoe.catalog.embedded_schema import (
    ORDERS,
    index_document,
    index_schema,
    register_tokenizers,
    source_number,
)
from tiptoe.catalog.entry import CatalogEntry
from tiptoe.catalog.plain_text import IS_COMPILED, PARAGRAPH_END, divided
from tiptoe.catalog.query import Condition
from tiptoe.catalog.search import FacetCount, Sort
from tiptoe.catalog.spellings import NewSpellings
from tiptoe.catalog.words import spelt_words
from tiptoe.errors import CrawlerError

__all__ = ["EmbeddedIndex", "EmbeddedWriter"]

HEAP_BYTES: Final = 48 << 20
"""Memory of the writing thread; when it is full, a segment of the index is written to disk."""

LEARNED: Final = 200
LEARNED_EACH: Final = 32
LEARNED_CHARS: Final = 2000
"""After the first texts, only the beginning of one in so many is read for its spellings: enough for the usual
ones."""

META: Final = "meta.json"
PARTITIONS_ENTRIES: Final = 500
NUMBER_END: Final = 1 << 64
FACET_SIZE: Final = 10_000
FACET_SEGMENT_SIZE: Final = 60_000
"""Maximum values counted per segment of the index; with more, rare ones may be missed."""

_decode_entry = msgspec.msgpack.Decoder(CatalogEntry).decode
_decode_positions = msgspec.json.Decoder(dict[str, ReadPosition]).decode


class EmbeddedIndex:
    """An index for reading; it may be written to meanwhile."""

    def __init__(self, path: Path, directory: Path) -> None:
        """`directory` is that of the crawl."""
        self._path = path
        self._directory = directory
        self._texts = CorpusTexts(directory)
        self._schema = index_schema()
        self._index = _open(path)
        self._seen: tuple[int, int] | None = None
        self._searcher = self._index.searcher()

    def close(self) -> None:
        """Close the index."""

    def search(self, condition: Condition, *, sort: Sort, offset: int, limit: int) -> Matches:
        """Return pages that match a query, in the requested order."""
        searcher = self._current()
        query = self._visible(searcher, condition)
        if sort == "relevance":
            found = searcher.search(query, limit, offset=offset)
        else:
            field, is_descending = ORDERS[sort]
            order = tantivy.Order.Desc if is_descending else tantivy.Order.Asc
            found = searcher.search(query, limit, offset=offset, order_by_field=field, order=order)
        total = int(found.count)  # type: ignore[attr-defined]  # missing in the library's own types
        entries = [
            (float(score) if sort == "relevance" else 0.0, self._load(searcher, address))
            for score, address in found.hits
        ]
        if sort == "relevance":
            entries.sort(key=lambda pair: (-pair[0], pair[1].described.url))
        return Matches(total, entries)

    def facets(
        self, condition: Condition, names: Sequence[str], limit: int
    ) -> dict[str, tuple[FacetCount, ...]]:
        """Count pages by the values of facets."""
        sizes = {"size": FACET_SIZE, "segment_size": FACET_SEGMENT_SIZE}
        wanted = {name: {"terms": {"field": f"facet_{name}", **sizes}} for name in names}
        searcher = self._current()
        counted = searcher.aggregate(self._visible(searcher, condition), wanted)
        return {
            name: tuple(
                FacetCount(bucket["key"], int(bucket["doc_count"]))
                for bucket in sorted(
                    counted[name]["buckets"], key=lambda one: (-one["doc_count"], one["key"])
                )
            )[:limit]
            for name in names
        }

    def entry(self, number: int) -> CatalogEntry | None:
        """Return the entry of a page."""
        searcher = self._current()
        query = without_hidden(self._schema, Query.term_query(self._schema, "number", number))
        hits = searcher.search(query, 1).hits
        return self._load(searcher, hits[0][1]) if hits else None

    def entries(self, condition: Condition) -> Iterator[CatalogEntry]:
        """Yield all pages that match a query, in no particular order."""
        searcher = self._current()
        wanted = self._visible(searcher, condition)
        parts = max(searcher.num_docs // PARTITIONS_ENTRIES, 1)
        for part in range(parts):
            low, high = NUMBER_END * part // parts, NUMBER_END * (part + 1) // parts - 1
            query = Query.range_query(self._schema, "number", FieldType.Unsigned, low, high)
            query = Query.boolean_query([(Occur.Must, query), (Occur.Must, wanted)])
            # Numbers are evenly distributed, so no part has many more pages than its share.
            for _, address in searcher.search(query, max(searcher.num_docs, 1)).hits:
                yield self._load(searcher, address)

    def positions(self) -> dict[str, ReadPosition]:
        """Return how far each file has been read."""
        return _positions(self._schema, self._current())

    def version(self) -> object:
        """Return a value that changes with each commit."""
        self._current()
        return self._seen

    def _current(self) -> tantivy.Searcher:
        """Return a searcher that sees the last commit."""
        try:
            state = os.stat(self._path / META)
            seen = (state.st_mtime_ns, state.st_ino)
            if seen != self._seen:
                self._index.reload()
                self._searcher, self._seen = self._index.searcher(), seen
                self._texts = CorpusTexts(self._directory)  # another run may have begun
        except (OSError, ValueError) as error:
            raise CrawlerError(
                f"{self._path}: the index of the catalog cannot be read: {_why(error)}"
            ) from error
        return self._searcher

    def _load(self, searcher: tantivy.Searcher, address: tantivy.DocAddress) -> CatalogEntry:
        return self._texts.with_text(_decode_entry(searcher.doc(address)["stored"][0]))

    def _visible(self, searcher: tantivy.Searcher, condition: Condition) -> Query:
        return without_hidden(self._schema, QueryTranslation(self._schema, searcher).query(condition))


class EmbeddedWriter:
    """An index for writing; a second writer is refused."""

    has_texts = False

    def __init__(self, path: Path, directory: Path) -> None:
        """`directory` is that of the crawl."""
        self._directory = directory
        self._schema = index_schema()
        path.mkdir(parents=True, exist_ok=True)
        try:
            self._index = tantivy.Index(self._schema, str(path))
            register_tokenizers(self._index)
            self._writer: Any = self._index.writer(HEAP_BYTES, 1)
        except ValueError as error:
            raise CrawlerError(
                f"{path}: the index of the catalog cannot be written to: {_why(error)}"
            ) from error
        self._searcher = self._index.searcher()
        self._spellings = NewSpellings()
        self._learned = 0  # texts that were read only for their spellings

    def positions(self) -> dict[str, ReadPosition]:
        """Return how far each file had been read at the last commit."""
        return _positions(self._schema, self._searcher)

    def known(self, numbers: Collection[int], *, with_entries: bool) -> dict[int, KnownPage]:
        """Return the committed data of these pages."""
        if not numbers:
            return {}
        query = Query.term_set_query(self._schema, "number", list(numbers))
        addresses = [address for _, address in self._searcher.search(query, len(numbers) + 1).hits]
        found = self._searcher.fast_field_values("number", addresses)
        ranks = self._searcher.fast_field_values("rank", addresses)
        return {
            int(number or 0): KnownPage(int(rank or 0), self._entry(address) if with_entries else None)
            for number, rank, address in zip(found, ranks, addresses, strict=True)
        }

    def write(self, changes: Sequence[Change]) -> None:
        """Write changes of pages."""
        if old := [change.number for change in changes if change.is_known]:
            # By query, because the library silently ignores deletions by the term of a number.
            self._writer.delete_documents_by_query(Query.term_set_query(self._schema, "number", old))
        for change in changes:
            self._writer.add_document(index_document(change, self._spellings.learn))
            if change.entry is not None and (self._learned < LEARNED or not change.number % LEARNED_EACH):
                self._learned += 1
                self._spellings.learn(_words(change.entry.described.full_text[:LEARNED_CHARS]))

    def remove_source(self, source: str) -> None:
        """Remove everything that was read from a file."""
        query = Query.term_query(self._schema, "source", source_number(source))
        self._writer.delete_documents_by_query(query)

    def commit(self, positions: Mapping[str, ReadPosition]) -> None:
        """Commit everything so far."""
        self._writer.delete_documents_by_query(Query.term_query(self._schema, "hidden", "positions"))
        if pairs := self._spellings.take():
            spelt = tantivy.Document()
            spelt.add_text("hidden", "spellings")
            spelt.add_text("spelling", " ".join(pairs))
            self._writer.add_document(spelt)
        note = tantivy.Document()
        note.add_text("hidden", "positions")
        note.add_bytes("stored", msgspec.json.encode(dict(positions)))
        self._writer.add_document(note)
        self._writer.commit()
        self._index.reload()
        self._searcher = self._index.searcher()

    def close(self) -> None:
        """Close the index; uncommitted changes are dropped."""
        writer, self._writer = self._writer, None
        if writer is not None:
            writer.rollback()
            writer.wait_merging_threads()

    def _entry(self, address: tantivy.DocAddress) -> CatalogEntry | None:
        stored = self._searcher.doc(address).get_first("stored")
        return CorpusTexts(self._directory).with_text(_decode_entry(stored)) if stored else None


def _why(error: Exception) -> str:
    """Return a readable message; for another user's file the library reports its internal state."""
    denied = os.strerror(errno.EACCES)
    return f"{denied}; only whoever made it may read it" if "PermissionDenied" in str(error) else str(error)


def _words(text: str) -> Iterable[str]:
    """Return the words of a text as spelt; when compiled, without those of the other part, learned anyway."""
    return set(divided(text).plain.split()) - {PARAGRAPH_END} if IS_COMPILED else spelt_words(text)


def _open(path: Path) -> tantivy.Index:
    try:
        index = tantivy.Index.open(str(path))
        index.config_reader("Manual")
        return index
    except ValueError as error:
        raise CrawlerError(f"{path}: the index of the catalog cannot be read: {_why(error)}") from error


def _positions(schema: tantivy.Schema, searcher: tantivy.Searcher) -> dict[str, ReadPosition]:
    hits = searcher.search(Query.term_query(schema, "hidden", "positions"), 1).hits
    return _decode_positions(searcher.doc(hits[0][1])["stored"][0]) if hits else {}
