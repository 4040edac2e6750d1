"""External models: `make` writes them, and `check` compares what Cothink has read with what transformers reads.

COTHINK_MODEL=FILE.gguf names an instruct model of the family llama that is also compared with transformers.
"""

import json
import os
import sys
from pathlib import Path

import gguf
import numpy as np
import torch
from peft import PeftModel
from tokenizers import Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers
from transformers import (
    AutoModelForCausalLM,
    AutoTokenizer,
    Gemma3ForCausalLM,
    Gemma3TextConfig,
    LlamaConfig,
    LlamaForCausalLM,
    MistralConfig,
    PreTrainedModel,
    PreTrainedTokenizerFast,
    Qwen2Config,
    Qwen3Config,
)

from counted import Check, checks_of, ends

# The models are so small that a second thread would only wait.
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


qwen_words = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"


def as_qwen() -> Tokenizer:
    """Returns a tokenizer that splits texts like Qwen 2, as transformers does for every model of that family."""
    cut = pre_tokenizers.Split(Regex(qwen_words), "isolated")
    tokenizer = byte_level(pre_tokenizers.Sequence([cut, pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)]))
    tokenizer.normalizer = normalizers.NFC()
    return tokenizer


def byte_level(cut: pre_tokenizers.PreTokenizer | None = None) -> Tokenizer:
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = cut or pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(vocab_size=400, special_tokens=special, initial_alphabet=alphabet, show_progress=False)
    tokenizer.train_from_iterator([sentence(20) for _ in range(400)], trainer)
    return tokenizer


