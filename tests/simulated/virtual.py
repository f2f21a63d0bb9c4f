"""How do several processes run on one clock that never waits?

A `Timeline` holds all future events in order; when nothing is left to do now, time
jumps to the next timer. Each `VirtualLoop` is the event loop of one simulated process:
it can be suspended (as by SIGSTOP) or die without warning (as by SIGKILL), while the
others continue.

Everything runs in the order in which it was scheduled: no thread, no socket, no real
clock. A run is a function of its input.
"""

import asyncio
import heapq
from collections import deque
from collections.abc import Callable, Coroutine
from contextvars import Context
from typing import Any, TypeVar

__all__ = ["Killed", "TimeStandsStill", "Timeline", "VirtualLoop", "run_virtual"]

Done = TypeVar("Done")

BURIAL_ROUNDS_MAX = 1000
STEPS_PER_MOMENT_MAX = 100_000


class TimeStandsStill(RuntimeError):
    """Something goes in circles without ever waiting."""


class Killed(SystemExit):
    """Raised by code that ends its own process on the spot."""


class Timeline:
    """What happens when, for any number of processes."""

    def __init__(self, now: float = 0.0) -> None:
        self.now = now
        self._ready: deque[tuple[VirtualLoop, asyncio.Handle]] = deque()
        self._timers: list[tuple[float, int, VirtualLoop, asyncio.TimerHandle]] = []
        self._number = 0  # of timers, so that equal moments keep their order

    def loop(self, name: str) -> "VirtualLoop":
        """Return the loop of one more process."""
        return VirtualLoop(self, name)  # type: ignore[abstract]  # no sockets, no signals, no threads

    def run(self, *, until: float = float("inf"), is_over: Callable[[], bool] = lambda: False) -> bool:
        """Let things happen; return whether `is_over` ended it, rather than the clock or a lack of plans."""
        steps = 0
        while not is_over():
            if not self._ready:
                if not self._jump(until):
                    return is_over()
                steps = 0
            loop, handle = self._ready.popleft()
            loop.step(handle)
            steps += 1
            if steps > STEPS_PER_MOMENT_MAX:
                raise TimeStandsStill(f"{steps} steps at {self.now}, the last one in {loop}: {handle}")
        return True

    def soon(self, loop: "VirtualLoop", handle: asyncio.Handle) -> None:
        """Put a callback behind those that are ready."""
        self._ready.append((loop, handle))

    def at(self, loop: "VirtualLoop", handle: asyncio.TimerHandle) -> None:
        """Put a callback under its moment."""
        self._number += 1
        heapq.heappush(self._timers, (handle.when(), self._number, loop, handle))

    def take(self, loop: "VirtualLoop") -> list[asyncio.Handle]:
        """Remove and return what is ready in one loop."""
        taken = [handle for owner, handle in self._ready if owner is loop]
        self._ready = deque(pair for pair in self._ready if pair[0] is not loop)
        return taken

    def _jump(self, until: float) -> bool:
        """Move to the next moment at which something is planned; False when there is none before `until`."""
        timers = self._timers
        while timers and timers[0][3].cancelled():
            heapq.heappop(timers)
        if not timers or timers[0][0] > until:
            return False
        self.now = max(self.now, timers[0][0])
        while timers and timers[0][0] <= self.now:
            _, _, loop, handle = heapq.heappop(timers)
            self._ready.append((loop, handle))
        return True


