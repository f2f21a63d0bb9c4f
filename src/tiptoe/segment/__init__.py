"""The segmenter: how usable is a text, from 0 to 1?

    document ─▶ scorer                                  in this process, or
             ─▶ client ─▶ HTTP, in batches ─▶ service   in any other, in any language

`scorer` is the one built in, `segmenter_service` offers it over the network, `segmenter_client`
asks whichever the operator has chosen and never makes a crawl wait for it.
`catchup` rates later what could not be rated in time. The contract is
docs/protocols/segmenter.md; `conformance` tells who keeps it.

May not know the frontier, the keeper or the settings.
"""
