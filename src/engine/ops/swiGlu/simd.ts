// The gated activation of a Llama block.
import { addressesOf, declare, input, type KernelDeclaration } from '../../simd/kernel.ts';

export function modelKernels(): KernelDeclaration[] {
  return [
    declare('SwiGlu', (call) => {
      const { backend } = call;
      const [rows, columns] = input(call, 'x').shape as [number, number];
      const [x] = addressesOf(call, 'x');
      const out = backend.allocate([rows, columns / 2]);
      backend.wasm.swiGlu(x, out.address, rows, columns / 2);
      return out.info;
    }),
    declare('SwiGluGrad', (call) => {
      const { backend } = call;
      const [rows, columns] = input(call, 'x').shape as [number, number];
      const operands = addressesOf(call, 'x', 'dy');
      const out = backend.allocate([rows, columns]);
      backend.wasm.swiGluGrad(...operands, out.address, rows, columns / 2);
      return out.info;
    }),
  ];
}
