// A Python program for the same workloads in PyTorch with float32, to compare with a native program on the same cores.
export const pytorchProgram = `
import json, resource, sys, time
import torch
import torch.nn.functional as F
task = json.loads(sys.argv[1])
shape, works = task['shape'], task['works']
torch.set_num_threads(task['threads'])
torch.manual_seed(0)
C, I, L, V, P = (shape[name] for name in ('hiddenSize', 'intermediateSize', 'numLayers', 'vocabSize', 'maxPositions'))
H, KV, D, eps = (shape[name] for name in ('numHeads', 'numKvHeads', 'headSize', 'normEps'))
chance = lambda *sizes: (torch.rand(*sizes) - 0.5) * 0.1
table, gain = chance(V, C), torch.ones(C)
layers = [[chance((H + 2 * KV) * D, C), chance(C, H * D), chance(2 * I, C), chance(C, I)] for _ in range(L)]
angles = torch.arange(P)[:, None] * shape['ropeTheta'] ** (-2 * (torch.arange(D) % (D // 2)) / D)
cos, sin = angles.cos(), angles.sin()
def rotate(x, at):
    left, right = x.chunk(2, -1)
    S = x.shape[2]
    return x * cos[at:at + S] + torch.cat([-right, left], -1) * sin[at:at + S]
def feed(ids, caches, at):
    B, S = ids.shape
    x = F.embedding(ids, table)
    for (qkv, out, gateUp, down), (keys, values) in zip(layers, caches):
        q, k, v = F.linear(F.rms_norm(x, (C,), gain, eps), qkv).view(B, S, H + 2 * KV, D).transpose(1, 2).split([H, KV, KV], 1)
        keys[:, :, at:at + S] = rotate(k, at)
        values[:, :, at:at + S] = v
        mixed = F.scaled_dot_product_attention(rotate(q, at), keys[:, :, :at + S], values[:, :, :at + S], is_causal=S > 1, enable_gqa=True)
        x = x + F.linear(mixed.transpose(1, 2).reshape(B, S, H * D), out)
        gate, up = F.linear(F.rms_norm(x, (C,), gain, eps), gateUp).chunk(2, -1)
        x = x + F.linear(F.silu(gate) * up, down)
    logits = F.linear(F.rms_norm(x[:, -1], (C,), gain, eps), table)
    return torch.multinomial(logits.softmax(-1), 1)
@torch.inference_mode()
def take(rows, heard, said):
    caches = [[torch.zeros(rows, KV, P, D) for _ in range(2)] for _ in range(L)]
    ids = torch.arange(rows)[:, None]
    if heard: ids = feed((torch.arange(heard) * 7919 % V)[None], caches, 0)
    for step in range(said): ids = feed(ids, caches, heard + step)
print(json.dumps({'ready': torch.__version__}), flush=True)
for line in sys.stdin:
    start, cpu = time.perf_counter(), time.process_time()
    take(**works[line.strip()])
    ms, cpuMs = (time.perf_counter() - start) * 1000, (time.process_time() - cpu) * 1000
    print(json.dumps({'ms': ms, 'cpuMs': cpuMs, 'peakMiB': resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024}), flush=True)
`;
