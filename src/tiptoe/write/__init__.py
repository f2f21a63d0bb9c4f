"""What a harvester writes to disk: archive, index, corpus, request log.

A file is *open* (its name ends in `.open`, bytes are appended), *full* (nothing
more is appended, but the keeper has not acknowledged all of it) or *finished*
(renamed, complete, never written again). The keeper records, in the same write
as the page, how long each file was when the page was reported: its mark. After
a crash `recovery.py` cuts every open file back to its mark, so nothing
acknowledged is lost and nothing is stored twice. `output_kinds.py` declares what is written.

This package decides nothing about pages and never talks to the keeper.
"""
