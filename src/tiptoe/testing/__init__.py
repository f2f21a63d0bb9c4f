"""A web that does not exist, and a judge of those who visit it.

    WebShape -> SimulatedWeb -> faces (proxy, dns) -> Recorder -> judge

Every page, fault and change follows from a seed and the URL; nothing is stored.
The judge sees only what arrived at the servers. The web and its judge import none
of the crawler: who grades an exam must not have written it. `tiptoe rehearse` lets the
two meet; whole crawls in virtual time are a matter of tests: `tests/simulated/`.
"""
