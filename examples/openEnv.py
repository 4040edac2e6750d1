"""A world as an environment of OpenEnv: your program writes the messages of both agents.

    cothink serve --world houseRule --port 4173
    python examples/openEnv.py http://localhost:4173      # needs: pip install openenv-core
"""

import asyncio
import re
import sys

from openenv.core.generic_client import GenericEnvClient


def speak(heard: str, role: str, may_finish: bool) -> dict[str, object]:
    """Replace this function by your model. `heard` is everything that the speaker has read so far."""
    if may_finish and "<reason>" in heard:
        return {"text": "", "finish": True}
    part = re.search(r"\d[-+*]\d", heard)
    if role == "metaThinking":
        return {"text": part.group() if part else "", "finish": False}
    return {"text": "7", "finish": False}


async def main(url: str) -> None:
    async with GenericEnvClient(base_url=url) as env:
        seen = await env.reset(seed=3)
        while not seen.done:
            now = seen.observation
            message = speak(now["heard"], now["role"], now["may_finish"])
            print(f"{now['role']}: {message['text']}{' (ends)' if message['finish'] else ''}")
            seen = await env.step(message)
        print(f"reward {seen.reward}: {'; '.join(filter(None, seen.observation['reasons']))}")


asyncio.run(main(sys.argv[1]))
