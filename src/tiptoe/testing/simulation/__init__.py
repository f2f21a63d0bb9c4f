"""The whole crawler on one virtual clock, with everything that can go wrong, from one seed.

    plan ─▶ stage ─▶ verdict
    seed    keeper, harvesters, web, operator; faults; invariants after each step

Real here: frontier, keeper service and supervisor, the protocol's messages, harvester,
walks, journey, output files and their recovery. Pretended: clock, processes, wires
and web. A seed is all there is: the same seed gives the same run, in any process.

This is the one place in `testing` that knows the crawler.
"""
