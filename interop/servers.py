"""Checks `cothink serve` with clients of other projects, and counts the checks of each client."""

import asyncio
import importlib
import json
import subprocess
import sys
import tempfile
import threading
import urllib.error
import urllib.request
from pathlib import Path

import grpc
import openai
from google.protobuf.descriptor_pool import DescriptorPool
from google.protobuf.message_factory import GetMessageClass
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha.proto_reflection_descriptor_database import ProtoReflectionDescriptorDatabase
from grpc_tools import protoc
from openenv.core.generic_client import GenericEnvClient

from counted import checks_of, ends

program, run = sys.argv[1], sys.argv[2]
calls, chats, plays, plain = checks_of("grpcio-tools"), checks_of("openai"), checks_of("OpenEnv", "openenv-core"), checks_of("Python")

def generated(url: str):
    """The modules that grpcio-tools generates from the .proto file that the server provides."""
    folder = tempfile.mkdtemp()
    proto = urllib.request.urlopen(f"{url}/world.proto").read()
    (Path(folder) / "world.proto").write_bytes(proto)
    protoc.main(["protoc", f"-I{folder}", f"--python_out={folder}", f"--grpc_python_out={folder}", f"{folder}/world.proto"])
    sys.path.insert(0, folder)
    return importlib.import_module("world_pb2"), importlib.import_module("world_pb2_grpc")


