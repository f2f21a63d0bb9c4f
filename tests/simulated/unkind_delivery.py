"""How can the delivery of an answer harm a client?"""

import asyncio
from typing import Final

from tiptoe.testing.answer import Delivery, SimulatedAnswer
from tiptoe.testing.http_face import HttpConnection
from tiptoe.testing.proxy import ProxyConnection

__all__ = ["TRICKLE_SECONDS", "UnkindConnection", "UnkindProxyConnection"]

ENDLESS_BYTES_MAX: Final = 1 << 30
TRICKLE_SECONDS: Final = 1.0


class UnkindConnection(HttpConnection):
    """A client who gets answers in every way there is."""

    def _deliver_unkindly(self, answer: SimulatedAnswer) -> None:
        assert self._transport is not None
        delivery, body, size = answer.delivery, answer.body, len(answer.body)
        if delivery is Delivery.WRONG_LENGTH:
            self._write_last(self._head_of(answer, 2 * size) + body, then_close=True)
        elif delivery is Delivery.SHORT_LENGTH:
            self._write_last(self._head_of(answer, size // 2) + body)
        elif delivery is Delivery.RAW:
            self._write_last(body, then_close=True)
        elif delivery is Delivery.RESET_AT_ONCE:
            self.abort()
        elif delivery is Delivery.RESET:
            super()._deliver_unkindly(answer)
        elif delivery is Delivery.TRICKLE:
            self._transport.write(self._head_of(answer, size))
            self._trickle(body, 0)
        elif delivery is Delivery.TRICKLE_HEAD:
            self._trickle(self._head_of(answer, size) + body, 0)
        else:
            self._pour_out(answer)

    def _pour_out(self, answer: SimulatedAnswer) -> None:
        """Send the body more often than once."""
        assert self._transport is not None
        size = len(answer.body)
        if answer.delivery is Delivery.REPEATED:
            self._transport.write(self._head_of(answer, size * answer.repeats))
            self._pour(answer.body, 0, size * (answer.repeats - 1))
        elif answer.delivery is Delivery.ENDLESS_HEAD:
            self._transport.write(self._head_of(answer, None).removesuffix(b"\r\n"))
            self._pour(answer.body, 0, ENDLESS_BYTES_MAX)
        else:
            self._transport.write(self._head_of(answer, None))
            self._pour(answer.body, 0, ENDLESS_BYTES_MAX)

    def _trickle(self, body: bytes, sent: int) -> None:
        """Send one byte now and the others later."""
        if self._transport is None:
            return
        if sent + 1 >= len(body):
            self._write_last(body[sent:])
            return
        self._transport.write(body[sent : sent + 1])
        loop = asyncio.get_running_loop()
        self._timer = loop.call_later(TRICKLE_SECONDS, self._trickle, body, sent + 1)

    def _pour(self, block: bytes, sent: int, bytes_max: int) -> None:
        """Send the block over and over, as fast as it is taken, and once more at the end."""
        if self._transport is None:
            return
        if sent >= bytes_max:
            self._write_last(block, then_close=True)
            return
        self._transport.write(block)
        if self._is_paused:
            self._on_drained = lambda: self._pour(block, sent + len(block), bytes_max)
        else:
            # Through the loop, so that other clients get their turn.
            loop = asyncio.get_running_loop()
            self._timer = loop.call_later(0, self._pour, block, sent + len(block), bytes_max)


class UnkindProxyConnection(UnkindConnection, ProxyConnection):
    """A client of the proxy who does."""
