"""How is the corpus of a crawl converted to files that other tools load?

    reading ──▶ versions ──▶ selection ──▶ duplicates ──▶ formats ──▶ output
    (documents,  (as of a     (language,    (exported      (jsonl,     (complete,
    late ratings) moment)     usability)    before)        parquet, …)  or nothing)

It reads nothing of a crawl but `corpus/*.jsonl`, `usability/*.jsonl` and `gone/*.jsonl`, as a stream: memory
does not grow with the corpus. Documents keep the order of the files; those that are left out are counted by
reason.
"""
