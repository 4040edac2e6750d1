import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { presetConfig } from '../../config/presets.ts';
import { withSetting } from '../../config/parse.ts';
import type { RunRecord } from '../../records/stored/checkpoint.ts';
import type { TrainerEvent } from '../../records/events.ts';
import { runId } from '../../records/ids.ts';
import { profiles } from '../../records/testing/arbitrary.ts';
import type { Evaluation } from '../../records/metrics.ts';
import type { Trajectory } from '../../records/trajectory.ts';
import type { IterationProfile } from '../../records/profile.ts';
import { applyEvents, emptyView, isUnderWay } from './runView.ts';
import { inOnePlace } from '../../records/collapse.ts';

const config = presetConfig('default');
const run = {
  format: 1,
  id: runId('r1'),
  name: 'calm-otter',
  preset: 'default',
  config,
  changes: [],
  backend: 'simd',
  createdMs: 0,
  iteration: 0,
  isDone: false,
};
const engine = { backend: 'simd', adapter: '2 cores', reason: 'no WebGPU adapter', isSoftware: false };
const opened: TrainerEvent[] = [
  { kind: 'progress', label: 'Loading the warm start', share: 1.5, loss: null },
  { kind: 'run', run, engine },
  {
    kind: 'preflight',
    preflight: { iterationMs: 400, parts: { rollout: 240, update: 160 }, memoryBytes: 38e6, parameters: 57_000 },
  },
  { kind: 'state', state: 'idle', message: '' },
];
const iteration = (n: number): TrainerEvent => ({
  kind: 'iteration',
  metrics: { iteration: n, values: { 'charts/SPS': 10 * n } },
  shown: null,
  iterationsLeft: 150 - n,
  msLeft: (150 - n) * 400,
});
const evaluated = (n: number, accuracy: number): Evaluation => ({
  iteration: n,
  accuracy,
  low: accuracy - 0.04,
  high: accuracy + 0.04,
  problems: 512,
  bySlice: {},
  ceiling: 0.6,
});

