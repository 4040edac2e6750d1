// Collects dialogues: draws problems, runs and verifies the dialogues, and assigns rewards. With `filterGroups`, groups
// whose rewards are all equal are drawn again, at most `maxGenBatches` times. If steps are compared separately, a group
// is drawn again only if the rewards of its steps are all equal too.
import { placesByKey } from '../../base/groups.ts';
import { Draws, streams, uniformAt, type Stream } from '../../base/random.ts';
import type { Config } from '../../config/schema.ts';
import { formOf } from '../../config/worlds/registry.ts';
import type { Policy } from '../../records/policy.ts';
import type { Problem } from '../../records/problem.ts';
import { ownTurns } from '../../records/branch.ts';
import type { Trajectory, Turn } from '../../records/trajectory.ts';
import { turnAddress, type RolloutRequest } from '../../rollout/request.ts';
import type { Assessment, World } from '../../tasks/world.ts';
import { deadGroups, groupKey, isDead } from '../maths/advantage.ts';
import { holdTrajectories } from './holdTrajectories.ts';
import { comparesSteps, noteAssessed, stepRewards } from './ownRewards.ts';
import { payTrajectory, type TurnRewards } from './rewards.ts';
import type { Tokenizer } from '../../text/tokenizer.ts';
import { stage } from '../stages/stage.ts';
import type { Team } from '../team/team.ts';
import { creditTrees, turnScores } from './trees.ts';

declare module '../stages/stage.ts' {
  interface Parts {
    paid: Paid;
  }
}

export interface TeamRequest {
  problems: readonly Problem[];
  groups: readonly number[];
  /** The policy of each agent. */
  policies: readonly Policy[];
  /** The address of the collection's random draws. */
  draws: {
    stream: Stream;
    iteration: number;
    offset: number;
    /**
     * For each dialogue, the index of its sequence of draws. Dialogues with the same index use the same draws. If this
     * field is absent, each dialogue uses the sequence with its own index.
     */
    lines?: readonly number[];
  };
  /**
   * For each dialogue, the turns that are fixed in advance. `isHidden` returns whether a turn is hidden from the other
   * agents. Neither option can be combined with candidates.
   */
  given?: RolloutRequest['given'];
  isHidden?: RolloutRequest['isHidden'];
  onTurn?: (trajectories: readonly Trajectory[]) => Promise<void>;
  onWord?: RolloutRequest['onWord'];
  /**
   * Scores answers. The scores are used for feedback and to decide whether agents agree. If this function is absent,
   * the world scores answers.
   */
  judge?: RolloutRequest['judge'];
  /**
   * The number of candidates for every turn (trees.ts). The default is 1, which means that there is no choice.
   * Evaluations use one candidate.
   */
  candidates?: number;
  /**
   * These functions are called in order, after the world has assessed the dialogues and before rewards are assigned.
   */
  appraisers?: readonly Appraiser[];
}

/** A function that examines assessed dialogues and stores values in their turns from which rewards are computed. */
export type Appraiser = (trajectories: readonly Trajectory[]) => Promise<void>;

/** Returns a function that scores answers with the world's verification. */
export function worldJudge(world: World): RolloutRequest['judge'] {
  return (said) => Promise.all(said.map(({ trajectory, turn }) => world.judge(trajectory.problem, turn)));
}

export interface Paid {
  trajectories: Trajectory[];
  /** The rewards of each dialogue, [trajectory] → [turn][agent]. */
  rewards: TurnRewards[];
  /** The number of tokens of all trajectories, including trajectories of groups that were drawn again. */
  sampledTokens: number;
}

/** Runs the team's dialogues about the problems, verifies every turn and assigns its reward. */
export async function rollOut(team: Team, request: TeamRequest): Promise<Paid> {
  const { config, world, protocol, settings, tokens, tokenizers, prompt } = team;
  const { stream, iteration, offset, lines } = request.draws;
  const lineOf = (row: number) => offset + (lines?.[row] ?? row);
  const { seed } = config.run;
  const rollout: RolloutRequest = {
    problems: request.problems,
    groups: request.groups,
    protocol,
    settings,
    policies: request.policies,
    tokens,
    world,
    prompt,
    decode: (ids, agent) => (tokenizers[agent] as Tokenizer).decode(ids),
    address: (row, ...turn) => turnAddress({ seed, stream, iteration }, lineOf(row), ...turn),
    maskDraw: (row, turn, listener) => {
      const window = protocol.roles.length;
      return uniformAt(turnAddress({ seed, stream: streams.masks, iteration }, lineOf(row), turn, window), listener);
    },
    judge: request.judge ?? worldJudge(world),
    ...(request.given && { given: request.given }),
    ...(request.isHidden && { isHidden: request.isHidden }),
    ...(request.onTurn && { onTurn: request.onTurn }),
    onWord: request.onWord,
  };
  const { candidates = 1 } = request;
  const { trunks: trajectories, branches } = await holdTrajectories(team, rollout, candidates);
  const scores = turnScores(trajectories);
  const assessments = await Promise.all(
    trajectories.map(({ problem, turns }) => world.assess(problem, turns, protocol)),
  );
  trajectories.forEach((trajectory, i) => {
    const found = assessments[i] as Assessment;
    noteAssessed(trajectory.turns, found.perTurn, settings);
    // If the last reply was truncated, the dialogue counts as unfinished even if the planner sent the finish token.
    const last = trajectory.turns.at(-1);
    if (last && trajectory.finishCode !== 0) last.parts = { ...last.parts, finished: 0 };
    trajectory.answer = found.answer;
    trajectory.isRight = found.isRight;
  });
  for (const appraise of request.appraisers ?? []) await appraise(trajectories);
  const rewards = trajectories.map((trajectory, i) =>
    payTrajectory(trajectory, (assessments[i] as Assessment).potentials, config, ownForm(world, trajectory.problem)),
  );
  const turns = [...trajectories, ...branches].flatMap(ownTurns);
  const sampledTokens = turns.reduce((sum, turn) => sum + turn.tokens.length, 0);
  if (candidates === 1) return { trajectories, rewards, sampledTokens };
  return { ...creditTrees({ trunks: trajectories, branches }, scores), sampledTokens };
}

