"""What does `--help` say about the commands for control servers and robots, apart from their options?"""

from typing import Final

__all__ = ["EXAMPLES", "HELP"]

HELP: Final = {
    "control": "Run crawls from one place, in the browser.",
    "control serve": """Run crawls from one place: pages for the browser, and an API for programs.

Prints a link: with it you create the first account or, with --crawl, look at one crawl without an account.
Crawls are separate processes and continue when the server ends. """,
    "control crawls": "List all crawls of a control server.",
    "control status": "Show the state of a crawl on a control server.",
    "control start": "Start or continue a crawl on a control server.",
    "control stop": "Stop a crawl on a control server cleanly.",
    "control pause": "Pause a crawl on a control server.",
    "control resume": "Continue a paused crawl.",
    "control block": "Make a crawl send no more requests to a host or address.",
    "control unblock": "Let a crawl send requests to a blocked host or address again.",
    "control slow": "Make a crawl send requests to a host or address less often.",
    "control set": "Change live settings of a running crawl on a control server.",
    "control call": "Call any operation of the API, and print the answer.",
    "control robots": "List the robots of a control server.",
    "control command": """Give a command to a robot, or to all of them, and report the result.

The verbs are start, stop, pause, resume; block, unblock and slow with a host; set with settings of the
running crawl. A robot that is offline obeys when it is back. Exit code 1: a robot could not do it. """,
    "robot": """Crawl on this machine, as directed by a control server.

The robot connects to the server, so this machine may be behind a router. It gets its seeds and settings
there, runs the crawl in DIR/crawl, obeys commands, and sends reports and texts. While the server is
unreachable it continues, and catches up later. The page Robots of the server creates the secret and shows it
once. Ctrl-C stops the robot and its crawl; the same command continues both.""",
}
"""What each command does, by its words; the first line appears in the list of commands."""

EXAMPLES: Final = {
    "control serve": """
tiptoe control serve --crawl czech                          # look at one crawl, without any setup
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
tiptoe control call GET openapi.json                         # describes all calls
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
