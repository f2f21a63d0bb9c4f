"""Was the crawl polite, according to its own request log?

    reading ──▶ order of time ──▶ judges ──▶ verdict ──▶ text, JSON, HTML
    (log_lines) (observe.merging) (hosts, addresses, orders)

Of a crawl it reads only `log/requests-*`. It deliberately shares no code
with the frontier: both were written from the rules, so that the same mistake cannot
hide in both. Only the robots.txt matcher, which has tests of its own, is shared.
"""
