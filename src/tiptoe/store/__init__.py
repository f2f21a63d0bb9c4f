"""Where the keeper's state lives: a small ordered key-value interface.

`tables` names the nouns and the interface, `rocks` keeps them on disk,
`memory` serves tests and simulation. `partition` is one of several stores within
one, `pending` shows writes that are not confirmed yet. What is written in one list of `Writes` is
written whole or not at all. Nothing in here knows what the values mean.
"""
