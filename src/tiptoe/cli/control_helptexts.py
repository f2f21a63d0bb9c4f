"""What does `--help` say of the commands about control servers and robots, beside their options?"""

from typing import Final

__all__ = ["EXAMPLES", "HELP"]

HELP: Final = {
    "control": "Run crawls from one place, in the browser.",
    "control serve": """Run crawls from one place: pages for the browser, and an API for programs.

Prints a link to begin with: the first account is made by it, or, with --crawl, one crawl is looked at
without any. Crawls are processes of their own and go on when the server ends. """,
    "control crawls": "List all crawls of a control server.",
    "control status": "Show how a crawl of a control server stands.",
    "control start": "Start a crawl on a control server, or go on with it.",
    "control stop": "Stop a crawl on a control server cleanly.",
    "control pause": "Pause a crawl on a control server.",
    "control resume": "Let it go on after a pause.",
    "control block": "Have a crawl ask nothing more of a host or address.",
    "control unblock": "Let a crawl ask a blocked host or address again.",
    "control slow": "Have a crawl ask a host or address more rarely.",
    "control set": "Change live settings of a running crawl on a control server.",
    "control call": "Call any operation of the API, and print what it answers.",
    "control robots": "List the robots of a control server.",
    "control command": """Give a command to a robot, or to all of them, and say what came of it.

The verbs are start, stop, pause, resume; block, unblock and slow with a host; set with settings of the
running crawl. A robot that is away does it when it is back. Exit code 1: a robot could not do it. """,
    "robot": """Crawl on this machine as a control server says.

The robot calls the server, so this machine may be behind any router. It gets its seeds and settings there,
runs the crawl in DIR/crawl, takes commands, reports, and sends what the crawl has brought. Without the server
it goes on, and catches up later. The secret is made by the page Robots of the server and shown once. Ctrl-C
stops the robot and its crawl; the same command goes on. """,
}
"""What a command does, by its words; the first line stands in the list of all."""

EXAMPLES: Final = {
    "control serve": """
tiptoe control serve --crawl czech                          # look at one crawl, nothing else needed
tiptoe control serve --dir ~/control --root /data/crawls
tiptoe control serve --dir ~/control --listen 0.0.0.0:8900 --name crawls.example.org --tls
""",
    "control crawls": """
tiptoe control crawls --token-file ~/control.token
tiptoe control crawls --server https://crawls.example.org:8900 --certificate certificate.pem --json
""",
    "control call": """
tiptoe control call GET crawls/czech/hosts
tiptoe control call GET 'crawls/czech/search?query=title:voda&limit=5'
tiptoe control call POST crawls/czech/block '{"host": "www.example.cz"}'
tiptoe control call GET openapi.json                         # all there is
""",
    "control robots": """
tiptoe control robots --token-file token
tiptoe control robots --server https://crawls.example.org:8900 --json
""",
    "control command": """
tiptoe control command lab-1 start
tiptoe control command all block www.example.cz
tiptoe control command lab-1 slow www.example.cz --delay 5m
tiptoe control command lab-1 set politeness.req_delay=10s
""",
    "robot": """
tiptoe robot --control https://crawls.example.org:8900 --id lab-1 --secret-file lab-1.secret
tiptoe robot --control http://127.0.0.1:8900 --id lab-1 --secret-file lab-1.secret --dir /data/lab-1
""",
}
