// Tests of compared runs: the labels of their arms, their curves, and the confidence interval of the difference between
// them.
import { describe, expect, it } from 'vitest';
import { Draws, streams } from '../../base/random.ts';
import { hexOf } from '../../base/bits.ts';
import { pairedShares, tInterval } from '../../base/intervals.ts';
import { wilson } from '../../base/stats.ts';
import { presetConfig } from '../../config/presets.ts';
import { withSettings } from '../../config/parse.ts';
import type { Settings } from '../../base/errors.ts';
import { runId } from '../../records/ids.ts';
import type { Evaluation } from '../../records/metrics.ts';
import { IndexedDbStore } from '../../storage/checkpointStore.ts';
import { iteration, run } from '../../storage/testing/sampleRecords.ts';
import { armsOf, settingRows } from './arms.ts';
import { Comparison, mostChosen } from './comparison.svelte.ts';
import { curvesOf, knownMetrics } from './curves.ts';
import {
  commonEnd,
  differenceOf,
  isSame,
  isUnshown,
  measuredAt,
  narrows,
  pairedCurve,
  partedAt,
} from './differences.ts';
import { loadCurves, type StoredCurves } from './storedCurves.ts';
import { emptyDatabase } from '../../storage/testing/emptyDatabase.ts';

emptyDatabase();

/** An evaluation in which problem i is answered correctly if i + `shift` is a multiple of `every`. */
const evaluation = (at: number, right: readonly boolean[]): Evaluation => {
  const count = right.filter(Boolean).length;
  const rest = { problems: right.length, bySlice: {}, right: hexOf(right), ceiling: 0.6 };
  return { iteration: at, accuracy: count / right.length, ...wilson(count, right.length), ...rest };
};
const first = (count: number) => Array.from({ length: 64 }, (_, i) => i < count);

const stored = (name: string, settings: Settings, counts: readonly number[]): StoredCurves => ({
  run: run({ id: runId(name), name, config: withSettings(presetConfig('default'), settings), changes: [] }),
  metrics: counts.map((count, i) => ({ iteration: i + 1, values: { 'charts/episodic_return': count / 10 } })),
  evaluations: counts.map((count, i) => evaluation(10 * i, first(count))),
});
const seeded = (seed: number, counts: readonly number[], settings: Settings = {}) =>
  stored(`run-${seed}-${Object.values(settings).join('')}`, { ...settings, 'run.seed': seed }, counts);
const slow = { 'optimiser.learningRate': 0.0001 };

describe('arms', () => {
  it('are runs of the same settings, named by what sets them apart, whatever their seeds and lengths', () => {
    const arms = armsOf([seeded(2, [1]), seeded(1, [1], slow), seeded(1, [1], { 'run.iterations': 7 })]);
    expect(arms.map(({ label, runs }) => [label, runs.map(({ run: { config } }) => config.run.seed)])).toEqual([
      ['learning rate 0.0003', [1, 2]],
      ['learning rate 0.0001', [1]],
    ]);
    expect(settingRows(arms).map(({ field, values }) => [field.path, values])).toEqual([
      ['optimiser.learningRate', ['learning rate 0.0003', 'learning rate 0.0001']],
    ]);
  });

  it('of the same settings and seed stay two, by the names of their runs', () => {
    const arms = armsOf([stored('calm-otter', {}, [1]), stored('calm-otter 2', {}, [1])]);
    expect(arms.map(({ label }) => label)).toEqual(['calm-otter', 'calm-otter 2']);
    expect(settingRows(arms)).toEqual([]);
  });

  it('a learner is named by its title, before anything else that differs', () => {
    const other = { 'learning.learner': 'rloo', 'kl.coef': 0 };
    expect(armsOf([stored('a', {}, [1]), stored('b', other, [1])]).map(({ label }) => label)).toEqual([
      expect.stringMatching(/^GRPO, /),
      expect.stringMatching(/^RLOO, /),
    ]);
  });
});

