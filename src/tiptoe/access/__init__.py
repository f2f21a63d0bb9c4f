"""How do we get at sites that want to know who we are?

    rule file -> AccessRule (for which hosts and paths) -> Approach (what a request brings along)
                    └ LoginForm -> SiteSession (out -> in -> out ... -> refused)

Decides and remembers; asks nobody. Requests are made by `harvest/logins.py`, like all others. A secret is
read once, when a process starts, and goes to no file, message or log.
"""
