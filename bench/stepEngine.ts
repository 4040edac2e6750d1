// The engines of the step bench: each opens a piece of work and then takes one update whenever it is asked.
// Every engine runs in a process of its own, so each file of a peer is loaded only where it is wanted.
import type { StepWork } from './stepWork.ts';

export interface Taken {
  /** Mean cross-entropy before the update; NaN where the work has none. */
  loss: number;
  /** Milliseconds until the call that asks for the work came back; null where computing is synchronous. */
  submitMs: number | null;
  /** Units of work done, where that differs from one to the next. */
  tokens?: number;
  /** Further numbers of this step. */
  extra?: Record<string, number>;
}

export interface Engine {
  /** As TensorFlow.js or the peer names it. */
  backend: string;
  adapter: string;
  parameters: number;
  /** What sets this row apart, in words. */
  note?: string;
  step: () => Promise<Taken>;
}

type Opener = (work: StepWork, backend: string) => Promise<Engine>;

const openers = {
  cothink: async (work, backend) => (await import('./stepOurs.ts')).openOurs(work, backend),
  tfjs: async (work, backend) => (await import('./peers/stockLlama.ts')).openStock(work, backend),
  'jax-js': async (work, backend) => (await import('./peers/jaxLlama.ts')).openJax(work, backend),
  'gpt-tfjs': async (work, backend) => (await import('./peers/gptTfjs.ts')).openGptTfjs(work, backend),
  nanogpt: async (work, backend) => (await import('./peers/nanoGpt.ts')).openNanoGpt(work, backend),
  pytorch: async (work) => (await import('./peers/pytorch.ts')).openPytorch(work),
} satisfies Record<string, Opener>;

export type EngineName = keyof typeof openers;

/** Opens a library on one of its backends. Throws when it is not there. */
export function openEngine(name: EngineName, work: StepWork, backend: string): Promise<Engine> {
  return (openers[name] as Opener)(work, backend);
}

/** The same weights and tokens give these the same losses. */
export const exactEngines: readonly string[] = ['cothink', 'tfjs', 'jax-js', 'pytorch'];
