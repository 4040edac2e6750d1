"""Runs functions of other projects on committed numbers and writes bench/results/peers.json, which a test reads.

    python bench/peers/answers.py SOURCES bench/results/peers.json

SOURCES contains the unpacked wheels of requirements.txt and ReMA's repository as `ReMA`. Each function is taken from
its file and called unchanged, together with the parts of its file that it needs. A trainer is replaced by the few
values that the function reads from it. Inputs are rounded to float32, and answers are computed in float64.
"""

import ast
import json
import math
import sys
from collections import defaultdict
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Dict, List, Optional, Tuple
from unittest.mock import MagicMock

import numpy as np
import torch
import torch.nn.functional as F

torch.set_default_dtype(torch.float64)
sources, target = Path(sys.argv[1]), Path(sys.argv[2])
verl = sources / "verl"
rema = sources / "ReMA/src/verl/verl"
openrlhf = next(sources.glob("**/openrlhf/models/loss.py")).parent.parent


class Asked(dict):
    """A configuration whose values can be read as attributes and with `get`."""

    __getattr__ = dict.get


def taken(file: Path, *names: str, **known: Any) -> SimpleNamespace:
    """Returns the functions, classes and methods with these names from a file, executed in a separate namespace."""
    tree = ast.parse(file.read_text())
    found = [node for node in ast.walk(tree) if getattr(node, "name", None) in names]
    for node in found:
        node.decorator_list = []
        node.returns = None
        for arg in ast.walk(node):
            if isinstance(arg, ast.arg):
                arg.annotation = None
    space = {"torch": torch, "np": np, "F": F, "nn": torch.nn, "math": math, "defaultdict": defaultdict, **known}
    space |= {"Optional": Optional, "Tuple": Tuple, "List": List, "Dict": Dict, "Any": Any}
    exec(compile(ast.Module(body=found, type_ignores=[]), str(file), "exec"), space)
    return SimpleNamespace(**{name: space[name] for name in names})


def float32(values: Any) -> torch.Tensor:
    return torch.tensor(np.asarray(values, dtype=np.float32).astype(np.float64))


# ---- The numbers

random = np.random.default_rng(37)
rounded = lambda values: np.round(values, 3).tolist()
columns = 6


def mask_of(rows: int) -> np.ndarray:
    mask = (random.random((rows, columns)) < 0.7).astype(int)
    mask[:, random.integers(columns)] = 1
    return mask


def policy_batch(width: float) -> dict:
    """Returns two dialogues of two agents, with one row for each agent and turns of different lengths with gaps."""
    mask, old = mask_of(4), -3 * random.random((4, columns))
    steps = np.cumsum(random.random((4, columns)) < 0.4, axis=1)
    steps = [[sorted(set(row[on == 1])).index(step) if keep else -1 for step, keep in zip(row, on)] for row, on in zip(steps, mask)]
    row = random.normal(size=(4, 1))
    return {
        "logprobs": rounded(old + width * random.normal(size=old.shape)),
        "oldLogprobs": rounded(old),
        "refLogprobs": rounded(old + 3 * random.normal(size=old.shape)),
        "advantages": rounded(random.normal(size=old.shape)),
        "rowAdvantages": rounded(np.repeat(row, columns, axis=1)),
        "actionMask": mask.tolist(),
        "steps": steps,
    }


def token_batch() -> dict:
    mask = mask_of(3)
    shape = mask.shape
    names = ["rewards", "values", "oldValues", "returns"]
    return {name: rounded(random.normal(size=shape)) for name in names} | {"actionMask": mask.tolist()}


batches = {
    "policy": [policy_batch(width) for width in (0.1, 0.5, 1.2)],
    "tokens": [token_batch() for _ in range(3)],
    # In `groups` every group has several members; in `lone` group 1 has only one.
    "groups": [{"rewards": rounded(random.choice([0, 0.25, 0.5, 1], size=9)), "groups": [0, 0, 0, 1, 1, 1, 1, 2, 2]}]
    + [{"rewards": rounded(random.normal(size=9)), "groups": [0, 1, 0, 1, 2, 2, 2, 2, 0]} for _ in range(2)],
    "lone": [{"rewards": rounded(1 + random.random(size=5)), "groups": [0, 0, 1, 2, 2]} for _ in range(2)],
    # The values differ by about 1e-5, as in a solved batch. Their mean is about 0, because verl's mean divides by the count + 1e-8.
    "solved": [{"rewards": rounded(random.normal(size=(2, 4))), "scale": 1e-5}],
    # Completions of different lengths: the reward of each, its group and its number of tokens.
    "lengths": [{"rewards": rounded(random.normal(size=7)), "groups": [0, 0, 0, 1, 1, 1, 1], "lengths": random.integers(1, 6, size=7).tolist()} for _ in range(3)],
}


