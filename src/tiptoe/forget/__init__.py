"""How is an owner's wish to be forgotten carried out?

    wish noted in the database ─▶ lines and records out of the files, one file after the other
        ─▶ rows out of the database ─▶ pages out of the catalog ─▶ a record of what was removed when

While no crawl runs. What is to be done is put down first (`journal.py`), and each thing that is done can be
done twice: whoever is killed at any moment leaves it to the next `tiptoe forget` or `tiptoe crawl`.
The request log stays as it is: it is the proof of how the host was treated.
"""
