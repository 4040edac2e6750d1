"""Environments with the methods of Gymnasium and PettingZoo, which need neither package.

An observation is the text that the next speaker has read, and an action is the text of its message. A message that ends
with `<finish>` ends the dialogue, if the speaker may end it. The reward comes with the end of the dialogue.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping
from typing import Any, ClassVar

from .client import Client, Observation


class Texts:
    """The space of messages: texts of the world's words."""

    def __init__(self, words: list[str], longest: int = 4) -> None:
        self.words = [word for word in words if not (word.startswith("<") and word.endswith(">"))]
        self.longest, self._random = longest, random.Random(0)

    def seed(self, seed: int | None = None) -> None:
        self._random = random.Random(seed)

    def sample(self) -> str:
        count = self._random.randint(1, self.longest)
        return "".join(self._random.choice(self.words) for _ in range(count)) if self.words else ""

    def contains(self, text: object) -> bool:
        return isinstance(text, str)


class _Dialogue:
    """The world of a server, and the dialogue about one of its problems."""

    metadata: ClassVar[dict[str, Any]] = {"render_modes": ["ansi"], "name": "cothink", "is_parallelizable": False}
    render_mode = "ansi"

    def __init__(self, client: Client, world: str | None = None, **options: Any) -> None:
        """`options` are those of a reset: `level` and `split`."""
        self.client, self.options = client, options
        served = client.worlds()
        self.facts = next((one for one in served if one["name"] == world), served[0])
        self.world = world or str(self.facts["name"])
        self.space = Texts(self.facts.get("vocabulary") or [])
        self.now: Observation | None = None

    def begin(self, seed: int | None, options: Mapping[str, Any] | None) -> Observation:
        """Begins a dialogue. `options` may have other values of `level` and `split`; others have no effect."""
        asked = self.options | {name: value for name, value in (options or {}).items() if name in ("level", "split")}
        self.space.seed(seed)
        self.now = self.client.reset(self.world, seed=seed, **asked)
        return self.now

    def say(self, text: str) -> Observation:
        if self.now is None or self.now.done:
            raise RuntimeError("the dialogue has not begun or has ended; call reset first.")
        self.now = self.client.step(self.now.episode, text)
        return self.now

    def render(self) -> str:
        return self.now.heard if self.now else ""

    def close(self) -> None: ...


def _told(now: Observation) -> dict[str, Any]:
    """The observation without the name of the episode, which differs between equal dialogues."""
    return {name: value for name, value in vars(now).items() if name != "episode"}


class GymDialogue(_Dialogue):
    """The methods of `gymnasium.Env`. `partners` plays the agents with these numbers; the caller plays all others."""

    def __init__(self, client: Client, *, partners: Mapping[int, Callable[[str], str]] = {}, **world: Any) -> None:
        super().__init__(client, **world)
        self.partners = dict(partners)
        self.action_space = self.observation_space = self.space

    def reset(self, *, seed: int | None = None, options: Mapping[str, Any] | None = None) -> tuple[str, dict[str, Any]]:
        return self._ours(self.begin(seed, options))

    def step(self, action: str) -> tuple[str, float, bool, bool, dict[str, Any]]:
        heard, info = self._ours(self.say(action))
        return heard, info["reward"], info["done"], False, info

    def _ours(self, now: Observation) -> tuple[str, dict[str, Any]]:
        while now.agent is not None and now.agent in self.partners:
            now = self.say(self.partners[now.agent](now.heard))
        return now.heard, _told(now)


class TurnDialogue(_Dialogue):
    """The methods of `pettingzoo.AECEnv`. All agents get the reward of the dialogue."""

    def __init__(self, client: Client, **world: Any) -> None:
        super().__init__(client, **world)
        self.possible_agents = [f"{role}_{i}" for i, role in enumerate(self.facts["roles"])]
        self.agents, self.agent_selection = list[str](), ""

    def observation_space(self, agent: str) -> Texts:
        return self.space

    action_space = observation_space

    def reset(self, seed: int | None = None, options: Mapping[str, Any] | None = None) -> None:
        self.agents = list(self.possible_agents)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict(self.rewards)
        self.terminations, self.truncations = dict.fromkeys(self.agents, False), dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self._heard = dict.fromkeys(self.agents, "")
        self._turn(self.begin(seed, options))

    def observe(self, agent: str) -> str:
        return self._heard[agent]

    def last(self, observe: bool = True) -> tuple[str | None, float, bool, bool, dict[str, Any]]:
        agent = self.agent_selection
        standing = self._cumulative_rewards[agent], self.terminations[agent], self.truncations[agent], self.infos[agent]
        return (self.observe(agent) if observe else None, *standing)

    def step(self, action: str | None) -> None:
        agent = self.agent_selection
        if self.terminations[agent]:
            self.agents.remove(agent)
            self.rewards = dict.fromkeys(self.agents, 0.0)
            for left in (self._cumulative_rewards, self.terminations, self.truncations, self.infos):
                left.pop(agent)
            self.agent_selection = self.agents[0] if self.agents else agent
            return
        self._cumulative_rewards[agent] = 0.0
        self._turn(self.say(action or ""))

    def agent_iter(self, max_iter: int = 2**63) -> Iterator[str]:
        while self.agents and max_iter > 0:
            max_iter -= 1
            yield self.agent_selection

    def _turn(self, now: Observation) -> None:
        if now.agent is not None:
            self.agent_selection = self.possible_agents[now.agent]
            self._heard[self.agent_selection] = now.heard
            self.infos[self.agent_selection] = _told(now)
            return
        for agent in self.agents:
            self.rewards[agent] = now.reward
            self._cumulative_rewards[agent] += now.reward
            self.terminations[agent] = True
            self.infos[agent] = _told(now)
        self.agent_selection = self.agents[0]
