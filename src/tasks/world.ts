// A world: a family of problems whose answers can be verified. The rollout asks it for problems, for the text each
// agent starts from, for the room a turn needs, and for what a finished dialogue is worth. Verifying may take its time
// (a sandbox, a remote world): those answers are promises.
import type { Draws } from '../base/random.ts';
import type { FinishMoment, ProtocolName, WorldName } from '../config/names.ts';
import type { Role } from '../records/ids.ts';
import type { Problem } from '../records/problem.ts';
import type { Protocol } from '../records/protocol.ts';
import type { Reaction, RewardParts } from '../records/trajectory.ts';

export type Split = 'training' | 'heldOut';

/** A message as a world reads it; a `Turn` is one. */
export interface Spoken {
  role: Role;
  /** Who said it; agent 0 where it is absent. */
  agent?: number;
  /** Without the terminator. */
  text: string;
  isFinish: boolean;
  /** Filled its window without ending. */
  isTruncated?: boolean;
}

/** What a message answers, read by itself. */
export interface Answer {
  /** Null where it gives none. */
  answer: string | null;
  isRight: boolean;
  /** How far it goes, in [0, 1]; 1 is right. */
  score: number;
}

export interface TurnAssessment {
  parts: RewardParts;
  /** Calm words; empty when there is nothing to say. */
  reason: string;
  /** Of turns that answer: whether the answer is right, and how far it goes in [0, 1]. */
  isRight?: boolean;
  score?: number;
}

export interface Assessment {
  perTurn: TurnAssessment[];
  /** The number the team ended on; null when its last reply is none. */
  answer: string | null;
  isRight: boolean;
  /** Φ at each boundary of turns [turns + 1]; potential-based shaping sets the last one to 0 itself. */
  potentials: number[];
  /** Φ once the last message's wish is done: of a plan, what its best execution leads to. Absent: the last potential. */
  prospect?: number;
}

/** Room in tokens, terminators included. */
export interface Limits {
  /** Rounds at most: what the level needs, and one to spare. */
  roundLimit: number;
  /** A planner turn; 0 where nobody plans. */
  metaWindow: number;
  /** A reasoner turn, or an answer. */
  reasonWindow: number;
  /** The longest prompt of any agent. */
  promptWindow: number;
  /** An observation, its special tokens included: what is longer is cut there. Absent in worlds that show none. */
  observationWindow?: number;
}

export interface DemonstrationOptions {
  /** Share of plans that follow the rule, and of those who do not see it, of answers taken from one who does. */
  goodPlans: number;
  /** Share of rewrites with a wrong result. */
  resultNoise: number;
  /** `afterReply`: the last plan carries the finish token and is answered. Default `atOnce`. */
  finishEnds?: FinishMoment;
  /** Rounds of a protocol that ends with its last round. Default 1. */
  rounds?: number;
}

/** A message to imitate. */
export interface Demonstrated {
  agent: number;
  round: number;
  /** With its terminator. */
  message: string;
  /** Of answers: how far it goes, in [0, 1]. */
  score?: number;
  /** Agents that hear only that something was said. */
  maskedFor?: number[];
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
  /** Share right at most for an agent that neither sees the rule nor hears of it. */
  ceiling(level: number): number;
  /** The text an agent starts from. */
  view(problem: Problem, sight: { seesRule: boolean }): string;
  /** Reads a prompt back; null when the text is no prompt. */
  readView(text: string): { expression: string; rule: string | null } | null;
  limits(level: number, protocol: ProtocolName): Limits;
  /** A dialogue to imitate, in speaking order. */
  demonstrate(problem: Problem, draws: Draws, options: DemonstrationOptions, protocol: Protocol): Demonstrated[];
  /** What one message answers. Takes any text. */
  judge(problem: Problem, message: Spoken): Promise<Answer>;
  /** What the world shows before anybody speaks, and the state it begins in. Absent: nothing, and null. */
  open?: (problem: Problem) => Promise<Reaction>;
  /**
   * What a message does in the world, and what is seen of it. Asked after each message, one after the other where several
   * are said at once, with the state of the answer before it (at first, that of `open`). Absent: the talk is all there is.
   */
  react?: (problem: Problem, state: unknown, message: Spoken) => Promise<Reaction>;
  /** What each turn is worth. Takes any text. Of a talk that is not over (default: it is) no reason says how it ended. */
  assess(problem: Problem, messages: readonly Spoken[], protocol: Protocol, isOver?: boolean): Promise<Assessment>;
}
