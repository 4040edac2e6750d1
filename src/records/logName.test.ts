import { expect, it } from 'vitest';
import { parseConfig } from '../config/parse.ts';
import { runId } from './ids.ts';
import { inspectLogName } from './logName.ts';

it('a log of Inspect begins with the time of its run, and has three parts', () => {
  const run = { createdMs: Date.UTC(2026, 10, 26, 20, 52), id: runId('mwy6_zsea-ä/b'), config: parseConfig({}) };
  expect(inspectLogName(run)).toBe('2026-11-26T20-52-00+00-00_houseRule_mwy6-zsea--b.json');
});
