// Root mean square normalisation, alone and after the sum of the residual stream; both give the factors of the rows
// to their gradient.
import { addressesOf, declare, input, type KernelCall, type KernelDeclaration } from '../../simd/kernel.ts';

export function normKernels(): KernelDeclaration[] {
  return [
    declare('RmsNorm', (call) => {
      const { backend } = call;
      const [rows, width] = input(call, 'x').shape as [number, number];
      const operands = addressesOf(call, 'x', 'gain');
      const [y, inverse] = [backend.allocate([rows, width]), backend.allocate([rows])];
      backend.wasm.rmsNorm(...operands, y.address, inverse.address, rows, width, epsOf(call));
      return [y.info, inverse.info];
    }),
    declare('RmsNormGrad', (call) => {
      const [x, gain, inverse, dy] = addressesOf(call, 'x', 'gain', 'inverse', 'dy');
      return normGrad(call, [x, gain, inverse, 0, dy]);
    }),
    declare('AddNorm', (call) => {
      const { backend } = call;
      const shape = input(call, 'x').shape as [number, number];
      const operands = addressesOf(call, 'x', 'delta', 'gain');
      const [sum, y, inverse] = [backend.allocate(shape), backend.allocate(shape), backend.allocate([shape[0]])];
      backend.wasm.addNorm(...operands, sum.address, y.address, inverse.address, ...shape, epsOf(call));
      return [sum.info, y.info, inverse.info];
    }),
    declare('AddNormGrad', (call) => {
      const [sum, gain, inverse, dy] = addressesOf(call, 'sum', 'gain', 'inverse', 'dy');
      const dSum = call.attrs['isLast'] === true ? 0 : call.backend.address(input(call, 'dSum'));
      return normGrad(call, [sum, gain, inverse, dSum, dy]);
    }),
  ];
}

/** dx and dGain for the addresses of what was normed, gain, factors, what joins dx (or 0) and dy. */
function normGrad(call: KernelCall, operands: [number, number, number, number, number]) {
  const { backend } = call;
  const [rows, width] = input(call, 'dy').shape as [number, number];
  const [dx, dGain] = [backend.allocate([rows, width]), backend.allocate([width])];
  backend.withScratch(width, (scratch) => {
    backend.wasm.normGrad(...operands, dx.address, dGain.address, rows, width, scratch);
  });
  return [dx.info, dGain.info];
}

function epsOf(call: KernelCall): number {
  return call.attrs['eps'] as number;
}
