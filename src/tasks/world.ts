// A world: a family of problems whose answers can be verified. The rollout asks it for problems, for the text each
// agent starts from, for the room a turn needs, and for what a finished dialogue is worth.
import type { Draws } from '../base/random.ts';
import type { FinishMoment, ProtocolName, WorldName } from '../config/names.ts';
import type { Role } from '../records/ids.ts';
import type { Problem } from '../records/problem.ts';
import type { RewardParts } from '../records/trajectory.ts';

export type Split = 'training' | 'heldOut';

/** A message as a world reads it; a `Turn` is one. */
export interface Spoken {
  role: Role;
  /** Without the terminator. */
  text: string;
  isFinish: boolean;
  /** Filled its window without ending. */
  isTruncated?: boolean;
}

export interface TurnAssessment {
  parts: RewardParts;
  /** Calm words; empty when there is nothing to say. */
  reason: string;
}

export interface Assessment {
  perTurn: TurnAssessment[];
  /** The number the team ended on; null when its last reply is none. */
  answer: string | null;
  isRight: boolean;
  /** Φ at each boundary of turns [turns + 1]; potential-based shaping sets the last one to 0 itself. */
  potentials: number[];
}

/** Room in tokens, terminators included. */
export interface Limits {
  /** Rounds at most: what the level needs, and one to spare. */
  roundLimit: number;
  /** A planner turn; 0 where nobody plans. */
  metaWindow: number;
  /** A reasoner turn. */
  reasonWindow: number;
  /** The longest prompt of any agent. */
  promptWindow: number;
}

export interface DemonstrationOptions {
  /** Share of dialogues whose plan follows the rule. */
  goodPlans: number;
  /** Share of rewrites with a wrong result. */
  resultNoise: number;
  /** `afterReply`: the last plan carries the finish token and is answered. Default `atOnce`. */
  finishEnds?: FinishMoment;
}

export interface LevelDescription {
  level: number;
  label: string;
}

export interface World {
  name: WorldName;
  levels: readonly LevelDescription[];
  /** One problem of a split. */
  draw(level: number, draws: Draws, split: Split): Problem;
  /** The fixed problems on which accuracy is measured: the same in every run, rules in equal shares. */
  heldOut(level: number, count: number): Problem[];
  /** Share right at most without any message between the agents. */
  ceiling(level: number): number;
  /** The text an agent starts from. */
  view(problem: Problem, role: Role, protocol: ProtocolName): string;
  /** Reads a prompt back; null when the text is no prompt. */
  readView(text: string): { expression: string; rule: string | null } | null;
  limits(level: number, protocol: ProtocolName): Limits;
  /** A dialogue to imitate: messages in speaking order, each with its terminator. */
  demonstrate(problem: Problem, draws: Draws, options: DemonstrationOptions, protocol: ProtocolName): string[];
  /** What each turn is worth. Pure; takes any text. */
  assess(problem: Problem, messages: readonly Spoken[], protocol: ProtocolName): Assessment;
}
