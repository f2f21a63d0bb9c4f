"""From the bytes of an answer to its contents: text, links, metadata, rights.

    charset    bytes -> str
    nesting    str -> str that parses in bounded time
    html       str -> Page (one parse, one pass; uses links and metadata)
    blocks     str -> Outline: paragraphs and the elements around them, for main content
    abstract   what the page says about itself to machines
    trained    the model that recognises main content
    rights     may this text be mined?

Nothing here opens a socket, resolves a URL or decides which links are followed;
no page content makes it raise an exception.
"""