/** The declaration of the world from which the problem was drawn. The rewards depend on this declaration. */
export const ownForm = (world: World, problem: Problem) =>
  problem.world === world.name ? world : formOf(problem.world);

/** [trajectory][turn] the reward of each turn for its step, without the reward for the outcome. */
export const stepsPaid = ({ config, world }: Team, trajectories: readonly Trajectory[]): number[][] =>
  trajectories.map((trajectory) => stepRewards(trajectory, config, ownForm(world, trajectory.problem)));

/** The level of the next training problem. With probability `world.easier`, the level is lower than `world.level`. */
function levelOf({ level, easier }: Config['world'], draws: Draws): number {
  return level > 1 && easier > 0 && draws.next() < easier ? 1 + draws.below(level - 1) : level;
}

/** Collects the dialogues of one iteration: `problemsPerIteration` groups of `groupSize` dialogues. */
export async function collectRollouts(
  team: Team,
  {
    iteration,
    ...request
  }: Pick<TeamRequest, 'policies' | 'onTurn' | 'onWord' | 'appraisers' | 'judge'> & { iteration: number },
): Promise<Paid> {
  const { learning, run, world } = team.config;
  const draws = new Draws(run.seed, streams.problems, iteration);
  const kept: Paid = { trajectories: [], rewards: [], sampledTokens: 0 };
  const spare: Paid = { trajectories: [], rewards: [], sampledTokens: 0 };
  const wanted = learning.problemsPerIteration * learning.groupSize;
  const batches = learning.filterGroups ? learning.maxGenBatches : 1;
  for (let batch = 0, offset = 0; batch < batches && kept.trajectories.length < wanted; batch++) {
    const missing = learning.problemsPerIteration - kept.trajectories.length / learning.groupSize;
    const drawn = Array.from({ length: missing }, () => team.world.draw(levelOf(world, draws), draws, 'training'));
    const problems = drawn.flatMap((problem) => Array.from({ length: learning.groupSize }, () => problem));
    const groups = problems.map((_, row) => Math.floor((offset + row) / learning.groupSize));
    const paid = await rollOut(team, {
      ...request,
      candidates: team.config.agents.candidates,
      problems,
      groups,
      draws: { stream: streams.sampling, iteration, offset },
    });
    offset += problems.length;
    kept.sampledTokens += paid.sampledTokens;
    const dead = learning.filterGroups ? deadGroupsOf(team, paid.trajectories) : new Set<number>();
    paid.trajectories.forEach((trajectory, i) => {
      const into = dead.has(trajectory.group) ? spare : kept;
      into.trajectories.push(trajectory);
      into.rewards.push(paid.rewards[i] as TurnRewards);
    });
  }
  // If there are still too few groups with different rewards, groups with equal rewards are added, so that every
  // iteration has the same number of groups.
  const missing = wanted - kept.trajectories.length;
  if (missing > 0) {
    kept.trajectories.push(...spare.trajectories.slice(0, missing));
    kept.rewards.push(...spare.rewards.slice(0, missing));
  }
  kept.trajectories.forEach((trajectory, index) => (trajectory.index = index));
  return kept;
}

/**
 * The groups in which all rewards are equal. If steps are compared separately, the rewards of the steps must be equal
 * too.
 */
function deadGroupsOf(team: Team, trajectories: readonly Trajectory[]): Set<number> {
  const { deadKeys } = deadGroups(
    trajectories.map(({ reward }) => reward),
    trajectories.map(({ group }) => String(group)),
  );
  const dead = new Set(deadKeys.map(Number));
  if (!comparesSteps(team.config)) return dead;
  const steps = stepsPaid(team, trajectories).flatMap((ofTurns, i) => {
    const { group, turns } = trajectories[i] as Trajectory;
    return ofTurns.map((paid, turn) => ({ group, paid, key: stepKey(group, turns[turn] as Turn) }));
  });
  for (const like of placesByKey(steps.map(({ key }) => key)).values()) {
    const own = like.map((at) => steps[at] as (typeof steps)[number]);
    if (!isDead(own.map(({ paid }) => paid))) dead.delete(own[0]?.group ?? -1);
  }
  return dead;
}

const stepKey = (problem: number, { agent, index: turn }: Turn) =>
  groupKey({ problem, agent, turn }, 'problem+agent+turn');

export const collectStage = stage({
  name: 'collect',
  phase: 'collect',
  reads: ['speakers'],
  run: async ({ team, iteration, speakers, onTurn, onWord }) => ({
    paid: await collectRollouts(team, { ...speakers, iteration, onTurn, onWord }),
  }),
});
