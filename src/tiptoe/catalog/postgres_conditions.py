"""How is a query translated for PostgreSQL?

Into conditions with separate values, never with values in the SQL. Each word of a page is in one `tsvector`,
prefixed by a letter for its field; phrases are checked in the folded text of the pages that this finds.
"""

from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple

from tiptoe.catalog.entry import IndexTerms
from tiptoe.catalog.query import (
    DEFAULT_FIELDS,
    FIELDS,
    OWN_FIELD_PREFIX,
    AllOf,
    AnyOf,
    AnyPage,
    Condition,
    HasValue,
    HasWords,
    NoneOf,
    WithinRange,
    words_sought,
)
from tiptoe.catalog.words import BREAK, analyse

__all__ = ["Clause", "condition_clause", "score_clause", "word_columns", "word_terms"]

EXACT: Final = "exact_"
OWN: Final = "own"
TAGS: Final = {name: chr(ord("a") + place) for place, name in enumerate(FIELDS)}
"""One letter per field, because all different words of a page must fit into a megabyte."""


class Clause(NamedTuple):
    """A piece of SQL, and the values for its placeholders."""

    text: str
    values: tuple[object, ...] = ()


def word_columns(terms: IndexTerms) -> dict[str, str]:
    """Return the words of a page in order, by column."""
    text = analyse(terms.text)
    exact = {f"{EXACT}title": terms.title.exact, f"{EXACT}text": text.exact}
    return {"title": terms.title.folded, "text": text.folded, **terms.words, **exact}


def word_terms(terms: IndexTerms, columns: Mapping[str, str]) -> set[str]:
    """Return all words of a page, each with its field."""
    found = {f"{_tag(column)}:{word}" for column, words in columns.items() for word in words.split()}
    found |= {f"{OWN}:{word}" for word in terms.own}
    return {term.replace("\0", "") for term in found if not term.endswith(f":{BREAK}")}


def _tag(column: str) -> str:
    return TAGS[column.removeprefix(EXACT)].upper() if column.startswith(EXACT) else TAGS[column]


def condition_clause(condition: Condition) -> Clause:
    """Return the SQL condition for the rows that match a query."""
    match condition:
        case HasWords(field=""):
            fields = ("title", "text") if condition.is_exact else tuple(DEFAULT_FIELDS)
            return _joined(" or ", [_words_clause(condition, field) for field in fields])
        case HasWords(field=field):
            return _words_clause(condition, field)
        case HasValue(field=field, value=value):
            assert field in FIELDS
            return Clause(f"{field} @> array[%s]::text[]", (value.replace("\0", ""),))
        case WithinRange(field=field, low=low, high=high):
            assert field in FIELDS
            bounds = [Clause(f"coalesce({field} >= %s, false)", (low,))] if low is not None else []
            bounds += [Clause(f"coalesce({field} <= %s, false)", (high,))] if high is not None else []
            return _joined(" and ", bounds)
        case AnyPage():
            return Clause("true")
        case AllOf(parts=parts):
            return _joined(" and ", [condition_clause(part) for part in parts])
        case AnyOf(parts=parts):
            return _joined(" or ", [condition_clause(part) for part in parts])
        case NoneOf(part=part):
            inner = condition_clause(part)
            return Clause(f"(not {inner.text})", inner.values)


def score_clause(condition: Condition) -> Clause:
    """Return the SQL for the score of a row: the sum of the weights of the fields that have the words."""
    parts = [
        Clause(f"case when {clause.text} then %s else 0 end", (*clause.values, weight))
        for sought in words_sought(condition, frozenset(FIELDS))
        for clause, weight in _weighed(sought)
    ]
    return _joined(" + ", parts) if parts else Clause("0")


def _weighed(sought: HasWords) -> Iterator[tuple[Clause, float]]:
    fields = [sought.field] if sought.field else [*(("title", "text") if sought.is_exact else DEFAULT_FIELDS)]
    for field in fields:
        yield _words_clause(sought, field), DEFAULT_FIELDS.get(field, 1.0)


def _words_clause(sought: HasWords, field: str) -> Clause:
    words, column = list(sought.words), field
    if field.startswith(OWN_FIELD_PREFIX):
        words, column, tag = [f"{field}={word}" for word in words], OWN, OWN
    elif sought.is_exact:
        column = f"{EXACT}{field}"
        tag = _tag(column)
    else:
        tag = _tag(field)
    wanted = " & ".join(_lexeme(f"{tag}:{word}") + (":*" if sought.is_prefix else "") for word in words)
    found = Clause("words @@ %s::tsquery", (wanted,))
    if len(words) == 1:
        return found
    follows = Clause("strpos(folded->>%s, %s) > 0", (column, f" {' '.join(words)} "))
    return _joined(" and ", [found, follows])


def _lexeme(word: str) -> str:
    """Return a word as a quoted lexeme for a database query, whatever it contains."""
    doubled = word.replace("\0", "").replace("\\", "\\\\").replace("'", "''")
    return f"'{doubled}'"


def _joined(sign: str, clauses: list[Clause]) -> Clause:
    values = tuple(value for clause in clauses for value in clause.values)
    return Clause(f"({sign.join(clause.text for clause in clauses)})", values)
