import { expect, it } from 'vitest';
import { faultsOf, serveTable, type HarmRound, type ServeResults } from './table.ts';

const latency = (p50: number) => ({ call: 'Step' as const, count: 9, p50, p95: 2 * p50, p99: 3 * p50, longest: 90 });
const round = (isHarmed: boolean, p50: number): HarmRound => ({
  isHarmed,
  stepsPerSecond: 100,
  step: latency(p50),
  residentMB: 200,
});
const results = (byTenth: number[], alone: number, harmed: number, errors: string[] = []): ServeResults => ({
  machine: 'one',
  load: {
    commit: 'a',
    clients: 64,
    steps: 10_000,
    stepsPerSecond: 500,
    latencies: [latency(7)],
    residentMB: { before: 100, byTenth },
    errors,
  },
  beside: {
    commit: 'b',
    clients: 16,
    steps: 500,
    rounds: [1, 0, 2].flatMap((more) => [round(false, alone + more), round(true, harmed + more)]),
    errors: [],
  },
});
const flat = [150, 180, 181, 190, 212];

it('a server that neither grows nor slows down has no fault; memory before the second tenth does not count', () => {
  expect(faultsOf(results(flat, 9, 29))).toEqual([]);
  expect(faultsOf({ machine: 'one' })).toEqual([]);
});

it('an error, growth of more than 32 MB and a median more than three times as long with harm are faults', () => {
  expect(faultsOf(results([...flat, 213], 9, 29, ['client 3: lost']))).toEqual([
    'client 3: lost',
    'the server grew by 33 MB, more than 32',
  ]);
  expect(faultsOf(results(flat, 9, 30))).toEqual([
    'with harmful clients a step takes 31.0 ms, and without them 10.0: more than 3 times as long',
  ]);
});

it('the table shows each kind of call, the memory, and the medians over rounds', () => {
  const told = serveTable(results(flat, 9, 29));
  expect(told).toContain('| Step | 9     | 7.00    | 14.0 | 21.0 | 90.0    |');
  expect(told).toContain(
    '100 MB of resident memory before the first step and 150 MB in the first tenth of the steps; in the other tenths it uses 180, 181, 190, 212 MB.',
  );
  expect(told).toMatch(/\| p50, ms +\| 10.0 +\| 30.0 +\|/);
});
