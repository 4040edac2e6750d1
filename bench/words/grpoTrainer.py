# A rung of words/rungs.ts in TRL: GRPOTrainer with one adapter of PEFT on a frozen language model, which plays both roles.
# The planner's and the reasoner's turns are rows of one batch. A row of the reasoner reads the message of the planner's
# row with the same number, and both get the reward of the answer, so that each group is compared as in Cothink.
#   python grpoTrainer.py MODEL.gguf TASK.json SEED THREADS      one JSON line for each iteration and each measurement
import json
import logging
import os
import sys
import time
import warnings
from pathlib import Path

os.environ |= {'HF_HUB_OFFLINE': '1', 'TRL_EXPERIMENTAL_SILENCE': '1', 'TQDM_DISABLE': '1'}
warnings.simplefilter('ignore')

import torch
from datasets import Dataset
from peft import LoraConfig
from transformers import AutoModelForCausalLM, AutoTokenizer, PrinterCallback, TrainerCallback
from trl import GRPOConfig, GRPOTrainer

logging.disable(logging.WARNING)
file, task, seed, threads = Path(sys.argv[1]), json.loads(Path(sys.argv[2]).read_text()), *map(int, sys.argv[3:5])
GROUP, WINDOW, MOST_ROWS = task['groupSize'], task['window'], 16

torch.set_num_threads(threads)
tokenizer = AutoTokenizer.from_pretrained(file.parent, gguf_file=file.name, padding_side='left')
tokenizer.eos_token, tokenizer.pad_token = task['end'], task['end']
base = AutoModelForCausalLM.from_pretrained(file.parent, gguf_file=file.name, dtype=torch.float32)
base.is_quantized = False  # transformers has dequantised all weights, but still refuses to train what was a GGUF file
base.generation_config.eos_token_id = tokenizer.eos_token_id


def ids_of(chat):
    return tokenizer.apply_chat_template(chat, add_generation_prompt=True, return_dict=False)


def hearing(chat, message):
    return [{**turn, 'content': turn['content'].replace(task['placeholder'], message.strip())} for turn in chat]


def is_right(problem, answer):
    """Whether the answer contains the right words in their order, and no other word that could be an answer."""
    said = answer.lower()
    found = sorted((word for word in task['words'] if word in said), key=said.index)
    return found == problem['answer'].split()


def talk(trainer, problems):
    """One dialogue about each problem: the contexts and the completions of both roles, and which answers are right."""
    heard, said, texts = [], [], []
    for role in ('planner', 'reasoner'):
        chats = [hearing(problem[role], texts[-1][row]) if texts else problem[role] for row, problem in enumerate(problems)]
        heard.append([ids_of(chat) for chat in chats])
        said.append(trainer._generate_single_turn(heard[-1], None, {}, 1)[0])
        texts.append(tokenizer.batch_decode(said[-1], skip_special_tokens=True))
    right = [float(is_right(problem, answer)) for problem, answer in zip(problems, texts[1])]
    return heard, said, right


def rollout(prompts, trainer):
    turns = [json.loads(prompt) for prompt in prompts]
    problems = [problem for problem, role in turns if role == 'planner']
    assert [role for _, role in turns] == ['planner'] * len(problems) + ['reasoner'] * len(problems)
    heard, said, right = talk(trainer, problems)
    return {'prompt_ids': sum(heard, []), 'completion_ids': sum(said, []), 'logprobs': None, 'right': right + right}


def reward(right, **_):
    return right


class Tell(TrainerCallback):
    def on_step_begin(self, args, state, control, **_):
        self.began = time.time()

    def on_step_end(self, args, state, control, **_):
        self.seconds = time.time() - self.began

    def on_log(self, args, state, control, logs, **_):
        if 'reward' in logs:
            print(json.dumps({'event': 'iteration', 'iteration': state.global_step, 'reward': logs['reward'], 'seconds': self.seconds}), flush=True)


@torch.no_grad()
def measure(trainer):
    right = talk(trainer, task['heldOut'])[2]
    print(json.dumps({'event': 'evaluation', 'accuracy': sum(right) / len(right)}), flush=True)


rows = [json.dumps([problem, role]) for problems in task['training'] for role in ('planner', 'reasoner') for problem in problems]
row_count = 2 * len(task['training'][0]) * GROUP
parts = row_count // MOST_ROWS
trainer = GRPOTrainer(
    model=base,
    processing_class=tokenizer,
    train_dataset=Dataset.from_dict({'prompt': rows}),
    reward_funcs=reward,
    rollout_func=rollout,
    callbacks=[Tell()],
    peft_config=LoraConfig(
        r=task['rank'],
        lora_alpha=task['alpha'],
        target_modules=[f'{name}_proj' for name in ('q', 'k', 'v', 'o', 'gate', 'up', 'down')],
    ),
    args=GRPOConfig(
        output_dir=task['folder'],
        seed=seed,
        max_steps=len(task['training']),
        # One on-policy update of the whole batch in each iteration, in the order of the dataset.
        per_device_train_batch_size=MOST_ROWS,
        gradient_accumulation_steps=parts,
        shuffle_dataset=False,
        num_generations=GROUP,
        max_completion_length=WINDOW,
        temperature=task['temperature'],
        loss_type='dr_grpo',  # as our aggregation 'constant': the sum over all tokens, divided by rows × window
        max_grad_norm=task['maxGradNorm'],
        beta=0.0,
        learning_rate=task['learningRate'],
        lr_scheduler_type='constant',
        weight_decay=0.0,
        adam_beta2=task['beta2'],
        bf16=False,
        use_cpu=True,
        gradient_checkpointing=False,
        logging_steps=1,
        save_strategy='no',
        report_to='none',
        disable_tqdm=True,
    ),
)
trainer.remove_callback(PrinterCallback)
measure(trainer)
trainer.train()
measure(trainer)
