"""From the bytes of an answer to what stands in them: text, links, metadata, rights.

    charset    bytes -> str
    nesting    str -> str that parses in bounded time
    html       str -> Page (one parse, one pass; uses links and metadata)
    blocks     str -> Outline: paragraphs and the elements around them, for main content
    abstract   what the page says about itself to machines
    trained    the model that knows main content
    rights     may this text be mined?

Nothing here opens a socket, resolves an address or decides what is followed;
nothing here raises because of what a page contains.
"""
