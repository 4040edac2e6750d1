"""The client: each method is one request to the server."""

from __future__ import annotations

import json
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any


class CothinkError(Exception):
    """The server refused a request, or did not answer. `status` is the HTTP status; 0 if there was no answer."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


@dataclass(frozen=True)
class Answer:
    """The answer of a team. `turns` contains the role and the message of each turn; `tokens` counts sampled tokens."""

    content: str
    turns: list[tuple[str, str]]
    finish_reason: str
    tokens: int


@dataclass(frozen=True)
class Observation:
    """A dialogue before its next turn. `agent` speaks next (None at the end), and `heard` is all that it has read."""

    episode: str
    seed: int
    turns: int
    agent: int | None
    role: str
    heard: str
    may_finish: bool
    done: bool
    reward: float
    rewards: list[float] = field(default_factory=list)
    reasons: list[str] = field(default_factory=list)
    answer: str | None = None
    is_right: bool = False


@dataclass(frozen=True)
class Rewards:
    """For each completion: its reward, the reason, the answer that it contains, and the parts of the reward by name."""

    rewards: list[float]
    why: list[str]
    answers: list[str | None]
    is_right: list[bool]
    parts: list[dict[str, float]]


class Client:
    """A server at `url`. `timeout` is in seconds. All methods raise CothinkError if the server refuses the request."""

    def __init__(self, url: str = "http://localhost:4173", token: str | None = None, timeout: float = 60.0) -> None:
        self.url, self.timeout = url.rstrip("/"), timeout
        self._headers = {"Content-Type": "application/json"} | ({"Authorization": f"Bearer {token}"} if token else {})
        is_local = urllib.parse.urlsplit(self.url).hostname in ("localhost", "127.0.0.1", "::1")
        self._opener = urllib.request.build_opener(*([urllib.request.ProxyHandler({})] if is_local else []))

    def models(self) -> list[dict[str, Any]]:
        """The served models: first the team (the only one with `agents`), then its agents."""
        return list(self._call("/v1/models")["data"])

    def ask(self, question: str, hidden: str | Mapping[str, str] = "", **options: Any) -> Answer:
        """Lets the team talk about a problem. `hidden` is the part that only some agents see, by name if there are
        several texts. Options: `model` (the team by default), `seed` (the same seed gives the same dialogue; seed s is
        problem s of an evaluation), `temperature`, `level`, `stop`, `problem` (if the texts do not determine it)."""
        told = hidden if isinstance(hidden, str) else "\n".join(f"{name}: {text}" for name, text in hidden.items())
        messages = [{"role": "system", "content": told}] if told else []
        asked = options | {
            "model": options.get("model") or self._team(),
            "messages": [*messages, {"role": "user", "content": question}],
        }
        found = self._call("/v1/chat/completions", asked)
        [choice] = found["choices"]
        turns = [(turn["role"], turn["text"]) for turn in choice["message"]["turns"]]
        return Answer(choice["message"]["content"], turns, choice["finish_reason"], found["usage"]["completion_tokens"])

    def score(self, prompts: Sequence[str] | Sequence[Sequence[int]], *, model: str) -> list[list[float]]:
        """The log-probability (natural) of each token of each text but the first, at temperature 1, from one agent."""
        asked = {"model": model, "prompt": list(prompts), "echo": True, "logprobs": 0, "max_tokens": 0}
        choices = self._call("/v1/completions", asked)["choices"]
        return [choice["logprobs"]["token_logprobs"][1:] for choice in choices]

    def worlds(self) -> list[dict[str, Any]]:
        """The served worlds, with their names, levels, splits, roles and vocabularies."""
        return list(self._call("/metadata")["worlds"])

    def reset(
        self, world: str | None = None, *, seed: int | None = None, level: int | None = None, split: str | None = None
    ) -> Observation:
        """Begins a dialogue in a world; by default in the first. Without a seed, the next problem is drawn."""
        return _observed(self._call("/reset", {"world": world, "seed": seed, "level": level, "split": split}))

    def step(self, episode: str, text: str, *, finish: bool = False) -> Observation:
        """Says the message of the agent that speaks next. `finish` ends the dialogue if `may_finish` is true."""
        return _observed(self._call("/step", {"episode_id": episode, "action": {"text": text, "finish": finish}}))

    def rewards(self, completions: Sequence[str], *, problem: Mapping[str, Any], **options: Any) -> Rewards:
        """The rewards of completions of one problem, as in training. `problem` is complete, or has `shown` and `hidden`
        and needs `world` and `level`. `weights` are those of the parts of the reward."""
        found = self._call("/reward", {"completions": list(completions), "problem": problem, **options})
        return Rewards(found["rewards"], found["why"], found["answers"], found["isRight"], found["parts"])

    def _team(self) -> str:
        for model in self.models():
            if "agents" in model:
                return str(model["id"])
        raise CothinkError(404, "no team is served; start cothink serve with a run.")

    def _call(self, path: str, body: Mapping[str, Any] | None = None) -> dict[str, Any]:
        data = json.dumps(body).encode() if body is not None else None
        request = urllib.request.Request(f"{self.url}{path}", data, self._headers)
        try:
            with self._opener.open(request, timeout=self.timeout) as response:
                return dict(json.load(response))
        except urllib.error.HTTPError as error:
            raise CothinkError(error.code, _message(error.read(), error.reason)) from None
        except (OSError, ValueError) as error:
            raise CothinkError(0, f"{self.url} does not answer ({error}); start cothink serve there.") from error


def _message(body: bytes, otherwise: str) -> str:
    try:
        return str(json.loads(body)["error"]["message"])
    except (ValueError, KeyError, TypeError):
        return otherwise


def _observed(found: Mapping[str, Any]) -> Observation:
    seen = {name: value for name, value in found["observation"].items() if name != "metadata"}
    return Observation(seen.pop("episode_id"), done=found["done"], reward=found["reward"], **seen)