class VirtualLoop(asyncio.AbstractEventLoop):
    """The event loop of one pretended process.

    It *runs*, is *frozen* (what falls due waits until it thaws), or is *dead*
    (nothing of it ever runs again). `after_step` is called after each callback.
    """

    def __init__(self, timeline: Timeline, name: str) -> None:
        self.name = name
        self.timeline = timeline
        self.is_frozen = False
        self.is_dead = False
        self.after_step: Callable[[], None] | None = None
        self.on_death: Callable[[], None] | None = None
        self.faults: list[dict[str, Any]] = []  # what nobody caught
        self._held: list[asyncio.Handle] = []
        self._tasks: dict[asyncio.Task[Any], None] = {}
        self._grave: deque[asyncio.Handle] | None = None

    def __repr__(self) -> str:
        state = "dead" if self.is_dead else "frozen" if self.is_frozen else "running"
        return f"<VirtualLoop {self.name} {state}, {len(self._tasks)} tasks>"

    # -- what can happen to a process ------------------------------------

    def freeze(self) -> None:
        """Stand still; the world goes on."""
        self.is_frozen = True

    def thaw(self) -> None:
        """Go on; everything that fell due meanwhile happens now."""
        self.is_frozen = False
        held, self._held = self._held, []
        for handle in held:
            self.timeline.soon(self, handle)

    def kill(self) -> None:
        """Die at once; `on_death` cuts off whatever this process could still reach."""
        if self.is_dead:
            return
        self.is_dead = True
        if self.on_death is not None:
            self.on_death()
        self._bury()

    def _bury(self) -> None:
        """Unwind the tasks, unseen by anybody, so that no coroutine is left hanging."""
        # Tasks that were about to go on need their turn to hear that they are cancelled.
        self._grave = deque([*self._held, *self.timeline.take(self)])
        self._held.clear()
        for _ in range(BURIAL_ROUNDS_MAX):
            for task in list(self._tasks):
                task.cancel()
            for _ in range(len(self._grave)):  # not those that come meanwhile: a task may try to live on
                handle = self._grave.popleft()
                if not handle.cancelled():
                    self._run(handle)
            if not self._tasks:
                break
        self._grave = None

    def step(self, handle: asyncio.Handle) -> None:
        if handle.cancelled() or self.is_dead:
            return
        if self.is_frozen:
            self._held.append(handle)
            return
        try:
            self._run(handle)
        except Killed:
            self.kill()
            return
        if self.after_step is not None:
            self.after_step()

    def _run(self, handle: asyncio.Handle) -> None:
        before = asyncio._get_running_loop()
        asyncio._set_running_loop(self)
        try:
            handle._run()
        finally:
            asyncio._set_running_loop(before)

    # -- what asyncio asks of a loop -------------------------------------

    def time(self) -> float:
        return self.timeline.now

    def call_soon(  # type: ignore[override]
        self, callback: Callable[..., object], *args: Any, context: Context | None = None
    ) -> asyncio.Handle:
        handle = asyncio.Handle(callback, args, self, context)
        if self._grave is not None:
            self._grave.append(handle)
        else:
            self.timeline.soon(self, handle)
        return handle

    call_soon_threadsafe = call_soon  # type: ignore[assignment]

    def call_later(  # type: ignore[override]
        self, delay: float, callback: Callable[..., object], *args: Any, context: Context | None = None
    ) -> asyncio.TimerHandle:
        return self.call_at(self.time() + delay, callback, *args, context=context)

    def call_at(  # type: ignore[override]
        self, when: float, callback: Callable[..., object], *args: Any, context: Context | None = None
    ) -> asyncio.TimerHandle:
        handle = asyncio.TimerHandle(when, callback, args, self, context)
        self.timeline.at(self, handle)
        return handle

    def _timer_handle_cancelled(self, handle: asyncio.TimerHandle) -> None:
        """Cancelled timers are passed over when their moment comes."""

    def create_future(self) -> asyncio.Future[Any]:
        return asyncio.Future(loop=self)

    def create_task(  # type: ignore[override]
        self,
        coro: Coroutine[Any, Any, Done],
        *,
        name: str | None = None,
        context: Context | None = None,
    ) -> asyncio.Task[Done]:
        task = asyncio.Task(coro, loop=self, name=name, context=context)
        self._tasks[task] = None
        task.add_done_callback(self._forget)
        return task

    def _forget(self, task: asyncio.Task[Any]) -> None:
        self._tasks.pop(task, None)

    def call_exception_handler(self, context: dict[str, Any]) -> None:
        self.faults.append(context)

    def get_debug(self) -> bool:
        return False

    def is_running(self) -> bool:
        return not self.is_dead

    def is_closed(self) -> bool:
        return self.is_dead


def run_virtual(main: Coroutine[Any, Any, Done], *, until: float = float("inf")) -> Done:
    """Run one coroutine in virtual time and return what it returns."""
    timeline = Timeline()
    loop = timeline.loop("main")
    task = loop.create_task(main)
    if not timeline.run(until=until, is_over=task.done):
        loop.kill()
        raise TimeoutError(f"not done at {until}, or waiting for what never comes")
    return task.result()
