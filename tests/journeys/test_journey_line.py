"""Our own line goes down in the middle of a crawl: seen from the hosts, which must not pay for it."""

import contextlib
import os
import selectors
import socket
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from journey_crawl import SMALL, Pace, simulated_web

pytestmark = pytest.mark.journey

WEB = replace(SMALL, hosts=12, hosts_per_address=1, pages_per_host=20, redirect_share=0.0, gone_share=0.0,
              dead_host_share=0.0)  # fmt: skip


class Line:
    """A way to the proxy that can be taken away: then connections break and new ones are refused."""

    def __init__(self, port: int) -> None:
        self._target = port
        self._server = socket.create_server(("127.0.0.1", 0))
        self.port = self._server.getsockname()[1]
        self._passing: set[socket.socket] = set()
        self._threads: list[threading.Thread] = []
        self._begin(self._serve, self._server)

    def __enter__(self) -> "Line":
        return self

    def __exit__(self, *problem: object) -> None:
        self.down()
        for thread in self._threads:
            thread.join()

    def up(self) -> None:
        self._server = socket.create_server(("127.0.0.1", self.port))
        self._begin(self._serve, self._server)

    def down(self) -> None:
        for one in (self._server, *self._passing):
            with contextlib.suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)

    def _begin(self, work: Callable[..., None], *sockets: socket.socket) -> None:
        self._threads.append(threading.Thread(target=work, args=sockets))
        self._threads[-1].start()

    def _serve(self, server: socket.socket) -> None:
        with server, contextlib.suppress(OSError):
            while True:
                caller, _ = server.accept()
                called = socket.create_connection(("127.0.0.1", self._target))
                self._passing |= {caller, called}
                self._begin(self._pass_on, caller, called)

    def _pass_on(self, caller: socket.socket, called: socket.socket) -> None:
        with caller, called, contextlib.suppress(OSError):
            others = {caller: called, called: caller}
            with selectors.DefaultSelector() as ready:
                for one in others:
                    ready.register(one, selectors.EVENT_READ, others[one])
                while True:
                    for key, _ in ready.select():
                        piece = os.read(key.fd, 65536)
                        if not piece:
                            return
                        key.data.sendall(piece)
        self._passing -= {caller, called}


def test_a_line_that_is_down_costs_no_host(tmp_path: Path) -> None:
    """An hour without a line is common, and would be the end of a crawl."""
    with simulated_web(tmp_path, WEB) as stage:
        crawl = stage.crawl(pace=Pace(req_delay=0.05, max_reqs=1000))
        proxy_port = int(str(crawl.settings["fetch.proxy"]).rpartition(":")[2])
        with Line(proxy_port) as line:
            crawl.settings["fetch.proxy"] = f"http://127.0.0.1:{line.port}"
            crawl.settings["politeness.backoff_first"] = "100ms"
            crawl.start()
            crawl.wait_for_lines(60)
            line.down()
            crawl.status_when(lambda figures: figures["holds"] == ["line"], "the line to be missed")
            # Every host would be given up in this time.
            time.sleep(5.0)
            assert crawl.status()["holds"] == ["line"]
            line.up()
            assert crawl.wait() == 0
    assert crawl.urls() == stage.truth()
    assert stage.violations() == []
    log = (crawl.out / "log" / "keeper.log").read_text()
    assert log.count("line.down") == log.count("line.up") == 1
