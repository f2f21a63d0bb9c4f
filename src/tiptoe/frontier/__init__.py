"""Which URL is requested next, and when? The pure core of the keeper.

    found ─▶ intake ──▶ queues ──▶ workbench ──▶ dispatch ──▶ visit (leased)
             scope,     per host,  hosts by      one address,     │
             seen once  on disk    time          polite           ▼
                ▲                     ▲                        settle
                └──── new links ──────┴── parked, due, gone ◀─────┘

It opens no socket, reads no clock and touches no file: `now` is an argument
everywhere and state lives behind `store.tables.Store`. Each public method of
`Frontier` that changes state is usually one step, an atomic write.

A URL is *queued* (in its host's queue), *due* (waiting for a retry), *leased*
(part of a visit) or *settled* (its page record has the outcome).
A host is *new* (address unknown), *parked* (has requests, waits for its
turn), *visited*, *idle* (not in the queue), *unproductive* (gave no usable
text; left alone for days, with its queue) or *gone* (given up).
"""
