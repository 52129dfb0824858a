"""Whether this machine can run the engine. It must be known before: a wrong processor ends the process."""

import platform
from importlib.util import find_spec
from pathlib import Path

CPUINFO = Path("/proc/cpuinfo")
PROCESSORS = ("x86_64", "AMD64")


def why_unfit(processor: str, flags: str) -> str:
    """What is missing, nothing if nothing is. `flags` may be empty where the system does not tell them."""
    if processor not in PROCESSORS:
        return f"the engine is built for x86-64 only, this is {processor}"
    if flags and "avx2" not in flags.split():
        return "the engine needs a processor with AVX2"
    return ""


def why_missing() -> str:
    """Why this machine cannot run the engine, nothing if it can. Nothing of the engine is loaded to tell."""
    unfit = why_unfit(platform.machine(), _flags())
    if not unfit and find_spec("bgbot_cpp") is None:
        return "bgsage is not installed: pip install 'videau[engine]'"
    return unfit


def _flags() -> str:
    try:
        lines = CPUINFO.read_text().splitlines()
    except OSError:
        return ""
    return next((line.partition(":")[2] for line in lines if line.startswith("flags")), "")
