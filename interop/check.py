"""Checks whether other tools read the files of a run correctly, and counts the checks of each tool."""

import json
import subprocess
import sys
from pathlib import Path

import gguf
import numpy as np
import onnxruntime
import pyarrow.parquet
import torch
from inspect_ai.log import read_eval_log
from peft import PeftModel
from safetensors.numpy import load_file
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
from transformers import AutoModelForCausalLM, AutoModelForTokenClassification, AutoTokenizer

from counted import checks_of, ends

folder = Path(sys.argv[1])
expected = json.loads((folder / "expected.json").read_text())
transformers, onnx = checks_of("transformers"), checks_of("onnxruntime")
llama_cpp, peft = checks_of("gguf"), checks_of("PEFT", "peft")
arrow, inspects, board = checks_of("pyarrow"), checks_of("inspect_ai", "inspect-ai"), checks_of("TensorBoard", "tensorboard")


# The models are so small that a second thread would only wait.
torch.set_num_threads(1)
steps = 64


def check_transformers(own: dict) -> None:
    name, ids = own["name"], own["ids"]
    tokenizer = AutoTokenizer.from_pretrained(folder / name)
    model = load_llama(name)
    read = tokenizer(own["context"], add_special_tokens=False).input_ids
    transformers(f"transformers splits the context into the page's tokens: {name}", read == ids)
    written = tokenizer.apply_chat_template(own["messages"], tokenize=False, add_generation_prompt=True)
    transformers(f"the chat template writes the context of training in transformers: {name}", written == own["context"], (written, own["context"]))
    with torch.no_grad():
        logits = model(torch.tensor([ids])).logits[0].numpy()
    apart = float(np.abs(logits - np.array(own["logits"])).max())
    transformers(f"transformers gives the page's logits to 1e-4: {name}", apart < 1e-4, f"{apart:.1e} apart")
    row = list(ids)
    with torch.no_grad():
        while len(row) < len(ids) + steps:
            row.append(int(model(torch.tensor([row])).logits[0, -1].argmax()))
    transformers(f"transformers generates the same {steps} likeliest tokens: {name}", row == own["greedy"])


def check_onnx(own: dict) -> None:
    name, ids, greedy = own["name"], own["ids"], own["greedy"]
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    opened = lambda graph: onnxruntime.InferenceSession(folder / name / graph, options, providers=["CPUExecutionProvider"])
    plain, cached = opened("model.onnx"), opened("model_with_past.onnx")
    shapes = {given.name: given.shape for given in cached.get_inputs() if given.name.startswith("past_key_values")}

    def feeds(row: list, start: int) -> dict:
        fed = row[start:]
        whole = {"input_ids": fed, "attention_mask": [1] * len(row), "position_ids": list(range(start, len(row)))}
        return {field: np.array([values], dtype=np.int64) for field, values in whole.items()}

    def stepped(row: list, start: int, past: dict) -> tuple:
        names = ["logits", *(field.replace("past_key_values", "present") for field in past)]
        logits, *present = cached.run(names, {**feeds(row, start), **past})
        return logits[0], dict(zip(past, present))

    logits = plain.run(["logits"], feeds(ids, 0))[0][0]
    apart = float(np.abs(logits - np.array(own["logits"])).max())
    onnx(f"onnxruntime gives the page's logits to 1e-4: {name}", apart < 1e-4, f"{apart:.1e} apart")
    empty = {field: np.zeros((1, shape[1], 0, shape[3]), dtype=np.float32) for field, shape in shapes.items()}
    row, worst = list(ids), 0.0
    step, past = stepped(row, 0, empty)
    while len(row) < len(ids) + steps:
        row.append(int(step[-1].argmax()))
        step, past = stepped(row, len(row) - 1, past)
        without = plain.run(["logits"], feeds(row, 0))[0][0, -1]
        worst = max(worst, float(np.abs(step[-1] - without).max()))
    onnx(f"onnxruntime generates the same {steps} likeliest tokens with its cache: {name}", row == greedy)
    onnx(f"the cache of onnxruntime changes no logit by 1e-4: {name}", worst < 1e-4, f"{worst:.1e} apart")


