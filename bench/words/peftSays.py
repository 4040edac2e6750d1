# Does PEFT say the same? The log-probability of every token that a team sampled about the held-out problems, computed by
# PyTorch and PEFT from the same prompts, compared with the one that was stored when the token was sampled.
#   python peftSays.py MODEL.gguf ADAPTER-FOLDER DIALOGUES.jsonl      one JSON line
import json
import sys
from pathlib import Path

import torch
from peft import PeftModel
from transformers import AutoModelForCausalLM

file, adapter, dialogues = map(Path, sys.argv[1:4])
base = AutoModelForCausalLM.from_pretrained(file.parent, gguf_file=file.name, dtype=torch.float32)
model = PeftModel.from_pretrained(base, adapter).eval()
lines = [json.loads(line) for line in dialogues.read_text().splitlines()]
turns = [(prompt, turn) for line in lines for prompt, turn in zip(line['prompts'], line['turns'], strict=True)]


@torch.no_grad()
def farthest():
    apart = 0
    for prompt, turn in turns:
        said = turn['tokens']
        logits = model(input_ids=torch.tensor([prompt + said])).logits[0, len(prompt) - 1:-1]
        logprobs = logits.log_softmax(-1).gather(1, torch.tensor(said).unsqueeze(1)).squeeze(1)
        apart = max(apart, (logprobs - torch.tensor(turn['logprobs'])).abs().max().item())
    return apart


same = farthest()
with model.disable_adapter():
    without = farthest()
print(json.dumps({'tokens': sum(len(turn['tokens']) for _, turn in turns), 'farthest': same, 'farthestWithout': without}))