describe('differences', () => {
  const between = (a: StoredCurves[], b: StoredCurves[]) => {
    const all = [...a, ...b];
    const measured = measuredAt(armsOf(all), 'iteration', commonEnd(all, 'iteration') ?? -1);
    expect(measured).toHaveLength(2);
    const [x, y] = measured as [(typeof measured)[0], (typeof measured)[0]];
    return { measured, difference: differenceOf(y, x) };
  };

  it('of one run each are taken problem by problem, at the last iteration that both have', () => {
    const { measured, difference } = between([seeded(1, [10, 32, 60])], [seeded(1, [10, 40], slow)]);
    expect(measured.map(({ evaluations }) => evaluations[0]?.iteration)).toEqual([10, 10]);
    expect(difference).toMatchObject({ mean: 8 / 64, how: 'by problem', count: 64 });
    expect(difference.low).toBeGreaterThan(0);
    expect(difference.paired?.unpaired.low).toBeLessThan(0);
    expect(difference.paired?.problemsUnpaired).toBeGreaterThan(64);
  });

  it('say that pairing is worth something only where it narrows', () => {
    // As in a real comparison, the answers of the two arms to 512 problems are independent of each other.
    const draws = new Draws(3, streams.problems, 0);
    const answers = () => Array.from({ length: 512 }, () => draws.below(2) === 1);
    const [first, second] = [answers(), answers()];
    const apart = pairedShares(first, second);
    expect(Number.isFinite(apart.problemsUnpaired)).toBe(true);
    expect(narrows(apart)).toBe(false);
    const alike = first.map((isRight, i) => (i % 20 === 0 ? !isRight : isRight));
    expect(narrows(pairedShares(first, alike))).toBe(true);
    const same = pairedShares(first, first);
    expect([isSame(same), narrows(same), isSame(apart)]).toEqual([true, false, false]);
  });

  it('are said not to be shown only where the interval holds 0, and not where every answer is the same', () => {
    const right = (of: (i: number) => boolean) => Array.from({ length: 64 }, (_, i) => of(i));
    const half = right((i) => i % 2 === 0);
    const sides = (second: boolean[]) => pairedShares(half, second);
    // In the first case, each arm solves three problems that the other arm does not solve. In the second case, the
    // second arm solves ten more problems than the first; in the third case, it solves ten fewer.
    const even = sides(right((i) => (i < 6 ? i % 2 === 1 : i % 2 === 0)));
    expect([even.low < 0, even.high > 0, isUnshown(even)]).toEqual([true, true, true]);
    const better = sides(right((i) => i < 20 || i % 2 === 0));
    expect([better.high < 0, isUnshown(better)]).toEqual([true, false]);
    const worse = sides(right((i) => i >= 20 && i % 2 === 0));
    expect([worse.low > 0, isUnshown(worse)]).toEqual([true, false]);
    expect([isSame(sides(half)), isUnshown(sides(half))]).toEqual([true, false]);
    const edge = { ...even, low: 0 };
    expect([isUnshown(edge), isUnshown({ ...edge, low: 1e-9 })]).toEqual([true, false]);
  });

  it('where an earlier version did not note which problems were right, the two are measured apart', () => {
    const old = seeded(1, [10, 40], slow);
    const former = { ...old, evaluations: old.evaluations.map(({ right: _, ...rest }) => rest) };
    expect(between([seeded(1, [10, 32])], [former]).difference).toMatchObject({ how: 'apart', paired: null });
  });

  it('of several equal seeds are taken seed by seed, with the t-interval', () => {
    const a = [1, 2, 3].map((seed) => seeded(seed, [20 + 4 * seed]));
    const b = [1, 2, 3].map((seed) => seeded(seed, [20 + 4 * seed + 8 + seed], slow));
    const { measured, difference } = between(a, b);
    expect(difference).toEqual({
      ...tInterval([9 / 64, 10 / 64, 11 / 64]),
      ...{ how: 'by seed', count: 3, paired: null },
    });
    expect(measured[0]?.right).toEqual(tInterval([24 / 64, 28 / 64, 32 / 64]));
  });

  it('of other seeds are measured apart', () => {
    const a = [1, 2].map((seed) => seeded(seed, [20 + seed]));
    const b = [3, 4].map((seed) => seeded(seed, [20 + seed], slow));
    expect(between(a, b).difference).toMatchObject({ how: 'apart', count: 2 });
  });

  it('runs that never were measured have no common end', () => {
    expect(commonEnd([seeded(1, [1]), seeded(2, [])], 'iteration')).toBeNull();
    expect(commonEnd([], 'iteration')).toBeNull();
    // The metrics of these runs do not contain token counts.
    expect(commonEnd([seeded(1, [1, 2])], 'tokens')).toBeNull();
  });
});

