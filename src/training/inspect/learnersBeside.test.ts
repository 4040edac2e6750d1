// Tests the advantages that other learners would compute for the same tokens. The advantages are compared with explicit
// formulas. The tests also cover learners that cannot be evaluated because the run lacks their inputs.
import { expect, it } from 'vitest';
import { mean, std } from '../../base/stats.ts';
import type { BesideLearner } from '../../records/besides.ts';
import type { ConfigInput } from '../../config/schema.ts';
import {
  referenceBest,
  referenceGroup,
  referenceLengthWeighted,
  referenceLoo,
  referenceReinforce,
} from '../reference/advantages.ts';
import type { Collected } from '../learners/learner.ts';
import { onCpu } from '../testing/onCpu.ts';
import { startRun } from '../testing/microRun.ts';
import { inspectGroup } from './inspect.ts';
import { learnersBeside } from './learnersBeside.ts';

onCpu();

async function collectedBy(settings: ConfigInput) {
  const { session } = await startRun(settings);
  await session.train(1);
  const { inspectable } = session;
  if (!inspectable?.estimate) throw new Error('nothing has moved since the iteration');
  return { inspectable, collected: inspectable.estimate.collected };
}
const of = (all: readonly BesideLearner[], name: string) =>
  all.find(({ learner }) => learner === name) as BesideLearner;
const groupsOf = ({ trajectories }: Collected) => [...new Set(trajectories.map(({ group }) => group))];

it('each learner without a critic gives what its paper does, on every token of every group', async () => {
  const { collected, inspectable } = await collectedBy({ reward: { over: 'dense' } });
  const { trajectories, rewards, config } = collected;
  for (const group of groupsOf(collected)) {
    const shown = await inspectGroup(inspectable, group);
    const all = learnersBeside(collected, group);
    const earned = shown.rollouts.map(({ trajectory }) => trajectory.reward);
    const keys = earned.map(() => 'one');
    const expected: Record<string, number[]> = {
      grpo: referenceGroup(earned, keys, config.learning.groupStd),
      cory: referenceGroup(earned, keys, config.learning.groupStd),
      rloo: referenceLoo(earned, keys),
      opo: referenceLengthWeighted(
        earned,
        keys,
        shown.rollouts.map(({ trajectory }) =>
          trajectoryTokens(trajectory.turns).reduce((sum, count) => sum + count, 0),
        ),
      ),
      passAtKGradient: referenceBest(earned, keys, config.learning.groupStd),
      sft: shown.rollouts.map(({ trajectory }) => (trajectory.isRight ? 1 : 0)),
    };
    for (const [name, ofRollouts] of Object.entries(expected)) {
      const found = of(all, name).advantages as number[][][];
      found.forEach((turns, i) => {
        expect(turns.map(({ length }) => length)).toEqual(trajectoryTokens(shown.rollouts[i]?.trajectory.turns ?? []));
        turns.flat().forEach((a) => expect(a).toBeCloseTo(ofRollouts[i] as number, 4));
      });
    }
    // For the run's own learner, the result must be the advantages that the update used.
    expect(of(all, 'grpo').advantages).toEqual(
      shown.rollouts.map(({ turns }) => turns.map(({ advantage }) => advantage)),
    );
    expect(of(all, 'ppo')).toMatchObject({ lacking: 'needs a critic with the view of one agent' });
    for (const name of ['mappo', 'happo', 'vdn', 'qmix']) expect(of(all, name).lacking).toMatch(/^needs a .*critic/);
  }
  // REINFORCE++ normalises the advantages of each agent over the whole batch. There is one row for each agent, and the
  // reward of a turn is assigned to the last token of the turn.
  const rows = trajectories.flatMap(({ turns, prompts }, i) =>
    prompts.map((_, agent) => ({ i, agent, own: turns.filter((turn) => (turn.agent as number) === agent) })),
  );
  const spoken = rows.filter(({ own }) => own.length > 0);
  const paid = spoken.map(({ i, agent, own }) => {
    const all = rewards[i]?.map((ofTurn) => ofTurn[agent] as number) ?? [];
    return own.flatMap(({ index, tokens }, n) => {
      const from = n === 0 ? 0 : index;
      const until = own[n + 1]?.index ?? all.length;
      const sum = all.slice(from, until).reduce((a, b) => a + b, 0);
      return tokens.map((_, t) => (t === tokens.length - 1 ? sum : 0));
    });
  });
  const whitened = referenceReinforce(paid, config.learning.gamma);
  const [group] = groupsOf(collected) as [number];
  const { rollouts } = await inspectGroup(inspectable, group);
  const found = of(learnersBeside(collected, group), 'reinforcePlusPlus').advantages as number[][][];
  rollouts.forEach(({ trajectory }, r) =>
    spoken.forEach(({ i, own }, row) => {
      if (trajectories[i]?.index !== trajectory.index) return;
      const numbers = own.flatMap(({ index }) => found[r]?.[index] ?? []);
      numbers.forEach((a, t) => expect(a).toBeCloseTo(whitened[row]?.[t] as number, 4));
    }),
  );
});

const trajectoryTokens = (turns: readonly { tokens: readonly number[] }[]) => turns.map(({ tokens }) => tokens.length);

it('with a critic of one agent PPO and IPPO are asked, and whitening holds for all alike', async () => {
  const { collected, inspectable } = await collectedBy({ learning: { learner: 'ppo', normAdv: true } });
  const [group] = groupsOf(collected) as [number];
  const all = learnersBeside(collected, group);
  const shown = await inspectGroup(inspectable, group);
  const used = shown.rollouts.map(({ turns }) => turns.map(({ advantage }) => advantage));
  expect(of(all, 'ppo').advantages).toEqual(used);
  expect(of(all, 'ippo').advantages).toEqual(used);
  expect(of(all, 'mappo').lacking).toBe('needs a critic with the whole dialogue as input');
  const everything = groupsOf(collected).flatMap((one) => of(learnersBeside(collected, one), 'rloo').advantages ?? []);
  for (const agent of [0, 1]) {
    const numbers = groupsOf(collected).flatMap((one, g) =>
      collected.trajectories
        .filter((trajectory) => trajectory.group === one)
        .flatMap((_, m, { length }) => {
          const turns = everything[g * length + m] ?? [];
          return turns.filter((__, turn) => turn % 2 === agent).flat();
        }),
    );
    expect(mean(numbers)).toBeCloseTo(0, 4);
    expect(std(numbers)).toBeCloseTo(1, 3);
  }
});
