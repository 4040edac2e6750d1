// Tests the trainer in Node. The tests call the trainer in the same way as the page does.
import { describe, expect, it, vi } from 'vitest';
import type { RunId } from '../src/records/ids.ts';
import { inWords } from '../src/base/spoken.ts';
import { openDatabase } from '../src/storage/database.ts';
import { listIterations, listRuns, loadRun } from '../src/storage/reading.ts';
import { newestCheckpoint } from '../src/storage/testing/newestCheckpoint.ts';
import { microConfig } from '../src/training/testing/microRun.ts';
import { heardTrainer, standIn } from './testing/heardTrainer.ts';

standIn();

const config = microConfig({
  learning: { problemsPerIteration: 2, groupSize: 2 },
  run: { iterations: 4, backend: 'cpu', checkpointEvery: 2 },
});

describe('a run through the trainer', () => {
  it('is opened, trained, stored and deleted', async () => {
    const { trainer, heard, state, run } = await heardTrainer();
    await trainer.open({ config, preset: 'micro' });
    await state('idle');
    const engine = heard('run')[0]?.engine;
    expect([engine?.backend, inWords(engine?.reason ?? '')]).toEqual(['simd', 'The CPU was requested.']);
    expect(heard('preflight')[0]?.preflight.parameters).toBeGreaterThan(1000);
    expect(heard('turn')).toHaveLength(1);
    await trainer.train();
    await state('done');
    expect((await listRuns()).runs.map(({ run: { iteration, isDone } }) => [iteration, isDone])).toEqual([[4, true]]);
    expect((await newestCheckpoint(run().id))?.iteration).toBe(4);
    expect((await listIterations(run().id)).filter(({ count }) => count > 0)).toHaveLength(4);
    const file = await trainer.exportTrajectories('jsonl');
    const lines = (await file.text()).trim().split('\n');
    expect(lines).toHaveLength(4 * 4);
    // The texts of all four iterations are about equally long, so three iterations are enough to estimate the total
    // size with an error below a tenth.
    const sizes = await trainer.exportSizes();
    expect(Math.abs(sizes.trajectoryBytes / file.size - 1)).toBeLessThan(0.1);
    const zip = await trainer.exportWeights(1);
    const whole = await trainer.exportWeights(1, true);
    // The remaining difference is caused by the names of the arrays in the file.
    expect(Math.abs(sizes.optimiserBytes / (whole.length - zip.length) - 1)).toBeLessThan(0.15);
    expect(Array.from(zip.subarray(0, 2))).toEqual([0x50, 0x4b]);
    await expect(trainer.exportWeights(2)).rejects.toThrow('agent: expected 0 to 1, got 2.');
    await trainer.deleteRun(run().id);
    expect((await listRuns()).runs).toEqual([]);
  });

  it('with a damaged newest checkpoint resumes from the one before it, says so, and ends the same', async () => {
    const first = await heardTrainer();
    await first.trainer.open({ config, preset: 'micro' });
    await first.trainer.step();
    await first.trainer.step();
    await first.trainer.step();
    const { id } = first.run();
    const database = await openDatabase();
    // One bit of a weight is changed in such a way that the weight is still a finite number.
    const damaged = await database.get('checkpoints', [id, 3]);
    const weight = damaged?.networks[0]?.weights[0]?.values as Float32Array;
    const bytes = new Uint8Array(weight.buffer, weight.byteOffset);
    bytes[0] = (bytes[0] as number) ^ 1;
    await database.put('checkpoints', damaged as NonNullable<typeof damaged>);
    const second = await heardTrainer();
    await second.trainer.resumeRun(id);
    await second.state('paused');
    expect(second.run().iteration).toBe(2);
    expect(second.heard('note').map(({ text }) => text)).toEqual([
      expect.stringMatching(/^Records after iteration 2 cannot .*checkpoint 3 .*the checksum does not match/),
    ]);
    await second.trainer.train();
    await second.state('done');
    const whole = await heardTrainer();
    await whole.trainer.open({ config, preset: 'micro' });
    await whole.trainer.train();
    await whole.state('done');
    const [found, expected] = [await newestCheckpoint(id), await newestCheckpoint(whole.run().id)];
    expect(found?.networks).toEqual(expected?.networks);
    expect((await listIterations(id)).map(({ iteration }) => iteration)).toEqual([1, 2, 3, 4]);
  });

  it('continues without a store, says so, and its weights can be exported and its settings changed', async () => {
    const factory = globalThis.indexedDB;
    Reflect.deleteProperty(globalThis, 'indexedDB');
    const { trainer, heard, state } = await heardTrainer();
    await trainer.open({ config, preset: 'micro' });
    await trainer.step();
    await trainer.changeSetting('optimiser.learningRate', 1e-4);
    await trainer.train();
    await state('done');
    expect(heard('iteration')).toHaveLength(4);
    expect(heard('unstored').map(({ why }) => why)).toEqual([expect.stringContaining('no IndexedDB')]);
    expect((await trainer.exportWeights(0)).length).toBeGreaterThan(1000);
    await expect(trainer.resumeRun('nobody' as never)).rejects.toThrow('no IndexedDB');
    expect((await trainer.exportWeights(0)).length).toBeGreaterThan(1000);
    expect(heard('failed')).toEqual([]);
    globalThis.indexedDB = factory;
  });

  it('that cannot be resumed does not change the open run', async () => {
    const { trainer, heard, state, run } = await heardTrainer();
    await trainer.open({ config, preset: 'micro' });
    await trainer.step();
    const before = run().id;
    await expect(trainer.resumeRun('nobody' as never)).rejects.toThrow(/run nobody: expected a record, got nothing/);
    expect((await trainer.exportWeights(0)).length).toBeGreaterThan(1000);
    await trainer.train();
    await state('done');
    expect([run().id, heard('iteration').length]).toEqual([before, 4]);
  });

  it('resumed after changes keeps the active change, and makes the later one again at its iteration', async () => {
    const first = await heardTrainer();
    const long = { ...config, run: { ...config.run, checkpointEvery: 1000, iterations: 1000 } };
    await first.trainer.open({ config: long, preset: 'micro' });
    await first.trainer.step();
    await first.trainer.changeSetting('optimiser.learningRate', 1e-4); // paused, so it is stored immediately
    await first.trainer.train();
    await first.state('training');
    await first.trainer.pause();
    await first.trainer.changeSetting('learning.entCoef', 0.1); // takes effect from the next iteration on
    const { changes } = await loadRun(first.run().id);
    expect(changes).toHaveLength(2);
    const second = await heardTrainer();
    await second.trainer.resumeRun(first.run().id);
    await second.state('paused');
    expect(second.run().config.optimiser.learningRate).toBe(1e-4);
    expect(second.run().config.learning.entCoef).toBe(0.01);
    expect(second.run().changes).toEqual([{ iteration: 1, path: 'optimiser.learningRate', value: 1e-4 }]);
    expect(second.run().plan?.changes).toEqual(changes.slice(1));
    await first.trainer.stop();
  });

  it('that is finished opens as finished, and can continue after a rewind', async () => {
    const first = await heardTrainer();
    await first.trainer.open({ config, preset: 'micro' });
    await first.trainer.train();
    await first.state('done');
    const { id } = first.run();
    const second = await heardTrainer();
    await second.trainer.resumeRun(id);
    await second.state('done');
    expect(second.run()).toMatchObject({ iteration: 4, isDone: true });
    await second.trainer.changeSetting('run.iterations', 5);
    await second.trainer.train();
    await expect.poll(() => second.heard('iteration').length).toBe(1);
    const third = await heardTrainer();
    await third.trainer.resumeRun(id, { from: 4, to: 1 } as never);
    await third.state('paused');
    expect(third.run().isDone).toBe(false);
  });

  it('pauses and evaluates in the middle, and stops', async () => {
    const { trainer, state, heard, run } = await heardTrainer();
    await trainer.open({ config: { ...config, run: { ...config.run, iterations: 1000 } }, preset: 'micro' });
    await trainer.train();
    await state('training');
    await trainer.pause();
    await state('paused');
    const { problems } = await trainer.evaluate();
    expect(problems).toBe(8);
    await expect(trainer.deleteRun(run().id)).rejects.toThrow('this run is in progress; stop the run first');
    await trainer.stop();
    await state('done');
    expect(heard('failed')).toEqual([]);
    expect((await loadRun(run().id)).isDone).toBe(true);
  });

  it('has the name that the visitor gives, also for its forks and after it is stored again', async () => {
    const { trainer, state, heard, run } = await heardTrainer();
    await trainer.open({ config, preset: 'micro' });
    await trainer.step();
    const { id } = run();
    const label = { runId: id, name: 'my first', notes: '', tags: [], isPinned: false };
    await trainer.labelRun(label);
    await vi.waitFor(() => expect(heard('renamed').map(({ name }) => name)).toEqual(['my first']));
    await trainer.train();
    await state('done');
    expect((await loadRun(id)).name).toBe('my first');
    await trainer.fork('separate');
    await vi.waitFor(() => expect(run().name).toBe('my first · separate weights'));
    expect(run().forkedFrom?.name).toBe('my first');
    // The fork is now the open run. A record of the fork that is read after the parent was renamed contains the
    // parent's new name.
    await trainer.labelRun({ ...label, name: 'the parent' });
    expect((await loadRun(run().id)).forkedFrom?.name).toBe('the parent');
    expect(heard('renamed')).toHaveLength(1);
    await expect(trainer.deleteRun(id)).rejects.toThrow('my first · separate weights is a fork of this run');
  });

  it('is not ended by a late request to stop its preparation', async () => {
    const { trainer, state } = await heardTrainer();
    await trainer.open({ config, preset: 'micro' });
    await state('idle');
    await trainer.abandon();
    expect((await listRuns()).runs).toEqual([]);
    await trainer.step();
    await state('paused');
    expect((await listRuns()).runs.map(({ run: { isDone } }) => isDone)).toEqual([false]);
  });

  const taught = (steps: number) => ({
    ...config,
    warmStart: { ...config.warmStart, source: 'train' as const, steps, batchSize: 8 },
  });

  it('with a long warm start is only measured until the warm start is requested', async () => {
    const { trainer, heard, state } = await heardTrainer();
    expect(await trainer.open({ config: taught(20_000), preset: 'micro', asksFirst: true })).toBe(false);
    await state('idle');
    expect(heard('warmStart').at(-1)?.rest).toMatchObject({ share: 0 });
    expect(heard('warmStart').at(-1)?.rest.msLeft).toBeGreaterThan(10_000);
    expect(heard('engine').at(-1)?.engine.backend).toBe('simd');
    expect(heard('progress')).toEqual([]);
    await expect(trainer.train()).rejects.toThrow('no run is open');
    // If training a warm start takes only a short time, it is trained without asking the visitor first.
    expect(await trainer.open({ config: taught(5), preset: 'micro', asksFirst: true })).toBe(true);
    expect(heard('run')).toHaveLength(1);
  });

  it('whose warm start is stopped is not open, and has not failed', async () => {
    const { trainer, heard, state } = await heardTrainer();
    const opening = trainer.open({ config: taught(20_000), preset: 'micro' });
    while (heard('progress').length < 2) await new Promise((resolve) => setTimeout(resolve, 5));
    await trainer.abandon();
    expect(await opening).toBe(false);
    await state('idle');
    expect(heard('run')).toEqual([]);
    expect(heard('state').map((event) => event.state)).toEqual(['preparing', 'idle']);
  });

  it('starts immediately with the same weights if its warm start was trained before', async () => {
    const first = await heardTrainer();
    await first.trainer.open({ config: taught(30), preset: 'micro' });
    await first.trainer.step();
    const second = await heardTrainer();
    await second.trainer.open({ config: taught(30), preset: 'micro' });
    await second.trainer.step();
    expect(first.heard('progress').length).toBeGreaterThan(0);
    expect(second.heard('progress')).toEqual([]);
    const networks = async (id: RunId) => (await newestCheckpoint(id))?.networks;
    expect(await networks(second.run().id)).toEqual(await networks(first.run().id));
  });

  it('that could not start with its imported pairs starts with others', async () => {
    const learning = { learner: 'dpo', pairsFrom: 'imported', problemsPerIteration: 2, groupSize: 2 } as const;
    const { trainer, heard, state } = await heardTrainer();
    const run = { iterations: 1, backend: 'cpu' } as const;
    const sides = (role: string) =>
      JSON.stringify({ prompt: '<bos>7+4*2<eot>', chosen: `${role}4*2<eot>`, rejected: `${role}7+4<eot>` });
    await trainer.open({ config: microConfig({ learning, run }), preset: 'micro' });
    expect(await trainer.importFile('pairs', sides('<meta>'), 'meta.jsonl')).toBe(1);
    const alone = microConfig({ learning, run, agents: { protocol: 'single' } });
    await expect(trainer.open({ config: alone, preset: 'micro' })).rejects.toThrow(
      'belongs to the role <meta>, but no agent has this role',
    );
    await state('failed');
    expect(await trainer.importFile('pairs', sides('<reason>'), 'reason.jsonl')).toBe(1);
    await trainer.open({ config: alone, preset: 'micro' });
    await state('idle');
    await trainer.train();
    await state('done');
    expect(heard('iteration')).toHaveLength(1);
  });

  it('is replaced by another run that is opened while it trains', async () => {
    const { trainer, state, heard, run } = await heardTrainer();
    await trainer.open({ config: { ...config, run: { ...config.run, iterations: 1000 } }, preset: 'micro' });
    await state('idle');
    const { id } = run();
    await trainer.train();
    await state('training');
    await trainer.open({ config: { ...config, run: { ...config.run, seed: 5 } }, preset: 'micro' });
    await state('idle');
    expect(run().id).not.toBe(id);
    expect(heard('failed')).toEqual([]);
    await trainer.train();
    await state('done');
    expect((await listRuns()).runs).toHaveLength(2);
  });
});

describe('an impossible request', () => {
  it('is refused by name, and the trainer stays usable', async () => {
    const { trainer, state } = await heardTrainer();
    const named = (name: string) => expect.objectContaining({ name });
    await expect(trainer.train()).rejects.toEqual(named('ConfigError'));
    await expect((async () => trainer.pause())()).rejects.toEqual(named('ConfigError'));
    await expect(trainer.open({ config: { ...config, world: { level: 9 } } as never, preset: 'x' })).rejects.toThrow(
      'world.level: expected a whole number from 1 to 5, got 9.',
    );
    await expect(trainer.resumeRun('nobody' as never)).rejects.toEqual(named('StorageError'));
    await trainer.open({ config, preset: 'micro' });
    await state('idle');
  });
});