# ---- The compared functions

functions = []


def asked(peer: str, name: str, kind: str, batch: str, options: dict, answer, differs: str = "") -> None:
    answers = [answer({key: value if key in ("groups", "lengths", "scale") else float32(value) for key, value in one.items()}) for one in batches[batch]]
    entry = {"peer": peer, "function": name, "kind": kind, "batches": batch, "options": options, "answers": answers}
    functions.append(entry | ({"differs": differs} if differs else {}))


short = lambda tensor: [float(f"{x:.9g}") for x in tensor.detach().flatten().tolist()]


def sloped(of, at: torch.Tensor) -> list:
    """Returns a loss and its gradient."""
    at = at.clone().requires_grad_(True)
    loss = of(at)
    loss.backward()
    return [short(loss.reshape(1)), short(at.grad)]


token, sequence = {"ratioLevel": "token"}, {"ratioLevel": "trajectory"}

# verl
verl_F = taken(verl / "utils/torch_functional.py", "masked_sum", "masked_mean", "masked_var", "masked_whiten", "clip_by_value")
Actor = type("ActorConfig", (Asked,), {})
core = taken(
    verl / "trainer/ppo/core_algos.py",
    "agg_loss", "compute_policy_loss_vanilla", "compute_policy_loss_gspo", "compute_policy_loss_cispo", "compute_policy_loss_sapo", "compute_policy_loss_geo_mean", "compute_grpo_outcome_advantage", "compute_rloo_outcome_advantage", "compute_opo_outcome_advantage", "compute_grpo_passk_outcome_advantage",
    "compute_reinforce_plus_plus_baseline_outcome_advantage",
    "compute_gae_advantage_return", "compute_reinforce_plus_plus_outcome_advantage", "compute_value_loss", "kl_penalty", "kl_penalty_forward",
    verl_F=verl_F, AlgoConfig=type("AlgoConfig", (), {}), ActorConfig=Actor,
)  # fmt: skip
aggregations = {"token-mean": "token", "seq-mean-token-mean": "trajectory", "seq-mean-token-sum-norm": "constant"}


def verl_policy(function, mode: str, advantages: str):
    config = Actor(clip_ratio=0.2, clip_ratio_low=0.2, clip_ratio_high=0.28, clip_ratio_c=3.0, tau_pos=1.0, tau_neg=1.05, global_batch_info={})
    call = lambda b: lambda x: function(b["oldLogprobs"], x, b[advantages], b["actionMask"], mode, config)[0]
    return lambda b: sloped(call(b), b["logprobs"])


clips = {"clipLow": 0.2, "clipHigh": 0.28, "dualClip": 3, "logratioClamp": 20}
for mode, aggregation in aggregations.items():
    options = {**token, **clips, "aggregation": aggregation}
    asked("verl", f"compute_policy_loss_vanilla, {mode}", "policy", "policy", options, verl_policy(core.compute_policy_loss_vanilla, mode, "advantages"))
    if mode == "seq-mean-token-sum-norm":
        continue
    cispo = options | {"surrogate": "cispo"}
    asked("verl", f"compute_policy_loss_cispo, {mode}", "policy", "policy", cispo, verl_policy(core.compute_policy_loss_cispo, mode, "advantages"))
sapo = {**token, **clips, "aggregation": "trajectory", "surrogate": "sapo", "gatePositive": 1, "gateNegative": 1.05}
asked("verl", "compute_policy_loss_sapo", "policy", "policy", sapo, verl_policy(core.compute_policy_loss_sapo, "seq-mean-token-mean", "advantages"))
gmpo = {**sequence, **clips, "aggregation": "trajectory", "surrogate": "gmpo", "advantages": "rowAdvantages"}
asked("verl", "compute_policy_loss_geo_mean", "policy", "policy", gmpo, verl_policy(core.compute_policy_loss_geo_mean, "seq-mean-token-mean", "rowAdvantages"))
gspo = {**sequence, **clips, "dualClip": 0, "logratioClamp": 10, "aggregation": "trajectory"}
asked("verl", "compute_policy_loss_gspo, one advantage a row", "policy", "policy", gspo | {"advantages": "rowAdvantages"}, verl_policy(core.compute_policy_loss_gspo, "seq-mean-token-mean", "rowAdvantages"))
asked("verl", "compute_policy_loss_gspo, an advantage a token", "policy", "policy", gspo, verl_policy(core.compute_policy_loss_gspo, "seq-mean-token-mean", "advantages"), "ours takes the mean of a span's advantages, verl keeps each token's")

