# The recipe of the preset Pass it on in PyTorch and PEFT: one adapter on a frozen language model plays both roles, GRPO.
#   python reference.py MODEL.gguf ITERATIONS SEED THREADS      one JSON line for each iteration and each measurement
import json
import random
import sys
import time
from pathlib import Path

import torch
from peft import LoraConfig, get_peft_model
from transformers import AutoModelForCausalLM, AutoTokenizer

file, iterations, seed, threads = Path(sys.argv[1]), *map(int, sys.argv[2:5])
PROBLEMS, GROUP, WINDOW, TEMPERATURE, HELD_OUT, ROWS = 4, 8, 14, 0.8, 36, 16
COLOURS = ['red', 'blue', 'green', 'yellow', 'black', 'white']
THINGS = ['box', 'car', 'house', 'door', 'ball', 'hat']

torch.set_num_threads(threads)
torch.manual_seed(seed)
tokenizer = AutoTokenizer.from_pretrained(file.parent, gguf_file=file.name, padding_side='left')
tokenizer.pad_token_id = end = 2
base = AutoModelForCausalLM.from_pretrained(file.parent, gguf_file=file.name, dtype=torch.float32)
projections = [f'{name}_proj' for name in ('q', 'k', 'v', 'o', 'gate', 'up', 'down')]
model = get_peft_model(base, LoraConfig(r=8, lora_alpha=16, target_modules=projections))
trained = [parameter for parameter in model.parameters() if parameter.requires_grad]
optimiser = torch.optim.AdamW(trained, lr=3e-4, weight_decay=0)


def as_chat(text):
    return tokenizer.apply_chat_template([{'role': 'user', 'content': text}], tokenize=False, add_generation_prompt=True)


def told(thing, colour):
    return as_chat(f'You know a secret: the {thing} is {colour}. Your friend does not know it. '
                   f'Write one short sentence that tells your friend the colour of the {thing}.')


def asked(thing, message):
    return as_chat(f'Your friend says: "{message.strip()}" What colour is the {thing}? Answer with one word.')


@torch.no_grad()
def say(prompts):
    model.eval()
    heard = tokenizer(prompts, return_tensors='pt', padding=True)
    rows = model.generate(**heard, max_new_tokens=WINDOW, do_sample=True, temperature=TEMPERATURE, top_k=0, top_p=1.0,
                          pad_token_id=end, eos_token_id=end)
    said = rows[:, heard.input_ids.shape[1]:]
    return heard, said, tokenizer.batch_decode(said, skip_special_tokens=True)


def talk(problems):
    first = say([told(*problem) for problem in problems])
    second = say([asked(thing, message) for (thing, _), message in zip(problems, first[2])])
    right = [float([c for c in COLOURS if c in answer.lower()] == [colour])
             for (_, colour), answer in zip(problems, second[2])]
    return (first, second), torch.tensor(right)


def measure():
    every = [(thing, colour) for thing in THINGS for colour in COLOURS][:HELD_OUT]
    print(json.dumps({'event': 'evaluation', 'accuracy': talk(every)[1].mean().item()}), flush=True)


def learn(turns, advantages):
    living = (advantages.abs() > 1e-3).nonzero().squeeze(1)
    if len(living) == 0:
        return
    model.train()
    optimiser.zero_grad()
    for heard, said, _ in turns:
        ids = torch.cat([heard.input_ids, said], 1)
        seen = torch.cat([heard.attention_mask, torch.ones_like(said)], 1)
        ends = (said == end).cumsum(1)
        counts = ((ends == 0) | ((ends == 1) & (said == end))).float()
        for rows in living.split(ROWS):
            logits = model(input_ids=ids[rows], attention_mask=seen[rows]).logits[:, -said.shape[1] - 1:-1]
            logprobs = torch.log_softmax(logits / TEMPERATURE, -1).gather(2, said[rows].unsqueeze(2)).squeeze(2)
            weighed = advantages[rows].unsqueeze(1) * logprobs * counts[rows]
            (-weighed.sum() / (len(advantages) * WINDOW / 2)).backward()
    torch.nn.utils.clip_grad_norm_(trained, 1.0)
    optimiser.step()


measure()
draws = random.Random(seed)
for iteration in range(1, iterations + 1):
    began = time.time()
    problems = [(draws.choice(THINGS), draws.choice(COLOURS)) for _ in range(PROBLEMS)]
    turns, rewards = talk([problem for problem in problems for _ in range(GROUP)])
    groups = rewards.view(PROBLEMS, GROUP)
    spread = groups.std(1, keepdim=True) + 1e-4
    learn(turns, ((groups - groups.mean(1, keepdim=True)) / spread).flatten())
    print(json.dumps({'event': 'iteration', 'iteration': iteration, 'reward': rewards.mean().item(),
                      'seconds': time.time() - began}), flush=True)
measure()
