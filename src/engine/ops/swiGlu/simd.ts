// The gated activation of a Llama block.
import { computeOne, declare, shapeOf } from '../../simd/kernel.ts';

export const swiGluKernels = [
  declare('SwiGlu', (call) => {
    const [rows, columns] = shapeOf(call, 'x');
    return computeOne(call, { from: ['x'], to: { y: [rows, columns / 2] } }, ({ x, y }) =>
      call.backend.wasm.swiGlu(x, y, rows, columns / 2),
    );
  }),
  declare('SwiGluGrad', (call) => {
    const [rows, columns] = shapeOf(call, 'x');
    return computeOne(call, { from: ['x', 'dy'], to: { dx: [rows, columns] } }, ({ x, dy, dx }) =>
      call.backend.wasm.swiGluGrad(x, dy, dx, rows, columns / 2),
    );
  }),
];
