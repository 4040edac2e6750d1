// A database as an earlier version of the page left it: a sample made with its code. All of it opens, and the same
// settings still train to the same weights.
import 'fake-indexeddb/auto';
import { readFileSync } from 'node:fs';
import { deserialize } from 'node:v8';
import { gunzipSync } from 'node:zlib';
import { openDB } from 'idb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runId } from '../records/ids.ts';
import { closeDatabase, openDatabase } from './database.ts';
import * as reading from './reading.ts';
import { newestCheckpoint } from './testing/newestCheckpoint.ts';

interface Former {
  version: number;
  stores: Record<string, { keys: IDBValidKey[]; values: unknown[] }>;
  /** Trajectories as that version read them, by run and iteration. */
  unpacked: Record<string, FormerTrajectory[]>;
}
interface FormerTrajectory {
  problem: { id: string; level: number; expression: string; rule: string; answer: string };
}

const file = readFileSync(new URL('testing/former/database.v8.gz', import.meta.url));
const former = deserialize(gunzipSync(file)) as Former;

beforeAll(async () => {
  await openDatabase();
  await closeDatabase();
  const database = await openDB('cothink');
  for (const [name, { keys, values }] of Object.entries(former.stores)) {
    const { store } = database.transaction(name, 'readwrite');
    for (const [i, value] of values.entries()) await (store.keyPath ? store.put(value) : store.put(value, keys[i]));
  }
  database.close();
});
afterAll(closeDatabase);

/** A problem of that version in today's form. */
const today = ({ id, level, expression, rule, answer }: FormerTrajectory['problem']) => ({
  ...{ id, world: 'houseRule', level, shown: expression, hidden: { rule: `<${rule}>` }, answer },
  ...{ slice: rule, given: { rule } },
});

const ids = ['planner', 'debaters', 'trees'].map(runId);

describe('a database of an earlier version', () => {
  it('lists all its runs, with settings under their names of today', async () => {
    const { runs, damaged } = await reading.listRuns();
    expect(damaged).toEqual([]);
    expect(runs.map(({ run }) => run.id).toSorted()).toEqual(['debaters', 'fork', 'planner', 'trees']);
    const planner = await reading.loadRun(runId('planner'));
    expect(planner?.begun?.houseRule).toEqual({ legalOperation: 0.25, rewrite: 0.5 });
    expect(planner?.config.houseRule).toEqual({ legalOperation: 0.25, rewrite: 0.75 });
    expect(planner?.changes).toMatchObject([{ path: 'houseRule.rewrite', value: 0.75 }]);
    const summary = runs.find(({ run }) => run.id === 'planner')?.summary;
    expect(Object.keys(summary?.evaluation?.bySlice ?? {}).toSorted()).toEqual(
      'leftToRight precedence rightToLeft'.split(' '),
    );
  });

  it('knows of a fork what it comes from and what is still to happen', async () => {
    const fork = await reading.loadRun(runId('fork'));
    expect(fork?.plan?.changes).toEqual([{ iteration: 3, path: 'houseRule.rewrite', value: 0 }]);
    expect(fork?.changes).toEqual([{ iteration: 2, path: 'houseRule.legalOperation', value: 0.5 }]);
    expect(fork?.forkedFrom?.parent?.config.houseRule).toEqual({ legalOperation: 0.25, rewrite: 0.5 });
    expect(fork?.forkedFrom?.parent?.changes[0]?.path).toBe('houseRule.rewrite');
  });

  it.each(ids)('gives back the trajectories of %s as they were, their problems in the form of today', async (id) => {
    for (const iteration of [1, 2]) {
      const was = former.unpacked[`${id} ${iteration}`] as FormerTrajectory[];
      const expected = was.map((trajectory) => ({ ...trajectory, problem: today(trajectory.problem) }));
      expect(await reading.loadIteration(id, iteration)).toEqual(expected);
    }
  });

  it.each(ids)('gives back what was shown, measured and kept of %s', async (id) => {
    expect((await newestCheckpoint(id))?.config.houseRule.rewrite).toBeGreaterThan(0);
    const shown = await reading.loadShown(id, 2);
    expect(shown?.rollouts[0]?.trajectory.problem.world).toBe('houseRule');
    const { evaluations } = await reading.loadMetrics(id);
    expect(evaluations).toHaveLength(3);
    const stored = former.stores['evaluations']?.values as { runId: string; byRule: object }[];
    expect(evaluations.map(({ bySlice }) => bySlice)).toEqual(
      stored.filter((row) => row.runId === id).map(({ byRule }) => byRule),
    );
  });
});
