"""One child process: started, listened to, waited for, stopped."""

import asyncio
import shutil
import signal
from collections import deque
from collections.abc import Callable, Mapping, Sequence

Output = Callable[[str, str], None]
"""Told of every line a child prints, with the child's label before it."""
LINES_KEPT = 40
LONGEST_LINE = 1 << 20


class Child:
    """A process that runs from here on; its last lines are kept for whoever wants to know why it ended."""

    def __init__(self, label: str, process: asyncio.subprocess.Process, output: Output) -> None:
        self.label = label
        self.last_lines: deque[str] = deque(maxlen=LINES_KEPT)
        self.exited = asyncio.create_task(self._run(process, output), name=f"{label} exits")
        """Ends with the exit code, negative for a signal; not to be cancelled."""
        self._process = process

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def running(self) -> bool:
        return not self.exited.done()

    async def wait(self) -> int:
        """The exit code, when there is one; may be cancelled."""
        return await asyncio.shield(self.exited)

    async def stop(self, patience: float) -> int:
        """SIGTERM, and SIGKILL when that is not obeyed within so many seconds; the exit code."""
        self._signal(signal.SIGTERM)
        await asyncio.wait({self.exited}, timeout=patience)
        return await self.kill()

    async def kill(self) -> int:
        """SIGKILL; the exit code."""
        self._signal(signal.SIGKILL)
        return await self.wait()

    def _signal(self, number: signal.Signals) -> None:
        if self._process.returncode is None:
            self._process.send_signal(number)

    async def _run(self, process: asyncio.subprocess.Process, output: Output) -> int:
        assert process.stdout is not None  # noqa: S101  # it was asked for
        async for line in process.stdout:
            text = line.decode(errors="replace").rstrip()
            self.last_lines.append(text)
            output(self.label, text)
        return await process.wait()


async def start(
    label: str, command: Sequence[str], environment: Mapping[str, str] | None, output: Output
) -> Child:
    """Start a process that is not reached by the terminal's Ctrl-C, but ends with this one."""
    setpriv = shutil.which("setpriv")  # on every Linux; elsewhere children outlive a killed parent
    ends_with_us = (setpriv, "--pdeathsig", "TERM", "--") if setpriv else ()
    process = await asyncio.create_subprocess_exec(
        *ends_with_us,
        *command,
        env=environment,
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
        limit=LONGEST_LINE,
        start_new_session=True,
    )
    return Child(label, process, output)
