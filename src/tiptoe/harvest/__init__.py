"""The harvester: takes visits, makes their requests, brings back results.

    visit ─▶ walk ─▶ rules ─▶ journey ──────────────▶ outbox ─▶ keeper
             when     may      fetch, read, rate,      written, told,
                      we?      compare, digest         in order

Stateless and disposable: one process a core, killed at any moment without
loss. It executes packets, never decides policy, and decides nothing by what it
remembers: what it has to know comes with each visit. `journey.py` is the way
of one URL, to be read from top to bottom.
"""
