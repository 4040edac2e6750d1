// The history of a run: its initial settings and all later changes. With this history, the run can be repeated exactly.
import * as v from 'valibot';
import { waysOn } from '../../config/fork.ts';
import { namedTextsSchema, partWeightsSchema } from '../../config/field.ts';
import { ownProtocolSchema } from '../../config/ownProtocol.ts';
import { placesSchema } from '../../config/worlds/places.ts';
import type { Config } from '../../config/schema.ts';
import { runIdSchema } from '../ids.ts';
import { whole } from '../problem.ts';

/** The settings of a run. The settings are checked elsewhere (config/parse.ts). */
export const settings = v.custom<Config>(() => true);

/** A setting and its new value. */
const changed = v.object({
  path: v.string(),
  value: v.union([
    v.number(),
    v.boolean(),
    v.string(),
    v.pipe(v.array(whole), v.readonly()),
    v.pipe(placesSchema, v.readonly()),
    ownProtocolSchema,
    partWeightsSchema,
    namedTextsSchema,
  ]),
});
/** A change of a setting during a run. The change first applies in the iteration after `iteration`. */
const changeSchema = v.object({ iteration: whole, ...changed.entries });
export type SettingChange = v.InferOutput<typeof changeSchema>;

/**
 * A file of preference pairs, from which the run learns beginning with the iteration after `iteration`, or a file of
 * chats that adapters imitate before the first iteration.
 */
const importSchema = v.object({
  iteration: whole,
  /** Absent for a file of preference pairs. */
  kind: v.exactOptional(v.literal('chats')),
  /** The name of the file, which is only shown to people. */
  name: v.string(),
  /** The SHA-256 of the text of the file. */
  digest: v.string(),
});
export type FileImport = v.InferOutput<typeof importSchema>;

/** The kinds of files that a run imports. */
export type ImportKind = 'pairs' | 'chats';
export const importKind = ({ kind }: Pick<FileImport, 'kind'>): ImportKind => kind ?? 'pairs';

/** The changes and imports that remain to be made while a run repeats a history, in order. */
export const planSchema = v.object({ changes: v.array(changeSchema), imports: v.array(importSchema) });
export type RunPlan = v.InferOutput<typeof planSchema>;

export interface RunHistory extends RunPlan {
  preset: string;
  /** The initial settings of the run. */
  config: Config;
  fork?: Fork;
}
const historySchema: v.GenericSchema<unknown, RunHistory> = v.lazy(() =>
  v.object({
    ...planSchema.entries,
    preset: v.string(),
    config: settings,
    fork: v.exactOptional(forkSchema),
  }),
);

/**
 * The iteration at which a run was forked from another run, and what was changed: how parameters are shared, or other
 * settings.
 */
const forkSchema = v.object({
  iteration: whole,
  mode: v.picklist(waysOn),
  /** The changed settings; present only for an arm of an experiment. */
  settings: v.exactOptional(v.array(changed)),
  /** The SHA-256 of the parent's weights at the fork. */
  digest: v.exactOptional(v.string()),
  parent: historySchema,
});
export type Fork = v.InferOutput<typeof forkSchema>;

/**
 * The facts that a run records about the run from which it was forked; runs of earlier versions have only the name of
 * that run and the iteration.
 */
export const originSchema = v.object({
  id: runIdSchema,
  name: v.string(),
  iteration: whole,
  mode: v.exactOptional(v.picklist(waysOn)),
  settings: v.exactOptional(v.array(changed)),
  digest: v.exactOptional(v.string()),
  parent: v.exactOptional(historySchema),
});
export type Origin = v.InferOutput<typeof originSchema>;

/** A rewind to an earlier checkpoint of the same run, which deletes all later records. */
export const goneBackSchema = v.object({ from: whole, to: whole, why: v.string() });
export type GoneBack = v.InferOutput<typeof goneBackSchema>;

/** Converts the settings of a history, and of all its ancestors, with `read`. */
export function readHistory(history: RunHistory, read: (config: unknown) => Config): RunHistory {
  const { config, fork } = history;
  return {
    ...history,
    config: read(config),
    ...(fork && { fork: { ...fork, parent: readHistory(fork.parent, read) } }),
  };
}
