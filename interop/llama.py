"""A Llama of somebody else: `make` writes models as transformers does, `check` holds what this project read against it."""

import json
import sys
from pathlib import Path

import numpy as np
import torch
from peft import PeftModel
from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers
from transformers import AutoModelForCausalLM, AutoTokenizer, LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

from counted import Check, checks_of, ends

# For models as small as these a second thread only waits.
torch.set_num_threads(1)
step, folder = sys.argv[1], Path(sys.argv[2])
words = "the cat sat on the mat and two or three birds sang of a river, über façade naïve 東京 🙂 don't 12 345".split(" ")
rng = np.random.default_rng(11)


def sentence(most: int) -> str:
    parts = [words[int(at)] for at in rng.integers(0, len(words), int(rng.integers(1, most)))]
    return str(rng.choice(["", " ", "  ", "\n"])) + " ".join(parts) + str(rng.choice(["", ".", "!\n", " "]))


special = ["<unk>", "<s>", "</s>", "<|user|>", "<|assistant|>"]
template = (
    "{{ bos_token }}{% for m in messages %}<|{{ m['role'] }}|>{{ m['content'] }}{{ eos_token }}{% endfor %}"
    "{% if add_generation_prompt %}<|assistant|>{% endif %}"
)


def byte_level() -> Tokenizer:
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(vocab_size=400, special_tokens=special, initial_alphabet=alphabet, show_progress=False)
    tokenizer.train_from_iterator([sentence(20) for _ in range(400)], trainer)
    return tokenizer


def as_llama_2() -> Tokenizer:
    """As the tokenizers that were made of SentencePiece: a sign for a blank, and bytes for what is unknown."""
    tokenizer = Tokenizer(models.BPE(unk_token="<unk>", byte_fallback=True, fuse_unk=True))
    tokenizer.normalizer = normalizers.Sequence([normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")])
    tokenizer.decoder = decoders.Sequence(
        [decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse(), decoders.Strip(" ", 1, 0)]
    )
    pieces = special + [f"<0x{byte:02X}>" for byte in range(256)]
    trainer = trainers.BpeTrainer(vocab_size=600, special_tokens=pieces, show_progress=False)
    tokenizer.train_from_iterator([sentence(20).encode("ascii", "ignore").decode() for _ in range(400)], trainer)
    return tokenizer


def make(name: str, tokenizer: Tokenizer, dtype: torch.dtype, **shape) -> None:
    bos = tokenizer.token_to_id("<s>")
    tokenizer.post_processor = processors.TemplateProcessing(single="<s> $A", special_tokens=[("<s>", bos)])
    fast = PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, bos_token="<s>", eos_token="</s>", unk_token="<unk>", clean_up_tokenization_spaces=False
    )
    fast.chat_template = template
    torch.manual_seed(5)
    config = LlamaConfig(
        vocab_size=len(fast), max_position_embeddings=128, bos_token_id=bos, eos_token_id=fast.eos_token_id, **shape
    )
    model = LlamaForCausalLM(config)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.add_(torch.randn_like(parameter) * 0.1)
    model.to(dtype).save_pretrained(folder / name, max_shard_size="60KB")
    fast.save_pretrained(folder / name)


def ask() -> None:
    shape = dict(hidden_size=32, intermediate_size=80, num_hidden_layers=3, num_attention_heads=4, num_key_value_heads=2)
    make("grouped", byte_level(), torch.float32, rope_theta=50000.0, rms_norm_eps=1e-6, **shape)
    make("brain", as_llama_2(), torch.bfloat16, tie_word_embeddings=True, head_dim=16, **shape)
    make("half", byte_level(), torch.float16, **{**shape, "num_key_value_heads": 4})
    texts = [sentence(12) for _ in range(200)]
    messages = [{"role": "user", "content": "the cat sat"}, {"role": "assistant", "content": "über"}, {"role": "user", "content": "two"}]
    (folder / "asked.json").write_text(json.dumps({"models": ["grouped", "brain", "half"], "texts": texts, "messages": messages}))


def check_trained(name: str, own: dict, theirs: Check, peft: Check) -> None:
    """An agent of ours on a model of theirs: its adapter beside the model as transformers wrote it, and merged."""
    taken = folder / f"{name}-trained"
    load = lambda at: AutoModelForCausalLM.from_pretrained(at, dtype=torch.float32).eval()
    tokenizer = AutoTokenizer.from_pretrained(taken)
    written = tokenizer.apply_chat_template(own["messages"], tokenize=False, add_generation_prompt=True)
    read = tokenizer(written, add_special_tokens=False).input_ids
    row = torch.tensor([own["ids"]])
    with torch.no_grad():
        before = load(folder / name)(row).logits[0].numpy()
        adapted = PeftModel.from_pretrained(load(folder / name), taken / "adapter").eval()(row).logits[0].numpy()
        merged = load(taken)(row).logits[0].numpy()
    ours = np.array(own["logits"])
    apart, whole = float(np.abs(adapted - ours).max()), float(np.abs(merged - ours).max())
    moved = float(np.abs(before - ours).max())
    peft(f"PEFT puts our adapter on their model and gives our logits to 1e-4: {name}", apart < 1e-4 < moved, f"{apart:.1e} apart, {moved:.1e} moved")
    theirs(f"transformers gives the logits of the merged model to 1e-4: {name}", whole < 1e-4, f"{whole:.1e} apart")
    theirs(f"transformers writes and cuts our context in their tokens: {name}", read == own["ids"], written)


def check() -> None:
    asked, read = (json.loads((folder / name).read_text()) for name in ("asked.json", "read.json"))
    theirs, peft = checks_of("transformers, models of its own read here", "transformers"), checks_of("PEFT", "peft")
    for name, own in read.items():
        tokenizer = AutoTokenizer.from_pretrained(folder / name)
        model = AutoModelForCausalLM.from_pretrained(folder / name, dtype=torch.float32).eval()
        shards = len(list((folder / name).glob("*.safetensors")))
        with torch.no_grad():
            logits = model(torch.tensor([own["ids"]])).logits[0].numpy()
        apart = float(np.abs(logits - np.array(own["logits"])).max())
        plain = [tokenizer(text, add_special_tokens=False).input_ids for text in asked["texts"]]
        opened = [tokenizer(text).input_ids for text in asked["texts"]]
        back = [tokenizer.decode(ids, skip_special_tokens=False) for ids in plain]
        written = tokenizer.apply_chat_template(asked["messages"], tokenize=False, add_generation_prompt=True)
        words = f"our import gives the logits of transformers to 1e-4: {name}, {shards} shards, {own['types']}"
        theirs(words, apart < 1e-4 and shards > 1, f"{apart:.1e} apart")
        is_cut = plain == own["plain"] and opened == own["opened"]
        theirs(f"our import cuts {len(plain)} texts into the tokens of transformers: {name}", is_cut)
        theirs(f"our import puts them together as transformers does: {name}", back == own["back"])
        theirs(f"our import writes a chat as transformers does: {name}", written == own["chat"], own["chat"])
        check_trained(name, own["trained"], theirs, peft)
    ends()


ask() if step == "make" else check()
