"""How is text from other sources turned into a corpus?

    sources ─▶ source_files ─▶ crew ═▶ worker: unit_reading ─▶ page_intake ═▶ ingester ─▶ corpus, progress
    WARC,      which files,    processes  records, mails,      as a harvester  in order: known texts,
    folders,   of which kind,             files, feeds         reads them      lines, one write
    mbox, ...  what is done

Many processes read, one writes, in the order of the sources: whatever their number, the corpus is the same.
The network is not used. What a killed run has not committed is read again; see `ingest_progress.py`.
"""
