// Root mean square normalisation, alone or after an addition to the residual stream. Both forms save the factor of each
// row for the gradient.
import { compute, declare, input, type KernelCall, shapeOf } from '../../simd/kernel.ts';

export const normKernels = [
  declare('RmsNorm', (call) => {
    const [rows, width] = shapeOf(call, 'x');
    const to = { y: [rows, width], inverse: [rows] };
    return compute(call, { from: ['x', 'gain'], to }, ({ x, gain, y, inverse }) =>
      call.backend.wasm.rmsNorm(x, gain, y, inverse, rows, width, epsOf(call)),
    );
  }),
  declare('RmsNormGrad', (call) => normGrad(call, 'x', 0)),
  declare('AddNorm', (call) => {
    const [rows, width] = shapeOf(call, 'x');
    const to = { sum: [rows, width], y: [rows, width], inverse: [rows] };
    return compute(call, { from: ['x', 'delta', 'gain'], to }, ({ x, delta, gain, sum, y, inverse }) =>
      call.backend.wasm.addNorm(x, delta, gain, sum, y, inverse, rows, width, epsOf(call)),
    );
  }),
  declare('AddNormGrad', (call) =>
    normGrad(call, 'sum', call.attrs['isLast'] === true ? 0 : call.backend.address(input(call, 'dSum'))),
  ),
];

/**
 * dx and dGain, from the input of the normalisation and the address of a tensor that is added to dx (0 if there is
 * none).
 */
function normGrad(call: KernelCall, normed: 'x' | 'sum', extra: number) {
  const [rows, width] = shapeOf(call, 'dy');
  const to = { dx: [rows, width], dGain: [width] };
  return compute(call, { from: [normed, 'gain', 'inverse', 'dy'], to, scratch: width }, (at) =>
    call.backend.wasm.normGrad(
      ...([at[normed], at.gain, at.inverse, extra, at.dy, at.dx, at.dGain] as const),
      ...([rows, width, at.scratch] as const),
    ),
  );
}

const epsOf = ({ attrs }: KernelCall) => attrs['eps'] as number;
