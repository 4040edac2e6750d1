// For the tests of the CPU kernels: results that are right only because the memory happened to contain zeros do not
// pass.
import type { SimdBackend } from '../simd/simdBackend.ts';

/**
 * Fills every new block of memory with NaN, so that an element that a kernel does not write cannot be mistaken for a
 * result.
 */
export function poisonNewBlocks({ heap, wasm }: SimdBackend): void {
  const { buffer } = (wasm as unknown as { memory: WebAssembly.Memory }).memory;
  const allocate = heap.allocate.bind(heap);
  heap.allocate = (bytes) => {
    const at = allocate(bytes);
    new Float32Array(buffer, at, Math.ceil(bytes / 4)).fill(NaN);
    return at;
  };
}
