"""What is happening in a crawl, and what has happened? Logs and figures; makes no decisions."""
