"""How is a catalog stored in PostgreSQL, where many clients can search at once?

One row per page, found by a GIN index over its words. Each word is stored with a letter for its field;
phrases are checked in the folded text beside. So a query finds the same pages as in the embedded index,
because the words are the same. Scores are simpler: they depend only on which fields have the words.

Several crawls may share a database: every row has the name of its catalog. Passwords in the URL of the
database never appear in messages.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, Final

import msgspec
import psycopg
from psycopg import sql
from psycopg.rows import TupleRow

from tiptoe.catalog.catalog_index import Change, KnownPage, Matches, ReadPosition
from tiptoe.catalog.entry import FACETS, CatalogEntry, index_terms
from tiptoe.catalog.postgres_conditions import (
    Clause,
    condition_clause,
    score_clause,
    word_columns,
    word_terms,
)
from tiptoe.catalog.query import Condition
from tiptoe.catalog.search import FacetCount, Sort
from tiptoe.errors import CrawlerError
from tiptoe.url.passwords import without_passwords

__all__ = ["PostgresIndex", "PostgresWriter", "remove_catalog", "remove_other_catalogs"]

CONNECT_SECONDS: Final = 10
STATEMENT_MILLISECONDS: Final = 60_000
FETCH_ROWS: Final = 200
SIGN: Final = 1 << 64

SCHEMA: Final = """
create table if not exists tiptoe_page (
    catalog text not null, number bigint not null, rank bigint not null, is_gone boolean not null,
    source text not null, url text collate "C" not null default '', lang text[] not null default '{}',
    site text[] not null default '{}', type text[] not null default '{}', date bigint, modified bigint,
    length bigint, depth bigint, usability bigint, facet_language text, facet_site text, facet_type text,
    facet_date text, facet_usability text, words tsvector, folded jsonb, stored bytea,
    primary key (catalog, number));
create index if not exists tiptoe_page_words on tiptoe_page using gin (words);
create index if not exists tiptoe_page_date on tiptoe_page (catalog, date);
create index if not exists tiptoe_page_url on tiptoe_page (catalog, url);
create index if not exists tiptoe_page_source on tiptoe_page (catalog, source);
create table if not exists tiptoe_catalog (catalog text primary key, positions jsonb not null);
"""

UPWARDS: Final = "number < 0, number"  # the order of the unsigned numbers
DOWNWARDS: Final = "number < 0 desc, number desc"
ORDERS: Final[Mapping[str, str]] = {
    "newest": f"coalesce(date, -1) desc, {DOWNWARDS}", "oldest": f"coalesce(date, -1), {UPWARDS}",
    "longest": f"coalesce(length, -1) desc, {DOWNWARDS}", "shortest": f"coalesce(length, -1), {UPWARDS}",
    "usability": f"coalesce(usability, -1) desc, {DOWNWARDS}", "url": "url",
    "sample": UPWARDS,
    "relevance": "score desc, date desc, url",
}  # fmt: skip

COLUMNS: Final = (
    "catalog", "number", "rank", "is_gone", "source", "url", "lang", "site", "type", "date", "modified",
    "length", "depth", "usability", *(f"facet_{facet}" for facet in FACETS), "words", "folded", "stored",
)  # fmt: skip
_decode_entry = msgspec.msgpack.Decoder(CatalogEntry).decode


def _connect(database: str) -> "psycopg.Connection[TupleRow]":
    try:
        connection = psycopg.connect(database, connect_timeout=CONNECT_SECONDS, application_name="tiptoe")
        connection.execute(f"set statement_timeout = {STATEMENT_MILLISECONDS}")
        # Otherwise two processes that start at once would both create what is missing.
        connection.execute("select pg_advisory_xact_lock(hashtext('tiptoe schema'))")
        connection.execute(SCHEMA)
        connection.commit()
    except psycopg.Error as error:
        raise _trouble(database, error) from None
    return connection


def _trouble(database: str, error: psycopg.Error) -> CrawlerError:
    """Return an error with the database's message, without the password in its URL."""
    text = " ".join(str(error).split())
    return CrawlerError(without_passwords(f"{database}: {text}")[:1000])


