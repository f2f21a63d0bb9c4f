"""Which URL is asked for next, and when? The pure core of the keeper.

    found ─▶ intake ──▶ queues ──▶ workbench ──▶ dispatch ──▶ visit (leased)
             scope,     per host,  hosts by      one address,     │
             seen once  on disk    moment        polite           ▼
                ▲                     ▲                        settle
                └──── new links ──────┴── parked, due, gone ◀─────┘

It opens no socket, reads no clock and touches no file: `now` is an argument
everywhere and state lives behind `store.tables.Store`. Each public step of
`Frontier` is one atomic write.

A URL is *queued* (in its host's queue), *due* (waiting for a retry), *leased*
(part of a visit) or *settled* (its page record says what came of it).
A host is *new* (address unknown), *parked* (has requests, waits for its
moment), *visited*, *idle* (nothing to ask for), *unproductive* (gave no usable text,
rests for long with its queue) or *gone* (given up).
"""
