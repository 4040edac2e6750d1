// Tests two trainers that run at the same time, as in two tabs. In Node, a replacement for the locks of the browser is
// used.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { joinTabs, type SentMessage } from '../src/api/tabChannel.ts';
import { Locks } from '../src/api/testing/locks.ts';
import { listCheckpoints, listRuns, loadMetrics, loadRun } from '../src/storage/reading.ts';
import { microConfig } from '../src/training/testing/microRun.ts';
import { heardTrainer, standIn } from './testing/heardTrainer.ts';

standIn();
beforeEach(() => {
  vi.stubGlobal('navigator', { locks: new Locks() });
});
afterEach(() => vi.unstubAllGlobals());

const config = microConfig({
  learning: { problemsPerIteration: 2, groupSize: 2 },
  run: { iterations: 5000, backend: 'cpu', checkpointEvery: 1000 },
});
const request = { config, preset: 'micro' };

/** Options of `expect.poll` for slow machines. */
const patient = { timeout: 60_000 };

/** Records the messages that are sent to the other tabs. */
function listenIn() {
  const heard: SentMessage[] = [];
  const channel = joinTabs('', (message) => heard.push(message));
  return { heard, tell: channel.tell };
}

describe('while one tab trains', () => {
  it('another one may not, and may again when the first is paused', async () => {
    const [first, second] = [await heardTrainer(), await heardTrainer()];
    await first.trainer.open(request);
    await second.trainer.open(request);
    expect(await first.trainer.train()).toBe('own');
    expect(await second.trainer.train()).toBe('busy');
    expect(await second.trainer.step()).toBe('busy');
    await first.trainer.pause();
    await first.state('paused');
    await expect.poll(() => second.trainer.step(), patient).toBe('own');
    expect(await first.trainer.step()).toBe('own');
  });

  it('another one may rename its run, and both show the new name', async () => {
    const [first, second] = [await heardTrainer(), await heardTrainer()];
    await first.trainer.open(request);
    await first.trainer.step();
    await first.trainer.train();
    const { heard } = listenIn();
    const { id } = first.run();
    await second.trainer.labelRun({ runId: id, name: 'theirs', notes: '', tags: [], isPinned: true });
    await expect.poll(() => first.heard('renamed'), patient).toEqual([{ kind: 'renamed', name: 'theirs' }]);
    expect(heard).toContainEqual(expect.objectContaining({ kind: 'labelled', id, name: 'theirs' }));
    await first.trainer.stop();
    expect((await loadRun(id)).name).toBe('theirs');
  });

  it('another one cannot delete its run, but can delete other runs', async () => {
    const [first, second] = [await heardTrainer(), await heardTrainer()];
    await second.trainer.open(request);
    await second.trainer.step();
    const { id: old } = second.run();
    await second.trainer.open(request);
    await first.trainer.open(request);
    await first.trainer.train();
    await expect(second.trainer.deleteRun(first.run().id)).rejects.toEqual(
      expect.objectContaining({ name: 'StorageError', message: expect.stringContaining(first.run().id) as string }),
    );
    const { heard } = listenIn();
    await second.trainer.deleteRun(old);
    await expect.poll(() => heard, patient).toContainEqual(expect.objectContaining({ kind: 'deleted', id: old }));
    expect((await listRuns()).runs.map(({ run }) => run.id)).toEqual([first.run().id]);
    await first.trainer.stop();
  });

  it('its news reaches only tabs that watch', async () => {
    const { trainer } = await heardTrainer();
    const { heard, tell } = listenIn();
    await trainer.open(request);
    await trainer.step();
    await trainer.step();
    expect(heard.filter(({ kind }) => kind === 'news')).toEqual([]);
    expect(heard.filter(({ kind }) => kind === 'training')).toHaveLength(2);
    await trainer.train();
    tell({ kind: 'ask' });
    tell({ kind: 'watch' });
    await expect.poll(() => heard.filter(({ kind }) => kind === 'training').length, patient).toBe(4);
    await expect.poll(() => heard.flatMap((m) => (m.kind === 'news' ? m.events : [])), patient).not.toEqual([]);
    await trainer.stop();
  });
});

describe('a run that is handed over', () => {
  it('continues from the last iteration of the first tab, and the first notices that its state is old', async () => {
    const [first, second] = [await heardTrainer(), await heardTrainer()];
    const { tell } = listenIn();
    await first.trainer.open(request);
    await first.trainer.train();
    await expect.poll(() => first.heard('iteration').length, patient).toBeGreaterThan(2);
    tell({ kind: 'yield', press: { ms: 0, by: '' } });
    await first.state('paused');
    const { id } = first.run();
    const ended = first.heard('iteration').at(-1)?.metrics.iteration;
    expect((await listCheckpoints(id)).at(-1)).toBe(ended);
    await second.trainer.resumeRun(id);
    await second.state('paused');
    expect(second.run().iteration).toBe(ended);
    expect(await second.trainer.step()).toBe('own');
    expect(await first.trainer.train()).toBe('stale');
    await expect(first.trainer.changeSetting('optimiser.learningRate', 1e-4)).rejects.toThrow(
      'this run was continued in another',
    );
    await first.trainer.resumeRun(id);
    await first.state('paused');
    expect(first.run().iteration).toBe((ended ?? 0) + 1);
    expect(await first.trainer.step()).toBe('own');
  });

  it('within an iteration is not changed by the tab that is paused in it', async () => {
    const [first, second] = [await heardTrainer(), await heardTrainer()];
    await first.trainer.open(request);
    await first.trainer.step();
    await first.trainer.train();
    await first.state('training');
    await first.trainer.pause();
    await first.state('paused');
    const { id } = first.run();
    await second.trainer.resumeRun(id);
    expect(await second.trainer.step()).toBe('own');
    const left = { run: await loadRun(id), metrics: await loadMetrics(id), checkpoints: await listCheckpoints(id) };
    await first.trainer.open(request);
    await first.state('idle');
    const { runs } = await listRuns();
    expect(runs.map(({ run }) => run.id)).toEqual([id]);
    expect({ run: await loadRun(id), metrics: await loadMetrics(id), checkpoints: await listCheckpoints(id) }).toEqual(
      left,
    );
    expect(first.heard('failed')).toEqual([]);
  });

  it('that was only viewed elsewhere continues where it was', async () => {
    const [first, second] = [await heardTrainer(), await heardTrainer()];
    await first.trainer.open(request);
    await first.trainer.step();
    await second.trainer.resumeRun(first.run().id);
    expect(await first.trainer.step()).toBe('own');
    await expect.poll(() => first.heard('iteration').length, patient).toBe(2);
    expect(await second.trainer.step()).toBe('own');
  });
});
