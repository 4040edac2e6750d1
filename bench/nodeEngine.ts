// The CPU path in Node, for benches and scripts.
import '@tensorflow/tfjs-core/dist/register_all_gradients';
import { readFileSync } from 'node:fs';
import * as tf from '@tensorflow/tfjs-core';
import { setWasmPaths } from '@tensorflow/tfjs-backend-wasm';
import { registerSimd, simdName } from '../src/engine/simd/backend.ts';

/** Starts the CPU engine; returns its name. */
export async function startCpuInNode(): Promise<string> {
  if (process.env['ENGINE'] === 'wasm') {
    setWasmPaths(`${process.cwd()}/node_modules/@tensorflow/tfjs-backend-wasm/dist/`);
    await tf.setBackend('wasm');
  } else {
    await registerSimd(readFileSync('src/engine/simd/kernels.wasm'));
    await tf.setBackend(simdName);
  }
  await tf.ready();
  return tf.getBackend();
}
