// Operations on logits and token ids: log-probabilities, entropy, the most likely tokens, and sampling. Sampling is
// available alone, or together with everything that a decoding session records about the token.
import {
  addressesOf,
  compute,
  computeOne,
  declare,
  expectKnownIds,
  inPlace,
  type KernelCall,
  shapeOf,
} from '../../simd/kernel.ts';
import type { TakeTokensOptions } from './takeTokens.ts';

export const tokenKernels = [
  declare('TokenLogprobs', (call) => {
    const [n, v] = shapeOf(call, 'logits');
    const to = { logprobs: [n], entropy: [n] };
    return compute(call, { from: ['logits', 'ids'], to, scratch: v }, ({ logits, ids, logprobs, entropy, scratch }) => {
      const { tokenLogprobs } = call.backend.wasm;
      expectKnownIds(call, tokenLogprobs(logits, ids, logprobs, entropy, n, v, inverseTemperature(call), scratch), v);
    });
  }),
  declare('TokenLogprobsGrad', (call) => {
    const [n, v] = shapeOf(call, 'logits');
    const from = ['logits', 'ids', 'dLogprobs', 'dEntropy'] as const;
    return computeOne(call, { from, to: { dLogits: [n, v] }, scratch: v }, (at) => {
      const operands = [at.logits, at.ids, at.dLogprobs, at.dEntropy, at.dLogits] as const;
      const { tokenLogprobsGrad } = call.backend.wasm;
      expectKnownIds(call, tokenLogprobsGrad(...operands, n, v, inverseTemperature(call), at.scratch), v);
    });
  }),
  declare('TopTokens', (call) => {
    const [n, v] = shapeOf(call, 'logits');
    const k = call.attrs['k'] as number;
    const to = { topIds: [n, k], topLogprobs: [n, k], logprobs: [n], entropy: [n], ranks: [n] };
    const work = { from: ['logits', 'ids'] as const, to, whole: ['topIds', 'ranks'] as const, scratch: v };
    return compute(call, work, (at) => {
      const operands = [at.logits, at.ids, at.topIds, at.topLogprobs, at.logprobs, at.entropy, at.ranks] as const;
      const { topTokens } = call.backend.wasm;
      expectKnownIds(call, topTokens(...operands, n, v, k, inverseTemperature(call), at.scratch), v);
    });
  }),
  declare('SampleTokens', (call) => {
    const [n, v] = shapeOf(call, 'logits');
    const work = { from: ['logits', 'uniforms'] as const, to: { ids: [n], logprobs: [n] }, scratch: v };
    return compute(call, { ...work, whole: ['ids'] }, ({ logits, uniforms, ids, logprobs, scratch }) =>
      call.backend.wasm.sampleTokens(logits, uniforms, ids, logprobs, n, v, inverseTemperature(call), scratch),
    );
  }),
  declare('TakeTokens', (call) => {
    const { backend } = call;
    const { endIds, maxPosition } = call.attrs as unknown as TakeTokensOptions;
    const [batch, vocabulary] = shapeOf(call, 'logits');
    const [, capacity] = shapeOf(call, 'mask');
    const names = ['ids', 'out', 'logits', 'uniforms', 'alive', 'mask', 'starts', 'positions', 'state'] as const;
    const operands = addressesOf(call, ...names);
    const ends = backend.allocate([endIds.length], 'int32');
    backend.view(ends.info).set(endIds);
    backend.withScratch(vocabulary, (scratch) => {
      const sizes = [batch, vocabulary, capacity, inverseTemperature(call), maxPosition] as const;
      backend.wasm.takeTokens(...operands, ...sizes, ends.address, endIds.length, scratch);
    });
    backend.disposeData(ends.info.dataId);
    return inPlace(call, 'ids');
  }),
];

const inverseTemperature = ({ attrs }: KernelCall) => 1 / (attrs['temperature'] as number);
