"""Is it wanted? One place for each decision about a URL.

    schedule ─▶ fetch ─▶ parse ─▶ store ─▶ revisit
    scheduling  fetching  parsing  storing  revisiting

A *decision point* (`point.py`) is an ordered list of *rules*. A rule looks at the subject of the decision and
refuses it with a reason, or says nothing. Bounds, traps, languages, lengths and the wishes of owners are such
rules; a line of a filter file becomes one more. `compose` builds the points from the settings.

Pure, and without memory. Decisions that depend on the past (a URL that is known, a host that is full or was
given up, endless pages of one shape) are made where that is remembered: in the frontier.

A point is evaluated as soon as one fact is known, because refusing early saves work, and again when more
facts are known. A fact that is not known yet has a default that no rule refuses.
"""
