"""When is a page worth another visit?

`strategies.py` judges each page by itself (uniform, adaptive). `budget.py` spends one budget over all pages
(optimal): `evidence.py` says how often a page changes, `value.py` what a visit is worth. Arithmetic only:
no clock, no file; the caller keeps the records, and the table of what is due when.
"""