describe('the view of a run', () => {
  it('is called otherwise when that is told, and stays what it is', () => {
    const view = applyEvents(applyEvents(emptyView(), opened), [{ kind: 'renamed', name: 'mine' }]);
    expect(view.run).toEqual({ ...run, name: 'mine' });
    expect(applyEvents(emptyView(), [{ kind: 'renamed', name: 'mine' }]).run).toBeNull();
  });

  it('shows the newest glimpse of a warm start, until the run is open', () => {
    const dialogue = (index: number) => ({ index }) as Trajectory;
    const glimpses: TrainerEvent[] = [null, 40].map((after, i) => ({
      kind: 'glimpse',
      glimpse: { after, trajectory: dialogue(i) },
    }));
    const example = applyEvents(emptyView(), glimpses.slice(0, 1));
    expect([example.glimpseAfter, example.opening]).toEqual([null, dialogue(0)]);
    const view = applyEvents(emptyView(), glimpses);
    expect([view.glimpseAfter, view.opening]).toEqual([40, dialogue(1)]);
    const open = applyEvents(view, opened);
    expect([open.glimpseAfter, open.opening]).toEqual([undefined, null]);
    const measured = applyEvents(open, [{ kind: 'turn', iteration: 0, trajectory: dialogue(2) }]);
    expect([measured.glimpseAfter, measured.opening]).toEqual([undefined, dialogue(2)]);
    expect(applyEvents(measured, [{ kind: 'run', run, engine }]).opening).toEqual(dialogue(2));
  });

  it('goes back with a run whose device was lost, and shows the engine that it has now', () => {
    const late: TrainerEvent[] = [
      ...[1, 2, 3].map(iteration),
      { kind: 'evaluation', evaluation: evaluated(0, 0.5) },
      { kind: 'evaluation', evaluation: evaluated(3, 0.6) },
      ...[0, 2].map((n): TrainerEvent => ({ kind: 'checkpoint', iteration: n, kept: n === 0 ? [0] : [0, 2] })),
    ];
    const other = { ...engine, backend: 'webgpu', reason: 'A new device took over.' };
    const back: TrainerEvent = { kind: 'revived', run: { ...run, iteration: 2 }, engine: other };
    const view = applyEvents(applyEvents(emptyView(), opened), [...late, back]);
    expect(view).toMatchObject({ iteration: 2, engine: other, run: { iteration: 2 }, checkpoints: [0, 2] });
    expect(view.metrics.newestRows.map((row) => row.iteration)).toEqual([1, 2]);
    expect(view.evaluations.map((evaluation) => evaluation.iteration)).toEqual([0]);
  });

  it('knows what is left of a warm start that waits to be asked for, until a run is open', () => {
    const rest = { share: 0, msLeft: 120_000 };
    const idle: TrainerEvent = { kind: 'state', state: 'idle', message: '' };
    const waiting = applyEvents(emptyView(), [{ kind: 'warmStart', rest }, idle]);
    expect(waiting).toMatchObject({ state: 'idle', run: null, warmStart: rest });
    expect(applyEvents(waiting, opened).warmStart).toBeNull();
  });

  it('knows what is left of a warm start that was stopped', () => {
    const progress: TrainerEvent = { kind: 'progress', label: 'Warm start', share: 0.25, loss: 1, msLeft: 90 };
    const idle: TrainerEvent = { kind: 'state', state: 'idle', message: '' };
    expect(applyEvents(emptyView(), [progress, idle]).warmStart).toEqual({ share: 0.25, msLeft: 90 });
  });

  it('has the curve of the supervised loss, each loss once, until something else is prepared', () => {
    const tell = (share: number, loss: number | null, label = 'Warm start'): TrainerEvent => ({
      ...{ kind: 'progress', label, share, loss },
    });
    const view = applyEvents(emptyView(), [tell(0, null), tell(0.1, 4), tell(0.15, 4), tell(0.2, 3)]);
    expect(view.progress?.curve).toEqual([
      { share: 0.1, loss: 4 },
      { share: 0.2, loss: 3 },
    ]);
    expect(applyEvents(view, [tell(0, null, 'calm-otter')]).progress?.curve).toEqual([]);
  });

  it('holds a share of progress within [0, 1] and forgets it once the preparation is over', () => {
    expect(applyEvents(emptyView(), opened.slice(0, 1)).progress?.share).toBe(1);
    expect(applyEvents(emptyView(), opened).progress).toBeNull();
  });

  it('is not under way when it is only opened, and is after the first iteration', () => {
    const idle = applyEvents(emptyView(), opened);
    expect(idle.engine).toBe(engine);
    expect(isUnderWay(idle)).toBe(false);
    expect(isUnderWay(applyEvents(idle, [iteration(1)]))).toBe(true);
  });

  it('counts iterations in the view and in the run record', () => {
    const view = applyEvents(emptyView(), [...opened, iteration(1), iteration(2)]);
    expect([view.iteration, view.run?.iteration, view.metrics.newestRows.length, view.msLeft]).toEqual([
      2,
      2,
      2,
      148 * 400,
    ]);
    expect(view.metrics.newest('charts/SPS')).toBe(20);
  });

  it('puts the profile of an iteration beside its metrics, and forgets one of no iteration', () => {
    const [profile] = fc.sample(profiles, 1) as [IterationProfile];
    const told = { kind: 'profile', profile } as const;
    const news = [...opened, iteration(1), iteration(2), { ...told, iteration: 1 }, { ...told, iteration: 7 }];
    const { newestRows: rows } = applyEvents(emptyView(), news).metrics;
    expect(rows.map((row) => row.profile)).toEqual([profile, undefined]);
    expect(rows[0]?.values).toEqual({ 'charts/SPS': 10 });
  });

  it('leaves the view it was given as it was', () => {
    const before = applyEvents(emptyView(), opened);
    applyEvents(before, [{ kind: 'evaluation', evaluation: evaluated(0, 0.4) }]);
    expect(before.evaluations).toEqual([]);
  });

  it('keeps one evaluation for each iteration, in order', () => {
    const view = applyEvents(
      emptyView(),
      [evaluated(10, 0.5), evaluated(0, 0.4), evaluated(10, 0.6)].map((evaluation) => ({
        kind: 'evaluation',
        evaluation,
      })),
    );
    expect(view.evaluations.map((e) => [e.iteration, e.accuracy])).toEqual([
      [0, 0.4],
      [10, 0.6],
    ]);
  });

  it('takes a setting changed in mid-run into the run record and its history', () => {
    const changed = withSetting(config, 'learning.entCoef', 0.02);
    const changes = [{ iteration: 1, path: 'learning.entCoef', value: 0.02 }];
    const told = { kind: 'config', config: changed, changes, dropped: 0 } as const;
    const view = applyEvents(emptyView(), [...opened, iteration(1), told]);
    expect(view.run?.config.learning.entCoef).toBe(0.02);
    expect(view.run?.changes).toEqual(changes);
  });

  it('keeps its own words for a preparation that the worker has no words for', () => {
    const view = applyEvents(emptyView('preparing', 'choosing the engine'), [
      { kind: 'state', state: 'preparing', message: '' },
    ]);
    expect(view.message).toBe('choosing the engine');
  });

  it('takes the message of a failed state when no failure was told', () => {
    const view = applyEvents(emptyView(), [{ kind: 'state', state: 'failed', message: 'no adapter' }]);
    expect(view.failure?.message).toBe('no adapter');
  });

  it('keeps the ways out that a failure came with, whichever of its news told them', () => {
    const remedies = [{ 'agents.size': 'tiny' }];
    const state = { kind: 'state', state: 'failed', message: 'no room' } as const;
    const failed = { kind: 'failed', name: 'ConfigError', message: 'no room', iteration: 0 } as const;
    for (const news of [[{ ...state, remedies }], [{ ...failed, remedies }, state], [failed, { ...state, remedies }]])
      expect(applyEvents(emptyView(), news).failure).toMatchObject({ message: 'no room', remedies });
    expect(applyEvents(emptyView(), [failed, state]).failure?.remedies).toEqual([]);
  });

  it('keeps the iteration and the message of a failure, and drops it when training goes on', () => {
    const failed = applyEvents(emptyView(), [
      ...opened,
      iteration(1),
      { kind: 'failed', name: 'NumericsError', message: 'NaN in losses/policy_loss', iteration: 2 },
    ]);
    expect([failed.state, failed.failure?.iteration]).toEqual(['failed', 2]);
    const onwards = applyEvents(failed, [{ kind: 'state', state: 'training', message: '' }]);
    expect(onwards.failure).toBeNull();
  });
});

it('judges a run by the newest evaluations on one level', () => {
  const evaluations = [0, 10, 20, 30].map((iteration) => ({ iteration })) as unknown as Evaluation[];
  const after = (...changes: [path: string, iteration: number][]) => {
    const run = {
      changes: changes.map(([path, iteration]) => ({ path, iteration, value: 2 })),
    } as unknown as RunRecord;
    return inOnePlace({ evaluations, run }).map(({ iteration }) => iteration);
  };
  expect(after()).toEqual([0, 10, 20, 30]);
  expect(after(['optimiser.learningRate', 12])).toEqual([0, 10, 20, 30]);
  expect(after(['world.level', 3], ['world.level', 10])).toEqual([20, 30]);
  expect(after(['world.level', 10], ['world.level', 30])).toEqual([20, 30]); // nothing is known of the newest level
});
