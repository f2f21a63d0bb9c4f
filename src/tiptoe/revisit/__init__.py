"""When is a page worth another visit?

`strategies.py` judges each page by itself (uniform, adaptive). `budget.py` spends one budget over all pages
(optimal): `change_evidence.py` sums up what visits to a page showed, `belief.py` estimates from that how
often it may change, and `value.py` what a visit is worth. Arithmetic only: no clock, no files; the caller
keeps the records, and the table of what is due when.
"""
