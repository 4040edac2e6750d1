// Tests a device that fails in the middle of a run. The loss of a real device is tested in workers/trainer.gpu.test.ts.
import { describe, expect, it, vi } from 'vitest';
import { DeviceLostError } from '../../base/errors.ts';
import type { ConfigInput } from '../../config/schema.ts';
import { memoryStore, type MemoryStore } from './memoryStore.ts';
import { heldChanges, nextEngine, trialIterations, rewound, type Revive } from './revival.ts';
import { onCpu } from '../testing/onCpu.ts';
import { kinds, states, until } from '../testing/heard.ts';
import { microCheckpoint, microConfig, openRun, type MicroRun } from '../testing/microRun.ts';

onCpu();

const short = {
  learning: { problemsPerIteration: 2, groupSize: 2 },
  evaluation: { problems: 8, every: 50 },
  run: { iterations: 5, checkpointEvery: 2 },
} satisfies ConfigInput;
const lost = () => new DeviceLostError('The graphics device was lost: it was pulled out.');
const cpu = { backend: 'simd', adapter: 'one thread', reason: 'The CPU took over.', isSoftware: true };

/** Opens a run that can continue on another engine from the checkpoint in its store. */
async function revivable(
  settings: ConfigInput = short,
  store: MemoryStore = memoryStore({ keepsIterations: true }),
  another = 'simd',
) {
  const asked: number[] = [];
  const toCpu: boolean[] = [];
  const revive: Revive = ({ iteration }, isToCpu) => {
    asked.push(iteration);
    toCpu.push(isToCpu);
    const engine = { ...cpu, backend: isToCpu ? 'simd' : another };
    return Promise.resolve({ engine, checkpoint: structuredClone(store.checkpoint) });
  };
  const run = openRun(await microCheckpoint(microConfig(settings)), { store, revive });
  return { ...run, asked, toCpu };
}
const failures = ({ events }: MicroRun) => events.filter(({ kind }) => kind === 'failed');

