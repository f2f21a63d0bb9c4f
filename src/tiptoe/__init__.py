"""tiptoe: a quiet web crawler for people who build text corpora.

    seeds ─▶ url ─▶ frontier ─▶ keeper ─▶ harvest ─▶ fetch ─▶ parse ─▶ text ─▶ write
             one    which URL,  leases    visits     one      links,   para-   WARC,
             form   and when              in turn    answer   titles   graphs  corpus
                      ▲                                         │
                      └───────────────── new links ─────────────┘

`decide` says what is wanted on the way: which URL, answer, text, and which again.
`store` keeps the frontier's state, `settings` what the operator decides,
`compose` builds each process, `testing` is a web to rehearse on. `segment`
rates texts, `convert` reads documents that are not HTML, `export` turns the
corpus into what other tools load, `audit` and `observe` look at what was done.
"""

__version__ = "0.1.0"
