"""How do we access sites that require a login?

    rule file -> AccessRule (for which hosts and paths) -> Approach (what a request carries)
                    └ LoginForm -> SiteSession (out -> in -> out ... -> refused)

Decides and remembers, but makes no requests: `harvest/logins.py` makes them, like all others. A secret is
read once, when a process starts, and is never written to a file, message or log.
"""
