// Chooses the engine that computes: WebGPU if there is a hardware adapter that is faster in a short measurement,
// otherwise the CPU. The backend webgl, which TensorFlow.js might otherwise choose, is never used.
import * as tf from '@tensorflow/tfjs-core';
// This module reads flags of the TensorFlow.js core, so it must be imported after the core. The development server
// keeps this order of imports.
import '@tensorflow/tfjs-core/dist/register_all_gradients';
import { DeviceLostError } from '../base/errors.ts';
import { inWords, spoken, type Told, told, toldInRow } from '../base/spoken.ts';
import { registerSimd, simdIsFused, simdName, simdThreads } from './simd.ts';
import { canShareMemory, coreCount } from './simd/threads/helpers.ts';
import { isSoftwareAdapter } from './webgpu/adapters.ts';

export type EngineWish = 'auto' | 'webgpu' | 'cpu';

export interface ChosenEngine {
  /** The backend: `webgpu`, `simd`, or `cpu` if WebAssembly has no SIMD. */
  backend: string;
  /** The name of the adapter or processor. */
  adapter: Told;
  /** The reason for this choice, in one sentence. */
  reason: Told;
  isSoftware: boolean;
}

export interface EngineParts {
  /** Loads the bytes of kernels.wasm. */
  loadKernels: () => Promise<ArrayBuffer>;
  /** Called if the device was lost or computed wrong results. The error explains the reason. */
  onFault: (error: DeviceLostError) => void;
  /**
   * Measures the duration of one small training step on the current backend, in milliseconds. This function is called
   * only if `recall` returns null.
   */
  probe: () => Promise<number>;
  /** The faster engine in an earlier measurement on this adapter; null if there was none. */
  recall: (adapter: string) => Promise<'webgpu' | 'cpu' | null>;
  remember: (adapter: string, winner: 'webgpu' | 'cpu') => Promise<void>;
  /** The reason why WebGPU is not available, if this is already known. */
  withoutGpu?: Told;
  /** The maximum number of CPU threads. There are never more threads than cores. */
  threads?: number;
}

/**
 * More threads than this do not help, because the matrices of these small models leave too little work for each thread.
 */
const mostThreads = 4;

const wayOut = () => spoken`Resume from the last checkpoint, or train with run.backend = cpu.`;
// A page, a worker and Node have different types of `navigator`, or none.
const surroundings = globalThis as { navigator?: { gpu?: GPU }; isSecureContext?: boolean };

/**
 * Starts the requested engine, or the faster one if the request is `auto`. If a device is not available or fails in the
 * measurement, `auto` uses the CPU and reports the reason. Throws DeviceLostError if `webgpu` is requested and not
 * available.
 */
export async function chooseEngine(wish: EngineWish, parts: EngineParts): Promise<ChosenEngine> {
  if (wish === 'cpu') return startCpu(parts, told`The CPU was requested.`);
  const isAuto = wish === 'auto';
  const without = (why: Told): Promise<ChosenEngine> => {
    if (isAuto) return startCpu(parts, told`${why}, so the CPU trains.`);
    throw new DeviceLostError(
      spoken`run.backend: webgpu was requested. ${inWords(why)}; use run.backend = cpu, or another browser.`,
    );
  };
  const adapter = await findAdapter(parts);
  if (isTold(adapter)) return without(adapter);
  const name = adapterName(adapter.info);
  const kept = inEnglish(adapter.info);
  const isSoftware = isSoftwareAdapter(adapter.info);
  if (isAuto && isSoftware)
    return startCpu(parts, told`The only GPU adapter (${name}) is emulated in software, so training runs on the CPU.`);
  const winner = isAuto ? await parts.recall(kept) : null;
  const slower = told`The CPU was faster than ${name} when both were tried.`;
  if (winner === 'cpu') return startCpu(parts, slower);
  const device = await startDevice(adapter, parts);
  if (isTold(device)) return without(device);
  const chosen: ChosenEngine = { backend: 'webgpu', adapter: name, reason: told`WebGPU was requested.`, isSoftware };
  if (!isAuto) {
    device.use();
    return chosen;
  }
  if (winner === null) {
    const gpuMs = await device.milliseconds(parts.probe);
    if (typeof gpuMs !== 'number') {
      const onCpu = await without(gpuMs);
      device.free();
      return onCpu;
    }
    const onCpu = await startCpu(parts, slower);
    const cpuMs = await parts.probe();
    const failure = device.failure();
    // If the result cannot be stored, the measurement is simply repeated next time.
    if (failure === null) await parts.remember(kept, cpuMs < gpuMs ? 'cpu' : 'webgpu').catch(() => undefined);
    if (failure !== null || cpuMs < gpuMs) {
      device.free();
      return failure === null ? onCpu : { ...onCpu, reason: told`${failure}, so the CPU trains.` };
    }
    await tf.setBackend('webgpu');
  }
  device.use();
  return { ...chosen, reason: told`${name} was faster than the CPU when both were tried.` };
}

