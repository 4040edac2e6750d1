// Starts the engine that computes, in Node and in browsers: WebGPU if it is faster here, otherwise the kernels for the
// CPU, which lie next to this file in the package.
import { StorageError } from '../src/base/errors.ts';
import { inWords } from '../src/base/spoken.ts';
import type { Config } from '../src/config/schema.ts';
import { shippedFor } from '../src/config/warmStarts.ts';
import { chooseEngine, type EngineWish } from '../src/engine/choice.ts';
import { nodeModule } from '../src/base/nodeModule.ts';
import kernelsUrl from '../src/engine/simd/kernels.wasm?url';
import { readSafetensors } from '../src/formats/safetensors.ts';
import type { NamedArray } from '../src/records/stored/checkpoint.ts';
import { probeStep } from '../src/training/preflight/probe.ts';

/** The engine on which a run is computed. */
export interface Engine {
  /** `webgpu`, `simd`, or `cpu` if WebAssembly has no SIMD. */
  backend: string;
  /** The adapter or the processor, and the reason why this engine was chosen. */
  adapter: string;
  reason: string;
}

type ReadFile = (file: URL) => Promise<Uint8Array<ArrayBuffer>>;

/** Reads a file of the package: from the disk in Node, and from the server of the page in a browser. */
async function bytesAt(address: string): Promise<Uint8Array<ArrayBuffer>> {
  const url = new URL(address);
  const node = url.protocol === 'file:' && nodeModule<{ readFile: ReadFile }>('node:fs/promises');
  if (node) return new Uint8Array(await node.readFile(url));
  const answer = await fetch(url);
  if (!answer.ok)
    throw new StorageError(`${url.href}: the server answered ${answer.status}; serve this file of cothink.`);
  return new Uint8Array(await answer.arrayBuffer());
}

/**
 * Starts the engine. All runs of a process use the same engine. `onFault` is called if the device was lost. Throws
 * DeviceLostError if `webgpu` is requested and not available.
 */
export async function startEngine(
  wish: EngineWish,
  onFault: (error: Error) => void,
  threads?: number,
): Promise<Engine> {
  const { backend, adapter, reason } = await chooseEngine(wish, {
    loadKernels: async () => (await bytesAt(kernelsUrl)).buffer,
    probe: probeStep,
    recall: () => Promise.resolve(null),
    remember: () => Promise.resolve(),
    onFault,
    ...(nodeModule('node:fs') !== undefined && { withoutGpu: 'Node has no WebGPU here' }),
    ...(threads !== undefined && { threads }),
  });
  return { backend, adapter: inWords(adapter), reason: inWords(reason) };
}

/** Returns the bytes of a warm start, given the name of its file. */
export type LoadWarmStart = (fileName: string) => Promise<Uint8Array>;

/** The address of this module. Written directly into `new URL`, a bundler would copy all files that fit. */
const here = import.meta.url;

/** The warm starts of the package, next to the built page. */
export const packagedWarmStart: LoadWarmStart = (fileName) =>
  bytesAt(new URL(`../dist/warmstart/${fileName}`, here).href);

/** The shipped weights from which a run with these settings starts. */
export const shippedWeights = async (config: Config, load: LoadWarmStart): Promise<NamedArray[]> =>
  readSafetensors(await load(`${shippedFor(config).name}.safetensors`)).tensors;
