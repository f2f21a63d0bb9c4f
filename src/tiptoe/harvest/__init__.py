"""The harvester: takes visits, makes their requests, returns results.

    visit ─▶ walk ─▶ rules ─▶ journey ──────────────▶ outbox ─▶ keeper
             when     may      fetch, read, rate,      written and sent
                      we?      compare, digest         in order

Stateless and disposable: one process per core, which can be killed at any moment
without loss. It carries out visits and never decides policy. No decision depends on
what it remembers: everything it needs to know comes with each visit. `journey.py`
follows one URL and is meant to be read from top to bottom.
"""