class _Session:
    """One connection; its errors are raised as errors of ours."""

    def __init__(self, database: str, catalog: str) -> None:
        self._database = database
        self.catalog = catalog
        self.connection = _connect(database)

    def rows(self, clause: Clause) -> list[tuple[Any, ...]]:
        try:
            return self.connection.execute(sql.SQL(clause.text), clause.values).fetchall()
        except psycopg.Error as error:
            raise _trouble(self._database, error) from None

    def run(self, statement: str, values: Sequence[object] = ()) -> None:
        try:
            self.connection.execute(sql.SQL(statement), values)
        except psycopg.Error as error:
            raise _trouble(self._database, error) from None

    def run_many(self, statement: str, rows: Sequence[Sequence[object]]) -> None:
        try:
            with self.connection.cursor() as cursor:
                cursor.executemany(sql.SQL(statement), rows)
        except psycopg.Error as error:
            raise _trouble(self._database, error) from None

    def commit(self) -> None:
        try:
            self.connection.commit()
        except psycopg.Error as error:
            raise _trouble(self._database, error) from None

    def positions(self) -> dict[str, ReadPosition]:
        rows = self.rows(Clause("select positions from tiptoe_catalog where catalog = %s", (self.catalog,)))
        return msgspec.convert(rows[0][0], dict[str, ReadPosition]) if rows else {}


class PostgresIndex:
    """The catalog of a crawl in a database, for reading."""

    def __init__(self, database: str, catalog: str) -> None:
        self._session = _Session(database, catalog)
        self._session.connection.autocommit = True  # every query sees the latest commit

    def version(self) -> None:
        """Say that changes are not noticed: others write to the same tables."""

    def close(self) -> None:
        """Close the connection."""
        self._session.connection.close()

    def search(self, condition: Condition, *, sort: Sort, offset: int, limit: int) -> Matches:
        """Return pages that match a query, in the requested order."""
        where = self._where(condition)
        score = score_clause(condition) if sort == "relevance" else Clause("0")
        total = self._session.rows(
            Clause(f"select count(*) from tiptoe_page where {where.text}", where.values)
        )
        rows = self._session.rows(
            Clause(
                f"select {score.text} as score, stored from tiptoe_page where {where.text} "
                f"order by {ORDERS[sort]} limit %s offset %s",
                (*score.values, *where.values, limit, offset),
            )
        )
        return Matches(total[0][0], [(float(weight), _decode_entry(stored)) for weight, stored in rows])

    def facets(
        self, condition: Condition, names: Sequence[str], limit: int
    ) -> dict[str, tuple[FacetCount, ...]]:
        """Count pages by the values of facets."""
        where = self._where(condition)
        counted = {}
        for name in names:
            assert name in FACETS
            column = f"facet_{name}"
            rows = self._session.rows(
                Clause(
                    f"select {column}, count(*) from tiptoe_page where {where.text} and {column} is not null "
                    f'group by {column} order by count(*) desc, {column} collate "C" limit %s',
                    (*where.values, limit),
                )
            )
            counted[name] = tuple(FacetCount(value, count) for value, count in rows)
        return counted

    def entry(self, number: int) -> CatalogEntry | None:
        """Return the entry of a page."""
        text = "select stored from tiptoe_page where catalog = %s and number = %s and not is_gone"
        rows = self._session.rows(Clause(text, (self._session.catalog, _signed(number))))
        return _decode_entry(rows[0][0]) if rows else None

    def entries(self, condition: Condition) -> Iterator[CatalogEntry]:
        """Yield all pages that match a query, in no particular order."""
        last = -(SIGN >> 1) - 1
        where = self._where(condition)
        text = (
            f"select number, stored from tiptoe_page where {where.text} and number > %s "
            "order by number limit %s"
        )
        while rows := self._session.rows(Clause(text, (*where.values, last, FETCH_ROWS))):
            for _, stored in rows:
                yield _decode_entry(stored)
            last = rows[-1][0]

    def positions(self) -> dict[str, ReadPosition]:
        """Return how far each file has been read."""
        return self._session.positions()

    def _where(self, condition: Condition) -> Clause:
        wanted = condition_clause(condition)
        return Clause(
            f"catalog = %s and not is_gone and {wanted.text}", (self._session.catalog, *wanted.values)
        )


