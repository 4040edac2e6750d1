# Does PEFT give the same probabilities? For every token that a team sampled: the log-probability that PyTorch and PEFT
# compute for it after the same context, compared with the one that was stored when the token was sampled.
#   python peftSays.py MODEL.gguf ADAPTER-FOLDER ROWS.jsonl      one JSON line
import json
import sys
from pathlib import Path

import torch
from peft import PeftModel
from transformers import AutoModelForCausalLM

file, adapter, said = map(Path, sys.argv[1:4])
base = AutoModelForCausalLM.from_pretrained(file.parent, gguf_file=file.name, dtype=torch.float32)
model = PeftModel.from_pretrained(base, adapter).eval()
rows = [json.loads(line) for line in said.read_text().splitlines()]


@torch.no_grad()
def farthest():
    apart = 0
    for row in rows:
        ids, sampled = torch.tensor(row['ids']), torch.tensor(row['isAction'])[1:]
        logprobs = model(input_ids=ids[None]).logits[0, :-1].log_softmax(-1).gather(1, ids[1:, None]).squeeze(1)
        apart = max(apart, (logprobs - torch.tensor(row['logprobs'])[1:])[sampled].abs().max().item())
    return apart


same = farthest()
with model.disable_adapter():
    without = farthest()
print(json.dumps({'tokens': sum(map(sum, (row['isAction'] for row in rows))), 'farthest': same, 'farthestWithout': without}))
