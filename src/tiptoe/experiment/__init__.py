"""How well do the strategies of revisiting do, on pages whose every change is known?

Virtual time: a year takes seconds. The strategies are those of `revisit/`, the very objects that a crawl
uses; here are only the pages (`changing_pages.py`), the clock (`watch.py`), the best that is possible
(`optimum.py`), and one module for each experiment. Nothing here touches the net or a crawl.
"""
