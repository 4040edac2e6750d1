// Samples tokens by the inverse of the cumulative distribution with one uniform random number per row, either alone or
// together with everything that a decoding session records about the token. The step of the turn and the slot are read
// from the tensor `state`, so a recorded step can be replayed for the next token.
import type * as tf from '@tensorflow/tfjs-core';
import { as, declare, fitsDevice, inPlace, input, type ProgramCall, reads } from '../../webgpu/program/kernel.ts';
import { groupSize, reductions, type Text, type Variant } from '../../webgpu/program/program.ts';
import type { TakeTokensOptions } from './takeTokens.ts';
import { rowsOf, softmaxParts } from './webgpu.ts';

/**
 * The number of storage buffers that `TakeTokens` binds in one dispatch. A device with a lower limit runs it in two
 * dispatches.
 */
const takeTokensBuffers = 9;

export const samplingKernels = [
  declare('SampleTokens', { buffers: 4, sharedBytes: 768 }, (call) => {
    const { recorder } = call;
    const { variant } = recorder;
    const rows = rowsOf(call);
    const [ids, logprobs] = [recorder.allocate([rows.items], 'int32'), recorder.allocate([rows.items])];
    recorder.run({
      program: { key: 'SampleTokens', variant, text: () => sampling(variant, 'item', noteBoth) },
      writes: { ids: as('i32', ids), logprobs: as('f32', logprobs) },
      reads: reads(call, 'f32', 'logits', 'uniforms'),
      ...rows,
    });
    return [ids, logprobs];
  }),
  declare('TakeTokens', { buffers: 6, sharedBytes: 768 }, takeTokens),
];

function takeTokens(call: ProgramCall): tf.TensorInfo {
  const { recorder } = call;
  const { variant } = recorder;
  const { endIds, maxPosition } = call.attrs as unknown as TakeTokensOptions;
  const [window, capacity] = [input(call, 'out').shape[0] as number, input(call, 'mask').shape[1] as number];
  const { sizes, ...rows } = rowsOf(call);
  const common = { ...rows, sizes: { ...sizes, window, capacity, maxPosition } };
  const draw = {
    writes: { ...reads(call, 'i32', 'ids'), ...reads(call, 'f32', 'out') },
    reads: { ...reads(call, 'f32', 'logits', 'uniforms'), ...reads(call, 'i32', 'state') },
  };
  const follow = {
    writes: { ...reads(call, 'f32', 'alive', 'mask'), ...reads(call, 'i32', 'positions') },
    reads: reads(call, 'i32', 'starts', 'state'),
  };
  const key = `TakeTokens ${endIds.join()}`;
  const uniform = 'min(u32(state[1]), sizes.window - 1u) * sizes.items + item';
  if (fitsDevice(recorder.backend, { buffers: takeTokensBuffers })) {
    recorder.run({
      program: { key, variant, text: () => sampling(variant, uniform, noteTurn + goOn(endIds)) },
      writes: { ...draw.writes, ...follow.writes },
      reads: { ...draw.reads, ...follow.reads },
      ...common,
    });
    return inPlace(call, 'ids');
  }
  const text = () => sampling(variant, uniform, noteTurn);
  recorder.run({ program: { key: 'TakeTokens draw', variant, text }, ...draw, ...common });
  const after = () => ({ body: `let id = u32(ids[item]);${goOn(endIds)}` });
  recorder.run({
    program: { key: `${key} after`, variant: 'solo', text: after },
    writes: follow.writes,
    reads: { ...follow.reads, ...reads(call, 'i32', 'ids') },
    ...common,
  });
  return inPlace(call, 'ids');
}

const noteBoth = `
    ids[item] = i32(id);
    logprobs[item] = logprob;`;

const noteTurn = `
    ids[item] = i32(id);
    if (u32(state[1]) < sizes.window) {
      let place = u32(state[1]) * 2u * sizes.items + item;
      out[place] = f32(id);
      out[place + sizes.items] = logprob;
    }`;

const goOn = (endIds: readonly number[]) => `
    let slot = u32(state[0]);
    if (slot < sizes.capacity) { mask[item * sizes.capacity + slot] = alive[item]; }
    positions[item] = min(starts[item] + state[1], i32(sizes.maxPosition));
    if (${endIds.map((id) => `id == ${String(id)}u`).join(' || ') || 'false'}) { alive[item] = 0.0; }`;

// Each lane goes through its own part of the row, and starts from the sum of the parts before it.
function sampling(variant: Variant, uniform: string, note: string): Text {
  const before = `for (var v = begin; v < end; v++) { cumulative += exp(logits[start + v] * sizes.inverse - top) / sum; }
  stretches[lane] = cumulative;
  workgroupBarrier();
  cumulative = 0.0;
  for (var other = 0u; other < lane; other++) { cumulative += stretches[other]; }`;
  const stretches = variant === 'team' ? `var<workgroup> stretches: array<f32, ${groupSize}>;` : '';
  return {
    functions: `${reductions(variant)}\n${stretches}`,
    body: `${softmaxParts}
  let stretch = (sizes.vocabulary + lanes - 1u) / lanes;
  let begin = min(lane * stretch, sizes.vocabulary);
  let end = min(begin + stretch, sizes.vocabulary);
  var cumulative = 0.0;
  ${variant === 'team' ? before : ''}
  let draw = uniforms[${uniform}];
  var passed = 0.0;
  for (var v = begin; v < end; v++) {
    cumulative += exp(logits[start + v] * sizes.inverse - top) / sum;
    if (cumulative <= draw) { passed += 1.0; }
  }
  let id = min(u32(total(passed, lane)), sizes.vocabulary - 1u);
  if (lane == 0u) {
    let logprob = logits[start + id] * sizes.inverse - top - log(sum);${note}
  }`,
  };
}
