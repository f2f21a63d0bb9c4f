"""How is an archive converted to a copy that people can view?

`wacz.py` packs the archive into one file that opens in ReplayWeb.page; `site_copy.py` writes pages as files
with links between them, as wget and HTTrack do. Both read `warc/` and its indexes, never the web.
"""
