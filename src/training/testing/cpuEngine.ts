// Starts the CPU engine in Node for tests.
import '@tensorflow/tfjs-core/dist/register_all_gradients';
import { readFile } from 'node:fs/promises';
import * as tf from '@tensorflow/tfjs-core';
import { registerSimd, simdName } from '../../engine/simd.ts';

/** Starts the engine; call it in `beforeAll`. Throws if the kernels have not been built. */
export async function startCpuEngine(): Promise<void> {
  const bytes = await readFile(new URL('../../engine/simd/kernels.wasm', import.meta.url)).catch(() => {
    throw new Error('kernels.wasm is missing: run `npm run build` first.');
  });
  await registerSimd(bytes);
  await tf.setBackend(simdName);
  await tf.ready();
}
