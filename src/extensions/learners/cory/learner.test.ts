// Tests the advantages of CORY: both agents of a dialogue are rewarded by the sum of their rewards, and a KL penalty is
// subtracted from each agent's reward for its own divergence.
import { describe, expect, it } from 'vitest';
import { Draws, streams } from '../../../base/random.ts';
import { parseConfig } from '../../../config/parse.ts';
import { referenceGroup } from '../../../training/reference/advantages.ts';
import { referenceKl } from '../../../training/reference/policy.ts';
import { eachAction } from '../../../training/rows/rows.ts';
import { collectedOf, trajectoryOf, type SpokenTurn } from '../../../training/testing/spoken.ts';
import { learners } from '../../../training/learners/registry.ts';

/** A dialogue: the number of its problem, its turns, and the KL penalty of each token, [turn][token]. */
interface Rollout {
  group: number;
  turns: SpokenTurn[];
  charges: number[][];
}

/** The advantage that the learner gives to each token: [rollout][turn][token]. */
function advantagesOf(rollouts: readonly Rollout[], groupStd = true): number[][][] {
  const config = parseConfig({
    learning: { learner: 'cory', groupKey: 'problem+agent', groupStd },
    reward: { across: 'sum' },
    houseRule: { legalOperation: 1, rewrite: 2 },
  });
  const of = collectedOf(
    rollouts.map(({ turns, group }, index) => trajectoryOf(turns, { index, group })),
    config,
  );
  // The positions of the tokens of each turn, which are adjacent.
  const places = rollouts.map(({ turns }) => turns.map((): number[] => []));
  eachAction(of.batch, ({ at, trajectory, turn }) => places[trajectory]?.[turn]?.push(at));
  rollouts.forEach(({ charges }, i) =>
    charges.flat().forEach((charge, n) => (of.tokenCharge[places[i]?.flat()[n] as number] = charge)),
  );
  const { advantages } = learners.cory.advantages(of);
  return places.map((turns) => turns.map((own) => own.map((at) => advantages[at] as number)));
}

/**
 * Random dialogues of two agents about up to three problems. An agent may be silent, and a penalty by the k1 estimator
 * may be negative and thus increase the reward.
 */
function drawn(seed: number): Rollout[] {
  const draws = new Draws(seed, streams.control, 67);
  const beta = draws.pick([0, 0.1, 2]);
  return Array.from({ length: 2 + draws.below(7) }, () => {
    const turns = Array.from({ length: 1 + draws.below(4) }, (): SpokenTurn => {
      const tokens = Array.from({ length: 1 + draws.below(4) }, () => 11 + draws.below(6));
      const earned = { legalOperation: draws.below(2), rewrite: draws.below(3) / 2, rightAnswer: draws.below(2) };
      return { agent: draws.below(2), tokens, earned };
    });
    const charge = () => Math.fround(beta * referenceKl(-2 * draws.next(), -2 * draws.next(), 'k1'));
    return { group: draws.below(3), turns, charges: turns.map(({ tokens }) => tokens.map(charge)) };
  });
}

describe('cory', () => {
  it('subtracts each agent’s own KL, and not that of the other agents', () => {
    const rollouts = [0, 0.5, 1].map((end, i): Rollout => ({
      group: 0,
      turns: [
        { agent: 0, tokens: [11, 2], earned: { legalOperation: 1 } },
        { agent: 1, tokens: [12, 13, 2], earned: { rewrite: 1 } },
        { agent: 0, tokens: [3], earned: { rightAnswer: end } },
      ],
      // The penalty is 0.25 for each of the three tokens of the first agent in the first dialogue, and 0 for all
      // others.
      charges: i === 0 ? [[0.25, 0.25], [0, 0, 0], [0.25]] : [[0, 0], [0, 0, 0], [0]],
    }));
    // The rewards of the first agent after the penalty are 3 − 0.75, 3.5 and 4, with mean 3.25 and standard deviation
    // 0.90139. The rewards of the second agent are 3, 3.5 and 4.
    const [firsts, seconds] = [
      [-1.1094, 0.27735, 0.83205],
      [-1, 0, 1],
    ] as [number[], number[]];
    advantagesOf(rollouts).forEach((turns, i) => {
      const [first, second] = [firsts[i], seconds[i]].map((x) => expect.closeTo(x as number, 5) as number);
      expect(turns).toEqual([[first, first], [second, second, second], [first]]);
    });
  });

  it('divides the KL by the spread too, so with equal rewards the advantages are ± 1/√2 for any weight', () => {
    for (const beta of [0.01, 2]) {
      // The divergences are 0 nats in one dialogue and 2 nats in the other.
      const rollouts = [0, 2].map((strayed): Rollout => ({
        group: 0,
        turns: [0, 1].map((agent) => ({ agent, tokens: [11], earned: { legalOperation: 1 } })),
        charges: [[beta * strayed], [beta * strayed]],
      }));
      const [near, far] = [Math.SQRT1_2, -Math.SQRT1_2].map((x) => expect.closeTo(x, 3) as number);
      expect(advantagesOf(rollouts)).toEqual([
        [[near], [near]],
        [[far], [far]],
      ]);
    }
  });

  it('agrees with the explicit formula on 100 collections of odd shapes', () => {
    const seen = { apart: 0, lone: 0, gains: 0 };
    for (let seed = 0; seed < 100; seed++) {
      const [rollouts, isDivided] = [drawn(seed), seed % 4 > 0];
      // For each agent that speaks, the team's reward R minus the agent's own penalties.
      const units = rollouts.flatMap(({ group, turns, charges }, rollout) =>
        [...new Set(turns.map(({ agent }) => agent))].map((agent) => {
          let reward = 0;
          for (const { earned = {} } of turns)
            reward += (earned.legalOperation ?? 0) + 2 * (earned.rewrite ?? 0) + (earned.rightAnswer ?? 0);
          const own = charges.filter((_, t) => turns[t]?.agent === agent).flat();
          const charge = own.reduce((sum, x) => sum + x, 0);
          if (charge < 0) seen.gains++;
          return { rollout, agent, key: `${group}/${agent}`, reward: reward - charge };
        }),
      );
      const keys = units.map(({ key }) => key);
      // If an agent spoke in only one dialogue of its group, its reward cannot be compared with that of another
      // dialogue.
      const isLone = (key: string) => keys.indexOf(key) === keys.lastIndexOf(key);
      const compared = referenceGroup(
        units.map(({ reward }) => reward),
        keys,
        isDivided,
      );
      const expected = compared.map((x, at) => (isLone(keys[at] as string) ? 0 : x));
      seen.lone += keys.filter(isLone).length;
      advantagesOf(rollouts, isDivided).forEach((turns, i) => {
        const unitOf = (agent: number) => units.findIndex((unit) => unit.rollout === i && unit.agent === agent);
        const [first, second] = [0, 1].map((agent) => expected[unitOf(agent)]);
        if (first !== undefined && second !== undefined && Math.abs(first - second) > 0.1) seen.apart++;
        turns.forEach((tokens, t) => {
          const wanted = expected[unitOf(rollouts[i]?.turns[t]?.agent as number)] as number;
          expect(tokens).toHaveLength(rollouts[i]?.turns[t]?.tokens.length as number);
          for (const got of tokens)
            expect(Math.abs(got - wanted), `seed ${seed}`).toBeLessThan(1e-6 * (1 + Math.abs(wanted)));
        });
      });
    }
    expect(Math.min(seen.apart, seen.lone, seen.gains)).toBeGreaterThan(30);
  });
});