def check_grpc(url: str, address: str) -> None:
    messages, services = generated(url)

    def talk(seed: int) -> list:
        with grpc.insecure_channel(address) as channel:
            world = services.WorldStub(channel)
            seen = world.Reset(messages.ResetRequest(seed=seed), timeout=20)
            told = [seen.heard]
            while not seen.done:
                asked = messages.StepRequest(episode=seen.episode, text="2*3", finish=seen.may_finish and seen.turns > 3)
                seen = world.Step(asked, timeout=20)
                told.append((seen.heard, seen.reward, list(seen.reasons)))
            return told

    alone = talk(7)
    calls("a Python client generated from world.proto plays a dialogue to its end", len(alone) > 3)
    together: list = [None] * 16
    threads = [threading.Thread(target=lambda i=i: together.__setitem__(i, talk(7))) for i in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    calls("16 clients at once get the same dialogue for the same seed", all(told == alone for told in together))
    with grpc.insecure_channel(address) as channel:
        world = services.WorldStub(channel)
        health = world.Health(messages.HealthRequest(), timeout=20)
        calls("Health names the world", health.world == "houseRule", health)
        begun = [world.Reset(messages.ResetRequest(seed=seed), timeout=20) for seed in range(32)]
        steps = [messages.StepRequest(episode=one.episode, text="1+1") for one in begun]
        replies = world.BatchStep(messages.BatchStepRequest(steps=steps), timeout=20).replies
        calls("BatchStep answers 32 dialogues in order", [one.observation.episode for one in replies] == [one.episode for one in begun])
        drawn = [world.Reset(messages.ResetRequest(), timeout=20) for _ in range(3)]
        calls("Reset without a seed draws a new problem each time", len({one.heard for one in drawn}) == 3, drawn)
        again = world.Reset(messages.ResetRequest(seed=drawn[1].seed), timeout=20)
        calls("the reported seed draws the same problem again, and 0 is a valid seed", again.heard == drawn[1].heard and world.Reset(messages.ResetRequest(seed=0), timeout=20).seed == 0)
        try:
            world.Step(messages.StepRequest(episode="none", text=""), timeout=20)
            code = None
        except grpc.RpcError as error:
            code = error.code()
        calls("an unknown episode is NOT_FOUND", code == grpc.StatusCode.NOT_FOUND, code)


def check_standard(address: str) -> None:
    with grpc.insecure_channel(address) as channel:
        found = ProtoReflectionDescriptorDatabase(channel)
        names = found.get_services()
        calls("grpcio-reflection lists the services", "cothink.world.v1.World" in names and "grpc.health.v1.Health" in names, names)
        reset = DescriptorPool(found).FindServiceByName("cothink.world.v1.World").FindMethodByName("Reset")
        asked, told = GetMessageClass(reset.input_type), GetMessageClass(reset.output_type)
        call = channel.unary_unary("/cothink.world.v1.World/Reset", asked.SerializeToString, told.FromString)
        calls("a client without the .proto file begins a dialogue", call(asked(seed=3), timeout=20).heard.startswith("<bos>"))
        health = health_pb2_grpc.HealthStub(channel)
        status = health.Check(health_pb2.HealthCheckRequest(service="cothink.world.v1.World"), timeout=20).status
        watched = next(iter(health.Watch(health_pb2.HealthCheckRequest(), timeout=20))).status
        calls("grpcio-health-checking sees that the world answers", [status, watched] == [1, 1], [status, watched])


def check_openai(url: str) -> None:
    client = openai.OpenAI(base_url=f"{url}/v1", api_key="none")
    names = [model.id for model in client.models.list()]
    chats("openai lists the team and a model for each agent", len(names) == 3, names)
    asked = {"model": names[2], "messages": [{"role": "user", "content": "2+3"}, {"role": "user", "content": "+"}], "seed": 5, "max_tokens": 6}
    whole = client.chat.completions.create(**asked, logprobs=True)
    streamed = "".join(chunk.choices[0].delta.content or "" for chunk in client.chat.completions.create(**asked, stream=True))
    chats("openai gets the same chat whole and streamed for one seed", whole.choices[0].message.content == streamed, streamed)
    counted = list(client.chat.completions.create(**asked, stream=True, stream_options={"include_usage": True}))
    chats("openai counts the tokens of a stream", counted[-1].usage == whole.usage, counted[-1].usage)
    chats("openai finds a model by its name", client.models.retrieve(names[2]).id == names[2])
    tokens = whole.choices[0].logprobs.content
    chats("openai reads log-probabilities", all(token.logprob <= 0 for token in tokens) and len(tokens) > 0)
    text = client.completions.create(model=names[2], prompt="<bos>2+3<eot><reason>", max_tokens=4, seed=5, logprobs=0)
    chats("openai completes a text with log-probabilities", len(text.choices[0].logprobs.token_logprobs) > 0)
    given = client.completions.create(model=names[2], prompt=["<bos>2+3<eot><reason>5", "<bos>2+3<eot><reason>6"], max_tokens=0, echo=True, logprobs=2)
    scores = [choice.logprobs.token_logprobs for choice in given.choices]
    chats("openai gets the likelihood of given texts", all(row[0] is None and len(row) > 5 and all(one < 0 for one in row[1:]) for row in scores), scores)
    team = client.chat.completions.create(model=names[0], messages=client.models.retrieve(names[0]).example["messages"], temperature=0, seed=0)
    chats("openai asks the whole team, and gets its dialogue as reasoning", team.choices[0].message.reasoning_content.startswith("metaThinking: "), team)
    for field in ({"tools": [{"type": "function", "function": {"name": "f"}}]}, {"logit_bias": {"5": 100}}, {"frequency_penalty": 1}):
        try:
            client.chat.completions.create(**asked, **field)
            refusal = None
        except openai.BadRequestError as error:
            refusal = str(error)
        [name] = field
        chats(f"openai gets an error that {name} is not supported", refusal is not None and name in refusal, refusal)
    try:
        client.completions.create(model="none", prompt="x")
        status = None
    except openai.NotFoundError as error:
        status = error.status_code
    chats("openai gets 404 for an unknown model", status == 404, status)


async def check_openenv(url: str) -> None:
    async with GenericEnvClient(base_url=url) as env:
        seen = await env.reset(seed=3)
        first = seen.observation["heard"]
        seen = await env.step({"text": "2*3"})
        state = await env.state()
        plays("OpenEnv's client resets, steps and asks for the state", first.startswith("<bos>") and state["step_count"] == 1, state)
        while not seen.done:
            seen = await env.step({"text": "2*3", "finish": seen.observation["may_finish"]})
        plays("OpenEnv's client plays a dialogue to its end", seen.reward is not None and len(seen.observation["reasons"]) > 0)
        drawn = [(await env.reset()).observation for _ in range(3)]
        plays("OpenEnv's client gets a new problem with each reset", len({one["heard"] for one in drawn}) == 3, drawn)
        again = await env.reset(seed=3)
        plays("OpenEnv's client gets the same problem for the same seed", again.observation["heard"] == first)


def check_validation(url: str) -> None:
    told = subprocess.run([sys.executable, "-m", "openenv.cli", "validate", "--url", url], capture_output=True, text=True, timeout=60)
    report = json.loads(told.stdout[told.stdout.index("{"):])
    failed = [one["id"] for one in report["criteria"] if not one["passed"]]
    plays("openenv validate passes", report["passed"] and len(report["criteria"]) >= 6 and not failed, failed)


def check_rewards(url: str) -> None:
    asked = {"world": "houseRule", "problem": {"shown": "1-2*9", "hidden": {"rule": "<precedence>"}}, "completions": ["3", "4"]}
    request = urllib.request.Request(f"{url}/reward", json.dumps(asked).encode(), {"Content-Type": "application/json"})
    plain("Python's own client gets rewards of completions", json.load(urllib.request.urlopen(request))["rewards"] == [1, 0])


served = subprocess.Popen(["node", program, "serve", run, "--port", "0", "--grpc", "0", "--json"], stdout=subprocess.PIPE, text=True)
try:
    place = json.loads(served.stdout.readline())
    check_grpc(place["url"], place["grpc"].removeprefix("grpc://"))
    check_standard(place["grpc"].removeprefix("grpc://"))
    check_openai(place["url"])
    asyncio.run(check_openenv(place["url"]))
    check_validation(place["url"])
    check_rewards(place["url"])
    example = subprocess.run([sys.executable, Path(__file__).parent.parent / "examples/openEnv.py", place["url"]], capture_output=True, text=True, timeout=60)
    plays("the example openEnv.py plays a dialogue to its end", "reward " in example.stdout, example.stdout + example.stderr)
finally:
    served.terminate()
ends()
