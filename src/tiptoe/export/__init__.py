"""How does the corpus of a crawl become what other tools load?

    reading ──▶ selection ──▶ duplicates ──▶ formats ──▶ output
    (documents)  (language,    (what was      (jsonl,     (whole,
                 usability)    met before)    parquet, …)  or not there)

It reads `corpus/*.jsonl` and nothing else of a crawl, as a stream: memory does not
grow with the corpus. Documents keep the order of the files; what is left out is
counted by its reason.
"""
