// Root mean square normalisation, alone and after the sum of the residual stream; both give the factors of the rows
// to their gradient.
import { compute, declare, input, type KernelCall, shapeOf } from '../../simd/kernel.ts';

export const normKernels = [
  declare('RmsNorm', (call) => {
    const [rows, width] = shapeOf(call, 'x');
    return compute(call, { from: ['x', 'gain'], to: [[rows, width], [rows]] }, (x, gain, y, inverse) =>
      call.backend.wasm.rmsNorm(x, gain, y, inverse, rows, width, epsOf(call)),
    );
  }),
  declare('RmsNormGrad', (call) => normGrad(call, 'x', 0)),
  declare('AddNorm', (call) => {
    const [rows, width] = shapeOf(call, 'x');
    const work = { from: ['x', 'delta', 'gain'], to: [[rows, width], [rows, width], [rows]] };
    return compute(call, work, (x, delta, gain, sum, y, inverse) =>
      call.backend.wasm.addNorm(x, delta, gain, sum, y, inverse, rows, width, epsOf(call)),
    );
  }),
  declare('AddNormGrad', (call) =>
    normGrad(call, 'sum', call.attrs['isLast'] === true ? 0 : call.backend.address(input(call, 'dSum'))),
  ),
];

/** dx and dGain, from what was normed and the address of what joins dx, or 0. */
function normGrad(call: KernelCall, normed: string, extra: number) {
  const [rows, width] = shapeOf(call, 'dy');
  const work = { from: [normed, 'gain', 'inverse', 'dy'], to: [[rows, width], [width]], scratch: width };
  return compute(call, work, (x, gain, inverse, dy, dx, dGain, scratch) =>
    call.backend.wasm.normGrad(x, gain, inverse, extra, dy, dx, dGain, rows, width, scratch),
  );
}

const epsOf = ({ attrs }: KernelCall) => attrs['eps'] as number;
