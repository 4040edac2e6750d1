// Ensures, in tests of the CPU kernels, that a kernel does not pass a test only because new memory happened to contain
// zeros.
import type { SimdBackend } from '../simd/simdBackend.ts';

/**
 * Fills every new block of memory with NaN, so that the test fails if a kernel does not write all elements of its
 * output.
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
