// Which engine computes: WebGPU where a hardware adapter is there and wins a short probe, else the
// CPU. Never webgl, which TensorFlow.js would otherwise take without a word.
import * as tf from '@tensorflow/tfjs-core';
// Behind the core, whose flags it reads: the development server keeps this order.
import '@tensorflow/tfjs-core/dist/register_all_gradients';
import { DeviceLostError } from '../base/errors.ts';
import { spoken } from '../base/spoken.ts';
import { registerSimd, simdIsFused, simdName, simdThreads } from './simd.ts';
import { canShareMemory, coreCount } from './simd/threads/helpers.ts';
import { isSoftwareAdapter } from './webgpu/adapters.ts';

export type EngineWish = 'auto' | 'webgpu' | 'cpu';

export interface ChosenEngine {
  /** `webgpu`, `simd`, or `cpu` where WebAssembly has no SIMD. */
  backend: string;
  /** Adapter or processor in words. */
  adapter: string;
  /** Why this one, in one sentence. */
  reason: string;
  isSoftware: boolean;
}

export interface EngineParts {
  /** Bytes of kernels.wasm. */
  loadKernels: () => Promise<ArrayBuffer>;
  /** Hears why a device went away, or why it cannot be trusted. */
  onFault: (error: DeviceLostError) => void;
  /** Milliseconds of one small training step on the current backend; null result of an earlier probe = unknown. */
  probe: () => Promise<number>;
  /** What an earlier probe found for this adapter. */
  recall: (adapter: string) => Promise<'webgpu' | 'cpu' | null>;
  remember: (adapter: string, winner: 'webgpu' | 'cpu') => Promise<void>;
  /** Why there is no WebGPU, in words, where no browser could have it. */
  withoutGpu?: string;
  /** The CPU computes with at most so many threads, and never with more than it has cores. */
  threads?: number;
}

/** Beyond this the small matrices of our models leave too little to share out. */
const mostThreads = 4;

const wayOut = () => spoken`Resume from the last checkpoint, or train with run.backend = cpu.`;
// Page, worker and Node each have their own type of navigator, or none.
const surroundings = globalThis as { navigator?: { gpu?: GPU }; isSecureContext?: boolean };

/**
 * Starts the engine a visitor asked for, or the better one; of a device that cannot be had, or that fails while it is
 * tried, `auto` says so and takes the CPU. Throws DeviceLostError when `webgpu` is asked for and cannot be had.
 */
export async function chooseEngine(wish: EngineWish, parts: EngineParts): Promise<ChosenEngine> {
  if (wish === 'cpu') return startCpu(parts, spoken`The CPU was asked for.`);
  const isAuto = wish === 'auto';
  const without = (why: string): Promise<ChosenEngine> => {
    if (isAuto) return startCpu(parts, spoken`${why}, so the CPU trains.`);
    throw new DeviceLostError(
      spoken`run.backend: webgpu was asked for. ${why}; use run.backend = cpu, or another browser.`,
    );
  };
  const adapter = await findAdapter(parts);
  if (typeof adapter === 'string') return without(adapter);
  const name = adapterName(adapter.info);
  const isSoftware = isSoftwareAdapter(adapter.info);
  if (isAuto && isSoftware) return startCpu(parts, spoken`The only adapter (${name}) is software, so the CPU trains.`);
  const winner = isAuto ? await parts.recall(name) : null;
  const slower = spoken`The CPU was faster than ${name} when both were tried.`;
  if (winner === 'cpu') return startCpu(parts, slower);
  const device = await startDevice(adapter, parts);
  if (typeof device === 'string') return without(device);
  const chosen: ChosenEngine = { backend: 'webgpu', adapter: name, reason: spoken`WebGPU was asked for.`, isSoftware };
  if (!isAuto) {
    device.use();
    return chosen;
  }
  if (winner === null) {
    const gpuMs = await device.milliseconds(parts.probe);
    if (typeof gpuMs === 'string') {
      const onCpu = await without(gpuMs);
      device.free();
      return onCpu;
    }
    const onCpu = await startCpu(parts, slower);
    const cpuMs = await parts.probe();
    const failure = device.failure();
    // Where nothing can be stored the probe runs again: slower, never wrong.
    if (failure === null) await parts.remember(name, cpuMs < gpuMs ? 'cpu' : 'webgpu').catch(() => undefined);
    if (failure !== null || cpuMs < gpuMs) {
      device.free();
      return failure === null ? onCpu : { ...onCpu, reason: spoken`${failure}, so the CPU trains.` };
    }
    await tf.setBackend('webgpu');
  }
  device.use();
  return { ...chosen, reason: spoken`${name} was faster than the CPU when both were tried.` };
}

/**
 * Starts an engine in the place of one whose device was lost: of the same kind, else the CPU, and says which. With `isToCpu`
 * it is the CPU, as another device was lost soon before.
 */
export async function replaceEngine(parts: EngineParts, isToCpu = false): Promise<ChosenEngine> {
  if (isToCpu) return startCpu(parts, spoken`It was the second one within a few iterations, so the CPU took over.`);
  if (tf.getBackend() !== 'webgpu') return startCpu(parts, spoken`The CPU went on.`);
  const adapter = await findAdapter(parts);
  const device = typeof adapter === 'string' ? adapter : await startDevice(adapter, parts);
  if (typeof adapter === 'string' || typeof device === 'string') {
    return startCpu(parts, spoken`${String(device)}, so the CPU took over.`);
  }
  device.use();
  const name = adapterName(adapter.info);
  const isSoftware = isSoftwareAdapter(adapter.info);
  return { backend: 'webgpu', adapter: name, reason: spoken`A new device took over.`, isSoftware };
}

