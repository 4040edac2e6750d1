// What the turn loop is asked for: problems, who speaks with which policy, and everything that comes from outside it,
// random numbers and judgements of answers among them.
import type { Policy } from '../records/policy.ts';
import type { Problem } from '../records/problem.ts';
import type { Protocol } from '../records/protocol.ts';
import type { Trajectory, Turn } from '../records/trajectory.ts';
import type { Answer } from '../tasks/world.ts';
import type { RolloutSettings } from './settings.ts';
import type { ViewTokens } from './view.ts';

/** Room for one trajectory's draws: 32 turns of 128 tokens. */
export const drawsPerTurn = 128;
export const drawsPerTrajectory = 32 * drawsPerTurn;

/** A turn just said, and the dialogue it belongs to. */
export interface SaidTurn {
  trajectory: Trajectory;
  turn: Turn;
}

/** What an answer says and is worth. */
export interface JudgedAnswer extends Answer {
  /** How likely a verifier takes it to be right, in [0, 1]. */
  belief?: number;
}

/** What the agents of a set have just said in all dialogues, before anybody has heard it. */
export interface SaidAtOnce {
  agents: readonly number[];
  round: number;
  trajectories: readonly Trajectory[];
  /** Dialogues that end with this round. */
  isEnding: readonly boolean[];
  /** [place in the set][row]; null where a dialogue is over. A turn may be put in the place of another. */
  turns: (Turn | null)[][];
  /** Lets the agent at each place go on in row b as if it had said what it said in row `from[place][b]`. */
  takeRows: (from: readonly (readonly number[])[]) => void;
}

export interface DialogueRequest {
  problems: readonly Problem[];
  /** Group of each problem. */
  groups: readonly number[];
  protocol: Protocol;
  settings: RolloutSettings;
  /** By agent. */
  policies: readonly Policy[];
  tokens: ViewTokens;
  /** Token ids of an agent's view of a problem. */
  prompt: (problem: Problem, agent: number) => number[];
  /** The text of what an agent has said. */
  decode: (ids: readonly number[], agent: number) => string;
  /** Where in base/random.ts the numbers begin with which the tokens of turn `turn` of trajectory `row` are drawn. */
  address: (row: number, turn: number) => number;
  /** What answers say and how good they are; asked where the protocol gives feedback or stops when agreed. */
  judge: (said: readonly SaidTurn[]) => Promise<readonly JudgedAnswer[]>;
  /** The number in [0, 1) that decides whether a turn is masked for a listener; asked where the protocol masks. */
  maskDraw: (row: number, turn: number, listener: number) => number;
  /** Agents whose messages the others do not hear (attention-masked, positions kept): the masked control. */
  hiddenSpeakers?: readonly number[];
  /** After each set of speakers: may wait (pause) and hears of the dialogues so far. */
  onTurn?: (trajectories: readonly Trajectory[]) => Promise<void>;
  /** Before anybody hears what a set has said: where several dialogues are tries of one, which of them it goes on from. */
  settle?: (said: SaidAtOnce) => Promise<void>;
}