groups_of = lambda b: np.array(b["groups"])


def verl_groups(function, **more):
    def answer(b: dict) -> list:
        rewards = b["rewards"].unsqueeze(-1)
        return [short(function(rewards.clone(), torch.ones_like(rewards), groups_of(b), **more)[0])]

    return answer


for batch, differs in (("groups", ""), ("lone", "a lone member gets 0 here, its reward there")):
    words = ", a group of one" if differs else ""
    asked("verl", f"compute_grpo_outcome_advantage{words}", "group", batch, {"std": True}, verl_groups(core.compute_grpo_outcome_advantage), differs)
    asked("verl", f"compute_rloo_outcome_advantage{words}", "leaveOneOut", batch, {}, verl_groups(core.compute_rloo_outcome_advantage), differs)
asked("verl", "compute_grpo_outcome_advantage without spread", "group", "groups", {"std": False}, verl_groups(core.compute_grpo_outcome_advantage, norm_adv_by_std_in_grpo=False))

for std in (True, False):
    passk = lambda *given: core.compute_grpo_passk_outcome_advantage(*given, config={"norm_adv_by_std_in_grpo": std})
    asked("verl", f"compute_grpo_passk_outcome_advantage{'' if std else ' without spread'}", "best", "groups", {"std": std}, verl_groups(passk))


def verl_lengths(function):
    def answer(b: dict) -> list:
        mask = (torch.arange(max(b["lengths"])) < torch.tensor(b["lengths"]).unsqueeze(-1)).to(b["rewards"])
        rewards = torch.zeros_like(mask)
        rewards[:, 0] = b["rewards"]
        return [short(row[on > 0]) for row, on in zip(function(rewards, mask, groups_of(b))[0], mask)]

    return answer


asked("verl", "compute_opo_outcome_advantage", "lengthWeighted", "lengths", {}, verl_lengths(core.compute_opo_outcome_advantage))
asked("verl", "compute_reinforce_plus_plus_baseline_outcome_advantage", "groupWhitened", "lengths", {}, verl_lengths(core.compute_reinforce_plus_plus_baseline_outcome_advantage))

masked = lambda values, b: short(values * b["actionMask"])
paid = lambda b: b["rewards"] * b["actionMask"]
gae = lambda b: core.compute_gae_advantage_return(paid(b), b["values"], b["actionMask"], 0.95, 0.9)
asked("verl", "compute_gae_advantage_return", "gae", "tokens", {"gamma": 0.95, "lambda": 0.9}, lambda b: [masked(gae(b)[0], b), masked(gae(b)[1], b)])
asked("verl", "compute_reinforce_plus_plus_outcome_advantage", "reinforcePlusPlus", "tokens", {"gamma": 0.95}, lambda b: [short(core.compute_reinforce_plus_plus_outcome_advantage(paid(b), b["actionMask"], Asked(gamma=0.95))[0])])
value_loss = lambda b: lambda x: core.compute_value_loss(x, b["returns"], b["oldValues"], b["actionMask"], 0.2)[0]
asked("verl", "compute_value_loss", "value", "tokens", {"valueClip": 0.2}, lambda b: sloped(value_loss(b), b["values"]))
whole = lambda b: torch.ones_like(b["rewards"])
asked("verl", "masked_whiten of a solved batch", "whiten", "solved", {}, lambda b: [short(verl_F.masked_whiten(b["scale"] * b["rewards"], whole(b)))])
for estimator, name in (("k1", "kl"), ("abs", "abs"), ("mse", "mse"), ("k3", "low_var_kl")):
    kl = lambda b, name=name: sloped(lambda x: (core.kl_penalty(x, b["refLogprobs"], name) * b["actionMask"]).sum(), b["logprobs"])
    asked("verl", f"kl_penalty, {name}", "kl", "policy", {"estimator": estimator}, kl)

# ReMA: each row of the batch is the part of one role in a dialogue, as merge_roles_data arranges them.
rema_F = taken(rema / "utils/torch_functional.py", "masked_mean", "masked_var", "masked_whiten", "clip_by_value")
role = taken(rema / "rema_trainer/ppo/core_algos.py", "compute_policy_loss", "compute_turn_level_return", "compute_reinforce_plus_plus_outcome_advantage", "compute_value_loss", "kl_penalty", verl_F=rema_F)


