"""What has a crawl collected, and where does a word occur in it?

A *resource description* contains what is known about one page; the catalog of a crawl has the latest one of
every page, with its text, and can be searched. `words` decides what a word is and `query` what can be asked:
both are pure, and the same for every index. `catalog_index` is implemented by an index in the directory of
the crawl and, by one setting, by PostgreSQL. `catalog_update` brings an index up to date with the committed
files of a crawl.

A catalog can be rebuilt from the corpus at any time; nothing else depends on it.
"""
