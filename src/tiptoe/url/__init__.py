"""URLs: their canonical form, their parts, their bounds.

Strings in, strings out. Nothing here opens a socket, reads a file of the crawl
or remembers what it has seen; the frontier makes sure that each URL is requested only once.
"""