def rema_policy(clip: str, aggregate: str):
    def answer(b: dict) -> list:
        steps = torch.where(b["steps"] < 0, -100, b["steps"]).long()
        modes = {"cliprange": 0.2, "clip_mode": clip, "agg_mode": aggregate}
        return sloped(lambda x: role.compute_policy_loss(b["oldLogprobs"], x, b["advantages"], b["actionMask"], steps, **modes)[0], b["logprobs"])

    return answer


for clip, aggregate in (("token", "token"), ("token", "turn"), ("token", "trajectory"), ("turn", "turn"), ("turn", "trajectory")):
    options = {"ratioLevel": clip, "aggregation": aggregate, "clipLow": 0.2, "clipHigh": 0.2, "dualClip": 3, "logratioClamp": 3}
    asked("ReMA", f"compute_policy_loss, {clip} ratio, mean over {aggregate}", "policy", "policy", options, rema_policy(clip, aggregate))
    if aggregate == "trajectory":
        differs = "the whole dialogue is one unit here, a role's row there: our option, not the default"
        asked("ReMA", f"compute_policy_loss, {clip} ratio, against our mean over dialogue", "policy", "policy", options | {"aggregation": "dialogue"}, rema_policy(clip, aggregate), differs)
asked("ReMA", "compute_turn_level_return", "turnReturn", "tokens", {"gammaTurn": 0.5}, lambda b: [short(role.compute_turn_level_return(b["rewards"], torch.ones_like(b["rewards"]), 0.5))])
asked("ReMA", "kl_penalty, mse", "kl", "policy", {"estimator": "mse"}, lambda b: sloped(lambda x: (role.kl_penalty(x, b["refLogprobs"], "mse") * b["actionMask"]).sum(), b["logprobs"]))
rema_value = lambda b: lambda x: role.compute_value_loss(x, b["returns"], b["oldValues"], b["actionMask"], 0.2)[0]
asked("ReMA", "compute_value_loss", "value", "tokens", {"valueClip": 0.2}, lambda b: sloped(rema_value(b), b["values"]))

# OpenRLHF
utils = taken(openrlhf / "models/utils.py", "masked_mean")
losses = taken(openrlhf / "models/loss.py", "aggregate_loss", "PolicyLoss", "ValueLoss", "DPOLoss", masked_mean=utils.masked_mean)
for kind, aggregation in (("token", "token"), ("sample", "trajectory"), ("gspo", "trajectory")):
    loss = losses.PolicyLoss(0.2, 0.28, 3.0, kind == "token", "gspo" if kind == "gspo" else "ppo")
    column = "rowAdvantages" if kind == "gspo" else "advantages"
    ask = lambda b, loss=loss, column=column: sloped(lambda x: loss(x, b["oldLogprobs"], b[column], b["actionMask"])[0], b["logprobs"])
    options = {**(sequence if kind == "gspo" else token), **clips, "aggregation": aggregation, "advantages": column}
    asked("OpenRLHF", f"PolicyLoss, {kind}", "policy", "policy", options, ask)
asked("OpenRLHF", "ValueLoss", "value", "tokens", {"valueClip": 0.2}, lambda b: sloped(lambda x: losses.ValueLoss(0.2)(x, b["oldValues"], b["returns"], b["actionMask"]), b["values"]))

# Preferences: in each batch, rows 0 and 2 are preferred to rows 1 and 3.
sides = lambda x, b: ((x - b["refLogprobs"]) * b["actionMask"]).sum(-1)


def openrlhf_dpo(ipo: bool, smoothing: float):
    def answer(b: dict) -> list:
        zero = torch.zeros(2)
        of = lambda x: losses.DPOLoss(0.1, smoothing, ipo)(sides(x, b)[0::2], sides(x, b)[1::2], zero, zero)[0]
        return sloped(of, b["logprobs"])

    return answer


