"""Ask a trained team, and play with it, through the Python client.

    cothink train --preset quick --out first && cothink serve first --port 4173
    python examples/team.py http://localhost:4173         # needs: pip install ./python
"""

import sys

from cothink import Client

client = Client(sys.argv[1])
answer = client.ask("7+4*2", hidden="<precedence>", temperature=0)
for role, text in answer.turns:
    print(f"{role}: {text}")
print(f"answer {answer.content}")

found = client.rewards(["3", "4"], problem={"shown": "1-2*9", "hidden": {"rule": "<precedence>"}}, world="houseRule")
print(f"rewards of 3 and 4 for 1-2*9: {found.rewards}")
