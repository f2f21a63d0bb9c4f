"""How does the corpus of a crawl become what other tools load?

    reading ──▶ versions ──▶ selection ──▶ duplicates ──▶ formats ──▶ output
    (documents,  (as of a     (language,    (what was      (jsonl,     (whole,
    late ratings) moment)     usability)    met before)    parquet, …)  or not there)

It reads `corpus/*.jsonl`, `usability/*.jsonl` and `gone/*.jsonl` and nothing else of a crawl, as a
stream: memory does not grow with the corpus. Documents keep the order of the files; what is left out is
counted by its reason.
"""
