// Builds trajectories for tests from turns that are written by hand. Each turn has an agent, its tokens and its
// rewards.
import type { LearnerName } from '../../config/learners/registry.ts';
import type { Config, ConfigInput } from '../../config/schema.ts';
import { agentId, roles } from '../../records/ids.ts';
import type { FinishCode, Trajectory, Turn } from '../../records/trajectory.ts';
import { viewTokens as viewTokensOf } from '../../rollout/view.ts';
import { problemOf } from '../../extensions/worlds/houseRule/problems.ts';
import { loadTokenizer } from '../../tasks/testing/tokenizers.ts';
import { payTrajectory } from '../collect/rewards.ts';
import type { Collected, Learner } from '../learners/learner.ts';
import { buildRows } from '../rows/rows.ts';
import { microConfig } from './microRun.ts';

export interface SpokenTurn {
  agent: number;
  tokens: number[];
  isTruncated?: boolean;
  earned?: Record<string, number>;
}

/** The trajectory of these turns. Agent 0 starts from `<bos><rightToLeft>1<eot>`, and agent 1 does not see the rule. */
export function trajectoryOf(said: readonly SpokenTurn[], given: Partial<Trajectory> = {}): Trajectory {
  const turns = said.map(({ agent, tokens, isTruncated = false, earned = {} }, index): Turn => ({
    index,
    round: index >> 1,
    agent: agentId(agent),
    role: roles[agent] as Turn['role'],
    tokens,
    // The log-probabilities are −0.01, −0.02 … in the first turn and −0.11, −0.12 … in the second, so that every token
    // has a different log-probability.
    logprobs: tokens.map((_, t) => -(index * 10 + t + 1) / 100),
    text: '',
    isTruncated,
    isFinish: tokens.at(-1) === 3,
    parts: earned,
    reason: [],
    reward: 0,
  }));
  return {
    index: 0,
    group: 0,
    problem: problemOf(1, '1', 'rightToLeft'),
    prompts: [
      [1, 8, 10, 2],
      [1, 10, 2],
    ],
    turns,
    finishCode: 0 as FinishCode,
    answer: null,
    isRight: false,
    reward: 0,
    ...given,
  };
}

/** The token ids of all headers and terminators, for a team in which every agent hears all other agents. */
export const viewTokens = viewTokensOf({}, [loadTokenizer()]);

/** The input of a learner for these dialogues. Rewards are computed with these settings, but without shaping. */
export function collectedOf(trajectories: Trajectory[], config: Config): Collected {
  const rewards = trajectories.map((trajectory) =>
    payTrajectory(trajectory, Array<number>(trajectory.turns.length + 1).fill(0), config),
  );
  const batch = buildRows(trajectories, [0, 1], viewTokens);
  const tokenCharge = new Float32Array(batch.ids.length);
  return { config, trajectories, rewards, batch, tokenCharge, values: new Float32Array(0) };
}

/**
 * The advantages that a learner computes for dialogues of two turns with these rewards. Each problem has three
 * dialogues. Dialogues with reward 1 are right. A dialogue has five tokens, and `longer` gives how many more. The other
 * settings are those of the learner.
 */
export function creditOfTrajectories(
  learner: Learner,
  name: LearnerName,
  rewards: readonly number[],
  { longer = [], ...settings }: { longer?: readonly number[] } & ConfigInput['learning'] = {},
) {
  const turns = (index: number) => [
    { agent: 0, tokens: [11, 2] },
    { agent: 1, tokens: [12, 13, ...Array<number>(longer[index] ?? 0).fill(13), 2] },
  ];
  const trajectories = rewards.map((reward, index) =>
    trajectoryOf(turns(index), { index, group: Math.floor(index / 3), reward, isRight: reward === 1 }),
  );
  const given = collectedOf(
    trajectories,
    microConfig({ learning: { learner: name, ...settings }, kl: { place: 'off' } }),
  );
  trajectories.forEach((trajectory, i) => (trajectory.reward = rewards[i] as number)); // not from its turns
  return { batch: given.batch, credit: learner.advantages(given) };
}

/**
 * Removes the log-probabilities from trajectories, because the amount of padding in a row changes the rounding of their
 * last bit.
 */
export const said = (trajectories: readonly Trajectory[]) =>
  trajectories.map((trajectory) => ({
    ...trajectory,
    turns: trajectory.turns.map(({ logprobs, ...turn }) => ({ ...turn, count: logprobs.length })),
  }));
