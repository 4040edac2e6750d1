// The gated activation of a Llama block.
import { computeOne, declare, shapeOf } from '../../simd/kernel.ts';

/** The kernels of a gated activation and of its gradient, by their names in the WebAssembly module. */
export const gatedKernels = (name: 'SwiGlu' | 'GeGlu', wasm: 'swiGlu' | 'geGlu') => [
  declare(name, (call) => {
    const [rows, columns] = shapeOf(call, 'x');
    return computeOne(call, { from: ['x'], to: { y: [rows, columns / 2] } }, ({ x, y }) =>
      call.backend.wasm[wasm](x, y, rows, columns / 2),
    );
  }),
  declare(`${name}Grad`, (call) => {
    const [rows, columns] = shapeOf(call, 'x');
    return computeOne(call, { from: ['x', 'dy'], to: { dx: [rows, columns] } }, ({ x, dy, dx }) =>
      call.backend.wasm[`${wasm}Grad`](x, dy, dx, rows, columns / 2),
    );
  }),
];

export const swiGluKernels = gatedKernels('SwiGlu', 'swiGlu');
