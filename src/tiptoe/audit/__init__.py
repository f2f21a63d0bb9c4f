"""Was the crawl polite, by its own request log?

    reading ──▶ order of time ──▶ judges ──▶ verdict ──▶ text, JSON, HTML
    (log_lines) (observe.merging) (hosts, addresses, orders)

It reads `log/requests-*` and nothing else of a crawl. It shares no code with the
frontier, on purpose: both were written from the rules, so that one mistake cannot
hide in both. Only the matcher of robots.txt, tested by itself, is used by all.
"""