/** The adapter to compute on, or why there is none. */
async function findAdapter({ withoutGpu }: EngineParts): Promise<GPUAdapter | string> {
  const gpu = surroundings.navigator?.gpu;
  if (!gpu && withoutGpu !== undefined) return withoutGpu;
  if (!gpu)
    return surroundings.isSecureContext === false ? spoken`WebGPU needs https` : spoken`This browser has no WebGPU`;
  try {
    const adapter = await gpu.requestAdapter({ powerPreference: 'high-performance' });
    return adapter ?? spoken`This browser has WebGPU but offers no adapter`;
  } catch (error) {
    return spoken`This browser has WebGPU but refuses an adapter (${words(error)})`;
  }
}

/** A device on trial: what is heard of it is kept, and from its use on told. */
interface TriedDevice {
  /** What went wrong so far, in words; null where nothing did. */
  failure(): string | null;
  /** What a probe measured on it, or why it could not. */
  milliseconds(probe: () => Promise<number>): Promise<number | string>;
  /** Gives it up with all it holds, once another backend computes. */
  free(): void;
  /** From now on faults go to `onFault`, and so does one that was heard before. */
  use(): void;
}

/** Makes a device the backend `webgpu`, and TensorFlow.js's current one; or answers why that failed. */
async function startDevice(adapter: GPUAdapter, { onFault }: EngineParts): Promise<TriedDevice | string> {
  const name = adapterName(adapter.info);
  let heard: string | null = null;
  let isUsed = false;
  const hear = (what: string) => {
    if (isUsed) onFault(new DeviceLostError(spoken`The graphics device ${what}. ${wayOut()}`));
    else heard ??= what;
  };
  const failure = () =>
    heard === null ? null : spoken`${name} failed when it was tried (its device ${firstLine(heard)})`;
  let free: () => void;
  try {
    const { startWebGpu } = await import('./webgpu.ts');
    free = await startWebGpu(adapter, {
      onLost: (reason) => hear(spoken`was lost: ${reason}`),
      onRefusal: (reason) => hear(spoken`refused work: ${reason}`),
    });
  } catch (error) {
    return spoken`${name} gave no device (${words(error)})`;
  }
  const milliseconds = async (probe: () => Promise<number>) => {
    try {
      const ms = await probe();
      return failure() ?? ms;
    } catch (error) {
      return failure() ?? spoken`${name} failed when it was tried (${words(error)})`;
    }
  };
  const use = () => {
    isUsed = true;
    if (heard !== null) hear(heard); // after it was last asked for
  };
  return failure() ?? { failure, milliseconds, use, free };
}

/** Why something failed, without the full stop of a sentence. */
const words = (error: unknown) => firstLine(error instanceof Error ? error.message : String(error));
const firstLine = (text: string) => (text.split('\n')[0] as string).replace(/\.$/, '');

async function startCpu({ loadKernels, threads = mostThreads }: EngineParts, reason: string): Promise<ChosenEngine> {
  const cores = coreCount();
  const wanted = Math.min(cores ?? 1, threads);
  // Kernels that cannot be had cost speed, not the run.
  const kernels = await loadKernels().catch(words);
  const hasSimd = typeof kernels !== 'string' && (await registerSimd(kernels, { threads: wanted }));
  await tf.setBackend(hasSimd ? simdName : 'cpu');
  await tf.ready();
  const used = simdThreads();
  const usedWords = used > 1 ? spoken`${used} threads used` : spoken`one thread used`;
  const adapter = cores ? `${cores === 1 ? spoken`1 core` : spoken`${cores} cores`}, ${usedWords}` : usedWords;
  if (typeof kernels === 'string') {
    const slower = spoken`Plain JavaScript computes, many times slower: ${kernels}.`;
    return {
      backend: tf.getBackend(),
      adapter: spoken`${adapter}, plain JavaScript`,
      reason: `${reason} ${slower}`,
      isSoftware: true,
    };
  }
  if (!hasSimd) {
    const without = spoken`${adapter}, without WebAssembly SIMD`;
    return { backend: tf.getBackend(), adapter: without, reason, isSoftware: true };
  }
  const isFused = simdIsFused();
  return {
    backend: tf.getBackend(),
    adapter: isFused ? spoken`${adapter}, fused multiply-add` : spoken`${adapter}, no fused multiply-add`,
    reason: [reason, used < wanted && whyOneThread(), !isFused && whyNotFused()].filter(Boolean).join(' '),
    isSoftware: true,
  };
}

/** What isolates a page is a secure address, and headers of its host or of its service worker. */
const whyNotIsolated = () =>
  globalThis.isSecureContext === false
    ? spoken`its address is neither https nor of this machine`
    : spoken`its host does not send the headers for it, and no service worker could add them`;

function whyOneThread(): string {
  return canShareMemory()
    ? spoken`One thread computes, as the others did not start.`
    : spoken`One thread computes, as the page is not cross-origin isolated: ${whyNotIsolated()}.`;
}

const whyNotFused = () =>
  spoken`Products and sums are two instructions each, about a quarter slower, as WebAssembly has no relaxed SIMD here.`;

function adapterName({ vendor, architecture, device, description }: GPUAdapterInfo): string {
  return description || [vendor, architecture || device].filter(Boolean).join(' ') || spoken`unnamed adapter`;
}