def check_gguf(at: str) -> None:
    reader = gguf.GGUFReader(folder / at / "model.gguf")
    config = json.loads((folder / at / "config.json").read_text())
    heads = {"attn_q": config["num_attention_heads"], "attn_k": config["num_key_value_heads"]}
    names = gguf.get_tensor_name_map(gguf.MODEL_ARCH.LLAMA, config["num_hidden_layers"])
    stored = {tensor.name: tensor for tensor in reader.tensors}
    weights = load_file(folder / at / "model.safetensors")
    wrong = []
    for name, values in weights.items():
        short = names.get_name(name, try_suffixes=(".weight",))
        part = short.split(".")[-2]
        if part in heads:
            # Orders the rows in the same way as llama.cpp's own converter.
            halves = values.reshape(heads[part], 2, -1, values.shape[1])
            values = halves.swapaxes(1, 2).reshape(values.shape)
        tensor = stored.pop(short, None)
        if tensor is None or not np.array_equal(np.array(tensor.data).reshape(values.shape), values):
            wrong.append(name)
    llama_cpp(f"gguf reads all {len(weights)} tensors without a change: {at}", not wrong and not stored, wrong or list(stored))
    field = reader.fields["tokenizer.ggml.tokens"]
    tokens = [bytes(field.parts[at]).decode() for at in field.data]
    own = AutoTokenizer.from_pretrained(folder / at)
    llama_cpp(f"gguf reads the vocabulary without a change: {at}", tokens == own.convert_ids_to_tokens(range(len(tokens))))


def load_llama(at: str) -> torch.nn.Module:
    return AutoModelForCausalLM.from_pretrained(folder / at, dtype=torch.float32).eval()


def check_peft(ids: list) -> None:
    load = lambda at: load_llama(f"lora/{at}")
    adapted = PeftModel.from_pretrained(load("base"), folder / "lora" / "adapter").eval()
    with torch.no_grad():
        row = torch.tensor([ids])
        merged, on_base = load(".")(row).logits, adapted(row).logits
        frozen = load("base")(row).logits
    apart = float((merged - on_base).abs().max())
    moved = float((merged - frozen).abs().max())
    peft("PEFT gives the merged model's logits to 1e-4", apart < 1e-4 < moved, f"{apart:.1e} apart, {moved:.1e} moved")


def check_parquet(lines: list) -> None:
    table = pyarrow.parquet.read_table(folder / "dialogues.parquet")
    own = ["is_right", "reward", "branch_tree", "branch_from"]
    wanted = ["id", "iteration", "index", "group", "problem", "messages", "turns", "finish_code", "answer", *own]
    arrow("pyarrow reads the columns of dialogues", table.column_names == wanted, table.column_names)

    def plain(row: dict) -> tuple:
        said = [(message["role"], message["content"]) for message in row["messages"]]
        turns = [(turn["role"], turn["tokens"], turn["reward"], *map(np.float32, turn["logprobs"])) for turn in row["turns"]]
        return *(row[name] for name in ["id", "iteration", "group", "answer", "is_right", "reward"]), said, turns

    read = table.to_pylist()
    wrong = [row["id"] for row, line in zip(read, lines) if plain(row) != plain(line)]
    is_good = len(read) == len(lines) > 0 and not wrong
    arrow(f"pyarrow reads the same {len(lines)} dialogues as in the JSON Lines", is_good, wrong[:3])


def check_inspect(lines: list) -> None:
    logs = folder / "logs"
    # The script `inspect` contains the path of the interpreter at installation, and that folder has been moved since.
    command = [sys.executable, "-m", "inspect_ai", "log", "list", "--json", "--log-dir", str(logs)]
    listed = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    names = [Path(one["name"]).name for one in listed]
    inspects("inspect log list lists the log", names == [one.name for one in logs.iterdir()], names)
    at = str(next(logs.iterdir()))
    log, head = read_eval_log(at), read_eval_log(at, header_only=True)
    is_good = log.status == head.status == "success" and head.samples is None
    inspects("inspect_ai reads the log, also only its header", is_good)
    scored = [{name: score.value for name, score in sample.scores.items()} for sample in log.samples]
    inspects(
        f"inspect_ai reads the scores of {len(lines)} dialogues",
        scored == [{"right": int(line["is_right"]), "reward": line["reward"]} for line in lines],
    )
    said = [[message.text for message in sample.messages] for sample in log.samples]
    inspects("inspect_ai reads every message", said == [[one["content"] for one in line["messages"]] for line in lines])
    means = {score.name: score.metrics["mean"].value for score in log.results.scores}
    counted = {name: float(np.mean([scores[name] for scores in scored])) for name in ["right", "reward"]}
    apart = max(abs(means[name] - counted[name]) for name in counted)
    inspects("the scores of the whole log are the means of its samples", apart < 1e-9, (means, counted))


