// A Python program for the workloads in which an adapter learns, with PyTorch, transformers and PEFT in float32.
export const peftProgram = `
import json, resource, sys, time
import torch
import torch.nn.functional as F
from peft import LoraConfig, get_peft_model
from transformers import LlamaConfig, LlamaForCausalLM
task = json.loads(sys.argv[1])
shape, works, rank = task['shape'], task['works'], task['rank']
torch.set_num_threads(task['threads'])
torch.manual_seed(0)
V = shape['vocabSize']
config = LlamaConfig(vocab_size=V, hidden_size=shape['hiddenSize'], intermediate_size=shape['intermediateSize'],
    num_hidden_layers=shape['numLayers'], num_attention_heads=shape['numHeads'], num_key_value_heads=shape['numKvHeads'],
    head_dim=shape['headSize'], max_position_embeddings=shape['maxPositions'], rms_norm_eps=shape['normEps'],
    rope_parameters={'rope_type': 'default', 'rope_theta': shape['ropeTheta']}, tie_word_embeddings=True,
    bos_token_id=None, eos_token_id=None, pad_token_id=None)
projections = [name + '_proj' for name in ('q', 'k', 'v', 'o', 'gate', 'up', 'down')]
model = get_peft_model(LlamaForCausalLM(config), LoraConfig(r=rank, lora_alpha=2 * rank, target_modules=projections))
trained = [parameter for parameter in model.parameters() if parameter.requires_grad]
optimiser = torch.optim.AdamW(trained, lr=1e-4, weight_decay=0)
@torch.no_grad()
def say(ids, said):
    model.eval()
    return model.generate(input_ids=ids, attention_mask=torch.ones_like(ids), max_new_tokens=said, min_new_tokens=said,
        do_sample=True, temperature=1.0, top_k=0, top_p=1.0, pad_token_id=0)
def take(rows, heard, said, learned):
    role_rows = [(torch.arange(rows * heard).view(rows, heard) + role * rows * heard) * 7919 % V for role in range(learned['roles'])]
    talks = torch.cat([say(ids, said) if said else ids for ids in role_rows])
    better = 1 - 2 * (torch.arange(len(talks)) % 2) if said else torch.ones(len(talks))
    model.train()
    optimiser.zero_grad()
    for chosen in torch.arange(len(talks)).split(learned['perPass']):
        ids, count = talks[chosen], said or talks.shape[1] - 1
        logits = model(input_ids=ids[:, :-1], logits_to_keep=count).logits
        surprise = F.cross_entropy(logits.flatten(0, 1), ids[:, -count:].flatten(), reduction='none').view(len(ids), count)
        (surprise * better[chosen, None]).sum().backward()
    torch.nn.utils.clip_grad_norm_(trained, 1.0)
    optimiser.step()
print(json.dumps({'ready': torch.__version__}), flush=True)
for line in sys.stdin:
    start, cpu = time.perf_counter(), time.process_time()
    take(**works[line.strip()])
    ms, cpuMs = (time.perf_counter() - start) * 1000, (time.process_time() - cpu) * 1000
    print(json.dumps({'ms': ms, 'cpuMs': cpuMs, 'peakMiB': resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024}), flush=True)
`;