/**
 * Replaces an engine whose device was lost: by an engine on a new device if possible, otherwise by the CPU. The result
 * states which engine was chosen. With `isToCpu`, the CPU is always chosen, because another device was lost shortly
 * before.
 */
export async function replaceEngine(parts: EngineParts, isToCpu = false): Promise<ChosenEngine> {
  if (isToCpu)
    return startCpu(parts, told`The device was lost twice within a few iterations, so training continues on the CPU.`);
  if (tf.getBackend() !== 'webgpu') return startCpu(parts, told`The run continues on the CPU.`);
  const adapter = await findAdapter(parts);
  if (isTold(adapter)) return startCpu(parts, told`${adapter}, so the CPU took over.`);
  const device = await startDevice(adapter, parts);
  if (isTold(device)) return startCpu(parts, told`${device}, so the CPU took over.`);
  device.use();
  const name = adapterName(adapter.info);
  const isSoftware = isSoftwareAdapter(adapter.info);
  return { backend: 'webgpu', adapter: name, reason: told`A new device took over.`, isSoftware };
}

/** The GPU adapter to use, or the reason why there is none. */
async function findAdapter({ withoutGpu }: EngineParts): Promise<GPUAdapter | Told> {
  const gpu = surroundings.navigator?.gpu;
  if (!gpu && withoutGpu !== undefined) return withoutGpu;
  if (!gpu) return surroundings.isSecureContext === false ? told`WebGPU needs https` : told`This browser has no WebGPU`;
  try {
    const adapter = await gpu.requestAdapter({ powerPreference: 'high-performance' });
    return adapter ?? told`WebGPU is available in this browser, but there is no graphics adapter`;
  } catch (error) {
    return told`WebGPU is available in this browser, but no graphics adapter can be used (${words(error)})`;
  }
}

/**
 * A device that is being tested. During the test, errors of the device are only recorded. If the device is chosen, they
 * are reported.
 */
interface TriedDevice {
  /** The errors of the device so far, in words; null if there were none. */
  failure(): Told | null;
  /** The duration that a probe measured on the device, or the reason why it could not be measured. */
  milliseconds(probe: () => Promise<number>): Promise<number | Told>;
  /** Releases the device and everything on it. This must be called after another backend has become the current one. */
  free(): void;
  /** Starts to report errors to `onFault`, including an error that occurred before. */
  use(): void;
}

/**
 * Registers a device as the backend `webgpu` and makes it the current backend of TensorFlow.js. Returns the reason if
 * this fails.
 */
