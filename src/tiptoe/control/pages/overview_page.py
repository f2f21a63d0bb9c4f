"""What is the state of all crawls, and what needs attention first?"""

from typing import Final

from tiptoe.control.page_route import PageReply, PageRoute, PageVisit, ShownPage

__all__ = ["ROUTES"]


def overview(visit: PageVisit) -> PageReply:
    """Show all crawls."""
    crawls = visit.parts.watch.list_all()
    alive = [seen for seen in crawls if seen.state.is_alive]
    return ShownPage(
        "overview_rows.html" if visit.is_partial else "overview.html",
        {
            "here": "crawls",
            "crawls": crawls,
            "sparks": {seen.name: visit.parts.watch.history(seen.name).spark() for seen in alive},
            "alive": len(alive),
            "pace": sum(seen.pace for seen in alive),
            "text_pace": sum(seen.sample.text_pace for seen in alive if seen.sample),
            "pages": sum(seen.status.pages for seen in crawls if seen.status),
            "text_chars": sum(seen.status.text_chars for seen in crawls if seen.status),
            "attention": [(seen, one) for seen in crawls for one in seen.attention],
            "can_make": visit.parts.crawls.can_make,
            "roots": visit.parts.crawls.roots,
        },
    )


ROUTES: Final = (PageRoute("/", overview),)
