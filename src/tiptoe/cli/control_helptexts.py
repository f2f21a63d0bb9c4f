"""What does `--help` say of the commands about control servers and robots, beside their options?"""

__all__ = [
    "CONTROL_CALL_EXAMPLES", "CONTROL_COMMAND_EXAMPLES", "CONTROL_COMMAND_HELP", "CONTROL_CRAWLS_EXAMPLES",
    "CONTROL_ROBOTS_EXAMPLES", "CONTROL_SERVE_EXAMPLES", "CONTROL_SERVE_HELP", "ROBOT_EXAMPLES",
    "ROBOT_HELP",
]  # fmt: skip

CONTROL_SERVE_HELP = """Run crawls from one place: pages for the browser, and an API for programs.

Prints a link: with it you create the first account or, with --crawl, look at one crawl without an account.
Crawls are separate processes and continue when the server ends. """

CONTROL_SERVE_EXAMPLES = """
tiptoe control serve --crawl czech                          # look at one crawl, without any setup
tiptoe control serve --dir ~/control --root /data/crawls
tiptoe control serve --dir ~/control --listen 0.0.0.0:8900 --name crawls.example.org --tls
"""

CONTROL_CRAWLS_EXAMPLES = """
tiptoe control crawls --token-file ~/control.token
tiptoe control crawls --server https://crawls.example.org:8900 --certificate certificate.pem --json
"""

CONTROL_CALL_EXAMPLES = """
tiptoe control call GET crawls/czech/hosts
tiptoe control call GET 'crawls/czech/search?query=title:voda&limit=5'
tiptoe control call POST crawls/czech/block '{"host": "www.example.cz"}'
tiptoe control call GET openapi.json                         # describes all calls
"""

CONTROL_ROBOTS_EXAMPLES = """
tiptoe control robots --token-file token
tiptoe control robots --server https://crawls.example.org:8900 --json
"""

CONTROL_COMMAND_HELP = """Give a command to a robot, or to all of them, and report the result.

The verbs are start, stop, pause, resume; block, unblock and slow with a host; set with settings of the
running crawl. A robot that is offline obeys when it is back. Exit code 1: a robot could not do it. """

CONTROL_COMMAND_EXAMPLES = """
tiptoe control command lab-1 start
tiptoe control command all block www.example.cz
tiptoe control command lab-1 slow www.example.cz --delay 5m
tiptoe control command lab-1 set politeness.req_delay=10s
"""

ROBOT_HELP = """Crawl on this machine, as directed by a control server.

The robot connects to the server, so this machine may be behind a router. It gets its seeds and settings
there, runs the crawl in DIR/crawl, obeys commands, and sends reports and texts. While the server is
unreachable it continues, and catches up later. The page Robots of the server creates the secret and shows it
once. Ctrl-C stops the robot and its crawl; the same command continues both."""

ROBOT_EXAMPLES = """
tiptoe robot --control https://crawls.example.org:8900 --id lab-1 --secret-file lab-1.secret
tiptoe robot --control http://127.0.0.1:8900 --id lab-1 --secret-file lab-1.secret --dir /data/lab-1
"""
