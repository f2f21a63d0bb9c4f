"""What tiptoe does to a text, for programs and notebooks: `from tiptoe import extract`.

Names here are stable: docs/reference/library.md lists them, with examples that a test runs. They use the same
code as a crawl, so a page read here has the text that a crawl would store. Only `crawl_run` starts and stops
crawls, each in processes of its own; nothing else here uses the network or changes a crawl.
"""
