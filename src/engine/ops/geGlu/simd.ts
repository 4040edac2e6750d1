// The gated activation of a Gemma block.
import { computeOne, declare, shapeOf } from '../../simd/kernel.ts';

export const geGluKernels = [
  declare('GeGlu', (call) => {
    const [rows, columns] = shapeOf(call, 'x');
    return computeOne(call, { from: ['x'], to: { y: [rows, columns / 2] } }, ({ x, y }) =>
      call.backend.wasm.geGlu(x, y, rows, columns / 2),
    );
  }),
  declare('GeGluGrad', (call) => {
    const [rows, columns] = shapeOf(call, 'x');
    return computeOne(call, { from: ['x', 'dy'], to: { dx: [rows, columns] } }, ({ x, dy, dx }) =>
      call.backend.wasm.geGluGrad(x, dy, dx, rows, columns / 2),
    );
  }),
];
