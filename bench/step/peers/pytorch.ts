// Runs the step in PyTorch on one thread, if a Python has torch, to compare with a native program on the same cores.
// The program receives the weights and tokens as one JSON line and performs an update for every further line.
import { spawn, spawnSync } from 'node:child_process';
import { createInterface } from 'node:readline';
import { pythonCommands } from '../../../scripts/vulkan.mjs';
import { parameterCount } from '../../../src/config/sizes.ts';
import { processor } from '../../shared/runner.ts';
import type { Engine } from '../contract.ts';
import { optimiser, type StepWork } from '../work.ts';

const program = `
import json, sys, time
import torch
import torch.nn.functional as F
torch.set_num_threads(1)
work = json.loads(sys.stdin.readline())
shape, opt = work['shape'], work['optimiser']
B, T = work['rows'], work['length']
H, KV, D = shape['numHeads'], shape['numKvHeads'], shape['headSize']
W = {w['name']: torch.tensor(w['values'], dtype=torch.float32).reshape(w['shape']).requires_grad_() for w in work['weights']}
ids = torch.tensor(work['ids']).reshape(B, T)
targets = torch.tensor(work['targets'])
angles = torch.arange(T)[:, None] * shape['ropeTheta'] ** (-2 * (torch.arange(D) % (D // 2)) / D)
cos, sin = angles.cos(), angles.sin()
bias = torch.full((T, T), float('-inf')).triu(1)
groups = [{'params': [w for w in W.values() if w.dim() > 1], 'weight_decay': opt['weightDecay']},
          {'params': [w for w in W.values() if w.dim() == 1], 'weight_decay': 0.0}]
adam = torch.optim.AdamW(groups, lr=opt['learningRate'], betas=(opt['beta1'], opt['beta2']), eps=opt['eps'])
def norm(x, gain):
    return x * torch.rsqrt(x.square().mean(-1, keepdim=True) + shape['normEps']) * gain
def rotate(x):
    left, right = x.chunk(2, -1)
    return x * cos + torch.cat([-right, left], -1) * sin
def heads(x, count):
    return x.view(B, T, count, D).transpose(1, 2)
def step():
    x = F.embedding(ids, W['model.embed_tokens.weight'])
    for layer in range(shape['numLayers']):
        at = lambda name: W[f'model.layers.{layer}.{name}.weight']
        y = norm(x, at('input_layernorm'))
        q = rotate(heads(y @ at('self_attn.q_proj').T, H))
        k = rotate(heads(y @ at('self_attn.k_proj').T, KV)).repeat_interleave(H // KV, 1)
        v = heads(y @ at('self_attn.v_proj').T, KV).repeat_interleave(H // KV, 1)
        shares = (q @ k.transpose(2, 3) / D ** 0.5 + bias).softmax(-1)
        x = x + (shares @ v).transpose(1, 2).reshape(B, T, H * D) @ at('self_attn.o_proj').T
        y = norm(x, at('post_attention_layernorm'))
        x = x + (F.silu(y @ at('mlp.gate_proj').T) * (y @ at('mlp.up_proj').T)) @ at('mlp.down_proj').T
    table = W['model.embed_tokens.weight' if shape['isTied'] else 'lm_head.weight']
    logits = norm(x, W['model.norm.weight']) @ table.T
    loss = F.cross_entropy(logits.view(B * T, -1), targets)
    adam.zero_grad()
    loss.backward()
    torch.nn.utils.clip_grad_norm_(list(W.values()), opt['maxGradNorm'])
    adam.step()
    return loss.item()
print(json.dumps({'version': torch.__version__}), flush=True)
for line in sys.stdin:
    start = time.perf_counter()
    loss = step()
    print(json.dumps({'loss': loss, 'ms': (time.perf_counter() - start) * 1000}), flush=True)
`;

/** Opens the workload in a Python process. Throws if torch is missing. */
export async function openPytorch(work: StepWork): Promise<Engine> {
  const python = pythonCommands.find((command) => spawnSync(command, ['-c', 'import torch']).status === 0);
  if (python === undefined)
    throw new Error('no python3 with torch here: pip install torch==2.13.0, the build for processors');
  const env = { ...process.env, OPENBLAS_NUM_THREADS: '1' }; // torch's own limit does not reach it
  const child = spawn(python, ['-c', program], { env, stdio: ['pipe', 'pipe', 'ignore'] });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const read = async (): Promise<Record<string, number | string>> => {
    const { value, done } = await lines.next();
    if (done) throw new Error('the Python process ended early');
    return JSON.parse(value as string) as Record<string, number | string>;
  };
  child.on('error', () => undefined);
  child.stdin.on('error', () => undefined);
  const plain = {
    ...work,
    optimiser,
    ids: [...work.ids],
    targets: [...work.targets],
    weights: work.weights.map(({ name, shape, values }) => ({ name, shape, values: [...values] })),
  };
  child.stdin.write(`${JSON.stringify(plain)}\n`);
  const { version } = await read();
  return {
    backend: 'native',
    adapter: processor,
    parameters: parameterCount(work.shape),
    note: `torch ${version}, one thread`,
    step: async () => {
      child.stdin.write('step\n');
      const { loss, ms } = await read();
      return { loss: loss as number, submitMs: null, extra: { ms: ms as number } };
    },
  };
}
