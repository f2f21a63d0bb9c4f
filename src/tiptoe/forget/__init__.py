"""How is an owner's wish to be forgotten carried out?

    note the wish in the database ─▶ remove lines and records from the files, one file after the other
        ─▶ remove rows from the database and pages from the catalog ─▶ record what was removed when

Done while no crawl runs. The plan is written down first (`journal.py`), and each step may be repeated: if the
process is killed at any moment, the next `tiptoe forget` or `tiptoe crawl` finishes the work.
The request log stays as it is: it is the proof of how the host was treated.
"""
