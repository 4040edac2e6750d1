// Starts backends of TensorFlow.js in Node by name, each in the form that its users get.
import '@tensorflow/tfjs-core/dist/register_all_gradients';
import { readFileSync } from 'node:fs';
import { cpus } from 'node:os';
import * as tf from '@tensorflow/tfjs-core';
import { adapterName, countCommands } from '../gpu/counts.ts';
import { processor } from './runner.ts';
import { registerSimd, simdName, simdThreads } from '../../src/engine/simd.ts';

/** The kernels of Cothink on all cores, up to four; plain `simd` uses one thread. */
const threadedName = 'simd-threads';

/**
 * Starts `simd`, `simd-threads`, `wasm`, `cpu` or `webgpu`; `ours` runs WebGPU on the device of Cothink. Returns the
 * description of the adapter.
 */
export async function startBackend(name: string, { ours }: { ours: boolean }): Promise<string> {
  if (name === 'webgpu') return ours ? startOurWebGpu() : startStockWebGpu();
  if (name === simdName || name === threadedName) return startSimd(name === threadedName ? cpus().length : 1);
  if (name === 'cpu') await import('@tensorflow/tfjs-backend-cpu');
  if (name === 'wasm') await useSingleFileWasm();
  await tf.setBackend(name);
  await tf.ready();
  return processor;
}

async function startSimd(cores: number): Promise<string> {
  const threads = Math.min(cores, 4);
  await registerSimd(readFileSync('src/engine/simd/kernels.wasm'), { threads });
  if (simdThreads() !== threads) throw new Error(`simd: ${threads} threads wanted, ${simdThreads()} started`);
  await tf.setBackend(simdName);
  await tf.ready();
  return threads > 1 ? `${processor}, ${threads} threads` : processor;
}

/** Uses the single-file build of the wasm backend: one thread with SIMD, without workers. */
async function useSingleFileWasm(): Promise<void> {
  const { setWasmPath } = await import('@tensorflow/tfjs-backend-wasm');
  setWasmPath(`${process.cwd()}/node_modules/@tensorflow/tfjs-backend-wasm/dist/tfjs-backend-wasm-simd.wasm`);
}

async function startOurWebGpu(): Promise<string> {
  const adapter = await provideWebGpu();
  const { startWebGpu } = await import('../../src/engine/webgpu.ts');
  const fail = (reason: string) => {
    throw new Error(`WebGPU: ${reason}`);
  };
  await startWebGpu(adapter, { onLost: () => undefined, onRefusal: fail });
  return adapterName(adapter);
}

async function startStockWebGpu(): Promise<string> {
  const adapter = await provideWebGpu();
  await import('@tensorflow/tfjs-backend-webgpu');
  await tf.setBackend('webgpu');
  await tf.ready();
  return adapterName(adapter);
}

/** Installs Dawn as `navigator.gpu`, before any backend looks for it. Throws if it finds no adapter. */
export async function provideWebGpu(): Promise<GPUAdapter> {
  const { create, globals } = await import('webgpu');
  Object.assign(globalThis, globals);
  // jax-js reads the browser's name.
  const navigator = { userAgent: `Node.js ${process.version}` };
  if (globalThis.navigator === undefined) Object.defineProperty(globalThis, 'navigator', { value: navigator });
  Object.defineProperty(globalThis.navigator, 'gpu', { value: create([]) });
  const { gpu } = globalThis.navigator;
  const adapter = await gpu.requestAdapter();
  if (!adapter) throw new Error('Dawn finds no adapter; npm test says which driver is missing');
  const device = await adapter.requestDevice();
  countCommands(device);
  device.destroy();
  return (await gpu.requestAdapter()) as GPUAdapter;
}
