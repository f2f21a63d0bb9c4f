"""What do `tiptoe search` and `tiptoe catalog` say of themselves?"""

from typing import Final

__all__ = ["EXAMPLES", "HELP"]

HELP: Final = {
    "search": """Find pages of a crawl by words, phrases and fields, or show words in their context.

`voda` finds *Voda* and *vodá*; `=vodá` this spelling only. `"pitná voda"` is a phrase, `vod*` any word that
begins so. Words have to stand together on a page unless there is OR between them; `-word` must not. Fields:
title, text, description, keywords, author, classification, url; lang, site, type; and ranges such as
date:2026-01..2026-03, length:1000.., usability:0.5.., depth:..2. All of it: docs/reference/query.md.

`--kwic` shows each occurrence with the words around it, sorted by those to the left or right. The exit code
is 1 when nothing was found.

The crawl may be running. What is not in the catalog yet is read first, unless it is much; whoever searches a
running crawl often lets it keep the catalog up to date (`--catalog`).
""",
    "catalog": "Keep what a crawl has brought where it can be searched.",
    "catalog build": """Read what a crawl has brought into its catalog.

It goes on where it stopped, however it was stopped; `--rebuild` makes it anew, while the old one can be
searched. A catalog holds the last version of each page, with its text, and none of pages that are gone. It
lies in DIR/catalog, or in a PostgreSQL database (`catalog.database`). The crawl may be running.
""",
    "catalog export": """Write the resource descriptions of a crawl, for programs that search or collect them.

**soif** is the format of Harvest and of the robots of Netscape and Sun; **json** has one description a line.
With a query, up to 10 000 of those that it finds.
""",
    "catalog import": """Take resource descriptions of another robot into the catalog of a crawl.

The file is in SOIF; wrong lengths and blanks in place of tabs are put up with and told of. Pages that the
crawl has fetched since they were described stay as they are. The file is kept in DIR/catalog/imports.
""",
}
"""What a command does, by its words; the first line stands in the list of all."""

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