asked("OpenRLHF", "DPOLoss", "preference", "policy", {"kind": "sigmoid", "beta": 0.1, "smoothing": 0}, openrlhf_dpo(False, 0.0))
asked("OpenRLHF", "DPOLoss, smoothing", "preference", "policy", {"kind": "sigmoid", "beta": 0.1, "smoothing": 0.1}, openrlhf_dpo(False, 0.1))
asked("OpenRLHF", "DPOLoss, IPO, against our IPO of the sum", "preference", "policy", {"kind": "ipoOfSum", "beta": 0.1, "smoothing": 0}, openrlhf_dpo(True, 0.0))
asked("OpenRLHF", "DPOLoss, IPO, against our IPO", "preference", "policy", {"kind": "ipo", "beta": 0.1, "smoothing": 0}, openrlhf_dpo(True, 0.0), "ours is the mean of a token, as TRL's; theirs is the sum")

# TRL
flat = lambda tensor: tensor
grpo = taken(sources / "trl/trainer/grpo_trainer.py", "_compute_loss", nanmin=torch.min, nanmax=torch.max)


def trl_policy(loss_type: str, level: str, delta):
    def answer(b: dict) -> list:
        column = b["rowAdvantages"] if level == "sequence" else b["advantages"]

        def of(x: torch.Tensor) -> torch.Tensor:
            trainer = MagicMock()
            trainer.aux_loss_enabled = trainer._entropy_bonus_enabled = trainer.use_vllm = False
            trainer.top_entropy_quantile, trainer.off_policy_mask_threshold, trainer.beta = 1.0, None, 0.0
            trainer.importance_sampling_level, trainer.loss_type, trainer.max_completion_length = level, loss_type, columns
            given = {"delta": delta, "sapo_temperature_pos": 1.0, "sapo_temperature_neg": 1.05}
            trainer.epsilon_low, trainer.args = 0.2, SimpleNamespace(**given)
            # For CISPO, TRL's epsilon_high is the upper bound of the weight itself.
            trainer.epsilon_high = 1.28 if loss_type == "cispo" else 0.28
            trainer.model.training = False
            trainer.accelerator.num_processes = 1
            trainer.accelerator.reduce = lambda tensor, reduction: tensor
            trainer.accelerator.gather = flat
            trainer._metrics = defaultdict(lambda: defaultdict(list))
            trainer._get_per_token_logps_and_entropies = lambda *_, **__: (x, torch.zeros_like(x), None)
            ids = torch.zeros_like(x).long()
            given = {"prompt_ids": ids, "prompt_mask": ids, "completion_ids": ids, "completion_mask": b["actionMask"]}
            given |= {"advantages": column, "old_per_token_logps": b["oldLogprobs"], "num_items_in_batch": b["actionMask"].sum()}
            return grpo._compute_loss(trainer, None, given)

        return sloped(of, b["logprobs"])

    return answer


free = {"clipLow": 0.2, "clipHigh": 0.28, "dualClip": 3, "logratioClamp": 20}
for loss_type, aggregation in (("grpo", "trajectory"), ("bnpo", "token"), ("dapo", "token"), ("dr_grpo", "constant")):
    asked("TRL", f"GRPOTrainer._compute_loss, {loss_type}, delta 3", "policy", "policy", {**token, **free, "aggregation": aggregation}, trl_policy(loss_type, "token", 3.0))
asked("TRL", "GRPOTrainer._compute_loss, sequence level", "policy", "policy", {**sequence, **free, "aggregation": "trajectory", "advantages": "rowAdvantages"}, trl_policy("grpo", "sequence", 3.0))

unbounded = free | {"clipLow": 1, "surrogate": "cispo", "aggregation": "token"}
asked("TRL", "GRPOTrainer._compute_loss, cispo", "policy", "policy", {**token, **unbounded}, trl_policy("cispo", "token", None))
asked("TRL", "GRPOTrainer._compute_loss, cispo, against our weight bounded below too", "policy", "policy", {**token, **unbounded, "clipLow": 0.2}, trl_policy("cispo", "token", None), "theirs has no lower bound")
for level, ratio, column in (("token", token, "advantages"), ("sequence", sequence, "rowAdvantages")):
    asked("TRL", f"GRPOTrainer._compute_loss, sapo, {level} level", "policy", "policy", {**ratio, **sapo, **ratio, "advantages": column}, trl_policy("sapo", level, None))

dpo = taken(sources / "trl/trainer/dpo_trainer.py", "_compute_loss", is_peft_model=lambda _: False)


