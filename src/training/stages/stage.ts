// An iteration is a list of stages in reading order. A stage belongs to a phase, names the parts of the iteration that it
// reads and returns the parts that it adds. Each part is declared in the file of the stage that makes it:
//   declare module '../stages/stage.ts' { interface Parts { influence: number | null } }
// A stage that is optional says with `when` in which iterations it runs; what it would add is then absent for all others.
import { ShapeError } from '../../base/errors.ts';
import type { Config } from '../../config/schema.ts';
import type { DecodingStates } from '../../model/decoding/decodingStates.ts';
import type { WeightTree } from '../../model/network/parameters.ts';
import type { ProfilePart } from '../../records/profile.ts';
import type { Trajectory } from '../../records/trajectory.ts';
import type { Gate } from '../team/gate.ts';
import type { Network } from '../team/network.ts';
import type { Team } from '../team/team.ts';

/** The phases of an iteration in order, each with the part of the profile that its time is charged to. */
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

/** The milliseconds of an iteration that has just begun. */
export const noTimes = () => Object.fromEntries(phaseNames.map((phase) => [phase, 0])) as Record<Phase, number>;

/** The parts that stages add, by name; each is declared where it is made. These two a run keeps for its next iteration. */
export interface Parts {
  /** The coefficient of the KL. */
  klCoef: number;
  /** Frozen reference of each network, or one for all. */
  references: WeightTree[];
}
export type PartName = keyof Parts;

/** The beginning of an iteration. */
interface Begun extends Pick<Parts, 'klCoef' | 'references'> {
  /** From 0. */
  iteration: number;
  /** The settings at the beginning of the iteration: later changes take effect from the next one on. */
  config: Config;
  /** The team of this iteration, which may exchange roles. */
  team: Team;
  networks: Network[];
  /** The base of adapters. */
  base?: WeightTree;
  gate: Gate;
  /** Decoding caches that outlive the iteration. */
  rooms?: DecodingStates;
  /** Where time is charged, and the tokens that are learned from. */
  ledger?: { enter: (part: ProfilePart) => void; count: (tokens: { trained: number }) => void };
  /** Hears of each turn, of each message while it is said, and that all trajectories are collected. */
  onTurn: (trajectories: readonly Trajectory[]) => Promise<void>;
  onWord?: ((soFar: () => Trajectory) => Promise<void> | void) | undefined;
  onceCollected?: () => Promise<void>;
  /** Milliseconds of each phase so far. */
  phaseMs: Record<Phase, number>;
}

/** An iteration under way: what it began with, and the parts that have been made. */
export type Context = Begun & Partial<Parts>;

export interface Stage<R extends PartName = PartName> {
  /** Two or three words for errors and tests. */
  name: string;
  phase: Phase;
  /** Whether it runs in an iteration (from 0) with these settings; absent: always. */
  when?: (config: Config, iteration: number) => boolean;
  /** The parts without which it cannot run; others may be absent. */
  reads: readonly R[];
  /** Returns the parts that it adds or replaces. */
  run: (context: Context & Pick<Parts, R>) => Partial<Parts> | Promise<Partial<Parts>>;
}

/** A stage whose type follows from the parts that it reads. */
export const stage = <const R extends PartName>(own: Stage<R>): Stage<R> => own;

/** Stages in the order of their phases; those of a learner follow the others of their phase. */
export const inOrder = (shared: readonly Stage[], ofLearner: readonly Stage[] = []): Stage[] =>
  phaseNames.flatMap((phase) => [...shared, ...ofLearner].filter((one) => one.phase === phase));

/** Runs stages one after another. Throws what a stage throws, and ShapeError where a part that it reads was not made. */
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

/** Throws ShapeError for a part that no stage has made, with the name of who reads it. */
export function expectParts<R extends PartName>(
  context: Context,
  reads: readonly R[],
  reader: string,
): asserts context is Context & Pick<Parts, R> {
  const missing = reads.filter((part) => context[part] === undefined);
  if (missing.length > 0)
    throw new ShapeError(
      `${reader}: expected ${missing.join(', ')}, which no stage before it has made; put it behind the stage that does.`,
    );
}
