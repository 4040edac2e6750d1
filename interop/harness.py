"""Lets lm-evaluation-harness choose answers by their likelihood, computed by `cothink serve`."""

import json
import os
import subprocess
import sys
import tempfile
import urllib.request
import zipfile
from pathlib import Path

from counted import checks_of, ends

program, run = sys.argv[1], sys.argv[2]
harness = checks_of("lm-evaluation-harness", "lm_eval")
choices = ["5", "6", "4", "9"]
prompts = [f"<bos>{sum}<eot><meta>{sum}<eot><reason>" for sum in ("2+3", "2*4", "7-3")]

folder = Path(tempfile.mkdtemp())
exported = ["node", program, "export", run, "--as", "weights", "--agent", "1", "--out", str(folder / "model.zip")]
subprocess.run(exported, check=True, stdout=subprocess.DEVNULL)
zipfile.ZipFile(folder / "model.zip").extractall(folder / "model")
(folder / "docs.jsonl").write_text("".join(json.dumps({"prompt": one, "choices": choices}) + "\n" for one in prompts))
task = {
    "task": "sums",
    "dataset_path": "json",
    "dataset_kwargs": {"data_files": {"test": str(folder / "docs.jsonl")}},
    "test_split": "test",
    "output_type": "multiple_choice",
    "doc_to_text": "{{prompt}}",
    "doc_to_choice": "{{choices}}",
    "doc_to_target": 0,
    "target_delimiter": "",
    "metric_list": [{"metric": "acc"}],
}
(folder / "sums.yaml").write_text(json.dumps(task))


def likelihoods(url: str, model: str, batch: int) -> list[list[float]]:
    """The log-likelihood of each choice after each prompt, as the harness reports it."""
    given = f"model={model},base_url={url}/v1/completions,tokenizer={folder / 'model'}"
    out = folder / f"out{batch}"
    command = [sys.executable, "-m", "lm_eval", "run", "--model", "local-completions", "--model_args", given]
    command += ["--batch_size", str(batch), "--include_path", str(folder), "--tasks", "sums", "--log_samples", "--output_path", str(out)]
    ended = subprocess.run(command, capture_output=True, text=True, env={**os.environ, "HF_HUB_OFFLINE": "1"})
    found = [*out.rglob("samples*.jsonl")]
    if not found:
        print(ended.stderr)
        return []
    return [[float(one[0][0]) for one in json.loads(line)["resps"]] for line in found[0].read_text().splitlines()]


def scored(url: str, model: str, prompt: str) -> list[float]:
    """The same log-likelihoods, from the server alone."""
    asked = {"model": model, "prompt": [prompt + one for one in choices], "max_tokens": 0, "echo": True, "logprobs": 1}
    request = urllib.request.Request(f"{url}/v1/completions", json.dumps(asked).encode(), {"Content-Type": "application/json"})
    return [one["logprobs"]["token_logprobs"][-1] for one in json.load(urllib.request.urlopen(request))["choices"]]


served = subprocess.Popen(["node", program, "serve", run, "--port", "0", "--json"], stdout=subprocess.PIPE, text=True)
try:
    place = json.loads(served.stdout.readline())
    url, model = place["url"], next(one for one in place["models"] if one.endswith("/reasoning"))
    own = [scored(url, model, prompt) for prompt in prompts]
    for batch in (1, 4):
        found = likelihoods(url, model, batch)
        pairs = [pair for rows in zip(found, own) for pair in zip(*rows)]
        same = len(pairs) == 12 and all(abs(one - other) < 1e-5 for one, other in pairs)
        harness(f"choices are scored in batches of {batch}, as by the server", same, (found, own))
finally:
    served.terminate()
ends()