class PostgresWriter:
    """The catalog of a crawl in a database, for writing; a commit is one transaction."""

    has_texts = True

    def __init__(self, database: str, catalog: str) -> None:
        self._session = _Session(database, catalog)

    def positions(self) -> dict[str, ReadPosition]:
        """Return how far each file had been read at the last commit."""
        return self._session.positions()

    def known(self, numbers: Collection[int], *, with_entries: bool) -> dict[int, KnownPage]:
        """Return the committed data of these pages."""
        stored = "stored" if with_entries else "null"
        rows = self._session.rows(
            Clause(
                f"select number, rank, {stored} from tiptoe_page where catalog = %s and number = any(%s)",
                (self._session.catalog, [_signed(number) for number in numbers]),
            )
        )
        return {
            number % SIGN: KnownPage(rank, _decode_entry(entry) if entry else None)
            for number, rank, entry in rows
        }

    def write(self, changes: Sequence[Change]) -> None:
        """Write changes of pages."""
        places = ["%s"] * len(COLUMNS)
        places[COLUMNS.index("words")] = "array_to_tsvector(%s::text[])"
        places[COLUMNS.index("folded")] = "%s::jsonb"
        updates = ", ".join(f"{name} = excluded.{name}" for name in COLUMNS[2:])
        self._session.run_many(
            f"insert into tiptoe_page ({', '.join(COLUMNS)}) values ({', '.join(places)}) "
            f"on conflict (catalog, number) do update set {updates}",
            [self._row(change) for change in changes],
        )

    def remove_source(self, source: str) -> None:
        """Remove everything that was read from a file."""
        self._session.run(
            "delete from tiptoe_page where catalog = %s and source = %s", (self._session.catalog, source)
        )

    def commit(self, positions: Mapping[str, ReadPosition]) -> None:
        """Commit everything so far."""
        self._session.run(
            "insert into tiptoe_catalog values (%s, %s::jsonb) "
            "on conflict (catalog) do update set positions = excluded.positions",
            (self._session.catalog, msgspec.json.encode(dict(positions)).decode()),
        )
        self._session.commit()

    def close(self) -> None:
        """Close the connection; uncommitted changes are dropped."""
        self._session.connection.close()

    def _row(self, change: Change) -> list[object]:
        start: list[object] = [self._session.catalog, _signed(change.number), change.rank]
        if change.entry is None:
            empty: list[object] = [True, change.source, "", [], [], []]
            return [*start, *empty, *[None] * (len(COLUMNS) - len(start) - len(empty))]
        terms = index_terms(change.entry)
        columns = word_columns(terms)
        url = change.entry.described.url.replace("\0", "")
        values = [[_clean(value) for value in terms.values[name]] for name in ("lang", "site", "type")]
        numbers = [terms.numbers.get(name) for name in ("date", "modified", "length", "depth", "usability")]
        facets = [_clean(terms.facets[name]) if name in terms.facets else None for name in FACETS]
        return [
            *start, False, change.source, _clean(url), *values, *numbers, *facets,
            sorted(word_terms(terms, columns)), _folded(columns, terms.own),
            msgspec.msgpack.encode(change.entry),
        ]  # fmt: skip


def remove_catalog(database: str, catalog: str) -> None:
    """Remove the catalog with this name."""
    _remove(database, "catalog = %s", (catalog,))


def remove_other_catalogs(database: str, identity: str, kept: str) -> None:
    """Remove all generations of a catalog except one."""
    _remove(database, "catalog like %s and catalog <> %s", (f"{identity}-%", kept))


def _remove(database: str, which: str, values: Sequence[str]) -> None:
    session = _Session(database, "")
    for table in ("tiptoe_page", "tiptoe_catalog"):
        session.run(f"delete from {table} where {which}", values)
    session.commit()
    session.connection.close()


def _signed(number: int) -> int:
    """Return the number of a page as a signed integer, which is what the database has."""
    return number - SIGN if number >= SIGN >> 1 else number


def _clean(text: str) -> str:
    """Return text without characters that the database cannot store."""
    return text.replace("\0", "").encode("utf-8", "replace").decode()


def _folded(columns: Mapping[str, str], own: Sequence[str]) -> str:
    """Return the words in order, for phrases, with blanks around each."""
    texts = {**columns, "own": " ".join(own)}
    return msgspec.json.encode({name: f" {_clean(words)} " for name, words in texts.items()}).decode()
