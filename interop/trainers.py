"""Checks exported runs in other trainers, and counts the checks of each. TRL takes two steps with the exported scripts.

verl needs GPUs, so its files are only read in the same way as verl reads them.
"""

import contextlib
import importlib.util
import json
import math
import os
import runpy
import subprocess
import sys
import urllib.request
import warnings
from pathlib import Path

os.environ |= {"HF_HUB_OFFLINE": "1", "HF_HUB_DISABLE_PROGRESS_BARS": "1", "TRL_EXPERIMENTAL_SILENCE": "1"}

program, run, exported = sys.argv[1], sys.argv[2], Path(sys.argv[3])
os.environ["HF_HOME"] = str(exported / "cache")

warnings.simplefilter("ignore")

import pyarrow.parquet
import torch
from transformers import AutoModelForCausalLM, AutoTokenizer

from counted import checks_of, ends

trl, read_as_verl = checks_of("TRL", "trl"), checks_of("verl's data, by pyarrow and transformers", "transformers")


def lines(name: str) -> list:
    return [json.loads(line) for line in (exported / "trl" / name).read_text().splitlines()]


def paid_by_world(problem: str, completion: str) -> float:
    """The reward that the server gives if the problem is sent as typed text, without the exported reward function."""
    whole = json.loads(problem)
    typed = {"shown": whole["shown"], "hidden": whole["hidden"]}
    asked = {"world": whole["world"], "level": whole["level"], "problem": typed, "completions": [completion]}
    request = urllib.request.Request(f"{os.environ['COTHINK_URL']}/reward", json.dumps(asked).encode(), {"Content-Type": "application/json"})
    return json.load(urllib.request.urlopen(request))["rewards"][0]


def two_steps(script: str, *settings: str):
    """Runs an exported script as a user starts it, for two steps, and returns its trainer."""
    sys.argv = [script, "--config", script.replace(".py", ".yaml"), "--max_steps", "2", "--warmup_steps", "0", *settings]
    with open(os.devnull, "w") as nowhere, contextlib.redirect_stdout(nowhere), contextlib.redirect_stderr(nowhere):
        return runpy.run_path(script, run_name="__main__")["trainer"]


def check_learned(words: str, trainer) -> list:
    losses = [entry["loss"] for entry in trainer.state.log_history if "loss" in entry]
    trl(f"TRL takes two steps of {words} with finite loss", len(losses) == 2 and all(map(math.isfinite, losses)), losses)
    before = AutoModelForCausalLM.from_pretrained("model", dtype=torch.float32).state_dict()
    after = AutoModelForCausalLM.from_pretrained(trainer.args.output_dir, dtype=torch.float32).state_dict()
    still = [name for name, values in before.items() if torch.equal(values, after[name])]
    trl(f"{words} moves all {len(before)} arrays of the exported model", not still, still)
    return losses


def check_grpo() -> None:
    import reward as shipped

    ours, calls = shipped.reward, []

    def reward(**given) -> list:
        paid = ours(**given)
        calls.append((given["completion_ids"], given["problem"], paid))
        return paid

    shipped.reward = reward
    trainer = two_steps("grpo.py", "--log_completions", "true", "--num_completions_to_print", "0")
    check_learned("GRPO", trainer)
    tables = [pyarrow.parquet.read_table(file).to_pydict() for file in sorted(Path("grpo/completions").iterdir())]
    logged = tables[0]["reward"]
    tokenizer = AutoTokenizer.from_pretrained("model")
    expected = []
    for ids, problem in zip(*calls[0][:2]):
        said, end, _ = tokenizer.decode(ids).partition("<eot>")
        expected.append(paid_by_world(problem, said) if end else 0)
    trl(f"the rewards of {len(logged)} completions that TRL logged equal those of our world", logged == expected and {0, 1} == set(expected), (logged, expected))
    mean = next(entry["rewards/reward/mean"] for entry in trainer.state.log_history if "rewards/reward/mean" in entry)
    trl("the mean reward that TRL logged is the mean of these rewards", abs(mean - sum(expected) / len(expected)) < 1e-6, mean)


def check_dpo() -> None:
    losses = check_learned("DPO", two_steps("dpo.py"))
    trl("the DPO loss starts at log 2, because policy and reference are equal, and falls", abs(losses[0] - math.log(2)) < 1e-4 > losses[1] - losses[0], losses)


def check_verl() -> None:
    tables = [pyarrow.parquet.read_table(exported / "verl" / f"{split}.parquet") for split in ("train", "test")]
    shown = {field.name: str(field.type) for field in tables[0].schema}
    wanted = {
        "data_source": "string",
        "ability": "string",
        "prompt": "list<element: struct<role: string not null, name: string, content: string not null> not null>",
        "reward_model": "struct<style: string not null, ground_truth: string not null>",
        "extra_info": "struct<index: int32 not null, split: string not null, problem: string not null>",
    }
    read_as_verl("pyarrow reads the columns that verl's dataset reads", shown == wanted, shown)
    rows = [row for table in tables for row in table.to_pylist()]
    tokenizer = AutoTokenizer.from_pretrained(exported / "verl" / "model")
    read = [tokenizer.apply_chat_template(row["prompt"], add_generation_prompt=True, tokenize=False) for row in rows]
    prompts = [one["prompt"] for one in lines("prompts.jsonl") + lines("held-out.jsonl")]
    read_as_verl(f"the chat template writes the {len(rows)} prompts of TRL from verl's messages", sorted(read) == sorted(prompts))
    place = importlib.util.spec_from_file_location("custom_module", exported / "verl" / "reward.py")
    module = importlib.util.module_from_spec(place)
    place.loader.exec_module(module)
    told = lambda row, said: {"data_source": row["data_source"], "solution_str": said, "ground_truth": row["reward_model"]["ground_truth"], "extra_info": row["extra_info"] | {"num_turns": 2}}
    said = [(row, word) for row in rows for word in (row["reward_model"]["ground_truth"], "none")]
    paid = [module.compute_score(**told(row, word)) for row, word in said]
    expected = [paid_by_world(row["extra_info"]["problem"], word) for row, word in said]
    read_as_verl("compute_score, called as verl calls it, gives the rewards of our world", paid == expected and sum(paid) >= len(rows), paid)


served = subprocess.Popen(["node", program, "serve", run, "--port", "0", "--json"], stdout=subprocess.PIPE, text=True)
try:
    os.environ["COTHINK_URL"] = json.loads(served.stdout.readline())["url"]
    os.chdir(exported / "trl")
    sys.path.insert(0, "")
    check_grpo()
    check_dpo()
    check_verl()
finally:
    served.terminate()
ends()
