// The engines of the step bench: each opens a workload and then performs one update per request. Every engine runs in a
// separate process, so the code of another project is loaded only if it is needed.
import { parameterCount } from '../../src/config/sizes.ts';
import { adapterName } from '../gpu/counts.ts';
import { deviceSpeed } from '../gpu/floor.ts';
import { provideWebGpu, startBackend } from '../shared/nodeBackend.ts';
import { processor } from '../shared/runner.ts';
import type { Engine } from './contract.ts';
import type { Way } from './ours.ts';
import type { StepWork } from './work.ts';

type Opener = (work: StepWork, backend: string, variant?: string) => Promise<Engine>;

/** Variants of the engine of Cothink that get a separate row. */
export const ways: Record<string, Way> = {
  'capture off': { isReplayed: false },
  'one read for 20 updates': { updates: 20 },
};

const openers = {
  cothink: async (work, backend, variant = '') => {
    const adapter = await startBackend(backend, { ours: true });
    const { ourStep } = await import('./ours.ts');
    const note = backend === 'wasm' ? 'our ops composed of stock ops' : undefined;
    const step = ourStep(work, ways[variant]);
    return { backend, adapter, parameters: parameterCount(work.shape), note, speed: await deviceSpeed(), step };
  },
  tfjs: async (work, backend) => {
    const adapter = await startBackend(backend, { ours: false });
    const { stockStep } = await import('./peers/stockLlama.ts');
    return { backend, adapter, parameters: parameterCount(work.shape), step: stockStep(work) };
  },
  'jax-js': async (work, backend) => {
    const adapter = backend === 'webgpu' ? adapterName(await provideWebGpu()) : processor;
    const { jaxStep } = await import('./peers/jaxLlama.ts');
    const step = await jaxStep(work, backend);
    return { backend, adapter, parameters: parameterCount(work.shape), step };
  },
  'gpt-tfjs': async (work, backend) => (await import('./peers/gptTfjs.ts')).openGptTfjs(work, backend),
  nanogpt: async (work, backend) => (await import('./peers/nanoGpt.ts')).openNanoGpt(work, backend),
  pytorch: async (work) => (await import('./peers/pytorch.ts')).openPytorch(work),
} satisfies Record<string, Opener>;

export type EngineName = keyof typeof openers;

/** Opens a library on one of its backends. Throws if the library is missing. */
export function openEngine(
  name: EngineName,
  work: StepWork,
  { backend, variant }: { backend: string; variant?: string },
): Promise<Engine> {
  return (openers[name] as Opener)(work, backend, variant);
}

/** Engines whose losses must be equal for the same weights and tokens. */
export const exactEngines: readonly string[] = ['cothink', 'tfjs', 'jax-js', 'pytorch'];