def trl_dpo(kind: str, smoothing: float = 0.0):
    def answer(b: dict) -> list:
        order = [0, 2, 1, 3]
        mask = b["actionMask"][order]
        wide = lambda x: F.pad(x, (1, 0))

        def of(x: torch.Tensor) -> torch.Tensor:
            trainer = MagicMock()
            trainer.aux_loss_enabled, trainer.ld_alpha, trainer.precompute_ref_logps, trainer.use_weighting = False, None, True, False
            trainer.f_divergence_type, trainer.loss_types, trainer.loss_weights = "reverse_kl", [kind], [1.0]
            trainer.beta, trainer.label_smoothing = 0.1, smoothing
            trainer.model.training = False
            trainer.accelerator.device = "cpu"
            trainer.accelerator.gather_for_metrics = trainer.accelerator.gather = flat
            trainer._metrics = defaultdict(lambda: defaultdict(list))
            chosen, rejected = ((b["refLogprobs"] * b["actionMask"]).sum(-1)[order]).chunk(2)
            given = {"input_ids": torch.zeros_like(wide(mask)).long(), "attention_mask": torch.ones_like(wide(mask)), "completion_mask": wide(mask)}
            given |= {"ref_chosen_logps": chosen, "ref_rejected_logps": rejected}
            # The model's log-probabilities are 0 at positions that are not trained.
            nothing = torch.zeros_like(mask)
            outputs = SimpleNamespace(log_probs=x[order] * mask, entropy=nothing, mean_logits=nothing, is_top1=nothing.bool())
            return dpo._compute_loss(trainer, lambda **_: outputs, given, False)

        return sloped(of, b["logprobs"])

    return answer


for kind in ("sigmoid", "hinge", "ipo"):
    asked("TRL", f"DPOTrainer._compute_loss, {kind}", "preference", "policy", {"kind": kind, "beta": 0.1, "smoothing": 0}, trl_dpo(kind))
asked("TRL", "DPOTrainer._compute_loss, sigmoid, label_smoothing 0.1", "preference", "policy", {"kind": "sigmoid", "beta": 0.1, "smoothing": 0.1}, trl_dpo("sigmoid", 0.1), "TRL's sigmoid does not read label_smoothing; an export says so")
asked("TRL", "DPOTrainer._compute_loss, robust, label_smoothing 0.1", "preference", "policy", {"kind": "robust", "beta": 0.1, "smoothing": 0.1}, trl_dpo("robust", 0.1))
cpo = taken(sources / "trl/experimental/cpo/cpo_trainer.py", "cpo_loss")


def trl_simpo(b: dict) -> list:
    """Returns SimPO's loss of the two pairs. The mean log-probabilities are those of `get_batch_logps`."""
    trainer = SimpleNamespace(alpha=0.0, loss_type="simpo", simpo_gamma=0.5, beta=2.0, label_smoothing=0.0, accelerator=SimpleNamespace(device="cpu"))
    mean_of = lambda x: (x * b["actionMask"]).sum(-1) / b["actionMask"].sum(-1)
    return sloped(lambda x: cpo.cpo_loss(trainer, mean_of(x)[0::2], mean_of(x)[1::2])[0].mean(), b["logprobs"])


asked("TRL", "CPOTrainer.cpo_loss, simpo", "preference", "policy", {"kind": "simpo", "beta": 2, "smoothing": 0, "margin": 0.5}, trl_simpo)
asked("TRL", "DPOTrainer._compute_loss, ipo, against our IPO of the sum", "preference", "policy", {"kind": "ipoOfSum", "beta": 0.1, "smoothing": 0}, trl_dpo("ipo"), "theirs is the mean of a token, as our IPO")

rewards = taken(sources / "trl/rewards/other_rewards.py", "_SoftOverlongPunishment", Callable=object)
punish = rewards._SoftOverlongPunishment(5, 2)
asked("TRL", "get_soft_overlong_punishment", "overlong", "lengths", {"window": 5, "share": 0.4}, lambda b: [punish([[0] * n for n in b["lengths"]])])

versions = {"verl": "0.9.1", "ReMA": "24b5b47", "OpenRLHF": "0.11.2", "TRL": "1.16.0"}
compact = lambda value: json.dumps(value, separators=(",", ":"), ensure_ascii=False)
lines = [f'"versions":{compact(versions)}', f'"columns":{columns}']
lines.append('"batches":{\n' + ",\n".join(f'"{name}":[\n' + ",\n".join(map(compact, ones)) + "\n]" for name, ones in batches.items()) + "\n}")
lines.append('"functions":[\n' + ",\n".join(map(compact, functions)) + "\n]")
target.write_text("{\n" + ",\n".join(lines) + "\n}\n")
print(f"{len(functions)} functions, {sum(len(one['answers']) for one in functions)} cases, {target.stat().st_size} bytes")
