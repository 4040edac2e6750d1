// An iteration is a list of stages, which run in the order in which they are listed. A stage belongs to a phase. Each
// stage lists the parts of the iteration that it reads, and returns the parts that it adds. The type of each part is
// declared in the file of the stage that adds the part, as in this example:
//   declare module '../stages/stage.ts' { interface Parts { influence: number | null } }
// An optional stage has a function `when`, which returns true if the stage runs in an iteration. If a stage does not
// run, the parts that it would add are absent.
import { ShapeError } from '../../base/errors.ts';
import type { Config } from '../../config/schema.ts';
import type { DecodingStates } from '../../model/decoding/decodingStates.ts';
import type { WeightTree } from '../../model/network/parameters.ts';
import type { ProfilePart } from '../../records/profile.ts';
import type { Trajectory } from '../../records/trajectory.ts';
import type { Gate } from '../team/gate.ts';
import type { Network } from '../team/network.ts';
import type { Team } from '../team/team.ts';

/** The phases of an iteration in order, each with the part of the profile to which its time is added. */
export const phases = {
  collect: 'rollout',
  open: 'rollout',
  score: 'scoring',
  appraise: 'update',
  estimate: 'update',
  measure: 'evaluation',
  order: 'update',
  update: 'update',
  count: 'scoring',
} as const satisfies Record<string, ProfilePart>;
export type Phase = keyof typeof phases;
export const phaseNames = Object.keys(phases) as Phase[];

/** The initial time of each phase in milliseconds: 0 for every phase. */
export const noTimes = () => Object.fromEntries(phaseNames.map((phase) => [phase, 0])) as Record<Phase, number>;

/**
 * The parts that stages add, by name; each part is declared in the file of its stage. The two parts that are declared
 * in this file are kept for the next iteration.
 */
export interface Parts {
  /** The coefficient of the KL in the loss or in the reward. */
  klCoef: number;
  /** The frozen reference of each network, or a single reference for all networks. */
  references: WeightTree[];
}
export type PartName = keyof Parts;

/** The data that are known when an iteration begins. */
interface Begun extends Pick<Parts, 'klCoef' | 'references'> {
  /** The number of the iteration, from 0. */
  iteration: number;
  /** The settings at the beginning of the iteration; later changes take effect from the next iteration on. */
  config: Config;
  /** The team of this iteration; roles may be exchanged between iterations. */
  team: Team;
  networks: Network[];
  /** The frozen base weights of the adapters, if there are any. */
  base?: WeightTree;
  gate: Gate;
  /** Decoding caches that are kept after the iteration. */
  rooms?: DecodingStates;
  /**
   * The ledger. `enter` is called when another part of the profile begins, and `count` with the number of tokens from
   * which an update learns.
   */
  ledger?: { enter: (part: ProfilePart) => void; count: (tokens: { trained: number }) => void };
  /**
   * The three callbacks are called after each turn, while a message is generated, and after all trajectories have been
   * collected.
   */
  onTurn: (trajectories: readonly Trajectory[]) => Promise<void>;
  onWord?: ((soFar: () => Trajectory) => Promise<void> | void) | undefined;
  onceCollected?: () => Promise<void>;
  /** Milliseconds of each phase so far. */
  phaseMs: Record<Phase, number>;
}

/**
 * The context of an iteration in progress. The context contains the initial data, and the parts that stages have added
 * so far.
 */
export type Context = Begun & Partial<Parts>;

export interface Stage<R extends PartName = PartName> {
  /** The stage's name in two or three words, for errors and tests. */
  name: string;
  phase: Phase;
  /** Whether the stage runs in an iteration (from 0) with these settings. If absent, the stage always runs. */
  when?: (config: Config, iteration: number) => boolean;
  /** The parts without which the stage cannot run; other parts may be absent. */
  reads: readonly R[];
  /** Runs the stage. Returns the parts that the stage adds or replaces. */
  run: (context: Context & Pick<Parts, R>) => Partial<Parts> | Promise<Partial<Parts>>;
}

/** Returns the stage unchanged. TypeScript infers the type of the stage from the parts that the stage reads. */
export const stage = <const R extends PartName>(own: Stage<R>): Stage<R> => own;

/** Stages in the order of their phases; within a phase, the stages of a learner follow the common stages. */
export const inOrder = (shared: readonly Stage[], ofLearner: readonly Stage[] = []): Stage[] =>
  phaseNames.flatMap((phase) => [...shared, ...ofLearner].filter((one) => one.phase === phase));

/**
 * Runs stages one after another. An error in a stage is rethrown unchanged. Throws ShapeError if a stage reads a part
 * that no stage has added yet.
 */
export async function runStages(stages: readonly Stage[], context: Context): Promise<void> {
  for (const { name, phase, when, reads, run } of stages) {
    if (when && !when(context.config, context.iteration)) continue;
    context.ledger?.enter(phases[phase]);
    const startedMs = performance.now();
    expectParts(context, reads, name);
    Object.assign(context, await run(context));
    context.phaseMs[phase] += performance.now() - startedMs;
  }
}

/**
 * Throws ShapeError for a part that no stage has added yet. The message contains the name of the stage that reads the
 * part.
 */
export function expectParts<R extends PartName>(
  context: Context,
  reads: readonly R[],
  reader: string,
): asserts context is Context & Pick<Parts, R> {
  const missing = reads.filter((part) => context[part] === undefined);
  if (missing.length > 0)
    throw new ShapeError(
      `${reader}: this stage needs ${missing.join(', ')}, which no earlier stage adds; move this stage after a stage that adds them.`,
    );
}
