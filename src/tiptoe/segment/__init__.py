"""The segmenter: how usable is a text, from 0 to 1?

    document ─▶ scorer                                  in this process, or
             ─▶ client ─▶ HTTP, in batches ─▶ service   in any other, in any language

`scorer` is the built-in one, `segmenter_service` offers it over the network, `segmenter_client`
calls the one that the operator has chosen and never makes a crawl wait for it.
`catchup` rates later what could not be rated in time. The contract is
docs/protocols/segmenter.md; `conformance` checks whether a segmenter keeps it.

It must not import the frontier, the keeper or the settings.
"""
