// Registration of the backend `simd`: compile the kernels, reserve the memory, give every stock cpu kernel a second
// home under the new name and put our own in place of the hot ones.
import '@tensorflow/tfjs-backend-cpu';
import * as tf from '@tensorflow/tfjs-core';
import { adamWKernels } from './kernels/adamW.ts';
import { attentionKernels } from './kernels/attention.ts';
import { elementwiseKernels } from './kernels/elementwise.ts';
import { layoutKernels } from './kernels/layout.ts';
import { matmulKernels } from './kernels/matmul.ts';
import { modelKernels } from './kernels/model.ts';
import { rowKernels } from './kernels/rows.ts';
import { tokenKernels } from './kernels/tokens.ts';
import { SimdBackend } from './simdBackend.ts';
import type { WasmExports } from './wasmExports.ts';

/** The name to give to `tf.setBackend`. */
export const simdName = 'simd';

const pageBytes = 65536;
const mebibyte = 1048576;
/** Reserved, not used: the system hands out pages as they are touched. */
const memorySizes = [1024, 512, 256].map((mib) => mib * mebibyte);

/**
 * Makes the backend `simd` known to TensorFlow.js; select it with `tf.setBackend(simdName)`.
 * @param source the bytes of kernels.wasm, the response of fetching it, or the compiled module
 * @returns false when this engine has no WebAssembly SIMD or grants no memory; true also when it was known before
 */
export async function registerSimd(source: BufferSource | Response | WebAssembly.Module): Promise<boolean> {
  if (tf.findBackendFactory(simdName)) return true;
  const memory = reserve();
  if (!memory) return false;
  const module = await compile(source);
  if (!module) return false;
  const { exports } = await WebAssembly.instantiate(module, { env: { memory } });
  registerKernels();
  return tf.registerBackend(simdName, () => new SimdBackend(memory, exports as unknown as WasmExports), 0);
}

async function compile(source: BufferSource | Response | WebAssembly.Module): Promise<WebAssembly.Module | undefined> {
  if (source instanceof WebAssembly.Module) return source;
  const bytes = source instanceof Response ? await source.arrayBuffer() : source;
  return WebAssembly.validate(bytes) ? WebAssembly.compile(bytes) : undefined;
}

/** The largest memory the engine grants, at its final size from the start: growing would detach the views. */
function reserve(): WebAssembly.Memory | undefined {
  if (typeof WebAssembly === 'undefined') return undefined;
  for (const bytes of memorySizes)
    try {
      return new WebAssembly.Memory({ initial: bytes / pageBytes, maximum: bytes / pageBytes });
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
    }
  return undefined;
}

function registerKernels(): void {
  const stock = tf.getKernelsForBackend('cpu');
  const own = [
    ...matmulKernels(),
    ...attentionKernels(),
    ...elementwiseKernels(),
    ...rowKernels(),
    ...tokenKernels(),
    ...modelKernels(),
    ...layoutKernels(),
    ...adamWKernels(),
  ];
  const kernels = new Map([...stock, ...own].map((kernel) => [kernel.kernelName, kernel]));
  for (const [kernelName, kernel] of kernels)
    if (!tf.getKernel(kernelName, simdName)) tf.registerKernel({ ...kernel, backendName: simdName });
}
