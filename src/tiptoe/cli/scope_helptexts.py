"""What do the commands say that tell where a crawl goes, and why?"""

__all__ = ["SCOPE_EXPLAIN_EXAMPLES", "SCOPE_EXPLAIN_HELP", "WHY_EXAMPLES", "WHY_HELP"]

WHY_HELP = "Tell the story of one host or page: its state, what it waits for, what came of it."

WHY_EXAMPLES = """For example:
```
tiptoe why www.example.cz czech                     # why does it wait, and until when? was it given up?
tiptoe why https://www.example.cz/news czech        # was it queued, fetched, discarded, never found?
tiptoe why www.example.cz/news czech --json
```
"""

SCOPE_EXPLAIN_HELP = "Say which rule decides about an address, without any request."

SCOPE_EXPLAIN_EXAMPLES = """For example:
```
tiptoe scope explain https://www.example.cz/news/1 czech
tiptoe scope explain example.cz/tag/x --prefix https://example.cz/news/ --exclude-url /tag/
tiptoe scope explain blog.example.cz --seed example.cz --same-site
```
"""
