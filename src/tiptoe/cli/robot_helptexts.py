"""What does `--help` say of robots?"""

__all__ = [
    "CONTROL_COMMAND_EXAMPLES", "CONTROL_COMMAND_HELP", "CONTROL_ROBOTS_EXAMPLES", "ROBOT_EXAMPLES",
    "ROBOT_HELP",
]  # fmt: skip

CONTROL_ROBOTS_EXAMPLES = """For example:
```
tiptoe control robots --token-file token
tiptoe control robots --server https://crawls.example.org:8900 --json
```
"""

CONTROL_COMMAND_HELP = """Give a command to a robot, or to all of them, and report the result.

The verbs are start, stop, pause, resume; block, unblock and slow with a host; set with settings of the
running crawl. A robot that is offline obeys when it is back. Exit code 1: a robot could not do it. """

CONTROL_COMMAND_EXAMPLES = """For example:
```
tiptoe control command lab-1 start
tiptoe control command all block www.example.cz
tiptoe control command lab-1 slow www.example.cz --delay 5m
tiptoe control command lab-1 set politeness.req_delay=10s
```
"""

ROBOT_HELP = """Crawl on this machine, as directed by a control server.

The robot connects to the server, so this machine may be behind a router. It gets its seeds and settings
there, runs the crawl in DIR/crawl, obeys commands, and sends reports and texts. While the server is
unreachable it continues, and catches up later. The page Robots of the server creates the secret and shows it
once. Ctrl-C stops the robot and its crawl; the same command continues both."""

ROBOT_EXAMPLES = """For example:
```
tiptoe robot --control https://crawls.example.org:8900 --id lab-1 --secret-file lab-1.secret
tiptoe robot --control http://127.0.0.1:8900 --id lab-1 --secret-file lab-1.secret --dir /data/lab-1
```
"""
