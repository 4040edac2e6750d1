// The loss of a policy update, with its gradient.
import { compute, declare, shapeOf } from '../../simd/kernel.ts';

export const lossKernels = [
  declare('TokenLoss', (call) => {
    const [, n] = shapeOf(call, 'facts');
    const hasValues = call.attrs['hasValues'] === true;
    const from = ['logprobs', 'entropy', 'values', 'facts', 'settings'] as const;
    const to = { terms: [8, n], dLogprobs: [n], dEntropy: [n], dValues: [hasValues ? n : 0] };
    return compute(call, { from, to }, ({ logprobs, entropy, values, facts, settings, ...at }) => {
      const operands = [logprobs, entropy, hasValues ? values : 0, facts, settings] as const;
      call.backend.wasm.tokenLoss(...operands, at.terms, at.dLogprobs, at.dEntropy, at.dValues, n);
    });
  }),
];
