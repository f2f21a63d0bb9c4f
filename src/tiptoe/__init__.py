"""tiptoe: a quiet web crawler for people who build text corpora.

    seeds ─▶ url ─▶ frontier ─▶ keeper ─▶ harvest ─▶ fetch ─▶ parse ─▶ text ─▶ write
             one    which URL,  leases    visits     one      links,   para-   WARC,
             form   and when              in turn    answer   titles   graphs  corpus
                      ▲                                         │
                      └───────────────── new links ─────────────┘

`store` keeps the frontier's state, `settings` what the operator decides,
`compose` builds each process, `testing` is a web to rehearse on.
"""

__version__ = "0.1.0"
