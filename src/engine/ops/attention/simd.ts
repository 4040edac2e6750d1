// Attention computed from packed projections: over whole rows in training (forward and backward), and to a cache in the
// decoding step.
import type { CachedAttrs } from './cachedAttention.ts';
import { addressesOf, computeOne, declare, input, type KernelCall, roundUp8, shapeOf } from '../../simd/kernel.ts';

/**
 * The maximum length of a row whose attention weights are kept for the gradient; their size grows with the square of
 * the length.
 */
const longestKept = 512;

export const attentionKernels = [
  declare('CausalAttention', (call) => {
    const { backend } = call;
    const sizes = rowSizes(call);
    const [batch, length, heads, , size] = sizes;
    const window = call.attrs['window'] as number;
    const operands = [...addressesOf(call, 'qkv', 'cos', 'sin'), maskAddress(call)] as const;
    const out = backend.allocate([batch * length, heads * size]);
    const isKept = length <= longestKept;
    const shares = isKept ? backend.allocateOpaque(batch * heads * triangle(length)) : undefined;
    const [rows, columns] = [roundUp8(length), roundUp8(size)];
    backend.withScratch((3 * rows + 8) * columns + rows + triangle(length), (scratch) =>
      backend.wasm.attention(...operands, out.address, shares?.address ?? 0, ...sizes, window, scratch),
    );
    return shares ? [out.info, shares.info] : [out.info];
  }),
  declare('CausalAttentionGrad', (call) => {
    const { backend, inputs } = call;
    const sizes = rowSizes(call);
    const [, length, , , size] = sizes;
    const shares = inputs['kept0'] ? backend.address(inputs['kept0']) : 0;
    const mask = maskAddress(call);
    const [rows, columns] = [roundUp8(length), roundUp8(size)];
    const scratch = (7 * rows + 8) * columns + 2 * rows + (shares ? 1 : 2) * triangle(length);
    const from = ['qkv', 'cos', 'sin', 'y', 'dy'] as const;
    return computeOne(call, { from, to: { dqkv: input(call, 'qkv').shape }, scratch }, (at) => {
      const operands = [at.qkv, at.cos, at.sin, mask, at.y, shares, at.dy, at.dqkv] as const;
      backend.wasm.attentionGrad(...operands, ...sizes, call.attrs['window'] as number, at.scratch);
    });
  }),
  declare('CachedAttention', (call) => {
    const { backend } = call;
    const { heads, keyHeads, isNewest, window } = call.attrs as unknown as CachedAttrs;
    const places = window > 0 ? backend.address(input(call, 'places')) : 0;
    const [batch, capacity] = shapeOf(call, 'keys');
    const [, size] = shapeOf(call, 'cos');
    const [rows] = shapeOf(call, 'qkv');
    const operands = addressesOf(call, 'keys', 'values', 'qkv', 'cos', 'sin', 'positions', 'mask', 'state');
    const to = { y: [isNewest ? batch : rows, heads * size] };
    return computeOne(call, { from: [], to, scratch: size + capacity + 8 }, ({ y, scratch }) => {
      const sizes = [batch, rows / batch, capacity, heads, keyHeads, size, isNewest ? 1 : 0] as const;
      backend.wasm.cachedAttention(...operands, y, ...sizes, places, window, scratch);
    });
  }),
];

/**
 * Batch size, length, heads, key heads, head size, and the distance between rotary tables, as the kernels expect them.
 */
function rowSizes(call: KernelCall): [number, number, number, number, number, number] {
  const { heads, keyHeads, batch } = call.attrs as { heads: number; keyHeads: number; batch: number };
  const [tables, length, size] = input(call, 'cos').shape as [number, number, number];
  return [batch, length, heads, keyHeads, size, tables > 1 ? length * size : 0];
}

/** The number of floats that one head's attention weights occupy, as in causalAttention.assembly.ts. */
function triangle(length: number): number {
  const blocks = roundUp8(length) / 8;
  return 32 * blocks * (blocks + 1);
}

/** The address of the mask; 0 tells the kernels that there is none. */
function maskAddress(call: KernelCall): number {
  return call.attrs['isMasked'] === true ? call.backend.address(input(call, 'keyMask')) : 0;
}
