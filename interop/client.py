"""Checks the Python client of this project against `cothink serve`, and its environments with Gymnasium and PettingZoo."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path

from counted import checks_of, ends

program, run = sys.argv[1], sys.argv[2]
own, shapes, turns = checks_of("Python client", "mypy"), checks_of("gymnasium"), checks_of("pettingzoo")

folder = Path(tempfile.mkdtemp())
shutil.copytree(Path(__file__).parent.parent / "python", folder / "tree")
pip = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps"]
installed = subprocess.run([*pip, "--target", folder / "installed", folder / "tree"], capture_output=True, text=True)
own("pip installs the client from the tree", installed.returncode == 0, installed.stderr)
sys.path.insert(0, str(folder / "installed"))
typed = subprocess.run(
    [sys.executable, "-m", "mypy", "--strict", "--cache-dir", os.devnull, "-p", "cothink"],
    capture_output=True,
    text=True,
    cwd=folder / "tree",
)
own("the client passes mypy --strict", typed.returncode == 0, typed.stdout)

import gymnasium
import numpy
from gymnasium.utils.env_checker import check_env
from pettingzoo import AECEnv
from pettingzoo.test import api_test

from cothink import Client, CothinkError
from cothink.envs import GymDialogue, TurnDialogue


def refusal(work) -> CothinkError | None:
    try:
        work()
    except CothinkError as error:
        return error
    return None


def check_team(client: Client) -> None:
    team, _, reasoner = client.models()
    hidden, question = [message["content"] for message in team["example"]["messages"]]
    first = client.ask(question, hidden, seed=7)
    own("the team answers, with its dialogue", first.turns[0][0] == "metaThinking" and first.tokens > 0, first)
    named = client.ask(question, {"rule": hidden}, seed=7, model=f"{team['id']}/team")
    own("the same seed gives the same dialogue, also if the hidden text is named", named == first, named)
    alone, longer = client.score([reasoner["example"]["prompt"], f"{reasoner['example']['prompt']}5"], model=reasoner["id"])
    together = all(abs(one - other) < 1e-4 for one, other in zip(alone, longer))
    own("texts are scored, and more text does not change the scores before it", len(longer) == len(alone) + 1 and together and max(longer) < 0)
    refused = refusal(lambda: client.ask("hello", hidden))
    own("a problem that cannot be is refused with a sentence", refused is not None and refused.status == 400 and str(refused).endswith("."), refused)


def check_world(client: Client) -> None:
    now = first = client.reset(seed=3)
    while not now.done:
        now = client.step(now.episode, "2*3", finish=now.may_finish and now.turns > 3)
    own("a dialogue is played to its end", len(now.rewards) == now.turns == len(now.reasons) and now.agent is None, now)
    own("the same seed draws the same problem", client.reset("houseRule", seed=3).heard == first.heard)
    refused = refusal(lambda: client.reset("nowhere"))
    own("a world that is not served is refused by name", refused is not None and "houseRule" in str(refused), refused)
    problem = {"shown": "1-2*9", "hidden": {"rule": "<precedence>"}}
    rewarded = client.rewards(["3", "4"], problem=problem, world="houseRule")
    own("completions get their rewards", rewarded.rewards == [1, 0] and rewarded.is_right == [True, False], rewarded)
    absent = refusal(lambda: Client("http://localhost:9", timeout=5).models())
    own("a server that does not answer is named", absent is not None and absent.status == 0 and "cothink serve" in str(absent), absent)


class Space(gymnasium.spaces.Space):
    """The space of texts as Gymnasium's own class, which its checks require."""

    def __init__(self, texts, dtype=str) -> None:
        super().__init__(dtype=dtype)
        self.texts = texts

    def seed(self, seed=None):
        self.texts.seed(seed)

    def sample(self, mask=None, probability=None):
        return self.texts.sample()

    def contains(self, x) -> bool:
        return self.texts.contains("".join(map(chr, x)) if isinstance(x, numpy.ndarray) else x)

    def __eq__(self, other) -> bool:
        return isinstance(other, Space)


def check_shapes(client: Client) -> None:
    class Gym(GymDialogue, gymnasium.Env):
        def __init__(self) -> None:
            GymDialogue.__init__(self, client, partners={0: lambda heard: "2*3"})
            self.action_space = self.observation_space = Space(self.space)

        def reset(self, *, seed=None, options=None):
            gymnasium.Env.reset(self, seed=seed)
            return GymDialogue.reset(self, seed=seed, options=options)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            check_env(Gym(), skip_render_check=True, skip_close_check=True)
            fault = None
        except Exception as error:
            fault = error
    shapes("check_env of Gymnasium accepts the environment", fault is None, fault)
    env = GymDialogue(client, partners={0: lambda heard: "2*3"})
    heard, info = env.reset(seed=3)
    agents, done = [info["agent"]], False
    while not done:
        heard, reward, done, cut, info = env.step("6")
        agents.append(info["agent"])
    shapes("a partner plays the other agent", set(agents) == {1, None} and info["done"], agents)

    class Turns(TurnDialogue, AECEnv):
        def __init__(self) -> None:
            AECEnv.__init__(self)
            TurnDialogue.__init__(self, client)
            self.heard_space, self.said_space = Space(self.space, numpy.int64), Space(self.space)

        def observe(self, agent):
            # The test of PettingZoo reads only arrays of numbers, so the text is given as the codes of its characters.
            return numpy.array([ord(sign) for sign in TurnDialogue.observe(self, agent).ljust(500)])

        def observation_space(self, agent):
            return self.heard_space

        def action_space(self, agent):
            return self.said_space

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            api_test(Turns(), num_cycles=20)
            fault = None
        except Exception as error:
            fault = error
    turns("api_test of PettingZoo accepts the environment", fault is None, repr(fault))


served = subprocess.Popen(["node", program, "serve", run, "--port", "0", "--json"], stdout=subprocess.PIPE, text=True)
try:
    client = Client(json.loads(served.stdout.readline())["url"])
    check_team(client)
    check_world(client)
    check_shapes(client)
    example = Path(__file__).parent.parent / "examples/team.py"
    path = {**os.environ, "PYTHONPATH": str(folder / "installed")}
    asked = subprocess.run([sys.executable, example, client.url], capture_output=True, text=True, timeout=60, env=path)
    own("the example team.py asks the team", "rewards of 3 and 4 for 1-2*9: [1" in asked.stdout, asked.stdout + asked.stderr)
finally:
    served.terminate()
    shutil.rmtree(folder)
ends()
