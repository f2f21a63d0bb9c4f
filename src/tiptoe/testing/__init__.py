"""A web that does not exist, and a judge of those who visit it.

    WebShape -> SimulatedWeb -> faces (proxy, servers, dns) -> Recorder -> judge

Every page, fault and change follows from a seed and the URL; nothing is stored.
The judge sees only what arrived at the servers. Nothing in here imports the
frontier, the fetcher or the parser: who grades an exam must not have written it.
"""
