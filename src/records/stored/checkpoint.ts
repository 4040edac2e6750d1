// Everything that is needed to continue a run exactly where it stopped, and the interface of the store for checkpoints.
// Checkpoints are taken only between iterations. All arrays are copies, so an engine cannot change them later.
import * as v from 'valibot';
import { spoken } from '../../base/spoken.ts';
import { Sha256 } from '../../base/sha256.ts';
import { criticStateSchema, replaySchema } from './criticMemory.ts';
import { foreignSchema } from './foreignModel.ts';
import { plainLine } from './runLabel.ts';
import { goneBackSchema, importKind, originSchema, planSchema, settings, type RunHistory } from './history.ts';
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

/** A network with the state of its optimiser. */
const networkSchema = v.object({
  /** The weights of the network. If the checkpoint has a `base`, these are the adapters of this base. */
  weights: v.array(namedArray),
  /** The value head, if the critic shares this network; otherwise empty. */
  critic: v.array(namedArray),
  /** The moments of AdamW, in the order of `weights` followed by `critic`. */
  m: v.array(floats),
  v: v.array(floats),
  /** The number of optimiser steps so far. */
  updates: whole,
});
export type NetworkState = v.InferOutput<typeof networkSchema>;
export const networksSchema = v.pipe(v.array(networkSchema), v.minLength(1));

/** The state of the mixing critic of VDN and QMIX. */
const mixingSchema = v.object({
  /** The network of the critic. In place of a value head, this network has a head for action values and the mixer. */
  critic: networkSchema,
  /** The target network: a slowly updated copy of the critic (trunk, head and mixer), which computes the targets. */
  target: v.array(namedArray),
  replay: replaySchema,
});
export type MixingState = v.InferOutput<typeof mixingSchema>;

export const checkpointSchema = v.object({
  format: whole,
  runId: runIdSchema,
  /**
   * The number of iterations done. Random numbers are computed from (seed, stream, iteration, index), so no other state
   * of a random generator needs to be stored.
   */
  iteration: whole,
  config: settings,
  /** The engine on which the run was trained last. */
  backend: v.string(),
  /**
   * If parameters are shared, one network for all agents. Otherwise, one network for each agent, or one for each turn
   * of each agent, in the order in which the turns occur.
   */
  networks: networksSchema,
  /**
   * The frozen weights to which the adapters of all networks belong. These weights are also the reference of the KL
   * penalty, unless another reference is stored.
   */
  base: v.optional(v.array(namedArray)),
  /** The imported model to which these weights belong; absent if the run uses one of our own networks. */
  foreign: v.optional(foreignSchema),
  /**
   * The networks (trunk and head) of separate critics: either one critic that sees all agents, or one critic for each
   * agent. Absent if the learner has no separate critic.
   */
  critics: v.optional(v.array(networkSchema)),
  /** The state of each separate critic apart from its network; absent before the first iteration. */
  criticStates: v.optional(v.array(criticStateSchema)),
  /**
   * The mixing critic, its target network and the dialogues from which it learns; absent if the learner has no mixing
   * critic.
   */
  mixing: v.optional(mixingSchema),
  /**
   * The frozen reference of each network, or one for all networks. The list is empty if `base` is the reference. If the
   * list consists of adapters, the reference is `base` with these adapters.
   */
  reference: v.array(v.array(namedArray)),
  /** The verifier, if there is one, and the answers that are stored for its training. */
  verifier: v.optional(v.object({ network: networkSchema, answers: v.array(rememberedAnswer) })),
  /** Imported preference pairs, if the run learns from such pairs. */
  pairs: v.optional(v.array(preferenceSchema)),
  /** The current coefficient of the KL penalty, which may have been adapted during the run. */
  klCoef: amount,
  /** The number of tokens sampled so far. */
  sampledTokens: whole,
});
export type Checkpoint = v.InferOutput<typeof checkpointSchema>;

/** The largest number of milliseconds that a JavaScript date can represent. */
const latestMs = 8.64e15;

export const experimentKinds = ['sameLuck', 'seeds'] as const;

