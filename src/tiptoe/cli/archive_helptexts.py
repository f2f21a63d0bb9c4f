"""What the commands about copies of the web, and about leaving it alone, say of themselves."""

__all__ = ["FORGET_EXAMPLES", "FORGET_HELP"]

FORGET_HELP = """Remove a host, or pages, from everything that a crawl has stored, for good.

For owners who want their pages removed. TARGET is removed from the corpus, the archive and its indexes, the
lists of documents and of pages that are gone, descriptions, later ratings, the catalog and the database, and
is never requested again, whatever links to it. `forgotten.jsonl` records what was removed, when and why, in
numbers only. The request log stays, since it proves how the host was treated. Earlier exports are not
changed.

TARGET is a host (`www.example.cz`), a domain with all its hosts (`*.example.cz`), an address, or the
beginning of addresses (`https://www.example.cz/private/*`), whether http or https. The crawl must not be
running; if it is, `tiptoe block` leaves a host alone at once. If the command is killed, the next `tiptoe
forget` or `tiptoe crawl` completes its work.
"""

FORGET_EXAMPLES = """For example:
```
tiptoe forget www.example.cz czech --dry-run
tiptoe forget www.example.cz czech --reason "letter of the owner, 17 November 2026"
tiptoe forget "https://www.example.cz/private/*" czech --reason "personal data"
tiptoe forget --list czech
```
"""
