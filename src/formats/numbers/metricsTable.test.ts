import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { profiles } from '../../records/testing/arbitrary.ts';
import type { IterationMetrics } from '../../records/metrics.ts';
import type { IterationProfile } from '../../records/profile.ts';
import { metricsCsv, metricsJson } from './metricsTable.ts';

const profile: IterationProfile = {
  parts: { rollout: 300, world: 2, scoring: 20, update: 250.5, evaluation: 0, readback: 4, storage: 9, idle: 6 },
  waits: { rollout: 1, update: 3 },
  pausedMs: 0,
  dispatches: 812,
  submits: 12,
  uploadedBytes: 65_536,
  readBytes: 4096,
  readbacks: 9,
  gpuMs: null,
  sampledTokens: 5200,
  sampledPerSecond: 17_000,
  trainedTokens: 10_400,
  trainedPerSecond: 41_500,
  usedBytes: 2e6,
  peakBytes: 1.8e7,
};
const rows: IterationMetrics[] = [
  { iteration: 1, values: { 'losses/entropy/reasoning': 0.5, 'charts/episodic_return': 0.25 } },
  { iteration: 2, values: { 'charts/episodic_return': Number.NaN }, profile },
];
/** Reads a CSV text as a spreadsheet does: each row is a record of its cells by column name. */
function table(csv: string): Record<string, string>[] {
  const [head = [], ...lines] = csv
    .trimEnd()
    .split('\r\n')
    .map((line) => line.split(','));
  return lines.map((cells) => Object.fromEntries(head.map((name, i) => [name, cells[i] ?? 'too short'])));
}

describe('the table of metrics', () => {
  it('has a line per iteration, with empty cells if an earlier version wrote no profile', () => {
    const [first, second] = table(metricsCsv(rows));
    expect(first).toMatchObject({ iteration: '1', 'charts/episodic_return': '0.25', 'profile/dispatches': '' });
    expect(second).toMatchObject({
      iteration: '2',
      'charts/episodic_return': 'NaN',
      'losses/entropy/reasoning': '',
      'profile/parts/updateMs': '250.5',
      'profile/dispatches': '812',
      'profile/trainedTokens': '10400',
    });
    expect(second).not.toHaveProperty('profile/gpuMs'); // never measured in this run
  });

  it('of a run without profiles has no columns for them', () => {
    expect(metricsCsv(rows.slice(0, 1))).toBe(
      'iteration,charts/episodic_return,losses/entropy/reasoning\r\n1,0.25,0.5\r\n',
    );
  });

  it('contains every number of a profile', () => {
    fc.assert(
      fc.property(profiles, (profile) => {
        const [row] = table(metricsCsv([{ iteration: 1, values: {}, profile }]));
        const { parts, waits, gpuMs, ...numbers } = profile;
        for (const [name, ms] of Object.entries(waits)) expect(Number(row?.[`profile/waits/${name}Ms`])).toBe(ms);
        for (const [name, value] of Object.entries(parts)) expect(Number(row?.[`profile/parts/${name}Ms`])).toBe(value);
        for (const [name, value] of Object.entries(numbers)) expect(Number(row?.[`profile/${name}`])).toBe(value);
        expect(row?.['profile/gpuMs']).toBe(gpuMs === null ? undefined : String(gpuMs));
      }),
    );
  });

  it('is read from JSON unchanged, with NaN as null', () => {
    expect(JSON.parse(metricsJson(rows))).toEqual([
      rows[0],
      { iteration: 2, values: { 'charts/episodic_return': null }, profile },
    ]);
  });
});
