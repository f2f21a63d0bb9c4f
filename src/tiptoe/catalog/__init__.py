"""What has a crawl brought, and where does a word stand in it?

A *resource description* says what is known of one page; the catalog of a crawl holds the last one of every
page, with its text, and can be searched. `words` decides what a word is and `query` what is asked: both are
pure, and the same for every index. Behind `catalog_index` stand an index in the directory of the crawl and,
by one setting, PostgreSQL. `catalog_update` brings an index up to what is committed in the files of a crawl.

What is in a catalog can be made anew from the corpus at any time; nothing else depends on it.
"""
