// Converts dialogues to the input of a mixing critic: the joint transcript, the beginning of each round, and the
// columns of each message in the transcript. The weights with which hidden states are averaged are built here as a
// matrix, so that one matrix product yields both states and messages.
import { ShapeError, StorageError } from '../../base/errors.ts';
import { spoken } from '../../base/spoken.ts';
import { mean } from '../../base/stats.ts';
import { replayFault, type ReplayLimits, type ReplayState } from '../../records/stored/criticMemory.ts';
import { setsOf, type Trajectory } from '../../records/trajectory.ts';
import { heardTokens, type ViewTokens } from '../../rollout/view.ts';
import type { TurnRewards } from '../collect/rewards.ts';
import { jointRow } from '../rows/rows.ts';
import { Ring, type Packing } from './ring.ts';

export interface MixingMessage {
  agent: number;
  /** Index of the turn in the trajectory. */
  turn: number;
  /** The columns of the message's tokens: from `from` up to, but not including, `to`. */
  from: number;
  to: number;
}

/** A round of a dialogue, which is one step of the mixing critic. */
export interface Round {
  /**
   * The column of the last token of the round's first header. At this column, the trunk has read all messages before
   * this round.
   */
  stateAt: number;
  /** The team's reward in this round. */
  reward: number;
  messages: MixingMessage[];
}

export interface Transcript {
  /**
   * The tokens of the joint transcript: the prompt of the agent that sees the most hidden texts, followed by all
   * messages.
   */
  ids: Uint16Array;
  rounds: Round[];
}

const packing: Packing<Transcript, 'rewards'> = {
  numbers: 'rewards',
  write: ({ ids, rounds }) => ({
    facts: [
      ids.length,
      ...ids,
      rounds.length,
      ...rounds.flatMap(({ stateAt, messages }) => [
        stateAt,
        messages.length,
        ...messages.flatMap(({ agent, turn, from, to }) => [agent, turn, from, to]),
      ]),
    ],
    numbers: rounds.map(({ reward }) => reward),
  }),
  read: ({ facts, fact, number }) => {
    const message = (): MixingMessage => ({ agent: fact(), turn: fact(), from: fact(), to: fact() });
    const round = (): Round => {
      const [stateAt, count] = [fact(), fact()];
      return { stateAt, reward: number(), messages: Array.from({ length: count }, message) };
    };
    return { ids: facts(), rounds: Array.from({ length: fact() }, round) };
  },
};

/**
 * Stored trajectories that a mixing critic learns from repeatedly (QMIX 1803.11485). The trajectories may come from
 * older policies. They remain valid, because the critic learns the values of the messages in these dialogues. The
 * rewards are those of the time when the dialogue was sampled. After a change of reward weights, old trajectories
 * therefore contain the old rewards until they are overwritten.
 */
export type MixingReplay = Ring<Transcript, 'rewards'>;

/**
 * Restores the replay memory from a state. Without a state, the memory is empty. Throws StorageError if the numbers are
 * inconsistent.
 */
export function mixingReplay(limits: ReplayLimits, state?: ReplayState): MixingReplay {
  const fault = state && replayFault(state, limits);
  if (fault) throw new StorageError(spoken`mixing.replay: expected ${fault}; start a new run with the same settings.`);
  return new Ring(limits.size, packing, state);
}

/**
 * Divides a dialogue into rounds. `rewards` [turn][agent] are the rewards of single turns, not accumulated. A round's
 * reward is the sum over its turns of the mean over agents. If an agent speaks twice in a round, only the later message
 * is used.
 */
