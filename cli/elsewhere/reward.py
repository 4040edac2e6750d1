"""The rewards of completions in the world that `cothink serve` serves, at COTHINK_URL, with COTHINK_TOKEN where it asks for one."""

import json
import os
import urllib.request
from pathlib import Path

folder = Path(__file__).resolve().parent
settings = json.loads((folder / "reward.json").read_text())
ends = ("<eot>", "<finish>")
loaded = {}


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


def said(ids: list) -> tuple:
    """The text before its end, special tokens too, and whether it came to an end."""
    if "tokenizer" not in loaded:
        from transformers import AutoTokenizer

        loaded["tokenizer"] = AutoTokenizer.from_pretrained(folder / "model")
    text = loaded["tokenizer"].decode(ids, clean_up_tokenization_spaces=False)
    at = min((text.find(end) for end in ends if end in text), default=None)
    return (text, False) if at is None else (text[:at], True)


def reward(prompts: list, completions: list, completion_ids: list, problem: list, **_) -> list:
    """As TRL asks: a number for each completion."""
    spoken = [said(ids) for ids in completion_ids]
    paid = [0.0] * len(spoken)
    for one in dict.fromkeys(problem):
        places = [i for i, other in enumerate(problem) if other == one and (spoken[i][1] or not settings["endsOnly"])]
        for i, value in zip(places, worth(one, [spoken[i][0] for i in places]) if places else []):
            paid[i] = float(value)
    return paid


def compute_score(data_source: str, solution_str: str, ground_truth: str, extra_info: dict, **_) -> float:
    """As verl asks: a number for one completion."""
    return float(worth(extra_info["problem"], [solution_str])[0])
