"""A simulated web, and a judge of the crawlers that visit it.

    WebShape -> SimulatedWeb -> faces (proxy, dns) -> Recorder -> judge

Every page, fault and change follows from a seed and the URL; nothing is stored.
The judge sees only what arrived at the servers. The web and its judge import nothing
of the crawler, so that they do not share its mistakes. `tiptoe rehearse` combines them;
whole crawls in virtual time are left to the tests: `tests/simulated/`.
"""