export function transcriptOf(
  trajectory: Trajectory,
  rewards: TurnRewards,
  { witness, tokens }: { witness: number; tokens: ViewTokens },
): Transcript {
  const { ids, turnAt, saidAt } = jointRow(trajectory, witness, tokens);
  const columnOf = new Map([...turnAt].map(([column, turn]) => [turn, column]));
  const rounds = new Map<number, Round>();
  for (const turn of setsOf(trajectory.turns).flat()) {
    const { round, index, agent } = turn;
    const of = rounds.get(round) ?? { stateAt: columnOf.get(index) as number, reward: 0, messages: [] };
    rounds.set(round, of);
    of.reward += mean(rewards[index] ?? []);
    const from = saidAt.get(index) as number;
    const message = { agent: agent as number, turn: index, from, to: from + heardTokens(turn, tokens).length };
    if (turn.tokens.length > 0)
      of.messages = [...of.messages.filter((other) => other.agent !== message.agent), message];
  }
  return { ids: Uint16Array.from(ids), rounds: [...rounds.values()] };
}

/** The padded rows of some transcripts, ready to be uploaded. */
export interface PooledRows {
  /** The numbers of rows (B), columns (T), rounds of the longest transcript (R) and agents (A). */
  rows: number;
  length: number;
  rounds: number;
  agents: number;
  /** The tokens [B·T]. */
  ids: Int32Array;
  /**
   * [B, R·(1 + A), T] the pooling weights of each round: first the weights of the round's state, then the weights of
   * each agent's message. The weights of a silent agent are zeros.
   */
  pooling: Float32Array;
  /**
   * [A, B·R, A] 1 if the agent (last axis) sent one of the messages in a prefix of the round. The index on the first
   * axis is the number of messages in this prefix minus one.
   */
  heard: Float32Array;
}

/** Rows, columns and rounds are rounded up to multiples of these numbers. */
export interface PoolBucket {
  rows: number;
  columns: number;
  count: (needed: number) => number;
}

/**
 * Pads transcripts to rows that can be uploaded. Throws ShapeError if a message comes from an agent that is not in the
 * team.
 */
export function poolRows(transcripts: readonly Transcript[], agents: number, bucket: PoolBucket): PooledRows {
  const up = (n: number, multiple: number) => Math.ceil(Math.max(1, n) / multiple) * multiple;
  const rows = up(transcripts.length, bucket.rows);
  const length = up(Math.max(...transcripts.map(({ ids }) => ids.length)), bucket.columns);
  const rounds = bucket.count(Math.max(1, ...transcripts.map((transcript) => transcript.rounds.length)));
  const slots = rounds * (1 + agents);
  const pooled: PooledRows = {
    ...{ rows, length, rounds, agents },
    ids: new Int32Array(rows * length),
    pooling: new Float32Array(rows * slots * length),
    heard: new Float32Array(agents * rows * rounds * agents),
  };
  transcripts.forEach((transcript, b) => {
    pooled.ids.set(transcript.ids, b * length);
    transcript.rounds.forEach(({ stateAt, messages }, r) => {
      const slot = b * slots + r * (1 + agents);
      pooled.pooling[slot * length + stateAt] = 1;
      messages.forEach(({ agent, from, to }, place) => {
        if (agent >= agents)
          throw new ShapeError(
            `poolRows: expected the number of an agent below ${agents}, got ${agent}; was the critic made for a smaller team?`,
          );
        const start = (slot + 1 + agent) * length;
        pooled.pooling.fill(1 / (to - from), start + from, start + to);
        for (let last = place; last < agents; last++)
          pooled.heard[((last * rows + b) * rounds + r) * agents + agent] = 1;
      });
    });
  });
  return pooled;
}

/**
 * [A, B·R] a number for each prefix of each round. The number is 0 if the round has fewer messages than the prefix
 * would have. The first index is the number of messages in the prefix minus one.
 */
export function beginningsColumn(
  { rows, rounds, agents }: PooledRows,
  transcripts: readonly Transcript[],
  of: (transcript: number, round: number) => number,
): Float32Array {
  const column = new Float32Array(agents * rows * rounds);
  transcripts.forEach((transcript, b) => {
    transcript.rounds.forEach(({ messages }, r) => {
      for (const last of messages.keys()) column[(last * rows + b) * rounds + r] = of(b, r);
    });
  });
  return column;
}