describe('problem by problem', () => {
  const level = (value: number) => ({ 'world.level': value });
  /** A run with these initial settings. Its level was raised to 2, 3, … after the given iterations. */
  const raised = (name: string, settings: Settings, at: readonly number[] = []): StoredCurves => {
    const one = stored(name, settings, [10, 20, 30, 40]);
    const changes = at.map((iteration, i) => ({ iteration, path: 'world.level', value: i + 2 }));
    const begun = one.run.config;
    const now = at.length === 0 ? begun : withSettings(begun, level(at.length + 1));
    return { ...one, run: { ...one.run, begun, config: now, changes } };
  };
  const pairedAt = (a: StoredCurves, b: StoredCurves) => pairedCurve(a, b).map(({ iteration: at }) => at);
  const howAt = (a: StoredCurves, b: StoredCurves, end: number) => {
    const [x, y] = measuredAt(armsOf([a, b]), 'iteration', end);
    return x && y && differenceOf(y, x).how;
  };

  it('nothing is paired on two levels, or in two worlds', () => {
    expect(pairedAt(raised('a', {}), raised('b', level(2)))).toEqual([]);
    expect(pairedAt(raised('a', {}), raised('b', { 'world.name': 'wordProblems' }))).toEqual([]);
    expect(howAt(raised('a', {}), raised('b', level(2)), 30)).toBe('apart');
    expect(pairedAt(raised('a', {}), raised('b', slow))).toEqual([0, 10, 20, 30]);
  });

  it('two curricula are paired only where they stood on the same level', () => {
    const [early, late] = [raised('a', {}, [5]), raised('b', slow, [25])];
    expect(pairedAt(early, late)).toEqual([0, 30]);
    expect([0, 10, 30].map((end) => howAt(early, late, end))).toEqual(['by problem', 'apart', 'by problem']);
    // The evaluation at this iteration may have been made before the level was raised, or later at the visitor's
    // request.
    expect(pairedAt(raised('a', {}, [10]), raised('b', slow, [10]))).toEqual([0, 20, 30]);
  });

  it('a run of which an earlier version did not note what it began with is paired after its change', () => {
    const { run: noted, ...curves } = raised('a', {}, [5]);
    const { begun: _, ...former } = noted;
    expect(pairedAt({ ...curves, run: former }, raised('b', level(2)))).toEqual([10, 20, 30]);
    expect(pairedAt({ ...curves, run: former }, raised('b', {}))).toEqual([]);
  });

  it('what a fork has from before its start is of the level of the run that it goes on from', () => {
    const parent = raised('a', {});
    const own = raised('b', level(2));
    const forkedFrom = { id: runId('a'), name: 'a', iteration: 10 };
    const evaluations = [...parent.evaluations.slice(0, 2), ...own.evaluations.slice(2)];
    const fork = { ...own, run: { ...own.run, forkedFrom }, before: parent, evaluations };
    expect(pairedAt(parent, fork)).toEqual([10]);
    expect(howAt(parent, fork, 10)).toBe('by problem');
    expect(howAt(parent, fork, 20)).toBe('apart');
  });
});

it('two runs part at the first iteration in which they measured anything else, but for what the clock says', () => {
  const timed = (counts: readonly number[], speed: number) => {
    const one = stored('a', {}, counts);
    const times = { 'charts/SPS': speed, 'time/rollout': speed, 'losses/explained_variance': Number.NaN };
    return { ...one, metrics: one.metrics.map((of) => ({ ...of, values: { ...of.values, ...times } })) };
  };
  expect(partedAt(timed([1, 2, 3], 1), timed([1, 2, 3], 2))).toBeNull();
  expect(partedAt(timed([1, 2, 3], 1), timed([1, 2.5, 4], 2))).toBe(2);
  expect(partedAt(timed([1, 2], 1), timed([1], 2))).toBeNull();
});

describe('curves', () => {
  it('of an arm with several seeds are their mean with its interval, and each of them', () => {
    const arms = armsOf([seeded(1, [16, 32]), seeded(2, [32, 48]), seeded(1, [8], slow)]);
    const { places, curves } = curvesOf(arms, 'accuracy', 'iteration');
    expect(places).toEqual([0, 10]);
    expect(curves.map(({ arm, seed, values }) => [arm, seed, values])).toEqual([
      [0, null, [0.375, 0.625]],
      [0, 1, [0.25, 0.5]],
      [0, 2, [0.5, 0.75]],
      [1, 1, [0.125, null]],
    ]);
    expect(curves[0]?.low?.[0]).toBe(tInterval([0.25, 0.5]).low);
    expect(curves[3]?.low?.[0]).toBe(wilson(8, 64).low);
    expect(knownMetrics(arms, ['charts/episodic_return', 'losses/entropy'])).toEqual(['charts/episodic_return']);
  });
});

describe('the comparison', () => {
  it('reads what is stored, of a fork with the past of its parent, and at most eight', async () => {
    const store = new IndexedDbStore();
    const [parent, child] = [runId('parent'), runId('child')];
    await store.saveRun(run({ id: parent }));
    await store.saveRun(run({ id: child, forkedFrom: { id: parent, name: 'calm-otter', iteration: 2 } }));
    for (const at of [1, 2, 3, 4]) await store.saveIteration(parent, iteration(at));
    for (const at of [3, 4]) await store.saveIteration(child, iteration(at, 9));
    const { metrics, evaluations, before } = await loadCurves(child);
    expect(before?.run.id).toBe(parent);
    expect(before?.evaluations).toContain(evaluations[0]);
    expect(metrics.map((row) => row.iteration)).toEqual([1, 2, 3, 4]);
    expect(evaluations.map((row) => row.iteration)).toEqual([2, 4]);

    await store.saveRun(run({ id: parent, forkedFrom: { id: child, name: 'bold-heron', iteration: 2 } }));
    for (const id of [parent, child]) expect((await loadCurves(id)).metrics.at(-1)).toMatchObject({ iteration: 4 });
    await store.saveRun(run({ id: parent }));

    const comparison = new Comparison();
    comparison.choose([parent, child]);
    await comparison.load();
    expect(comparison.arms).toHaveLength(2);
    expect(comparison.end).toBe(4);
    comparison.toggle(child);
    expect(comparison.chosen).toEqual([parent]);
    for (let i = 0; i < 12; i++) comparison.toggle(runId(`more-${i}`));
    expect(comparison.chosen).toHaveLength(mostChosen);
    await comparison.load();
    expect(comparison.refusal).toMatch(/more-0/);
    expect(comparison.runs).toEqual([]);
  });
});