def check_optimiser() -> None:
    moments = load_file(folder / "lora" / "optimizer.safetensors")
    adapter = PeftModel.from_pretrained(load_llama("lora/base"), folder / "lora" / "adapter")
    learned = sum(values.numel() for name, values in adapter.named_parameters() if "lora_" in name)
    first = {name: values for name, values in moments.items() if name.endswith(".exp_avg")}
    second = [moments[f"{name}_sq"] for name in first]
    is_good = sum(values.size for values in first.values()) == learned and len(moments) == 2 * len(first)
    peft("the optimiser has two moments for each number that PEFT would train", is_good, learned)
    peft("no second moment is negative, and some moved", min(v.min() for v in second) >= 0 < max(v.max() for v in second))


def check_verifier(own: dict) -> None:
    name = own["name"]
    tokenizer = AutoTokenizer.from_pretrained(folder / name)
    model = AutoModelForTokenClassification.from_pretrained(folder / name).eval()
    with torch.no_grad():
        beliefs = [torch.sigmoid(model(torch.tensor([row])).logits[0, -1, 0]).item() for row in own["rows"]]
    apart = float(np.abs(np.array(beliefs) - np.array(own["beliefs"])).max())
    words = f"transformers believes {len(beliefs)} dialogues as the page does, to 1e-5: {name}"
    transformers(words, apart < 1e-5 and len(set(own["beliefs"])) > 1, f"{apart:.1e} apart")
    again = [tokenizer(tokenizer.decode(row).replace(" ", ""), add_special_tokens=False).input_ids for row in own["rows"]]
    transformers(f"transformers gets the same tokens from their text: {name}", again == own["rows"])


def check_events() -> None:
    events = EventAccumulator(str(folder / "events"), size_guidance={"scalars": 0})
    events.Reload()
    fields = {"accuracy": "accuracy", "low": "low", "high": "high", "maskedMessage": "masked_message", "ceiling": "ceiling_in_silence"}
    wanted: dict = {}
    for row in expected["rows"]:
        for tag, value in row.items():
            if tag != "iteration":
                wanted.setdefault(tag, []).append((row["iteration"], value))
    for one in expected["evaluations"]:
        shares = {tag: one[field] for field, tag in fields.items() if field in one} | one["bySlice"]
        for tag, value in shares.items():
            kind = f"evaluation/accuracy/{tag}" if tag in one["bySlice"] else f"evaluation/{tag}"
            wanted.setdefault(kind, []).append((one["iteration"], value))
    tags = events.Tags()["scalars"]
    board(f"TensorBoard lists exactly the {len(wanted)} series of a run", sorted(tags) == sorted(wanted), set(tags) ^ set(wanted))
    same = lambda read, own: [one.step for one in read] == [step for step, _ in own] and np.array_equal(
        np.array([one.value for one in read], dtype=np.float32), np.array([value for _, value in own], dtype=np.float32), equal_nan=True
    )
    wrong = [tag for tag in tags if not same(events.Scalars(tag), wanted.get(tag, []))]
    of_roles = [tag for tag in tags if tag.endswith("/reasoning")]
    several = len(of_roles) > 3 and all(len(wanted[tag]) > 1 for tag in ["charts/episodic_return", "evaluation/accuracy"])
    board(f"TensorBoard reads every value at its step, also {len(of_roles)} series of single roles", not wrong and several, wrong)
    times = [one.wall_time for one in events.Scalars("charts/episodic_return")]
    board("TensorBoard reads times that never decrease", times == sorted(times) and times[0] >= 1_700_000_000)


for one in expected["models"]:
    check_transformers(one)
    check_onnx(one)
    check_gguf(one["name"])
for one in expected["verifiers"]:
    check_verifier(one)
check_optimiser()
check_peft(next(one["ids"] for one in expected["models"] if one["name"] == "lora"))
dialogues = [json.loads(line) for line in (folder / "dialogues.jsonl").read_text().splitlines()]
check_parquet(dialogues)
check_inspect(dialogues)
check_events()
ends()
