// Tests shaping rewards in every protocol that supports them, with real worlds, and in all parts of the code that sum
// rewards. For each problem, the sum of the shaping rewards must be the same for all possible messages, so that shaping
// favours no behaviour.
import { describe, expect, it } from 'vitest';
import { Draws, streams } from '../../base/random.ts';
import { parseConfig } from '../../config/parse.ts';
import type { ConfigInput } from '../../config/schema.ts';
import { agentId } from '../../records/ids.ts';
import type { Problem } from '../../records/problem.ts';
import { setOf, setsOf, type Trajectory, type Turn } from '../../records/trajectory.ts';
import { singleRewards } from '../learners/tokenRewards.ts';
import { agentTotal, payTrajectory } from './rewards.ts';
import { assembleTeam, type Team } from '../team/team.ts';
import { trajectoryOf } from '../testing/spoken.ts';

const teams: [string, ConfigInput['agents']][] = [
  ['plan and reason', { protocol: 'reMA' }],
  ['a pioneer and an observer', { protocol: 'pioneerObserver' }],
  ['a debate of two', { protocol: 'debate', count: 2 }],
  ['a debate of three over three rounds', { protocol: 'debate', count: 3, roundLimit: 3 }],
  ['a summary of three over two rounds', { protocol: 'summary', count: 3, roundLimit: 2 }],
];

const replies = ['', '7', '3+1', '4*2=7+8;7+8=5', '2*4=8;8=8', '+', '9-9=0;0=0', '6'];

/** A dialogue of random replies, some of them truncated, in the order of the protocol. */
function said(team: Team, problem: Problem, draws: Draws): Trajectory {
  const { protocol, settings } = team;
  const turns: Partial<Turn>[] = [];
  const rounds = 1 + draws.below(settings.roundLimit);
  for (let round = 0; round < rounds; round++) {
    for (const agents of protocol.round) {
      const set = turns.length;
      for (const [place, agent] of agents.entries()) {
        const text = draws.below(4) === 0 ? problem.shown : draws.pick(replies);
        const isFinish = agent === protocol.finisher && draws.below(3) === 0;
        turns.push({
          agent: agentId(agent),
          role: protocol.roles[agent] as Turn['role'],
          round,
          text,
          isFinish,
          isTruncated: draws.below(8) === 0,
          ...(place > 0 && { set }),
        });
      }
    }
  }
  const trajectory = trajectoryOf(
    turns.map(() => ({ agent: 0, tokens: [11, 2] })),
    { problem, prompts: protocol.roles.map(() => [1, 10, 2]), finishCode: draws.below(4) === 0 ? 1 : 0 },
  );
  trajectory.turns.forEach((turn, t) => Object.assign(turn, turns[t]));
  return trajectory;
}

/** The returns that the learners compute for a dialogue if shaping has this weight. */
async function returnsOf(team: Team, trajectory: Trajectory, shaping: number) {
  const config = { ...team.config, reward: { ...team.config.reward, shaping } };
  const talk = structuredClone(trajectory);
  const found = await team.world.assess(talk.problem, talk.turns, team.protocol);
  talk.turns.forEach((turn, t) => Object.assign(turn, found.perTurn[t]));
  const rewards = payTrajectory(talk, found.potentials, config);
  // MAPPO sums the rewards of simultaneous turns and discounts once per set of such turns.
  const single = singleRewards(rewards, talk.turns, config.reward);
  const joint = setsOf(talk.turns).reduce((sum, set, s) => {
    const ofSet = set.reduce((total, { index }) => total + (single[index]?.[0] as number), 0);
    return sum + config.reward.gammaTurn ** s * ofSet;
  }, 0);
  return {
    ofAgents: rewards[0]?.map((_, agent) => agentTotal(rewards, agent, config)) ?? [],
    ofTrajectory: talk.reward,
    joint,
    atTurns: rewards,
    start: found.potentials[0] as number,
    potentials: found.potentials,
  };
}

describe.each(teams)('hints in %s', (_, agents) => {
  it.each([
    ['accumulated', 0.9, 'sum'],
    ['accumulated', 1, 'mean'],
    ['dense', 1, 'sum'],
  ] as const)('%s by %s cost the same whatever is said (%s)', async (over, gammaTurn, across) => {
    const reward = { over, gammaTurn, across, finished: 0.125, shaping: 0.5 };
    const houseRule = { legalOperation: 0.25, rewrite: 0.5 };
    const team = assembleTeam(parseConfig({ agents: { maskUnfinished: false, ...agents }, reward, houseRule }));
    const draws = new Draws(3, streams.control, 62);
    const problem = team.world.draw(1, draws, 'training');
    const share = across === 'sum' ? 1 : 1 / team.protocol.roles.length;
    let hinted = 0;
    for (let i = 0; i < 25; i++) {
      const trajectory = said(team, problem, draws);
      const plain = await returnsOf(team, trajectory, 0);
      const shaped = await returnsOf(team, trajectory, 0.5);
      const cost = -0.5 * plain.start * share;
      plain.ofAgents.forEach((r, agent) => expect((shaped.ofAgents[agent] as number) - r).toBeCloseTo(cost, 9));
      expect(shaped.ofTrajectory - plain.ofTrajectory).toBeCloseTo(cost, 9);
      expect(shaped.joint - plain.joint).toBeCloseTo(cost, 9);
      if (shaped.atTurns.flat().some((r, at) => Math.abs(r - (plain.atTurns.flat()[at] as number)) > 1e-9)) hinted++;
    }
    expect(hinted).toBeGreaterThan(10);
  });

  it('accumulated cost each turn what its set stood at, which those who are compared have in common', async () => {
    const reward = { over: 'accumulated', gammaTurn: 0.8, shaping: 0.5 } as const;
    const team = assembleTeam(parseConfig({ agents: { maskUnfinished: false, ...agents }, reward }));
    const draws = new Draws(4, streams.control, 63);
    const problem = team.world.draw(1, draws, 'training');
    for (let i = 0; i < 10; i++) {
      const trajectory = said(team, problem, draws);
      const plain = await returnsOf(team, trajectory, 0);
      const shaped = await returnsOf(team, trajectory, 0.5);
      trajectory.turns.forEach((turn, t) => {
        const moved = (shaped.atTurns[t]?.[0] as number) - (plain.atTurns[t]?.[0] as number);
        expect(moved).toBeCloseTo(-0.5 * (plain.potentials[setOf(turn)] as number), 9);
      });
    }
  });
});

it('hints that are discounted while turns are not would favour some dialogues: that is why they are refused', async () => {
  const given = { agents: { protocol: 'debate', count: 2, maskUnfinished: false }, reward: { over: 'dense' } } as const;
  expect(() => parseConfig({ ...given, reward: { over: 'dense', gammaTurn: 0.5, shaping: 0.5 } })).toThrow('gammaTurn');
  const config = parseConfig(given);
  config.reward.gammaTurn = 0.5;
  const team = assembleTeam(config);
  const draws = new Draws(5, streams.control, 64);
  const problem = team.world.draw(1, draws, 'training');
  const costs = new Set<string>();
  for (let i = 0; i < 20; i++) {
    const trajectory = said(team, problem, draws);
    const [plain, shaped] = [await returnsOf(team, trajectory, 0), await returnsOf(team, trajectory, 0.5)];
    costs.add((shaped.ofTrajectory - plain.ofTrajectory).toFixed(6));
  }
  expect(costs.size).toBeGreaterThan(1);
});
