"""Addresses of the web: their canonical form, their parts, their bounds.

Strings in, strings out. Nothing here opens a socket, reads a file of the crawl
or remembers what it has seen; that a URL is asked for once is the frontier's concern.
"""
