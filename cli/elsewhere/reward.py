"""The rewards of completions in the world that `cothink serve` serves, at COTHINK_URL, with COTHINK_TOKEN where it asks for one."""

import json
import os
import urllib.request
from pathlib import Path

folder = Path(__file__).resolve().parent
settings = json.loads((folder / "reward.json").read_text())


def worth(problem: str, completions: list) -> list:
    """The reward that the run would pay for each completion; the problem is JSON, as the prompts have it."""
    asked = {"problem": json.loads(problem), "completions": completions, "weights": settings["weights"]}
    headers = {"Content-Type": "application/json"}
    if "COTHINK_TOKEN" in os.environ:
        headers["Authorization"] = f"Bearer {os.environ['COTHINK_TOKEN']}"
    url = os.environ.get("COTHINK_URL", "http://localhost:4173")
    request = urllib.request.Request(f"{url}/reward", json.dumps(asked).encode(), headers)
    with urllib.request.urlopen(request, timeout=60) as answer:
        return json.load(answer)["rewards"]
