// Everything needed to continue a run exactly where it was, and the store that keeps it. Taken between iterations only.
// All arrays are copies, never views into an engine's memory.
import * as v from 'valibot';
import { spoken } from '../../base/spoken.ts';
import { Sha256 } from '../../base/sha256.ts';
import { criticStateSchema, replaySchema } from './criticMemory.ts';
import { foreignSchema } from './foreignModel.ts';
import { plainLine } from './runLabel.ts';
import { goneBackSchema, originSchema, planSchema, settings, type RunHistory } from './history.ts';
import { runIdSchema, type RunId } from '../ids.ts';
import type { GroupInspection } from '../inspection.ts';
import { floats, namedArray, type NamedArray } from './namedArray.ts';
import type { Evaluation, IterationMetrics } from '../metrics.ts';
import { preferenceSchema } from './preference.ts';
import { whole } from '../problem.ts';
import { amount } from '../profile.ts';
import type { Trajectory } from '../trajectory.ts';
import { rememberedAnswer } from '../verifier.ts';

export { checkpointFormat } from '../../migrations/records.ts';
export type { NamedArray };

/** One network with its optimiser. */
const networkSchema = v.object({
  /** Where the checkpoint has a `base`: the adapters to it. */
  weights: v.array(namedArray),
  /** Value head, where the learner has a critic. */
  critic: v.array(namedArray),
  /** AdamW moments, parallel to `weights` then `critic`. */
  m: v.array(floats),
  v: v.array(floats),
  /** Optimiser steps taken. */
  updates: whole,
});
export type NetworkState = v.InferOutput<typeof networkSchema>;
export const networksSchema = v.pipe(v.array(networkSchema), v.minLength(1));

/** The mixing critic of VDN and QMIX. */
const mixingSchema = v.object({
  /** Trunk, and head and mixer where others have a value head. */
  critic: networkSchema,
  /** The slow copy that targets are computed with: trunk, head and mixer. */
  target: v.array(namedArray),
  replay: replaySchema,
});
export type MixingState = v.InferOutput<typeof mixingSchema>;

export const checkpointSchema = v.object({
  format: whole,
  runId: runIdSchema,
  /** Iterations done. Randomness is addressed by (seed, stream, iteration, index), so this is its position. */
  iteration: whole,
  config: settings,
  /** Engine that trained up to here. */
  backend: v.string(),
  /**
   * One network for all agents if parameters are shared, else one for each agent, or for each of its turns: round by
   * round.
   */
  networks: networksSchema,
  /** The frozen base weights of all networks' adapters; also the reference if there is no other. */
  base: v.optional(v.array(namedArray)),
  /** The model of somebody else that these are; absent where they are of our own. */
  foreign: v.optional(foreignSchema),
  /**
   * Separate critic networks, trunk and head: one that sees all agents, or one for each agent. Absent if the learner
   * has none.
   */
  critics: v.optional(v.array(networkSchema)),
  /** State of each critic beside its network; absent before the first iteration. */
  criticStates: v.optional(v.array(criticStateSchema)),
  /** The mixing critic, its slow copy and the dialogues it learns from, where the learner has one. */
  mixing: v.optional(mixingSchema),
  /**
   * Frozen reference of each network, or one for all; empty if it is the base, and adapters if it is the base with
   * these.
   */
  reference: v.array(v.array(namedArray)),
  /** The verifier, where there is one, and the answers it has in mind. */
  verifier: v.optional(v.object({ network: networkSchema, answers: v.array(rememberedAnswer) })),
  /** Imported preference pairs, where the run learns from such. */
  pairs: v.optional(v.array(preferenceSchema)),
  /** Adaptive coefficients. */
  klCoef: amount,
  /** Sampled tokens so far. */
  sampledTokens: whole,
});
export type Checkpoint = v.InferOutput<typeof checkpointSchema>;

/** The latest moment that a date can name. */
const latestMs = 8.64e15;

export const experimentKinds = ['sameLuck', 'seeds'] as const;

export const runSchema = v.object({
  format: whole,
  id: runIdSchema,
  /** Memorable name, e.g. calm-otter. */
  name: v.pipe(v.string(), plainLine),
  preset: v.string(),
  /** The settings from the next iteration on. */
  config: settings,
  /** The initial settings; absent in runs of earlier versions. */
  begun: v.exactOptional(settings),
  changes: planSchema.entries.changes,
  /** Files of preference pairs that it was given; absent where it was given none. */
  imports: v.exactOptional(planSchema.entries.imports),
  /** Changes and imports that a replay of a history has yet to make. */
  plan: v.exactOptional(planSchema),
  backend: v.string(),
  /** Milliseconds since 1970; for sorting only, never in results. */
  createdMs: v.pipe(v.number(), v.minValue(0), v.maxValue(latestMs)),
  /** Iterations done. */
  iteration: whole,
  isDone: v.boolean(),
  /** The run that this one was forked from, with something changed, and after which iteration. */
  forkedFrom: v.exactOptional(originSchema),
  /** Where it went back to an earlier checkpoint of its own; absent where it never did. */
  goneBack: v.exactOptional(v.array(goneBackSchema)),
  /** The experiment that it is a run of. */
  experiment: v.exactOptional(v.object({ id: v.string(), kind: v.picklist(experimentKinds) })),
  /** How often it was resumed: a tab with an older state can tell that the run was continued elsewhere. */
  resumed: v.exactOptional(whole),
});
export type RunRecord = v.InferOutput<typeof runSchema>;

