"""What every worker process of ours does first, whatever it works on."""

import os
import signal
import threading
from multiprocessing import parent_process

NICENESS = 5
"""Thinking gives way to serving."""


def prepare() -> None:
    """Stop when the parent is gone, however it went; leave an interrupt from the keyboard to the parent."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    os.nice(NICENESS)
    threading.Thread(target=_follow_parent, daemon=True).start()


def _follow_parent() -> None:
    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
