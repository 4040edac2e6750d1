// Operations on logits and token ids for training: log-probability and entropy in one pass, their gradient, the most
// likely tokens, and the softmax code that sampling also uses. For an id outside the vocabulary, the log-probability
// and the gradient are 0, as in the composed form, because a program on the device cannot throw an error.
import { as, declare, input, type ProgramCall, reads } from '../../webgpu/program/kernel.ts';
import { groupSize, reductions, type Variant } from '../../webgpu/program/program.ts';

/**
 * WGSL that computes the softmax of a row. It defines z(v), the scaled logit of token v; top = max z; sum = Σ e^(z −
 * top); and along = Σ e^(z − top)·(z − top).
 */
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
  declare('TopTokens', { buffers: 7, sharedBytes: 1024 }, (call) => {
    const { recorder } = call;
    const { variant } = recorder;
    const k = call.attrs['k'] as number;
    const { items, sizes, constants } = rowsOf(call);
    const [topIds, topLogprobs] = [recorder.allocate([items, k], 'int32'), recorder.allocate([items, k])];
    const [logprobs, entropy] = [recorder.allocate([items]), recorder.allocate([items])];
    const ranks = recorder.allocate([items], 'int32');
    const functions = () => `${reductions(variant)}\n${firstOf(variant)}`;
    recorder.run({
      program: { key: 'TopTokens', variant, text: () => ({ body: top, functions: functions() }) },
      writes: {
        ...{ topIds: as('i32', topIds), topLogprobs: as('f32', topLogprobs), ranks: as('i32', ranks) },
        ...{ logprobs: as('f32', logprobs), entropy: as('f32', entropy) },
      },
      reads: { ...reads(call, 'f32', 'logits'), ...reads(call, 'i32', 'ids') },
      ...{ items, sizes: { ...sizes, k }, constants },
    });
    return [topIds, topLogprobs, logprobs, entropy, ranks];
  }),
];

/**
 * WGSL that selects the most likely of the tokens that the lanes of a workgroup have found. If several are equally
 * likely, the token with the smallest id is selected. A lane that has found no token passes `none`.
 */
const firstOf = (variant: Variant) => `
const none = 0xffffffffu;
fn precedes(z: f32, id: u32, other: f32, otherId: u32) -> bool {
  return id != none && (otherId == none || z > other || (z == other && id < otherId));
}
${
  variant === 'solo'
    ? 'fn firstOf(z: f32, id: u32, lane: u32) -> u32 { return id; }'
    : `var<workgroup> best: array<f32, ${groupSize}>;
var<workgroup> bestId: array<u32, ${groupSize}>;
fn firstOf(z: f32, id: u32, lane: u32) -> u32 {
  best[lane] = z;
  bestId[lane] = id;
  workgroupBarrier();
  for (var width = ${groupSize / 2}u; width > 0u; width = width / 2u) {
    if (lane < width && precedes(best[lane + width], bestId[lane + width], best[lane], bestId[lane])) {
      best[lane] = best[lane + width];
      bestId[lane] = bestId[lane + width];
    }
    workgroupBarrier();
  }
  let found = bestId[0];
  workgroupBarrier();
  return found;
}`
}`;

// The k tokens are found one after another. For each, a pass over the row finds the most likely token after the
// previous one.
const top = `${softmaxParts}
  let spread = top + log(sum);
  let drop = total(along, lane) / sum;
  let id = min(u32(ids[item]), sizes.vocabulary - 1u);
  let said = logits[start + id];
  var ahead = 0.0;
  for (var v = lane; v < sizes.vocabulary; v += lanes) {
    if (precedes(logits[start + v], v, said, id)) { ahead += 1.0; }
  }
  ahead = total(ahead, lane);
  if (lane == 0u) {
    let isKnown = u32(ids[item]) < sizes.vocabulary;
    logprobs[item] = select(0.0, said * sizes.inverse - spread, isKnown);
    entropy[item] = spread - top - drop;
    ranks[item] = i32(ahead);
  }
  var last = none;
  for (var place = 0u; place < sizes.k; place++) {
    var mine = none;
    for (var v = lane; v < sizes.vocabulary; v += lanes) {
      let z = logits[start + v];
      let isLeft = last == none || precedes(logits[start + min(last, sizes.vocabulary - 1u)], last, z, v);
      if (isLeft && precedes(z, v, logits[start + min(mine, sizes.vocabulary - 1u)], mine)) { mine = v; }
    }
    last = firstOf(logits[start + min(mine, sizes.vocabulary - 1u)], mine, lane);
    if (lane == 0u) {
      let found = min(last, sizes.vocabulary - 1u);
      topIds[item * sizes.k + place] = i32(found);
      topLogprobs[item * sizes.k + place] = logits[start + found] * sizes.inverse - spread;
    }
  }`;

/** The number of rows of logits, and the sizes and constants for the programs. */
export function rowsOf(call: ProgramCall) {
  const [items, vocabulary] = input(call, 'logits').shape as [number, number];
  return { items, sizes: { vocabulary }, constants: { inverse: 1 / (call.attrs['temperature'] as number) } };
}

function program(key: string, body: string, { recorder: { variant } }: ProgramCall) {
  return { key, variant, text: () => ({ body, functions: reductions(variant) }) };
}
