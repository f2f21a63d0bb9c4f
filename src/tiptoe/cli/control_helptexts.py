"""What does `--help` say of the commands of the control server?"""

__all__ = [
    "CONTROL_CALL_EXAMPLES", "CONTROL_CRAWLS_EXAMPLES", "CONTROL_SERVE_EXAMPLES", "CONTROL_SERVE_HELP",
]  # fmt: skip

CONTROL_SERVE_HELP = """Run crawls from one place: pages for the browser, and an API for programs.

Prints a link: with it you create the first account or, with --crawl, look at one crawl without an account.
Crawls are separate processes and continue when the server ends. """

CONTROL_SERVE_EXAMPLES = """For example:
```
tiptoe control serve --crawl czech                          # look at one crawl, without any setup
tiptoe control serve --dir ~/control --root /data/crawls
tiptoe control serve --dir ~/control --listen 0.0.0.0:8900 --name crawls.example.org --tls
```
"""

CONTROL_CRAWLS_EXAMPLES = """For example:
```
tiptoe control crawls --token-file ~/control.token
tiptoe control crawls --server https://crawls.example.org:8900 --certificate certificate.pem --json
```
"""

CONTROL_CALL_EXAMPLES = """For example:
```
tiptoe control call GET crawls/czech/hosts
tiptoe control call GET 'crawls/czech/search?query=title:voda&limit=5'
tiptoe control call POST crawls/czech/block '{"host": "www.example.cz"}'
tiptoe control call GET openapi.json                         # describes all calls
```
"""
