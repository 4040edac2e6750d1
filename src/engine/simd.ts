// Registers the backend `simd`. First the kernels are compiled and the memory is reserved. Then every kernel of the cpu
// backend of TensorFlow.js is registered again under the new name, and the ones that matter most for speed are replaced
// by the project's own kernels.
import '@tensorflow/tfjs-backend-cpu';
import * as tf from '@tensorflow/tfjs-core';
import { adamWKernels } from './ops/adamW/simd.ts';
import { attentionKernels } from './ops/attention/simd.ts';
import { embedKernels } from './ops/embed/simd.ts';
import { frozenKernels } from './ops/frozen/simd.ts';
import { inPlaceKernels } from './ops/inPlace/simd.ts';
import { matmulKernels } from './ops/linear/simd.ts';
import { lossKernels } from './ops/loss/simd.ts';
import { normKernels } from './ops/norm/simd.ts';
import { geGluKernels } from './ops/geGlu/simd.ts';
import { swiGluKernels } from './ops/swiGlu/simd.ts';
import { tokenKernels } from './ops/tokens/simd.ts';
import { fastestModule } from './simd/fusedProducts.ts';
import { SimdBackend } from './simd/simdBackend.ts';
import { elementwiseKernels } from './simd/stock/elementwise.ts';
import { layoutKernels } from './simd/stock/layout.ts';
import { rowKernels } from './simd/stock/rows.ts';
import { canShareMemory } from './simd/threads/helpers.ts';
import { parallelExports } from './simd/threads/parallelExports.ts';
import { Pool } from './simd/threads/pool.ts';
import { forSharedMemory } from './simd/threads/sharedModule.ts';
import type { WasmExports } from './simd/wasmExports.ts';

/** The name of the backend for `tf.setBackend`. */
export const simdName = 'simd';

const pageBytes = 65536;
const mebibyte = 1048576;
/**
 * Sizes of memory that are tried one after another. The system provides memory only when it is used for the first time,
 * so reserving much of it costs nothing. The maximum is slightly less than 2³² bytes, so that an address after the last
 * number is still a 32-bit number.
 */
const memorySizes = [4095, 3072, 2048, 1024, 512, 256].map((mib) => mib * mebibyte);

export interface SimdOptions {
  /**
   * The number of threads for the computation, including the calling one. More than one is possible only if threads can
   * share memory.
   */
  threads?: number;
}

/**
 * Registers the backend `simd` with TensorFlow.js; select it with `tf.setBackend(simdName)`. Helper threads that do not
 * start are left out; `simdThreads` returns the resulting number of threads. Removing the backend ends these threads.
 * @param source the bytes of kernels.wasm
 * @returns false if the JavaScript engine has no WebAssembly SIMD or does not provide the memory; true if the backend
 * is registered, even if it was already registered before
 */
export async function registerSimd(source: BufferSource, { threads = 1 }: SimdOptions = {}): Promise<boolean> {
  if (tf.findBackendFactory(simdName)) return true;
  if (typeof WebAssembly === 'undefined' || !WebAssembly.validate(source)) return false;
  const fastest = fastestModule(source);
  const backend = (threads > 1 && (await threadedBackend(fastest, threads))) || (await plainBackend(fastest));
  if (!backend) return false;
  registerKernels();
  return tf.registerBackend(simdName, () => backend, 0);
}

/** Whether the registered backend multiplies and adds in one instruction, so that the result is rounded only once. */
export function simdIsFused(): boolean {
  const backend = tf.findBackend(simdName);
  return backend instanceof SimdBackend && backend.isFused;
}

/** The number of threads with which the registered backend computes. */
export function simdThreads(): number {
  const backend = tf.findBackend(simdName);
  return backend instanceof ThreadedBackend ? backend.pool.threads : 1;
}

/**
 * Makes all threads of the registered backend sleep, except the calling one, or wakes them. The results are the same in
 * both cases.
 */
export function restThreads(isResting: boolean): void {
  const backend = tf.findBackend(simdName);
  if (backend instanceof ThreadedBackend) backend.pool.isResting = isResting;
}

class ThreadedBackend extends SimdBackend {
  readonly pool: Pool;

  constructor(memory: WebAssembly.Memory, exports: WasmExports, { isFused, pool }: { isFused: boolean; pool: Pool }) {
    const wasm = { ...exports };
    super(memory, wasm, isFused);
    this.pool = pool;
    Object.assign(wasm, parallelExports(exports, pool, this.heap));
  }

  override dispose(): void {
    this.pool.close();
    super.dispose();
  }
}

type Kernels = ReturnType<typeof fastestModule>;

async function plainBackend({ bytes, isFused }: Kernels): Promise<SimdBackend | undefined> {
  const memory = reserve(false);
  if (!memory) return undefined;
  const { instance } = await WebAssembly.instantiate(bytes, { env: { memory } });
  return new SimdBackend(memory, instance.exports as unknown as WasmExports, isFused);
}

/** Starts a backend with several threads; undefined if threads cannot share memory or do not start. */
async function threadedBackend(kernels: Kernels, threads: number): Promise<SimdBackend | undefined> {
  const bytes = canShareMemory() ? forSharedMemory(kernels.bytes) : undefined;
  const memory = bytes && reserve(true);
  if (!memory) return undefined;
  const module = await WebAssembly.compile(bytes);
  const exports = (await WebAssembly.instantiate(module, { env: { memory } })).exports as unknown as WasmExports;
  const pool = await Pool.open({ module, memory, exports, threads }).catch(() => undefined);
  return pool && new ThreadedBackend(memory, exports, { isFused: kernels.isFused, pool });
}

/**
 * Reserves the largest memory that the JavaScript engine provides. This memory has its final size from the start,
 * because growing it would make all views of it invalid.
 */
function reserve(shared: boolean): WebAssembly.Memory | undefined {
  for (const bytes of memorySizes)
    try {
      return new WebAssembly.Memory({ initial: bytes / pageBytes, maximum: bytes / pageBytes, shared });
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
    }
  return undefined;
}

function registerKernels(): void {
  const own = [
    ...adamWKernels,
    ...attentionKernels,
    ...embedKernels,
    ...frozenKernels,
    ...inPlaceKernels,
    ...matmulKernels,
    ...lossKernels,
    ...normKernels,
    ...swiGluKernels,
    ...geGluKernels,
    ...tokenKernels,
    ...elementwiseKernels,
    ...layoutKernels,
    ...rowKernels,
  ];
  const kernels = new Map([...tf.getKernelsForBackend('cpu'), ...own].map((kernel) => [kernel.kernelName, kernel]));
  for (const [kernelName, kernel] of kernels)
    if (!tf.getKernel(kernelName, simdName)) tf.registerKernel({ ...kernel, backendName: simdName });
}