/** The store as the session needs it. Every method may throw StorageError. */
export interface CheckpointStore {
  saveRun(run: RunRecord): Promise<void>;
  /**
   * `replaced`: iteration of a checkpoint of the same run that this one replaces. Answers the iterations, rising, at
   * which the run now has one.
   */
  saveCheckpoint(checkpoint: Checkpoint, replaced: number | null): Promise<number[]>;
  /** Metrics, an evaluation if there was one, and the packed trajectories of one iteration, in one transaction. */
  saveIteration(id: RunId, iteration: StoredIteration): Promise<void>;
  /** An evaluation that belongs to no iteration of its own: the warm start's, or one asked for by hand. */
  saveEvaluation(id: RunId, evaluation: Evaluation): Promise<void>;
}

export interface StoredIteration {
  metrics: IterationMetrics;
  evaluation: Evaluation | null;
  trajectories: Trajectory[];
  /** The group the page shows. */
  shown: GroupInspection | null;
}

/** All networks of a checkpoint that learn, by where they lie in it. */
export function networkParts({ networks, critics = [], mixing, verifier }: Checkpoint): [string, NetworkState][] {
  const parts: [string, NetworkState][] = [
    ...networks.map((network, n): [string, NetworkState] => [`networks.${n}`, network]),
    ...critics.map((network, n): [string, NetworkState] => [`critics.${n}`, network]),
  ];
  if (mixing) parts.push(['mixing.critic', mixing.critic]);
  if (verifier) parts.push(['verifier.network', verifier.network]);
  return parts;
}

/** Where a checkpoint holds a number that is not finite, as `networks.0.m.3`; null where all are. */
export function spoiltPart(checkpoint: Checkpoint): string | null {
  const { base = [], mixing, klCoef } = checkpoint;
  for (const [where, network] of networkParts(checkpoint)) {
    const spoilt = spoiltOf(network);
    if (spoilt) return `${where}.${spoilt}`;
  }
  const arrays = [...base, ...(mixing?.target ?? [])];
  return spoiltName(arrays) ?? (Number.isFinite(klCoef) ? null : 'klCoef');
}

function spoiltOf({ weights, critic, m, v }: NetworkState): string | null {
  const moment = (name: string, arrays: readonly Float32Array[]) => {
    const at = arrays.findIndex(isSpoilt);
    return at < 0 ? null : `${name}.${at}`;
  };
  return spoiltName([...weights, ...critic]) ?? moment('m', m) ?? moment('v', v);
}

const spoiltName = (arrays: readonly NamedArray[]) => arrays.find(({ values }) => isSpoilt(values))?.name ?? null;

/** Zero times a finite number is zero, and times any other is NaN, which stays in the sum. */
function isSpoilt(values: Float32Array): boolean {
  let sum = 0;
  for (const value of values) sum += value * 0;
  return Number.isNaN(sum);
}

/** SHA-256 of the weights of all networks, in order. */
export function weightsDigest({ networks }: Pick<Checkpoint, 'networks'>): string {
  const digest = new Sha256();
  for (const { weights, critic } of networks)
    for (const { values } of [...weights, ...critic])
      digest.add(new Uint8Array(values.buffer, values.byteOffset, values.byteLength));
  return digest.hex();
}

/**
 * The history of a run up to an iteration, planned changes included. If an earlier version did not record the initial
 * settings, the current ones are used, and the changes, which they include, are left out.
 */
export function historyOf(run: RunRecord, until = Infinity): RunHistory {
  const isBefore = ({ iteration }: { iteration: number }) => iteration <= until;
  const { preset, config, begun, plan, forkedFrom } = run;
  const { iteration = 0, mode, settings: set, digest, parent } = forkedFrom ?? {};
  return {
    preset,
    config: begun ?? config,
    changes: begun ? [...run.changes, ...(plan?.changes ?? [])].filter(isBefore) : [],
    imports: [...(run.imports ?? []), ...(plan?.imports ?? [])].filter(isBefore),
    ...(mode &&
      parent && { fork: { iteration, mode, ...(set && { settings: set }), ...(digest && { digest }), parent } }),
  };
}

/** The parts of a run that a link cannot hold, in words: `its 2 changes and its fork`; empty if it holds all. */
export function beyondLink({ changes, imports = [], forkedFrom }: RunRecord): string {
  const parts = [
    changes.length > 0 && (changes.length === 1 ? spoken`its change` : spoken`its ${changes.length} changes`),
    forkedFrom && spoken`what it learned before its fork from ${forkedFrom.name}`,
    imports.length > 0 && spoken`its imported pairs`,
  ].filter((part) => typeof part === 'string');
  return parts.length < 2 ? parts.join('') : spoken`${parts.slice(0, -1).join(', ')} and ${parts.at(-1) ?? ''}`;
}
