"""What does `--help` say about `tiptoe search` and `tiptoe catalog`?"""

from typing import Final

__all__ = ["EXAMPLES", "HELP"]

HELP: Final = {
    "search": """Find pages of a crawl by words, phrases and fields, or show words in their context.

`voda` finds *Voda* and *vodá*; `=vodá` finds this spelling only. `"pitná voda"` is a phrase, `vod*` any word
that begins like this. A page has to contain all words unless there is OR between them, and none with a `-`
before it. Fields:
title, text, description, keywords, author, classification, url; lang, site, type; and ranges such as
date:2026-01..2026-03, length:1000.., usability:0.5.., depth:..2. All of it: docs/reference/query.md.

`--kwic` shows each occurrence with the words around it, sorted by those to the left or right. The exit code
is 1 when nothing was found.

The crawl may be running. New pages are added to the catalog first, unless there are too many. If you often
search a running crawl, let it keep the catalog up to date (`--catalog`).
""",
    "catalog": "Make the pages of a crawl searchable.",
    "catalog build": """Read the pages of a crawl into its catalog.

It continues where it stopped, however it was stopped; `--rebuild` builds a new catalog, while the old one can
still be searched. A catalog has the last version of each page with its text, and no pages that are gone. It
is in DIR/catalog, or in a PostgreSQL database (`catalog.database`). The crawl may be running.
""",
    "catalog export": """Write the resource descriptions of a crawl, for programs that search or collect them.

**soif** is the format of Harvest and of the robots of Netscape and Sun; **json** has one description per
line. With a query, up to 10 000 of the matches are written.
""",
    "catalog import": """Import resource descriptions of another robot into the catalog of a crawl.

The file is in SOIF; wrong lengths, and spaces instead of tabs, are tolerated and reported. Descriptions of
pages that the crawl has fetched since then are ignored. The file is kept in DIR/catalog/imports.
""",
}
"""What each command does, by its words; the first line appears in the list of commands."""

EXAMPLES: Final = {
    "search": """
tiptoe search czech 'title:voda AND lang:cs'
tiptoe search czech '"pitná voda" site:example.cz date:2026-11' --sort newest --facets
tiptoe search czech 'vod*' --kwic --sort right --width 60
tiptoe search czech 'usability:0.8.. -type:pdf' --json --limit 100
""",
    "catalog build": """
tiptoe catalog build czech
tiptoe catalog build czech --rebuild
""",
    "catalog export": """
tiptoe catalog export czech --format soif --out czech.soif
tiptoe catalog export czech 'lang:cs title:voda' --format json --no-text
""",
    "catalog import": "tiptoe catalog import czech harvest.soif",
}
