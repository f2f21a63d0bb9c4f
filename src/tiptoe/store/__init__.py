"""Where the keeper's state lives: a small ordered key-value interface.

`tables` defines the tables and the interface, `rocks` keeps them on disk,
`memory` is for tests and simulation. `partition` is one of several stores within one database,
`pending` shows writes that are not confirmed yet. One list of `Writes` is written
atomically. No module here knows what the values mean.
"""
