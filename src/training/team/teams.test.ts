// Tests teams other than planner and reasoner, with real networks: their rows contain the tokens that were sampled,
// their accuracy is compared with the right ceilings, and the teams can be trained.
import { describe, expect, it } from 'vitest';
import { Draws, streams } from '../../base/random.ts';
import type { ConfigInput } from '../../config/schema.ts';
import { decodingPolicy } from '../../model/decoding/decoder.ts';
import { initialWeights } from '../../model/network/parameters.ts';
import type { Problem } from '../../records/problem.ts';
import type { Utterance } from '../../tasks/world.ts';
import { evaluateTeam, silentCeiling } from '../evaluation/evaluate.ts';
import { disposeNetwork, freshState, uploadNetwork } from './network.ts';
import { rightByRound } from '../collect/creditPay.ts';
import { assembleTeam, type Team } from './team.ts';
import { onCpu } from '../testing/onCpu.ts';
import { microConfig, startRun } from '../testing/microRun.ts';
import type { Network } from './network.ts';

onCpu();

const teams: [string, NonNullable<ConfigInput['agents']>][] = [
  ['pioneer and observer', { protocol: 'pioneerObserver' }],
  ['debate of two', { protocol: 'debate', count: 2 }],
  ['debate of four, with masks and feedback', { protocol: 'debate', count: 4, maskPeers: 0.3, feedback: true }],
  ['debate of three that stops when agreed', { protocol: 'debate', count: 3, consensus: 0.6 }],
  ['vote of eight', { protocol: 'vote', count: 8 }],
  ['vote of one', { protocol: 'vote', count: 1 }],
  ['summary of three, in two rounds', { protocol: 'summary', count: 3, roundLimit: 2 }],
];

async function withTeam<T>(settings: ConfigInput, use: (team: Team, network: Network) => Promise<T>): Promise<T> {
  const team = assembleTeam(microConfig(settings));
  const network = uploadNetwork(freshState(initialWeights(team.shape, 1), team.shape, false), team.shape);
  try {
    return await use(team, network);
  } finally {
    disposeNetwork(network);
  }
}
const policiesOf = (team: Team, network: Network) => team.networkOf.map(() => decodingPolicy(network.tree, team.shape));

describe.each(teams)('a %s', (_, agents) => {
  it('trains on what it decoded, and says of every answer whether it was right', async () => {
    const run = await startRun({ agents, learning: { updateEpochs: 1, numMinibatches: 1 } });
    await run.session.train(2);
    for (const { metrics } of run.store.iterations) {
      expect(metrics.values['losses/approx_kl']).toBeLessThan(1e-6);
      expect(metrics.values['losses/clipfrac']).toBe(0);
    }
    const trajectories = run.collected().flat();
    await run.session.dispose();
    expect(trajectories).toHaveLength(32);
    for (const { turns, prompts, ...rest } of trajectories) {
      const table = rightByRound({ turns, prompts, ...rest });
      expect(table).toHaveLength(new Set(turns.map(({ round }) => round)).size);
      for (const row of table) expect(row).toHaveLength(prompts.length);
      for (const turn of turns) expect(turn.isRight).toBe(turn.score === 1);
    }
  });
});

describe('what a team is measured against', () => {
  const measure = (agents: ConfigInput['agents']) =>
    withTeam({ agents, evaluation: { problems: 8 } }, (team, network) =>
      evaluateTeam(team, { policies: policiesOf(team, network), iteration: 0, withMasked: true }),
    );
  const ceiling = async (agents: ConfigInput['agents']) => (await measure(agents)).ceiling;

  it('is the share right without messages where nobody whose answer counts sees the rule, else everything', async () => {
    const low = await ceiling({});
    expect(low).toBeLessThan(0.68);
    expect(await ceiling({ protocol: 'pioneerObserver' })).toBe(low);
    expect(await ceiling({ protocol: 'summary' })).toBe(low);
    expect(await ceiling({ protocol: 'debate', informed: 'nobody' })).toBe(low);
    expect(await ceiling({ protocol: 'pioneerObserver', informed: 'all' })).toBe(1);
    expect(await ceiling({ protocol: 'debate' })).toBe(1);
    expect(await ceiling({ protocol: 'vote' })).toBe(1);
  });

  it('claims of a vote of agents who see different texts no more than that one of them is right', async () => {
    const halves = { protocol: 'debate', count: 2 } as const;
    const team = assembleTeam(
      microConfig({ world: { name: 'entailment' }, agents: halves, houseRule: { legalOperation: 0, rewrite: 0 } }),
    );
    const draws = new Draws(1, streams.control, 0);
    // An agent that sees no rule about the claim gives no answer, so the answer of the other agent counts. The team can
    // therefore be right without any messages.
    const silent = ({ shown, hidden }: Problem, half: string, agent: number): Utterance => {
      const rule = new RegExp(`(Every|No) \\w+ is ${shown.slice(0, -1).split(' ').at(-1)}\\.`).exec(hidden[half] ?? '');
      const text = rule ? (rule[1] === 'Every' ? ' follows' : ' contradicted') : '.';
      return { role: 'debater', agent, text, isFinish: false };
    };
    let right = 0;
    for (let i = 0; i < 300; i++) {
      const problem = team.world.draw(1, draws, 'training');
      const said = ['first', 'second'].map((half, agent) => silent(problem, half, agent));
      right += Number((await team.world.assess(problem, said, team.protocol)).isRight);
    }
    expect(right / 300).toBeGreaterThan(0.6);
    expect(team.world.ceiling(1, ['first'])).toBe(0.5);
    expect(silentCeiling(team)).toBe(1);
  });

  it('is also itself with its messages hidden, where it has any', async () => {
    expect(await measure({ protocol: 'debate' })).toHaveProperty('maskedMessage');
    expect(await measure({ protocol: 'summary' })).toHaveProperty('maskedMessage');
    expect(await measure({ protocol: 'vote' })).not.toHaveProperty('maskedMessage');
  });
});