def as_llama_2() -> Tokenizer:
    """Returns a tokenizer as converted from SentencePiece: blanks become a sign, unknown characters become bytes."""
    tokenizer = Tokenizer(models.BPE(unk_token="<unk>", byte_fallback=True, fuse_unk=True))
    tokenizer.normalizer = normalizers.Sequence([normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")])
    tokenizer.decoder = decoders.Sequence(
        [decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse(), decoders.Strip(" ", 1, 0)]
    )
    pieces = special + [f"<0x{byte:02X}>" for byte in range(256)]
    trainer = trainers.BpeTrainer(vocab_size=600, special_tokens=pieces, show_progress=False)
    tokenizer.train_from_iterator([sentence(20).encode("ascii", "ignore").decode() for _ in range(400)], trainer)
    return tokenizer


def as_gemma() -> Tokenizer:
    """Returns a tokenizer like Gemma's: as from SentencePiece, but no blank is inserted before a text."""
    tokenizer = Tokenizer(models.BPE(unk_token="<unk>", byte_fallback=True, fuse_unk=True))
    tokenizer.normalizer = normalizers.Replace(" ", "▁")
    tokenizer.pre_tokenizer = pre_tokenizers.Split(" ", "merged_with_previous")
    tokenizer.decoder = decoders.Sequence([decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse()])
    pieces = special + [f"<0x{byte:02X}>" for byte in range(256)]
    trainer = trainers.BpeTrainer(vocab_size=600, special_tokens=pieces, show_progress=False)
    tokenizer.train_from_iterator([sentence(20).encode("ascii", "ignore").decode() for _ in range(400)], trainer)
    return tokenizer


def make(name: str, tokenizer: Tokenizer, dtype: torch.dtype, family: type = LlamaConfig, **shape) -> None:
    bos = tokenizer.token_to_id("<s>")
    tokenizer.post_processor = processors.TemplateProcessing(single="<s> $A", special_tokens=[("<s>", bos)])
    fast = PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, bos_token="<s>", eos_token="</s>", unk_token="<unk>", clean_up_tokenization_spaces=False
    )
    fast.chat_template = template
    torch.manual_seed(5)
    config = family(
        vocab_size=len(fast), max_position_embeddings=128, bos_token_id=bos, eos_token_id=fast.eos_token_id, **shape
    )
    model = AutoModelForCausalLM.from_config(config)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.add_(torch.randn_like(parameter) * 0.1)
    model.to(dtype).save_pretrained(folder / name, max_shard_size="60KB")
    fast.save_pretrained(folder / name)


def make_held() -> None:
    """Writes a GGUF file with the package that defines the format: a small Llama whose rows are whole blocks of 32."""
    tokenizer = byte_level()
    vocabulary = sorted(tokenizer.get_vocab().items(), key=lambda entry: entry[1])
    heads, keys, width, inner, layers, size = 4, 2, 64, 96, 3, 16
    writer = gguf.GGUFWriter(str(folder / "held.gguf"), "llama")
    writer.add_name("held")
    writer.add_license("apache-2.0")
    writer.add_context_length(256)
    writer.add_embedding_length(width)
    writer.add_block_count(layers)
    writer.add_feed_forward_length(inner)
    writer.add_head_count(heads)
    writer.add_head_count_kv(keys)
    writer.add_rope_dimension_count(size)
    writer.add_rope_freq_base(10000.0)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_vocab_size(len(vocabulary))
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("gpt-2")
    writer.add_token_list([token for token, _ in vocabulary])
    kinds = [gguf.TokenType.CONTROL if token in special else gguf.TokenType.NORMAL for token, _ in vocabulary]
    writer.add_token_types(kinds)
    writer.add_token_merges([" ".join(merge) for merge in json.loads(tokenizer.to_str())["model"]["merges"]])
    writer.add_bos_token_id(tokenizer.token_to_id("<s>"))
    writer.add_eos_token_id(tokenizer.token_to_id("</s>"))
    writer.add_add_bos_token(False)
    writer.add_chat_template(template)
    draw = np.random.default_rng(3)

    def add(name: str, *shape: int) -> None:
        values = 1 + draw.normal(size=shape) * 0.1 if len(shape) == 1 else draw.normal(size=shape) * 0.25
        array = values.astype(np.float32)
        if len(shape) == 1:
            return writer.add_tensor(name, array)
        # Most published files also store the matrices coarsely and the embeddings more finely.
        kind = gguf.GGMLQuantizationType.Q8_0 if name == "token_embd.weight" else gguf.GGMLQuantizationType.Q4_1
        writer.add_tensor(name, gguf.quantize(array, kind), raw_dtype=kind)

    add("token_embd.weight", len(vocabulary), width)
    for layer in range(layers):
        add(f"blk.{layer}.attn_q.weight", heads * size, width)
        add(f"blk.{layer}.attn_k.weight", keys * size, width)
        add(f"blk.{layer}.attn_v.weight", keys * size, width)
        add(f"blk.{layer}.attn_output.weight", width, heads * size)
        add(f"blk.{layer}.ffn_gate.weight", inner, width)
        add(f"blk.{layer}.ffn_up.weight", inner, width)
        add(f"blk.{layer}.ffn_down.weight", width, inner)
        add(f"blk.{layer}.attn_norm.weight", width)
        add(f"blk.{layer}.ffn_norm.weight", width)
    add("output_norm.weight", width)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def make_gemma() -> None:
    """Writes a GGUF file as llama.cpp's converter does for Gemma 3. The sixth of its seven layers is not local."""
    tokenizer = as_gemma()
    vocabulary = sorted(tokenizer.get_vocab().items(), key=lambda entry: entry[1])
    heads, width, inner, layers, size = 4, 64, 96, 7, 16
    writer = gguf.GGUFWriter(str(folder / "heldGemma.gguf"), "gemma3")
    writer.add_name("heldGemma")
    writer.add_context_length(256)
    writer.add_embedding_length(width)
    writer.add_block_count(layers)
    writer.add_feed_forward_length(inner)
    writer.add_head_count(heads)
    writer.add_head_count_kv(1)
    writer.add_key_length(size)
    writer.add_value_length(size)
    writer.add_rope_freq_base(1e6)
    writer.add_sliding_window(24)
    writer.add_layer_norm_rms_eps(1e-6)
    writer.add_vocab_size(len(vocabulary))
    writer.add_tokenizer_model("llama")
    writer.add_token_list([token for token, _ in vocabulary])
    kind = gguf.TokenType
    kinds = [
        kind.UNKNOWN if token == "<unk>" else kind.CONTROL if token in special else kind.BYTE if token.startswith("<0x") else kind.NORMAL
        for token, _ in vocabulary
    ]
    writer.add_token_types(kinds)
    writer.add_token_scores([float(-at) for at in range(len(vocabulary))])
    writer.add_bos_token_id(tokenizer.token_to_id("<s>"))
    writer.add_eos_token_id(tokenizer.token_to_id("</s>"))
    writer.add_unk_token_id(tokenizer.token_to_id("<unk>"))
    writer.add_add_bos_token(False)
    writer.add_add_space_prefix(False)
    writer.add_chat_template(template)
    draw = np.random.default_rng(4)

    def add(name: str, *shape: int) -> None:
        values = 1 + draw.normal(size=shape) * 0.1 if len(shape) == 1 else draw.normal(size=shape) * 0.25
        array = values.astype(np.float32)
        if len(shape) == 1:
            return writer.add_tensor(name, array)
        kind = gguf.GGMLQuantizationType.Q8_0
        writer.add_tensor(name, gguf.quantize(array, kind), raw_dtype=kind)

    add("token_embd.weight", len(vocabulary), width)
    for layer in range(layers):
        add(f"blk.{layer}.attn_q.weight", heads * size, width)
        add(f"blk.{layer}.attn_k.weight", size, width)
        add(f"blk.{layer}.attn_v.weight", size, width)
        add(f"blk.{layer}.attn_output.weight", width, heads * size)
        add(f"blk.{layer}.attn_q_norm.weight", size)
        add(f"blk.{layer}.attn_k_norm.weight", size)
        add(f"blk.{layer}.ffn_gate.weight", inner, width)
        add(f"blk.{layer}.ffn_up.weight", inner, width)
        add(f"blk.{layer}.ffn_down.weight", width, inner)
        for norm in ("attn_norm", "post_attention_norm", "ffn_norm", "post_ffw_norm"):
            add(f"blk.{layer}.{norm}.weight", width)
    add("output_norm.weight", width)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


names = ["grouped", "brain", "half", "scaled", "mistral", "qwen2", "qwen3", "gemma3"]


def ask() -> None:
    shape = dict(hidden_size=32, intermediate_size=80, num_hidden_layers=3, num_attention_heads=4, num_key_value_heads=2)
    make("grouped", byte_level(), torch.float32, rope_theta=50000.0, rms_norm_eps=1e-6, **shape)
    make("brain", as_llama_2(), torch.bfloat16, tie_word_embeddings=True, head_dim=16, **shape)
    make("half", byte_level(), torch.float16, **{**shape, "num_key_value_heads": 4})
    scaled = dict(rope_type="llama3", rope_theta=5000.0, factor=4.0, low_freq_factor=1.0, high_freq_factor=4.0)
    make("scaled", byte_level(), torch.float32, rope_parameters={**scaled, "original_max_position_embeddings": 32}, **shape)
    make("mistral", byte_level(), torch.float32, MistralConfig, sliding_window=None, head_dim=16, **shape)
    make("qwen2", as_qwen(), torch.float32, Qwen2Config, tie_word_embeddings=True, **shape)
    make("qwen3", as_qwen(), torch.float32, Qwen3Config, head_dim=16, **shape)
    make_held()
    # Six of the seven layers are local. The texts that are compared are longer than the window.
    gemma = dict(num_hidden_layers=7, num_key_value_heads=1, head_dim=16, query_pre_attn_scalar=24, sliding_window=12)
    make("gemma3", as_gemma(), torch.bfloat16, Gemma3TextConfig, **{**shape, **gemma})
    make_gemma()
    texts = [sentence(12) for _ in range(200)]
    messages = [{"role": "user", "content": "the cat sat"}, {"role": "assistant", "content": "über"}, {"role": "user", "content": "two"}]
    (folder / "asked.json").write_text(json.dumps({"models": names, "texts": texts, "messages": messages}))


def check_trained(name: str, own: dict, theirs: Check, peft: Check) -> None:
    """Checks an agent of Cothink on an external model: its adapter on the model that transformers wrote, and merged."""
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
    peft(f"PEFT applies our adapter to the external model and gives our logits to 1e-4: {name}", apart < 1e-4 < moved, f"{apart:.1e} apart, {moved:.1e} moved")
    theirs(f"transformers gives the logits of the merged model to 1e-4: {name}", whole < 1e-4, f"{whole:.1e} apart")
    theirs(f"transformers writes our context and splits it into the same tokens: {name}", read == own["ids"], written)


def gemma_model(reader: gguf.GGUFReader) -> Gemma3ForCausalLM:
    """Reads a Gemma 3 from a GGUF file, whose gains contain the 1 that transformers adds to its own."""
    value = lambda key: reader.fields[key].contents()
    layers = value("gemma3.block_count")
    names = gguf.get_tensor_name_map(gguf.MODEL_ARCH.GEMMA3, layers)
    config = Gemma3TextConfig(
        vocab_size=len(value("tokenizer.ggml.tokens")),
        hidden_size=value("gemma3.embedding_length"),
        intermediate_size=value("gemma3.feed_forward_length"),
        num_hidden_layers=layers,
        num_attention_heads=value("gemma3.attention.head_count"),
        num_key_value_heads=value("gemma3.attention.head_count_kv"),
        head_dim=value("gemma3.attention.key_length"),
        query_pre_attn_scalar=value("gemma3.attention.key_length"),
        max_position_embeddings=value("gemma3.context_length"),
        sliding_window=value("gemma3.attention.sliding_window"),
    )
    model = Gemma3ForCausalLM(config).eval()
    found = {tensor.name: gguf.dequantize(tensor.data, tensor.tensor_type) for tensor in reader.tensors}
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            array = found[names.get_name(name.removesuffix(".weight")) + ".weight"]
            parameter.copy_(torch.from_numpy(np.array(array - 1 if array.ndim == 1 else array)))
    return model


def real_model(file: str) -> PreTrainedModel:
    """Reads a model from a GGUF file with the package that defines the format. Rows are ordered as in transformers."""
    reader = gguf.GGUFReader(file)
    value = lambda key: reader.fields[key].contents()
    if value("general.architecture") == "gemma3":
        return gemma_model(reader)
    heads, keys = value("llama.attention.head_count"), value("llama.attention.head_count_kv")
    names = gguf.get_tensor_name_map(gguf.MODEL_ARCH.LLAMA, value("llama.block_count"))
    config = LlamaConfig(
        vocab_size=len(value("tokenizer.ggml.tokens")),
        hidden_size=value("llama.embedding_length"),
        intermediate_size=value("llama.feed_forward_length"),
        num_hidden_layers=value("llama.block_count"),
        num_attention_heads=heads,
        num_key_value_heads=keys,
        max_position_embeddings=value("llama.context_length"),
        rms_norm_eps=value("llama.attention.layer_norm_rms_epsilon"),
        rope_parameters={"rope_type": "default", "rope_theta": value("llama.rope.freq_base")},
        tie_word_embeddings=True,
    )
    model = LlamaForCausalLM(config).eval()
    found = {tensor.name: gguf.dequantize(tensor.data, tensor.tensor_type) for tensor in reader.tensors}
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            array = found[names.get_name(name.removesuffix(".weight")) + ".weight"]
            for part, count in (("q_proj", heads), ("k_proj", keys)):
                if part in name:
                    array = array.reshape(count, -1, 2, array.shape[1]).swapaxes(1, 2).reshape(array.shape)
            parameter.copy_(torch.from_numpy(np.array(array)))
    return model


def check_real(own: dict, theirs: Check) -> None:
    model = real_model(os.environ["COTHINK_MODEL"])
    row = torch.tensor([own["ids"]])
    with torch.no_grad():
        logits = model(row).logits[0].numpy()
        said = model.generate(row, max_new_tokens=64, do_sample=False, eos_token_id=None)[0].tolist()
    apart, most = float(np.abs(logits - np.array(own["logits"])).max()), float(np.abs(logits).max())
    theirs("our import of a GGUF file gives the logits of transformers to 1e-4 of the largest", apart < 1e-4 * most, f"{apart:.1e} of {most:.1f}")
    theirs("our import of a GGUF file generates the same 64 likeliest tokens", said == own["ids"] + own["greedy"], own["said"])


def check_gradients(base: str, name: str, peft: Check) -> None:
    """Checks the gradients of one batch for an adapter on a frozen file; the rows are padded to one length."""
    own = json.loads((folder / name / "gradients.json").read_text())
    model = PeftModel.from_pretrained(real_model(base), folder / name / "adapter", is_trainable=True).eval()
    length = max(map(len, own["rows"]))
    ids = torch.tensor([row + [0] * (length - len(row)) for row in own["rows"]])
    seen = torch.tensor([[1] * len(row) + [0] * (length - len(row)) for row in own["rows"]])
    logprobs = torch.log_softmax(model(ids, attention_mask=seen).logits[:, :-1] / own["temperature"], -1)
    said = logprobs.gather(2, ids[:, 1:, None])[..., 0] * seen[:, 1:] * (torch.arange(1, length) >= own["from"])
    (-(said.sum(1) * torch.tensor(own["weights"])).sum()).backward()
    theirs = {key: value.grad.numpy() for key, value in model.named_parameters() if "lora_" in key}
    of = lambda projection, part: theirs[f"base_model.model.{projection}.lora_{part}.default.weight"]
    # In Cothink, projections with the same input share A, so its gradient is the sum of PEFT's gradients.
    packed = {"q_proj": "qkv", "k_proj": "qkv", "v_proj": "qkv", "gate_proj": "gate_up", "up_proj": "gate_up"}
    groups: dict[str, list] = {}
    for pair in own["pairs"]:
        layer, projection = pair["name"].rsplit(".", 1)
        groups.setdefault(f"{layer}.{packed.get(projection, projection)}", []).append(pair)
    array = lambda one: np.array(one["values"], np.float32).reshape(one["shape"])
    apart = lambda ours, wanted: float(np.linalg.norm(ours - wanted) / np.linalg.norm(wanted))
    found = [apart(array(pairs[0]["a"]), sum(of(pair["name"], "A") for pair in pairs)) for pairs in groups.values()]
    found += [apart(array(pair["b"]), of(pair["name"], "B")) for pair in own["pairs"]]
    peft(f"PEFT gives our gradients of {len(found)} adapter matrices to 1e-3 of their length, largest difference {max(found):.0e}: {name}", len(theirs) == 2 * len(own["pairs"]) and max(found) < 1e-3)


def check_held(base: str, name: str, own: dict, theirs: Check, peft: Check, ours: Check) -> None:
    """Checks an agent on a model that is stored only by name: its adapter on the frozen file, and all merged forms."""
    taken = folder / name
    row = torch.tensor([own["ids"]])
    logits = np.array(own["logits"])
    most = float(np.abs(logits).max())
    frozen = real_model(base)
    with torch.no_grad():
        before = frozen(row).logits[0].numpy()
        adapted = PeftModel.from_pretrained(frozen, taken / "adapter").eval()(row).logits[0].numpy()
        files = {kind: AutoModelForCausalLM.from_pretrained(taken / kind, dtype=torch.float32).eval() for kind in own["merged"]}
        merged = {kind: model(row).logits[0].numpy() for kind, model in files.items()}
    apart, moved = float(np.abs(adapted - logits).max()), float(np.abs(before - logits).max())
    peft(f"PEFT applies our adapter to its GGUF file and gives our logits to 1e-4: {name}", apart < 1e-4 * most < moved, f"{apart:.1e} apart, {moved:.1e} moved")
    for kind, bound in own["merged"].items():
        apart = float(np.abs(merged[kind] - logits).max())
        theirs(f"transformers gives our logits of the merged {kind} to {bound}: {name}", apart < bound * most, f"{apart:.1e} of {most:.1f}")
    tokenizer = AutoTokenizer.from_pretrained(taken / "merged-F16")
    theirs(f"transformers splits the context into our tokens for the merged model: {name}", tokenizer(own["context"], add_special_tokens=False).input_ids == own["ids"])
    before_file = gguf.GGUFReader(base)
    # The rows of queries and keys stay in the order of llama.cpp.
    exact = {tensor.name: gguf.dequantize(tensor.data, tensor.tensor_type) for tensor in before_file.tensors}
    scale, pairs = own["scale"], {pair["name"]: pair for pair in own["pairs"]}
    for kind in ("F16", "Q8_0"):
        after = gguf.GGUFReader(taken / f"gguf-{kind}" / "model.gguf")
        number = gguf.GGMLQuantizationType[kind]
        told = [key for key in before_file.fields if key.startswith(("tokenizer.", "llama.", "gemma3."))]
        kept = all(bytes(np.concatenate([np.ravel(part) for part in before_file.fields[key].parts])) == bytes(np.concatenate([np.ravel(part) for part in after.fields[key].parts])) for key in told)
        ours(f"gguf reads the same {len(told)} entries from our merged {kind} file as from the frozen file: {name}", kept and len(told) > 15)
        same, largest = True, 0.0
        for tensor in after.tensors:
            values = np.array(exact[tensor.name])
            pair = pairs.get(tensor.name)
            if pair:
                a, b = (np.array(pair[part]["values"], np.float32).reshape(pair[part]["shape"]) for part in "ab")
                heads = pair["heads"]
                if heads:
                    b = b.reshape(heads, 2, -1, b.shape[1]).swapaxes(1, 2).reshape(b.shape)
                values = (values.astype(np.float64) + scale * (b.astype(np.float64) @ a.astype(np.float64))).astype(np.float32)
            if len(tensor.shape) == 1:
                same &= bool(np.array_equal(tensor.data, values))
                continue
            same &= tensor.tensor_type == number
            wanted = gguf.quantize(values, number)
            # The sum may be rounded differently in its last digit, so a number may differ by one step.
            differing = np.asarray(wanted).view(np.uint8) != np.asarray(tensor.data).view(np.uint8)
            largest = max(largest, float(differing.mean()))
            apart = np.abs(gguf.dequantize(tensor.data, number) - gguf.dequantize(np.asarray(wanted), number)).max()
            same &= bool(apart <= np.abs(values).max() / (120 if kind == "Q8_0" else 900))
        ours(f"gguf quantises the sum of frozen weights and adapter to the bytes of our merged {kind} file: {name}", same and largest < 1e-3, f"{largest:.1e} of the bytes differ")


def check() -> None:
    asked, read = (json.loads((folder / name).read_text()) for name in ("asked.json", "read.json"))
    theirs, peft = checks_of("transformers, models of its own read here", "transformers"), checks_of("PEFT", "peft")
    ours = checks_of("gguf")
    for name, own in read["held"].items():
        base = os.environ["COTHINK_MODEL"] if name == "realHeld" else str(folder / f"{name}.gguf")
        check_held(base, name, own, theirs, peft, ours)
        check_gradients(base, name, peft)
    for name in names:
        own = read[name]
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
        theirs(f"our import splits {len(plain)} texts into the tokens of transformers: {name}", is_cut)
        theirs(f"our import decodes these tokens as transformers does: {name}", back == own["back"])
        theirs(f"our import writes a chat as transformers does: {name}", written == own["chat"], own["chat"])
        check_trained(name, own["trained"], theirs, peft)
    if "real" in read:
        check_real(read["real"], theirs)
    ends()


ask() if step == "make" else check()