async function startDevice(adapter: GPUAdapter, { onFault }: EngineParts): Promise<TriedDevice | Told> {
  const name = adapterName(adapter.info);
  let heard: { why: string; tell: (why: string) => Told } | null = null;
  let isUsed = false;
  const hear = (why: string, tell: (why: string) => Told) => {
    if (isUsed) onFault(new DeviceLostError(spoken`The graphics device ${inWords(tell(why))}. ${wayOut()}`));
    else heard ??= { why, tell };
  };
  const failure = () =>
    heard === null ? null : told`${name} failed in a trial (the graphics device ${heard.tell(firstLine(heard.why))})`;
  let free: () => void;
  try {
    const { startWebGpu } = await import('./webgpu.ts');
    free = await startWebGpu(adapter, {
      onLost: (reason) => hear(reason, (why) => told`was lost: ${why}`),
      onRefusal: (reason) => hear(reason, (why) => told`refused work: ${why}`),
    });
  } catch (error) {
    return told`${name} gave no device (${words(error)})`;
  }
  const milliseconds = async (probe: () => Promise<number>) => {
    try {
      const ms = await probe();
      return failure() ?? ms;
    } catch (error) {
      return failure() ?? told`${name} failed in a trial (${words(error)})`;
    }
  };
  const use = () => {
    isUsed = true;
    if (heard !== null) hear(heard.why, heard.tell); // after it was last asked for
  };
  return failure() ?? { failure, milliseconds, use, free };
}

/** The first line of an error's message, without its full stop. */
const words = (error: unknown) => firstLine(error instanceof Error ? error.message : String(error));
const firstLine = (text: string) => (text.split('\n')[0] as string).replace(/\.$/, '');

async function startCpu({ loadKernels, threads = mostThreads }: EngineParts, reason: Told): Promise<ChosenEngine> {
  const cores = coreCount();
  const wanted = Math.min(cores ?? 1, threads);
  // If the kernels cannot be loaded, the run is slower but still possible.
  const kernels = await loadKernels().catch(words);
  const hasSimd = typeof kernels !== 'string' && (await registerSimd(kernels, { threads: wanted }));
  await tf.setBackend(hasSimd ? simdName : 'cpu');
  await tf.ready();
  const used = simdThreads();
  const usedWords = used > 1 ? told`${used} threads used` : told`one thread used`;
  const adapter = cores ? toldInRow([cores === 1 ? told`1 core` : told`${cores} cores`, usedWords], ', ') : usedWords;
  if (typeof kernels === 'string') {
    const slower = told`Plain JavaScript is used, which is many times slower than WebAssembly: ${kernels}.`;
    return {
      backend: tf.getBackend(),
      adapter: told`${adapter}, plain JavaScript`,
      reason: toldInRow([reason, slower]),
      isSoftware: true,
    };
  }
  if (!hasSimd) {
    const without = told`${adapter}, without WebAssembly SIMD`;
    return { backend: tf.getBackend(), adapter: without, reason, isSoftware: true };
  }
  const isFused = simdIsFused();
  return {
    backend: tf.getBackend(),
    adapter: isFused ? told`${adapter}, fused multiply-add` : told`${adapter}, without fused multiply-add`,
    reason: toldInRow([reason, ...(used < wanted ? [whyOneThread()] : []), ...(isFused ? [] : [whyNotFused()])]),
    isSoftware: true,
  };
}

/**
 * The reason why the page is not cross-origin isolated. Isolation requires a secure address, and headers from the host
 * or from the service worker.
 */
const whyNotIsolated = () =>
  globalThis.isSecureContext === false
    ? told`the page was loaded neither over https nor from this machine`
    : told`the page’s host does not send the required headers, and no service worker could add them`;

function whyOneThread(): Told {
  return canShareMemory()
    ? told`Only one thread is used, because the other threads did not start.`
    : told`Only one thread is used, because the page is not cross-origin isolated: ${whyNotIsolated()}.`;
}

const whyNotFused = () =>
  told`WebAssembly has no relaxed SIMD here, so multiplication and addition are separate instructions, which are about a quarter slower.`;

const isTold = (found: object | string): found is Told => typeof found === 'string' || 'key' in found;

const named = ({ vendor, architecture, device, description }: GPUAdapterInfo): string =>
  description || [vendor, architecture || device].filter(Boolean).join(' ');
const adapterName = (info: GPUAdapterInfo): Told => named(info) || told`unnamed adapter`;
/**
 * The key under which the result of a measurement is stored. The key is English, so that it does not depend on the
 * language.
 */
const inEnglish = (info: GPUAdapterInfo): string => named(info) || 'unnamed adapter';
