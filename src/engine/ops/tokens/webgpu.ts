// Where logits meet token ids in training: log-probability and entropy in one pass, their gradient, and the softmax
// that sampling shares. An id outside the vocabulary has log-probability 0 and no gradient, as in the composed
// one-hot form: a program cannot throw.
import { as, declare, input, type KernelCall, reads } from '../../webgpu/program/kernel.ts';
import { reductions } from '../../webgpu/program/program.ts';

/** WGSL of a row's softmax: after it, z(v) of token v, top = max z, sum = Σ e^(z − top), along = Σ e^(z − top)·(z − top). */
export const softmaxParts = `
  let start = item * sizes.vocabulary;
  var top = -3e38;
  for (var v = lane; v < sizes.vocabulary; v += lanes) { top = max(top, logits[start + v] * sizes.inverse); }
  top = most(top, lane);
  var sum = 0.0;
  var along = 0.0;
  for (var v = lane; v < sizes.vocabulary; v += lanes) {
    let z = logits[start + v] * sizes.inverse - top;
    let e = exp(z);
    sum += e;
    along += e * z;
  }
  sum = total(sum, lane);`;

const forward = `${softmaxParts}
  let spread = log(sum);
  let drop = total(along, lane) / sum;
  if (lane == 0u) {
    let id = u32(ids[item]);
    let chosen = logits[start + min(id, sizes.vocabulary - 1u)] * sizes.inverse - top - spread;
    logprobs[item] = select(0.0, chosen, id < sizes.vocabulary);
    entropy[item] = spread - drop;
  }`;

// dz = (dLogprob·(1[id] − p) − dEntropy·p·(log p + H)) / temperature
const backward = `${softmaxParts}
  let spread = log(sum);
  let h = spread - total(along, lane) / sum;
  let id = u32(ids[item]);
  let dLogprob = select(0.0, dLogprobs[item], id < sizes.vocabulary);
  for (var v = lane; v < sizes.vocabulary; v += lanes) {
    let logShare = logits[start + v] * sizes.inverse - top - spread;
    let share = exp(logShare);
    let own = select(0.0, dLogprob, v == id);
    dLogits[start + v] = (own - share * (dLogprob + dEntropy[item] * (logShare + h))) * sizes.inverse;
  }`;

export const tokenKernels = [
  declare('TokenLogprobs', { buffers: 5, sharedBytes: 512 }, (call) => {
    const { recorder } = call;
    const rows = rowsOf(call);
    const [logprobs, entropy] = [recorder.allocate([rows.items]), recorder.allocate([rows.items])];
    recorder.run({
      program: program('TokenLogprobs', forward, call),
      writes: { logprobs: as('f32', logprobs), entropy: as('f32', entropy) },
      reads: { ...reads(call, 'f32', 'logits'), ...reads(call, 'i32', 'ids') },
      ...rows,
    });
    return [logprobs, entropy];
  }),
  declare('TokenLogprobsGrad', null, (call) => {
    const dLogits = call.recorder.allocate(input(call, 'logits').shape);
    call.recorder.run({
      program: program('TokenLogprobsGrad', backward, call),
      writes: { dLogits: as('f32', dLogits) },
      reads: { ...reads(call, 'f32', 'logits', 'dLogprobs', 'dEntropy'), ...reads(call, 'i32', 'ids') },
      ...rowsOf(call),
    });
    return dLogits;
  }),
];

/** Rows of logits: how many there are, and their numbers for the text. */
export function rowsOf(call: KernelCall) {
  const [items, vocabulary] = input(call, 'logits').shape as [number, number];
  return { items, sizes: { vocabulary }, constants: { inverse: 1 / (call.attrs['temperature'] as number) } };
}

function program(key: string, body: string, { recorder: { variant } }: KernelCall) {
  return { key, variant, text: () => ({ body, functions: reductions(variant) }) };
}
