// Attention over the packed projections: training's whole rows, forward and backward, and the decoding step
// over a cache.
import { addressesOf, declare, input, type KernelCall, type KernelDeclaration, roundUp8 } from '../../simd/kernel.ts';

/** Longest rows whose shares are kept for the gradient; they grow with the square of the length. */
const longestKept = 512;

export function attentionKernels(): KernelDeclaration[] {
  return [
    declare('CausalAttention', (call) => {
      const { backend } = call;
      const sizes = rowSizes(call);
      const [batch, length, heads, , size] = sizes;
      const operands = [...addressesOf(call, 'qkv', 'cos', 'sin'), maskAddress(call)] as const;
      const out = backend.allocate([batch * length, heads * size]);
      const isKept = length <= longestKept;
      const shares = isKept ? backend.allocateOpaque(batch * heads * triangle(length)) : undefined;
      const [rows, columns] = [roundUp8(length), roundUp8(size)];
      const floats = (3 * rows + 8) * columns + rows + triangle(length);
      backend.withScratch(floats, (scratch) => {
        backend.wasm.attention(...operands, out.address, shares?.address ?? 0, ...sizes, scratch);
      });
      return shares ? [out.info, shares.info] : [out.info];
    }),
    declare('CausalAttentionGrad', (call) => {
      const { backend } = call;
      const sizes = rowSizes(call);
      const [, length, , , size] = sizes;
      const qkv = input(call, 'qkv');
      const kept = call.inputs['kept0'];
      const [dy, y] = addressesOf(call, 'dy', 'y');
      const operands = [...addressesOf(call, 'qkv', 'cos', 'sin'), maskAddress(call), y] as const;
      const shares = kept ? backend.address(kept) : 0;
      const out = backend.allocate(qkv.shape);
      const [rows, columns] = [roundUp8(length), roundUp8(size)];
      const floats = (7 * rows + 8) * columns + 2 * rows + (kept ? 1 : 2) * triangle(length);
      backend.withScratch(floats, (scratch) => {
        backend.wasm.attentionGrad(...operands, shares, dy, out.address, ...sizes, scratch);
      });
      return out.info;
    }),
    declare('CachedAttention', (call) => {
      const { backend } = call;
      const { heads, keyHeads, isNewest } = call.attrs as { heads: number; keyHeads: number; isNewest: boolean };
      const [batch, capacity] = input(call, 'keys').shape as [number, number];
      const size = input(call, 'cos').shape[1] as number;
      const rows = input(call, 'qkv').shape[0] as number;
      const operands = addressesOf(call, 'keys', 'values', 'qkv', 'cos', 'sin', 'positions', 'mask', 'state');
      const out = backend.allocate([isNewest ? batch : rows, heads * size]);
      backend.withScratch(size + capacity + 8, (scratch) => {
        const sizes = [batch, rows / batch, capacity, heads, keyHeads, size, isNewest ? 1 : 0] as const;
        backend.wasm.cachedAttention(...operands, out.address, ...sizes, scratch);
      });
      return out.info;
    }),
  ];
}

/** Batch, length, heads, key heads, head size and the step between rotary tables, as the kernels take them. */
function rowSizes(call: KernelCall): [number, number, number, number, number, number] {
  const { heads, keyHeads, batch } = call.attrs as { heads: number; keyHeads: number; batch: number };
  const [tables, length, size] = input(call, 'cos').shape as [number, number, number];
  return [batch, length, heads, keyHeads, size, tables > 1 ? length * size : 0];
}

/** Floats of one head's shares, as in causalAttention.assembly.ts. */
function triangle(length: number): number {
  const blocks = roundUp8(length) / 8;
  return 32 * blocks * (blocks + 1);
}

/** 0 stands for "no mask" in the kernels. */
function maskAddress(call: KernelCall): number {
  return call.attrs['isMasked'] === true ? call.backend.address(input(call, 'keyMask')) : 0;
}
