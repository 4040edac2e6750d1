// For the tests of the CPU kernels: results that only look right because memory happened to be zero do not pass.
import type { SimdBackend } from '../simd/simdBackend.ts';

/** Every block a kernel gets is full of NaN first, so an element it does not write cannot pass for a result. */
export function poisonNewBlocks({ heap, wasm }: SimdBackend): void {
  const { buffer } = (wasm as unknown as { memory: WebAssembly.Memory }).memory;
  const allocate = heap.allocate.bind(heap);
  heap.allocate = (bytes) => {
    const at = allocate(bytes);
    new Float32Array(buffer, at, Math.ceil(bytes / 4)).fill(NaN);
    return at;
  };
}