describe('a fault of the device', () => {
  it('noticed while an iteration is stored keeps the previous checkpoint as the newest', async () => {
    const store = memoryStore({ keepsIterations: true });
    const { saveIteration } = store;
    const settings = { ...short, run: { iterations: 5, checkpointEvery: 1 } };
    const run = openRun(await microCheckpoint(microConfig(settings)), { store });
    store.saveIteration = (id, iteration) => {
      if (iteration.metrics.iteration === 2) run.session.fail(lost());
      return saveIteration(id, iteration);
    };
    await run.session.train();
    expect(states(run.events)).toEqual(['training', 'failed']);
    expect(store.checkpoint?.iteration).toBe(1);
  });

  it('noticed during an evaluation prevents that its numbers are stored or reported', async () => {
    const run = openRun(await microCheckpoint(microConfig({ ...short, evaluation: { problems: 8, every: 1 } })));
    const loop = run.session.train();
    await until(run, 'iteration');
    run.session.fail(lost());
    await loop;
    expect(run.store.iterations).toEqual([]);
    expect(run.store.evaluations.map(({ iteration }) => iteration)).toEqual([0]);
    expect(kinds(run.events).filter((kind) => kind === 'evaluation')).toHaveLength(1);
    expect(() => run.session.train()).toThrow(/^train: the run has failed/);
  });

  it('noticed during an evaluation of a paused run refuses the answer and stores none', async () => {
    const run = await revivable();
    const measured = run.session.evaluate();
    await new Promise((resolve) => setTimeout(resolve));
    run.session.fail(lost());
    await expect(measured).rejects.toThrow('it was pulled out');
    await until(run, 'revived');
    expect(run.store.evaluations).toEqual([]);
    expect((await run.session.evaluate()).problems).toBe(8);
  });

  it('noticed while the weights of a paused run are read refuses them, and frees none earlier', async () => {
    const run = await revivable();
    const reads = Promise.allSettled([run.session.agentWeights(0), run.session.checkpoint()]);
    run.session.fail(lost());
    const told = (await reads).map((read) => (read.status === 'rejected' ? (read.reason as Error).name : 'believed'));
    expect(told).toEqual(['DeviceLostError', 'DeviceLostError']);
    await until(run, 'revived');
    expect(await run.session.agentWeights(0)).toHaveLength(1);
  });

  it('in a paused run loses no change that is made during the recovery', async () => {
    const run = await revivable();
    await run.session.train(1);
    const changed = run.session.change('optimiser.learningRate', 1e-4);
    run.session.fail(lost());
    await changed;
    await until(run, 'revived');
    await vi.waitUntil(() => !run.session.isUnderWay);
    expect(run.store.checkpoint).toMatchObject({ iteration: 1, config: { optimiser: { learningRate: 1e-4 } } });
    expect(states(run.events)).toEqual(['training', 'paused', 'paused']);
  });

  it('is survived: the run returns to its checkpoint by itself and ends as if nothing had happened', async () => {
    const sparse = { ...short, run: { iterations: 5, checkpointEvery: 3 } };
    const still = await revivable(sparse);
    await still.session.train();
    const run = await revivable(sparse);
    const loop = run.session.train();
    await until(run, 'iteration', 4);
    run.session.fail(lost());
    await loop;
    expect(run.asked).toEqual([4]);
    expect(failures(run)).toEqual([]);
    expect(states(run.events)).toEqual(['training', 'training', 'done']);
    const told = run.events.flatMap((event) => (event.kind === 'revived' ? [event] : []));
    expect(told).toMatchObject([{ run: { iteration: 3, backend: 'simd' }, engine: cpu }]);
    expect(run.store.checkpoint).toEqual({ ...still.store.checkpoint, backend: 'simd' });
    expect(run.collected().slice(-2)).toEqual(still.collected().slice(-2));
  });

  it('in a paused run leaves it paused, and a step ends where it would have', async () => {
    const run = await revivable();
    const step = run.session.train(3);
    await until(run, 'iteration', 2);
    await run.session.pause();
    run.session.fail(lost());
    await until(run, 'revived');
    await new Promise((resolve) => setTimeout(resolve, 60));
    expect(states(run.events)).toEqual(['training', 'paused', 'paused']);
    void run.session.train(1);
    await step;
    expect(states(run.events).slice(-2)).toEqual(['training', 'paused']);
    expect(run.session.run.iteration).toBe(3);
  });

  it('in a run that has not started is only reported, and the run trains', async () => {
    const run = await revivable();
    run.session.announce('idle');
    run.session.fail(lost());
    await run.session.train();
    expect(run.asked).toEqual([0]);
    expect(states(run.events).at(-1)).toBe('done');
    expect(run.session.run.iteration).toBe(5);
  });

  it('refuses a measurement under way, and the next one answers', async () => {
    const run = await revivable();
    const loop = run.session.train();
    await until(run, 'iteration', 2);
    const measured = run.session.evaluate();
    run.session.fail(lost());
    await expect(measured).rejects.toThrow('it was pulled out');
    await until(run, 'revived');
    expect((await run.session.evaluate()).problems).toBe(8);
    await loop;
    expect(states(run.events).at(-1)).toBe('done');
  });

  it('of the replacing device soon after is survived on the CPU', async () => {
    const still = await revivable();
    await still.session.train();
    const run = await revivable(short, memoryStore({ keepsIterations: true }), 'webgpu');
    const loop = run.session.train();
    await until(run, 'iteration', 2);
    run.session.fail(lost());
    await until(run, 'iteration', 4);
    run.session.fail(lost());
    await loop;
    expect(run.toCpu).toEqual([false, true]);
    expect(failures(run)).toEqual([]);
    expect(states(run.events).at(-1)).toBe('done');
    expect(run.store.checkpoint).toEqual({ ...still.store.checkpoint, backend: 'simd' });
  });

  it('requests another device, then the CPU if that fails soon, and nothing if the CPU fails', () => {
    const [soon, late] = [20 + trialIterations - 1, 20 + trialIterations];
    expect(nextEngine({ iteration: soon, backend: 'webgpu' }, null)).toBe('device');
    expect(nextEngine({ iteration: soon, backend: 'webgpu' }, 20)).toBe('cpu');
    expect(nextEngine({ iteration: late, backend: 'webgpu' }, 20)).toBe('device');
    expect(nextEngine({ iteration: soon, backend: 'simd' }, 20)).toBe('none');
  });

  it(`that comes again on the CPU within ${String(trialIterations)} iterations ends the run`, async () => {
    const run = await revivable();
    const loop = run.session.train();
    await until(run, 'iteration', 2);
    run.session.fail(lost());
    await until(run, 'iteration', 4);
    run.session.fail(lost());
    await loop;
    expect(run.asked).toHaveLength(1);
    expect(failures(run)).toMatchObject([{ name: 'DeviceLostError' }]);
    expect(states(run.events).at(-1)).toBe('failed');
  });

  it('ends a run for which there is no other engine, and frees its weights once', async () => {
    const store = memoryStore({ keepsIterations: true });
    const revive = () => Promise.reject(new Error('kernels.wasm could not be loaded.'));
    const run = openRun(await microCheckpoint(microConfig(short)), { store, revive });
    const loop = run.session.train();
    await until(run, 'iteration', 2);
    run.session.fail(lost());
    const measured = run.session.evaluate();
    await loop;
    expect(failures(run)).toMatchObject([{ message: 'kernels.wasm could not be loaded.' }]);
    await expect(measured).rejects.toThrow();
    await expect(run.session.evaluate()).rejects.toThrow(/^evaluate: the run has failed/);
  });
});

it('a run that returns to a checkpoint keeps later changes, noted where it continues', async () => {
  const checkpoint = { ...(await microCheckpoint(microConfig(short))), iteration: 4 };
  const { session } = openRun(checkpoint, { changes: [{ iteration: 3, path: 'kl.coef', value: 0.1 }] });
  await session.change('optimiser.learningRate', 1e-4);
  const run = { ...session.run, iteration: 6 };
  const early = { path: 'kl.coef', value: 0.1, iteration: 3 };
  expect(heldChanges(run.changes, checkpoint)).toEqual([early]);
  const back = rewound(run, checkpoint, undefined);
  expect(back.isChanged).toBe(true);
  expect(back.checkpoint.config.optimiser.learningRate).toBe(1e-4);
  expect(back.run.changes).toEqual([early, { iteration: 4, path: 'optimiser.learningRate', value: 1e-4 }]);
  expect(rewound({ ...run, config: checkpoint.config }, checkpoint, undefined).isChanged).toBe(false);
});
