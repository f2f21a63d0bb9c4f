"""How is a query translated for the embedded index?

Into tantivy queries. The words of a text are stored as they are spelt: a folded word is searched by a
pattern, and weighted by its known spellings as if all of them were one word.
"""

import math
from typing import Final

import tantivy
from tantivy import FieldType, Occur, Query

from tiptoe.catalog.embedded_schema import HIDDEN
from tiptoe.catalog.plain_text import is_plain
from tiptoe.catalog.query import (
    DEFAULT_FIELDS,
    OWN_FIELD_PREFIX,
    AllOf,
    AnyOf,
    AnyPage,
    Condition,
    HasValue,
    HasWords,
    NoneOf,
    WithinRange,
)
from tiptoe.catalog.spellings import prefix_pattern, spelling_pair, spelling_pattern

__all__ = ["QueryTranslation", "without_hidden"]

SPELLINGS_MAX: Final = 1000
"""Maximum spellings that are searched by name, in addition to those that a pattern covers."""

PREFIX_SPELLINGS_MAX: Final = 10_000
WEIGHED_MAX: Final = 40
"""Maximum spellings that are weighted individually."""


def without_hidden(schema: tantivy.Schema, query: Query) -> Query:
    """Return a query that finds only pages."""
    hidden = Query.term_set_query(schema, "hidden", list(HIDDEN))
    return Query.boolean_query([(Occur.Must, query), (Occur.MustNot, hidden)])


class QueryTranslation:
    """Turns conditions into queries of the library, for the current contents of an index."""

    def __init__(self, schema: tantivy.Schema, searcher: tantivy.Searcher) -> None:
        self._schema = schema
        self._searcher = searcher

    def query(self, condition: Condition) -> Query:
        """Return the query that finds the pages that meet a condition."""
        match condition:
            case HasWords(field=""):
                weights = (
                    {"title": DEFAULT_FIELDS["title"], "text": 1.0} if condition.is_exact else DEFAULT_FIELDS
                )
                return _any([
                    Query.boost_query(self._words(condition, field), weight)
                    for field, weight in weights.items()
                ])  # fmt: skip
            case HasWords(field=field):
                return self._words(condition, field)
            case HasValue(field=field, value=value):
                return _unweighed(Query.term_query(self._schema, field, value))
            case WithinRange(field=field, low=low, high=high):
                return _unweighed(Query.range_query(self._schema, field, FieldType.Unsigned, low, high))
            case AnyPage():
                return _unweighed(Query.all_query())
            case AllOf(parts=parts):
                return Query.boolean_query([(Occur.Must, self.query(part)) for part in parts])
            case AnyOf(parts=parts):
                return _any([self.query(part) for part in parts])
            case NoneOf(part=part):
                anything = _unweighed(Query.all_query())
                return Query.boolean_query([(Occur.Must, anything), (Occur.MustNot, self.query(part))])

    def _words(self, sought: HasWords, field: str) -> Query:
        words = list(sought.words)
        if field == "text" and not sought.is_exact:
            return self._folded(words, is_prefix=sought.is_prefix)
        if field.startswith(OWN_FIELD_PREFIX):
            field, words = "own", [f"{field}={word}" for word in words]
        elif sought.is_exact and field != "text":
            field = f"exact_{field}"
        if sought.is_prefix:
            # The characters of a word are literal in a pattern, except the dot in our own fields.
            pattern = words[0].replace(".", r"\.") + ".*"
            return Query.regex_query(self._schema, field, pattern)
        if len(words) == 1:
            return Query.term_query(self._schema, field, words[0])
        return Query.phrase_query(self._schema, field, list(words))

    def _folded(self, words: list[str], *, is_prefix: bool) -> Query:
        """Return a query for words of a text in all spellings."""
        if is_prefix:
            named = self._named(words[0], PREFIX_SPELLINGS_MAX)
            found = Query.regex_query(self._schema, "text", prefix_pattern(words[0]))
            return _any([found, Query.term_set_query(self._schema, "text", named)]) if named else found
        if len(words) > 1:
            return Query.regex_phrase_query(self._schema, "text", [self._pattern(word) for word in words])
        (word,) = words
        named = self._named(spelling_pair(word), SPELLINGS_MAX)
        weighed, others = [word, *named][:WEIGHED_MAX], named[WEIGHED_MAX - 1 :]
        queries = [Query.regex_query(self._schema, "text", spelling_pattern(word))]
        queries += [Query.term_set_query(self._schema, "text", others)] if others else []
        return _any([*map(_unweighed, queries), *self._weighed(weighed)])

    def _named(self, pairs_prefix: str, limit: int) -> list[str]:
        """Return spellings that are stored with their folded forms."""
        pairs = self._searcher.terms_with_prefix("spelling", pairs_prefix, limit=limit)
        return [pair.partition("=")[2] for pair, _ in pairs]

    def _pattern(self, word: str) -> str:
        """Return a pattern for one word of a phrase."""
        named = self._named(spelling_pair(word), SPELLINGS_MAX)
        further = [spelling for spelling in named if not is_plain(spelling)]
        pattern = spelling_pattern(word)
        return f"(?:{'|'.join([pattern, *further])})" if further else pattern

    def _weighed(self, spellings: list[str]) -> list[Query]:
        """Return queries for spellings, weighted as one word, so that rare spellings do not count more."""
        counts = [(self._searcher.doc_freq("text", spelling), spelling) for spelling in spellings]
        known = [(count, spelling) for count, spelling in counts if count]
        pages = max(self._searcher.num_docs, 1)
        together = _rarity(min(sum(count for count, _ in known), pages), pages)
        return [
            Query.boost_query(
                Query.term_query(self._schema, "text", spelling), together / _rarity(count, pages)
            )
            for count, spelling in known
        ]


def _rarity(count: int, pages: int) -> float:
    """Return the weight of a word that is on this many pages (BM25)."""
    return math.log(1 + (max(pages - count, 0) + 0.5) / (count + 0.5))


def _any(queries: list[Query]) -> Query:
    return Query.boolean_query([(Occur.Should, query) for query in queries])


def _unweighed(query: Query) -> Query:
    return Query.const_score_query(query, 0.0)
