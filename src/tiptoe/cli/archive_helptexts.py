"""What the commands about copies of the web, and about leaving it alone, say of themselves."""

__all__ = ["FORGET_EXAMPLES", "FORGET_HELP"]

FORGET_HELP = """Remove a host, or pages, from everything that a crawl has, for good.

For owners who want out. What TARGET names goes out of the corpus, the archive and its indexes, the lists of
documents and of pages that are gone, descriptions, later ratings, the catalog and the database; it is never
asked again, whatever links to it. `forgotten.jsonl` keeps what was removed when, and why, in numbers; the
request log stays, since it proves how the host was treated. Exports that were made before are not touched.

TARGET is a host (`www.example.cz`), a host with all below it (`*.example.cz`), an address, or how addresses
begin (`https://www.example.cz/private/*`), whether http or https. The crawl must not run: while it does,
`tiptoe block` leaves a host alone at once. Whoever is killed over it leaves the rest to the next
`tiptoe forget` or `tiptoe crawl`.
"""

FORGET_EXAMPLES = """For example:
```
tiptoe forget www.example.cz czech --dry-run
tiptoe forget www.example.cz czech --reason "letter of the owner, 17 November 2026"
tiptoe forget "https://www.example.cz/private/*" czech --reason "personal data"
tiptoe forget --list czech
```
"""
