"""Counts the checks of each tool: each check prints a line, and the last line contains all counts (tools.mjs)."""

import json
import platform
import sys
from importlib.metadata import version
from typing import Callable

counts: dict[str, dict] = {}
Check = Callable[..., None]


def checks_of(tool: str, package: str = "") -> Check:
    """Returns a function that prints a line with the result of one check of this tool and counts it.

    `package` is the Python package of the tool, if it has another name.
    """
    its = platform.python_version() if tool == "Python" else version(package or tool)
    own = counts.setdefault(tool, {"version": its, "passed": 0, "failed": 0})

    def check(words: str, is_good: bool, detail: object = "") -> None:
        own["passed" if is_good else "failed"] += 1
        print(f"ok     {words}" if is_good else f"FAILED {words} {detail}", flush=True)

    return check


def ends() -> None:
    """Prints the counts and ends the program."""
    print("counts", json.dumps(counts))
    sys.exit(1 if any(own["failed"] for own in counts.values()) else 0)
