import { describe, expect, it } from 'vitest';
import { profileTable, type IterationProfile } from '../../records/profile.ts';
import { historyBars, largestWords, meanOf, partShares, shownRows, time, withWaits, write } from './shares.ts';

const nothingDone = { rollout: 0, world: 0, scoring: 0, update: 0, evaluation: 0, readback: 0, storage: 0, idle: 0 };
const profileOf = (
  parts: Partial<IterationProfile['parts']>,
  more: Partial<IterationProfile> = {},
): IterationProfile => ({
  parts: { ...nothingDone, ...parts },
  waits: {},
  pausedMs: 0,
  dispatches: 0,
  submits: 0,
  uploadedBytes: 0,
  readBytes: 0,
  readbacks: 0,
  gpuMs: null,
  sampledTokens: 0,
  sampledPerSecond: 0,
  trainedTokens: 0,
  trainedPerSecond: 0,
  usedBytes: 0,
  peakBytes: 0,
  ...more,
});
const rowOf = (name: string) => profileTable.find((row) => row.name === name) as (typeof profileTable)[number];

describe('the shares of an iteration', () => {
  it('include all parts that took time, in the order of drawing', () => {
    const shares = partShares({ parts: { ...nothingDone, update: 300, rollout: 100 }, waits: {} });
    expect(shares.map(({ part, share }) => [part, share])).toEqual([
      ['rollout', 0.25],
      ['update', 0.75],
    ]);
    expect(partShares({ parts: nothingDone, waits: {} })).toEqual([]);
  });

  it('show the waiting for the device next to its part, and name both together', () => {
    const parts = { ...nothingDone, rollout: 10, update: 20, readback: 70 };
    const waits = { rollout: 10, update: 60 };
    const shares = partShares({ parts, waits });
    expect(shares.map(({ part, isWaiting, share }) => [part, isWaiting, share])).toEqual([
      ['rollout', false, 0.1],
      ['rollout', true, 0.1],
      ['update', false, 0.2],
      ['update', true, 0.6],
    ]);
    expect(largestWords(shares)).toBe('80 % update, 20 % rollout');
    expect(withWaits({ parts, waits })).toEqual({ ...nothingDone, rollout: 20, update: 80 });
  });

  it('keep readbacks without a part separate', () => {
    const unnamed = { parts: { ...nothingDone, update: 5, readback: 7 }, waits: { update: 4 } };
    expect(withWaits(unnamed)).toEqual({ ...nothingDone, update: 9, readback: 3 });
  });

  it('name the two largest parts, and no small ones', () => {
    expect(largestWords(partShares({ parts: { rollout: 520, update: 410, storage: 70 }, waits: {} }))).toBe(
      '52 % rollout, 41 % update',
    );
    expect(largestWords(partShares({ parts: { rollout: 980, update: 20 }, waits: {} }))).toBe('98 % rollout');
    expect(largestWords([])).toBe('');
  });
});

describe('numbers', () => {
  it('have their units, and a dash if nothing was measured', () => {
    expect([4.24, 412.4, 999.6, 12_345].map(time)).toEqual(['4.2 ms', '412 ms', '1.00 s', '12.3 s']);
    expect(write(rowOf('peakBytes'), 59_890_000)).toBe('60 MB');
    expect(write(rowOf('dispatches'), 812)).toBe('812');
    expect(write(rowOf('dispatches'), 812.5)).toBe('812.5');
    expect(write(rowOf('sampledPerSecond'), 17_240)).toBe('17k/s');
    expect(write(rowOf('gpuMs'), null)).toBe('–');
  });

  it('are averaged over the iterations that have them', () => {
    const profiles = [profileOf({}, { gpuMs: 3 }), profileOf({}), profileOf({}, { gpuMs: 5 })];
    expect(meanOf(profiles, ({ gpuMs }) => gpuMs)).toBe(4);
    expect(meanOf([], ({ gpuMs }) => gpuMs)).toBeNull();
  });

  it('of a GPU are not shown on the CPU, and neither are numbers that never occurred', () => {
    const names = (isGpu: boolean) => shownRows([profileOf({}, { peakBytes: 5 })], isGpu).map(({ name }) => name);
    expect(names(false)).toEqual(['peakBytes']);
    expect(names(true)).toEqual(['submits', 'gpuMs', 'peakBytes']);
  });
});

describe('the history', () => {
  const at = (iteration: number, parts: Partial<IterationProfile['parts']>) => ({
    iteration,
    profile: profileOf(parts),
  });

  it('stacks the parts of each iteration on one scale: 40 and 60 of 100 ms, then 50 of 100', () => {
    const { bars, topMs } = historyBars([at(1, { rollout: 40, update: 60 }), at(2, { update: 50 })]);
    expect(topMs).toBe(100);
    expect(bars[0]?.segments).toEqual([
      { part: 'rollout', isWaiting: false, low: 0, high: 0.4 },
      { part: 'update', isWaiting: false, low: 0.4, high: 1 },
    ]);
    expect(bars[1]?.segments).toEqual([{ part: 'update', isWaiting: false, low: 0, high: 0.5 }]);
    expect(bars.some(({ isCut }) => isCut)).toBe(false);
  });

  it('cuts a bar that would make all others small, and marks it', () => {
    const { bars, topMs } = historyBars([
      at(1, { update: 900, storage: 100 }),
      at(2, { update: 40 }),
      at(3, { update: 40 }),
    ]);
    expect(topMs).toBe(100);
    expect(bars[0]).toEqual({
      iteration: 1,
      segments: [{ part: 'update', isWaiting: false, low: 0, high: 1 }],
      isCut: true,
    });
    expect(bars[1]?.segments[0]?.high).toBe(0.4);
  });

  it('is empty for no iterations', () => {
    expect(historyBars([]).bars).toEqual([]);
  });
});
