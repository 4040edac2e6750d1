// A run in which agents hear messages of other dialogues, in training and in evaluation. The tests check the effect of
// the seed, and the tokens on which each agent is trained.
import { describe, expect, it } from 'vitest';
import type { ConfigInput } from '../../config/schema.ts';
import { livelyWeights } from '../../model/testing/reference.ts';
import type { Trajectory } from '../../records/trajectory.ts';
import { examinedTrajectories } from '../evaluation/evaluate.ts';
import { creditTruth } from '../evaluation/creditTruth.ts';
import { turnKey } from '../learners/units.ts';
import { buildRows } from '../rows/rows.ts';
import { agentPolicies } from './agentPolicies.ts';
import { disposeNetwork, freshState, uploadNetwork } from '../team/network.ts';
import { assembleTeam } from '../team/team.ts';
import { onCpu } from '../testing/onCpu.ts';
import { microConfig, startRun } from '../testing/microRun.ts';
import { collectRollouts } from './collect.ts';
import { heardTurns } from './influencePass.ts';

onCpu();

async function talkOf(agents: ConfigInput['agents'], seed = 1) {
  const learning = { problemsPerIteration: 3, groupSize: 2 };
  const team = assembleTeam(microConfig({ agents: { stopWhenTruncated: false, ...agents }, learning, run: { seed } }));
  const networks = [uploadNetwork(freshState(livelyWeights(team.shape, 5), team.shape, false), team.shape)];
  const policies = agentPolicies({ team, networks });
  const { trajectories } = await collectRollouts(team, { policies, iteration: 0 });
  const examined = await examinedTrajectories(team, team.world.heldOut(1, 3), { policies });
  const truth = await creditTruth(team, trajectories.slice(0, 2), { policies, draws: 2, iteration: 0 });
  networks.forEach(disposeNetwork);
  return { team, trajectories, examined, truth };
}

/** The dialogues from which a heard plan may have been taken. These dialogues have the same plan at the same turn. */
const sources = (all: readonly Trajectory[], { turns }: Trajectory, at: number) =>
  all.filter((other) => String(other.turns[at]?.tokens) === String(turns[at]?.heardAs?.tokens));

describe('plans of other problems', () => {
  it('are heard in training and where it is measured, of a dialogue about another problem at the same turn', async () => {
    const { trajectories, examined } = await talkOf({ shuffled: 'first' });
    for (const all of [trajectories, examined])
      for (const one of all)
        for (const { index, agent, heardAs } of one.turns) {
          expect(heardAs !== undefined).toBe((agent as number) === 0);
          if (heardAs) expect(sources(all, one, index).some(({ problem }) => problem.id !== one.problem.id)).toBe(true);
        }
  });

  it('are the same by the same seed, and others by another', async () => {
    const heard = ({ trajectories }: { trajectories: Trajectory[] }) =>
      trajectories.map(({ turns }) => turns.map(({ heardAs }) => heardAs?.tokens));
    const first = await talkOf({ shuffled: 'all' });
    expect(await talkOf({ shuffled: 'all' })).toMatchObject({ trajectories: first.trajectories, truth: first.truth });
    expect(heard(await talkOf({ shuffled: 'all' }, 2))).not.toEqual(heard(first));
  });

  it('change nothing of what was said before anybody heard them, nor of the draws', async () => {
    const [shuffled, plain] = [await talkOf({ shuffled: 'first' }), await talkOf({})];
    const first = ({ trajectories }: typeof plain) =>
      trajectories.map(({ problem, turns: [plan] }) => [problem, plan?.tokens, plan?.logprobs]);
    expect(first(shuffled)).toEqual(first(plain));
    expect(plain.trajectories.some(({ turns }) => turns.some((turn) => 'heardAs' in turn))).toBe(false);
  });
});

describe('what is learned from', () => {
  it('is of the planner what it said, of the reasoner what it heard', async () => {
    const { team, trajectories } = await talkOf({ shuffled: 'first' });
    const plain = trajectories.map((one) => ({ ...one, turns: one.turns.map(({ heardAs: _, ...turn }) => turn) }));
    const rows = (all: readonly Trajectory[], agent: number) => buildRows(all, [agent], team.tokens);
    expect(rows(plain, 0)).toEqual(rows(trajectories, 0));
    expect(rows(plain, 1)).not.toEqual(rows(trajectories, 1));
    // The reasoner’s rows depend only on the messages that the reasoner hears.
    const otherPlans = trajectories.map((one) => ({
      ...one,
      turns: one.turns.map((turn) => (turn.heardAs ? { ...turn, tokens: turn.tokens.toReversed() } : turn)),
    }));
    expect(rows(otherPlans, 1)).toEqual(rows(trajectories, 1));
    for (const one of otherPlans) {
      const key = (of: Trajectory) => turnKey(of, { agent: 1, turn: 1 });
      expect(key(one)).toBe(key(trajectories[one.index] as Trajectory));
    }
  });

  it('is what was decoded: the ratio of the first epoch is 1, in trees as well', async () => {
    for (const agents of [{ shuffled: 'all' }, { shuffled: 'first', candidates: 2 }] as const) {
      const learning = {
        updateEpochs: 1,
        numMinibatches: 1,
        ...('candidates' in agents && { groupKey: 'problem+agent+turn' as const }),
      };
      const reward = 'candidates' in agents ? ({ over: 'dense', across: 'own' } as const) : {};
      const run = await startRun({ agents, learning, reward });
      await run.session.train(2);
      for (const { metrics } of run.store.iterations) expect(metrics.values['losses/approx_kl']).toBeLessThan(1e-6);
      expect(
        run
          .collected()
          .flat()
          .some(({ turns }) => turns.some(({ heardAs }) => heardAs)),
      ).toBe(true);
      await run.session.dispose();
    }
  });

  it('counts no influence for a message that nobody heard', async () => {
    const { team, trajectories } = await talkOf({ shuffled: 'first' });
    const [one] = trajectories as [Trajectory];
    expect(heardTurns(one, 1, team.tokens)).toEqual([]);
    expect(heardTurns(one, 0, team.tokens).length).toBeGreaterThan(0);
  });
});
