// Everything that is needed to continue a run exactly where it stopped, and the interface of the store that keeps it.
// Checkpoints are taken only between iterations. All arrays are copies, never views into an engine's memory.
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
  /** The weights; if the checkpoint has a `base`, the adapters on it. */
  weights: v.array(namedArray),
  /** Value head, if the learner has a critic. */
  critic: v.array(namedArray),
  /** The moments of AdamW, in the order of `weights` followed by `critic`. */
  m: v.array(floats),
  v: v.array(floats),
  /** Number of optimiser steps so far. */
  updates: whole,
});
export type NetworkState = v.InferOutput<typeof networkSchema>;
export const networksSchema = v.pipe(v.array(networkSchema), v.minLength(1));

/** The mixing critic of VDN and QMIX. */
const mixingSchema = v.object({
  /** The trunk, with the head and the mixer instead of another critic's value head. */
  critic: networkSchema,
  /** The target network, a slowly updated copy that computes targets: trunk, head and mixer. */
  target: v.array(namedArray),
  replay: replaySchema,
});
export type MixingState = v.InferOutput<typeof mixingSchema>;

export const checkpointSchema = v.object({
  format: whole,
  runId: runIdSchema,
  /**
   * Number of iterations done. Randomness is addressed by (seed, stream, iteration, index), so this number is the state
   * of the random generator.
   */
  iteration: whole,
  config: settings,
  /** The engine that trained up to this point. */
  backend: v.string(),
  /**
   * One network for all agents if parameters are shared; otherwise one for each agent, or one for each turn of each
   * agent, in the order of rounds.
   */
  networks: networksSchema,
  /**
   * The frozen base weights of the adapters of all networks; if there is no other reference, they are also the
   * reference.
   */
  base: v.optional(v.array(namedArray)),
  /** The foreign model to which these weights belong; absent if they are our own. */
  foreign: v.optional(foreignSchema),
  /**
   * Separate critic networks (trunk and head), either one that sees all agents or one for each agent. Absent if the
   * learner has none.
   */
  critics: v.optional(v.array(networkSchema)),
  /** The state of each critic besides its network; absent before the first iteration. */
  criticStates: v.optional(v.array(criticStateSchema)),
  /** The mixing critic, its target network and the dialogues it learns from, if the learner has one. */
  mixing: v.optional(mixingSchema),
  /**
   * The frozen reference of each network, or one for all. It is empty if the base is the reference, and consists of
   * adapters if the reference is the base with these adapters.
   */
  reference: v.array(v.array(namedArray)),
  /** The verifier, if there is one, and the answers that it remembers. */
  verifier: v.optional(v.object({ network: networkSchema, answers: v.array(rememberedAnswer) })),
  /** Imported preference pairs, if the run learns from such pairs. */
  pairs: v.optional(v.array(preferenceSchema)),
  /** The coefficient of the KL penalty, which may be adaptive. */
  klCoef: amount,
  /** Number of sampled tokens so far. */
  sampledTokens: whole,
});
export type Checkpoint = v.InferOutput<typeof checkpointSchema>;

/** The latest moment that a date can represent. */
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
  /** Files of preference pairs that were imported; absent if there were none. */
  imports: v.exactOptional(planSchema.entries.imports),
  /** Changes and imports that are still to be made while a history is replayed. */
  plan: v.exactOptional(planSchema),
  backend: v.string(),
  /** Milliseconds since 1970; used only for sorting, and never in results. */
  createdMs: v.pipe(v.number(), v.minValue(0), v.maxValue(latestMs)),
  /** Number of iterations done. */
  iteration: whole,
  isDone: v.boolean(),
  /** The run from which this one was forked, with the settings changed at the fork, and the iteration of the fork. */
  forkedFrom: v.exactOptional(originSchema),
  /** The rewinds of the run to its earlier checkpoints; absent if it was never rewound. */
  goneBack: v.exactOptional(v.array(goneBackSchema)),
  /** The experiment that the run belongs to. */
  experiment: v.exactOptional(v.object({ id: v.string(), kind: v.picklist(experimentKinds) })),
  /**
   * How often the run was resumed. A tab with an older state compares this number to detect that the run was continued
   * elsewhere.
   */
  resumed: v.exactOptional(whole),
});
export type RunRecord = v.InferOutput<typeof runSchema>;

/** The part of the store that the session needs. Every method may throw StorageError. */
export interface CheckpointStore {
  saveRun(run: RunRecord): Promise<void>;
  /**
   * `replaced` is the iteration of a checkpoint of the same run that this one replaces. Returns the iterations, in
   * ascending order, at which the run now has a checkpoint.
   */
  saveCheckpoint(checkpoint: Checkpoint, replaced: number | null): Promise<number[]>;
  /**
   * Stores the metrics, the evaluation if there was one, and the packed trajectories of one iteration, in one
   * transaction.
   */
  saveIteration(id: RunId, iteration: StoredIteration): Promise<void>;
  /** Stores an evaluation that belongs to no iteration: that of the warm start, or one requested by the visitor. */
  saveEvaluation(id: RunId, evaluation: Evaluation): Promise<void>;
}

export interface StoredIteration {
  metrics: IterationMetrics;
  evaluation: Evaluation | null;
  trajectories: Trajectory[];
  /** The group that the page shows. */
  shown: GroupInspection | null;
}

/** All trained networks of a checkpoint, by their path in the checkpoint. */
export function networkParts({ networks, critics = [], mixing, verifier }: Checkpoint): [string, NetworkState][] {
  const parts: [string, NetworkState][] = [
    ...networks.map((network, n): [string, NetworkState] => [`networks.${n}`, network]),
    ...critics.map((network, n): [string, NetworkState] => [`critics.${n}`, network]),
  ];
  if (mixing) parts.push(['mixing.critic', mixing.critic]);
  if (verifier) parts.push(['verifier.network', verifier.network]);
  return parts;
}

/**
 * The path of the first number in a checkpoint that is not finite, such as `networks.0.m.3`; null if all are finite.
 */
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

/** Zero times a finite number is zero. Zero times any other number is NaN, and a sum that contains NaN is NaN. */
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
 * The history of a run up to an iteration, including planned changes. If an earlier version did not record the initial
 * settings, the current ones are used. Since they include the changes, the changes are left out.
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

/**
 * The parts of a run that a link cannot contain, in words, such as `its 2 changes and its fork`; empty if the link
 * contains everything.
 */
export function beyondLink({ changes, imports = [], forkedFrom }: RunRecord): string {
  const parts = [
    changes.length > 0 && (changes.length === 1 ? spoken`its change` : spoken`its ${changes.length} changes`),
    forkedFrom && spoken`the training before its fork from ${forkedFrom.name}`,
    imports.length > 0 && spoken`its imported pairs`,
  ].filter((part) => typeof part === 'string');
  return parts.length < 2 ? parts.join('') : spoken`${parts.slice(0, -1).join(', ')} and ${parts.at(-1) ?? ''}`;
}
