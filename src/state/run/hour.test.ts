// What the page holds after an hour of news at full rate: one row an iteration, and nothing else that grows.
import fc from 'fast-check';
import { afterEach, expect, it, vi } from 'vitest';
import type { GroupInspection } from '../../records/inspection.ts';
import { metricTable } from '../../records/metrics.ts';
import { profiles, trajectories } from '../../records/testing/arbitrary.ts';
import type { IterationProfile } from '../../records/profile.ts';
import type { Trajectory } from '../../records/trajectory.ts';
import { Library } from '../library.svelte.ts';
import { Notices } from '../notices.svelte.ts';
import { Selection } from '../selection.svelte.ts';
import { Setup } from '../setup.svelte.ts';
import { FakeTrainer, microRun } from '../testing/fakeTrainer.ts';
import { TrainerClient } from '../trainerClient.svelte.ts';
import { Run } from './run.svelte.ts';
import '../../storage/testing/emptyDatabase.ts';

/** Of the first preset, at 0.36 s each. */
const iterationsInAnHour = 10_000;
const batch = 500;

afterEach(() => vi.unstubAllGlobals());

const [sample] = fc.sample(trajectories, { numRuns: 1, seed: 5 }) as [Trajectory];
const [sampleProfile] = fc.sample(profiles, { numRuns: 1, seed: 5 }) as [IterationProfile];

/** News of one iteration, none of it shared with another's. */
function newsOf(worker: FakeTrainer, iteration: number): void {
  const trajectory = structuredClone(sample);
  const values = Object.fromEntries(metricTable.map(({ name }, i) => [name, iteration + i / 100]));
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

it('an hour of news leaves one row an iteration, of less than two kilobytes, and nothing else that grows', async () => {
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
  const bytesAt = new Map<number, number>();
  for (let iteration = 1; iteration <= iterationsInAnHour; iteration++) {
    newsOf(worker, iteration);
    if (iteration % batch > 0) continue;
    await vi.waitFor(() => expect(run.view.iteration).toBe(iteration), { interval: 5 });
    globalThis.gc?.();
    bytesAt.set(iteration, process.memoryUsage().heapUsed);
  }
  const { metrics, evaluations, checkpoints, shown } = run.view;
  expect([metrics.rows.length, evaluations.length]).toEqual([iterationsInAnHour, iterationsInAnHour / 10]);
  expect([checkpoints.length, notices.list.length]).toEqual([20, 0]);
  expect(shown?.iteration).toBe(iterationsInAnHour);
  const bytes = (iteration: number) => bytesAt.get(iteration) ?? Number.NaN;
  const grown = (from: number, to: number) => (bytes(to) - bytes(from)) / (to - from);
  expect(grown(4000, iterationsInAnHour)).toBeLessThan(2000);
});
