"""What only tests need: unkind hosts, the web without sockets, and the whole crawler in virtual time.

    plan ─▶ stage ─▶ verdict
    seed    keeper, harvesters, web, operator; faults; invariants after each step

Real: frontier, keeper service and supervisor, the protocol's messages, harvester,
walks, journey, output files and their recovery. Simulated: clock, processes, wires
and web. A run depends on its seed alone: the same seed gives the same run in any process.
"""