export const runSchema = v.object({
  format: whole,
  id: runIdSchema,
  /** A name that is easy to remember, such as calm-otter. */
  name: v.pipe(v.string(), plainLine),
  preset: v.string(),
  /** The settings that apply from the next iteration on. */
  config: settings,
  /** The initial settings; absent in runs of earlier versions. */
  begun: v.exactOptional(settings),
  changes: planSchema.entries.changes,
  /** The imported files of preference pairs and of chats; absent if there are none. */
  imports: v.exactOptional(planSchema.entries.imports),
  /** Changes and imports that are still to be made while a history is replayed. */
  plan: v.exactOptional(planSchema),
  backend: v.string(),
  /** Milliseconds since 1970; used only for sorting, so results do not depend on the date. */
  createdMs: v.pipe(v.number(), v.minValue(0), v.maxValue(latestMs)),
  /** Number of iterations done. */
  iteration: whole,
  isDone: v.boolean(),
  /**
   * The run from which this run was forked, the iteration of the fork, and what was changed; absent if this run was not
   * forked.
   */
  forkedFrom: v.exactOptional(originSchema),
  /** The rewinds of the run to its earlier checkpoints; absent if the run was never rewound. */
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

/** The methods of the store that a training session needs. Every method may throw StorageError. */
export interface CheckpointStore {
  saveRun(run: RunRecord): Promise<void>;
  /**
   * `replaced` is the iteration of the checkpoint of the same run that the new checkpoint replaces; null if it replaces
   * none. Returns the iterations, in ascending order, at which the run now has a checkpoint.
   */
  saveCheckpoint(checkpoint: Checkpoint, replaced: number | null): Promise<number[]>;
  /**
   * Stores the metrics, the evaluation if there was one, and the packed trajectories of one iteration, in one
   * transaction.
   */
  saveIteration(id: RunId, iteration: StoredIteration): Promise<void>;
  /**
   * Stores an evaluation that was not made as part of an iteration: the evaluation of the warm start, or an evaluation
   * that the visitor requested.
   */
  saveEvaluation(id: RunId, evaluation: Evaluation): Promise<void>;
}

export interface StoredIteration {
  metrics: IterationMetrics;
  evaluation: Evaluation | null;
  trajectories: Trajectory[];
  /** The group that the page shows. */
  shown: GroupInspection | null;
}

/** All trained networks of a checkpoint, each with its path in the checkpoint. */
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

/**
 * Zero times a finite number is zero. Zero times NaN or infinity is NaN, and so is any sum that contains it. One sum
 * therefore shows whether all numbers are finite.
 */
function isSpoilt(values: Float32Array): boolean {
  let sum = 0;
  for (const value of values) sum += value * 0;
  return Number.isNaN(sum);
}

/** The SHA-256 of the weights of all networks, in their order. */
export function weightsDigest({ networks }: Pick<Checkpoint, 'networks'>): string {
  const digest = new Sha256();
  for (const { weights, critic } of networks)
    for (const { values } of [...weights, ...critic])
      digest.add(new Uint8Array(values.buffer, values.byteOffset, values.byteLength));
  return digest.hex();
}

/**
 * The history of a run up to an iteration, including planned changes. If the record is from an earlier version, which
 * did not store the initial settings, the current settings are used as the initial settings, and the changes are left
 * out, because the current settings already include them.
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
 * Describes the parts of a run that a link cannot contain, such as `its 2 changes and its fork`; empty if there are
 * none.
 */
export function beyondLink({ changes, imports = [], forkedFrom }: RunRecord): string {
  const parts = [
    changes.length > 0 && (changes.length === 1 ? spoken`its change` : spoken`its ${changes.length} changes`),
    forkedFrom && spoken`the training before the fork from ${forkedFrom.name}`,
    imports.some((one) => importKind(one) === 'pairs') && spoken`its imported pairs`,
    imports.some((one) => importKind(one) === 'chats') && spoken`its imported chats`,
  ].filter((part) => typeof part === 'string');
  return parts.length < 2 ? parts.join('') : spoken`${parts.slice(0, -1).join(', ')} and ${parts.at(-1) ?? ''}`;
}
