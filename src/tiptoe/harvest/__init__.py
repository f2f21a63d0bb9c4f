"""The harvester: takes visits, makes their requests, brings back results.

    visit ─▶ walk ─▶ rules ─▶ journey ─▶ outbox ─▶ keeper
             when     may      fetch, read,   results and marks
                      we?      write          in order

Stateless and disposable: one process a core, killed at any moment without
loss. It executes packets and never decides policy. `journey.py` is the way of
one URL, to be read from top to bottom.
"""
