// Tests that the page does not use more memory after many hours of training than after one hour.
import fc from 'fast-check';
import { afterEach, expect, it, vi } from 'vitest';
import type { GroupInspection } from '../../records/inspection.ts';
import { metricTable } from '../../records/metrics.ts';
import { profiles, trajectories } from '../../records/testing/arbitrary.ts';
import type { IterationProfile } from '../../records/profile.ts';
import type { Trajectory } from '../../records/trajectory.ts';
import { Library } from '../library/library.svelte.ts';
import { Notices } from '../visitor/notices.svelte.ts';
import { Selection } from './selection.svelte.ts';
import { Setup } from '../settings/setup.svelte.ts';
import { FakeTrainer, microRun } from '../testing/fakeTrainer.ts';
import { TrainerClient } from '../trainer/trainerClient.svelte.ts';
import { Run } from './run.svelte.ts';
import { emptyDatabase } from '../../storage/testing/emptyDatabase.ts';

emptyDatabase();

/** The number of iterations in an hour with the first preset, which needs 0.36 s per iteration. */
const iterationsInAnHour = 10_000;
const batch = 500;

afterEach(() => vi.unstubAllGlobals());

const [sample] = fc.sample(trajectories, { numRuns: 1, seed: 5 }) as [Trajectory];
const [sampleProfile] = fc.sample(profiles, { numRuns: 1, seed: 5 }) as [IterationProfile];

const valuesOf = (iteration: number) =>
  Object.fromEntries(metricTable.map(({ name }, i) => [name, iteration + i / 100]));

/** Sends the events of one iteration. The events share no objects with the events of other iterations. */
function newsOf(worker: FakeTrainer, iteration: number): void {
  const trajectory = structuredClone(sample);
  const values = valuesOf(iteration);
  const profile = structuredClone(sampleProfile);
  const column = Array.from({ length: 256 }, (_, i) => i + iteration / 1e6);
  const shown: GroupInspection = {
    ...{ iteration, group: 0, isDead: false, meanReward: 1 },
    rollouts: [{ trajectory, turns: [], promptTexts: ['a prompt'] }],
    problems: { group: column, reward: column, isRight: column.map(() => true), finishCode: column.map(() => 0) },
  };
  worker.tell({ kind: 'turn', iteration, trajectory });
  worker.tell({ kind: 'iteration', metrics: { iteration, values }, shown, iterationsLeft: 1, msLeft: 1 });
  worker.tell({ kind: 'profile', iteration, profile });
  if (iteration % 10 > 0) return;
  const kept = Array.from({ length: 20 }, (_, i) => Math.round((iteration * i) / 19));
  worker.tell({ kind: 'checkpoint', iteration, kept });
  const measured = { accuracy: 0.5, low: 0.4, high: 0.6, problems: 512, bySlice: { a: 0.5, b: 0.5 }, ceiling: 0.6 };
  worker.tell({ kind: 'evaluation', evaluation: { iteration, ...measured } });
}

it('the page holds after two hours of news what it holds after one', { timeout: 120_000 }, async () => {
  vi.stubGlobal('requestAnimationFrame', (draw: () => void) => setTimeout(draw, 0));
  vi.stubGlobal('navigator', {});
  const worker = new FakeTrainer();
  const notices = new Notices();
  const trainer = new TrainerClient(notices, worker.connect);
  const setup = new Setup(trainer, notices);
  const library = new Library(trainer, notices);
  const selection = new Selection(trainer, notices);
  const run = new Run({ trainer, setup, library, selection, notices });
  setup.accept(microRun.config, 'micro');
  await run.train();
  const end = 2 * iterationsInAnHour;
  const bytesAt = new Map<number, number>();
  for (let iteration = 1; iteration <= end; iteration++) {
    newsOf(worker, iteration);
    if (iteration % batch > 0) continue;
    await vi.waitFor(() => expect(run.view.iteration).toBe(iteration), { interval: 5 });
    if (iteration % iterationsInAnHour > 0) continue;
    globalThis.gc?.();
    bytesAt.set(iteration, process.memoryUsage().heapUsed);
  }
  const { metrics, evaluations, checkpoints, shown } = run.view;
  expect([metrics.iteration, evaluations.at(-1)?.iteration, shown?.iteration]).toEqual([end, end, end]);
  expect([metrics.drawn[0]?.values, evaluations[0]?.iteration]).toEqual([
    valuesOf(metrics.drawn[0]?.iteration ?? 0),
    10,
  ]);
  expect(metrics.drawn.at(-1)?.values).toEqual(valuesOf(end));
  expect([checkpoints.length, notices.list.length]).toEqual([20, 0]);
  // A row takes 1.4 kB, so all rows of an hour together would take 14 MB.
  const grown = (bytesAt.get(end) ?? Number.NaN) - (bytesAt.get(iterationsInAnHour) ?? Number.NaN);
  expect(grown).toBeLessThan(2e6);
});
