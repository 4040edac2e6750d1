// Tests the CPU engine in a browser that provides only one GiB of memory. The engine must work with this memory. A run
// that needs more memory must be refused, and the suggested settings must need less memory.
import { beforeAll, expect, it, vi } from 'vitest';
import { memoryBytes } from '../src/engine/memory.ts';
import { microConfig } from '../src/training/testing/microRun.ts';
import { heardTrainer, standIn } from './testing/heardTrainer.ts';

standIn();

const gibibytePages = 16_384;

beforeAll(() => {
  const { Memory } = WebAssembly;
  class Granted extends Memory {
    constructor(wish: WebAssembly.MemoryDescriptor) {
      if (wish.initial > gibibytePages) throw new RangeError('no more is granted');
      super(wish);
    }
  }
  vi.stubGlobal('WebAssembly', Object.assign(Object.create(WebAssembly) as typeof WebAssembly, { Memory: Granted }));
  return () => vi.unstubAllGlobals();
});

it('a failure because of too little memory names settings that fit', async () => {
  const { trainer, heard } = await heardTrainer();
  const agents = { size: 'medium', protocol: 'debate', count: 6, roundLimit: 3 } as const;
  // All rows of a dialogue have one ratio, so they must fit together.
  const learning = { ratioLevel: 'dialogue', aggregation: 'dialogue' } as const;
  const large = microConfig({ agents, learning, run: { backend: 'cpu' } });
  await expect(trainer.open({ config: large, preset: 'micro' })).rejects.toThrow('use agents.size = tiny');
  await vi.waitFor(() =>
    expect(heard('state').at(-1)).toMatchObject({ state: 'failed', remedies: [{ 'agents.size': 'tiny' }] }),
  );
  expect(memoryBytes()).toBeLessThan(2 ** 30);
});
