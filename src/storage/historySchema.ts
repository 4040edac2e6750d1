// The history of a stored run: what it began with, and what happened to it.
import * as v from 'valibot';
import { forkModes } from '../config/fork.ts';
import type { Config } from '../config/schema.ts';
import type { Fork, RunHistory } from '../records/history.ts';
import { whole } from '../records/problem.ts';

const settingValue = v.union([v.number(), v.boolean(), v.string(), v.array(whole)]);
export const changesSchema = v.array(v.object({ iteration: whole, path: v.string(), value: settingValue }));
export const importsSchema = v.array(v.object({ iteration: whole, name: v.string(), digest: v.string() }));
export const planSchema = v.object({ changes: changesSchema, imports: importsSchema });

type StoredHistory = Omit<RunHistory, 'config' | 'fork'> & { config?: unknown; fork?: StoredFork };
type StoredFork = Omit<Fork, 'parent'> & { parent: StoredHistory };

const parentSchema: v.GenericSchema<unknown, StoredHistory> = v.lazy(() =>
  v.object({
    preset: v.string(),
    config: v.unknown(),
    changes: changesSchema,
    imports: importsSchema,
    fork: v.exactOptional(
      v.object({ ...forkEntries, iteration: whole, mode: v.picklist(forkModes), parent: parentSchema }),
    ),
  }),
);
const forkEntries = { digest: v.exactOptional(v.string()) };

export const originSchema = v.object({
  ...forkEntries,
  id: v.string(),
  name: v.string(),
  iteration: whole,
  mode: v.exactOptional(v.picklist(forkModes)),
  parent: v.exactOptional(parentSchema),
});

/** The history with its settings read by `read`, as are those of all that it comes from. */
export function readHistory({ config, fork, ...rest }: StoredHistory, read: (config: unknown) => Config): RunHistory {
  return {
    ...rest,
    config: read(config),
    ...(fork && { fork: { ...fork, parent: readHistory(fork.parent, read) } }),
  };
}
