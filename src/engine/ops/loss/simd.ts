// The loss of a policy update, with its gradient.
import { compute, declare, shapeOf } from '../../simd/kernel.ts';

export const lossKernels = [
  declare('TokenLoss', (call) => {
    const [, n] = shapeOf(call, 'facts');
    const hasValues = call.attrs['hasValues'] === true;
    const from = ['logprobs', 'entropy', 'values', 'facts', 'settings'];
    const work = { from, to: [[8, n], [n], [n], [hasValues ? n : 0]] };
    return compute(call, work, (logprobs, entropy, values, ...others) => {
      const [facts, settings, ...slopes] = others as [number, number, number, number, number, number];
      call.backend.wasm.tokenLoss(logprobs, entropy, hasValues ? values : 0, facts, settings, ...slopes, n);
    });
  }),
];
