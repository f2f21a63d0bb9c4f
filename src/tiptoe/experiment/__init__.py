"""How well do the strategies of revisiting do, on pages whose every change is known?

Virtual time: a year takes seconds. The strategies are those of `revisit/`, the same objects that a crawl
uses; this package adds only the pages (`changing_pages.py`), the clock (`watch.py`), the best possible result
(`optimum.py`), and one module for each experiment. Nothing here touches the network or a crawl.
"""
