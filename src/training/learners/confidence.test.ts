// Tests the confidence factor of learners that compare units within a group. A unit has a larger factor if its tokens
// were more probable than the tokens of the other units in the group.
import { describe, expect, it } from 'vitest';
import { Draws, streams } from '../../base/random.ts';
import { parseConfig } from '../../config/parse.ts';
import type { GroupKeyName } from '../../config/names.ts';
import { referenceConfidence } from '../reference/credit.ts';
import { collectedOf, trajectoryOf, type SpokenTurn } from '../testing/spoken.ts';
import type { Collected } from './learner.ts';
import type { LearnerFormula } from './formula.ts';
import { learnerFormulaOf } from './formulas.ts';
import { learners } from './registry.ts';
import { groupUnits } from './units.ts';

interface Rollout {
  group: number;
  turns: SpokenTurn[];
  /** The log-probabilities of the tokens, [turn][token]. */
  logprobs: number[][];
}

function collected(
  rollouts: readonly Rollout[],
  { alpha = 0.25, groupKey = 'problem' as GroupKeyName, learner = 'grpo' as 'grpo' | 'rloo' } = {},
): Collected {
  const config = parseConfig({
    learning: { learner, groupKey },
    reward: {
      umadConfidence: alpha,
      over: groupKey === 'problem' ? 'sparse' : 'dense',
      across: groupKey === 'problem' ? 'sum' : 'own',
    },
    houseRule: { legalOperation: 1, rewrite: 1 },
  });
  const trajectories = rollouts.map(({ turns, group, logprobs }, index) => {
    const trajectory = trajectoryOf(turns, { index, group });
    trajectory.turns.forEach((turn, t) => (turn.logprobs = logprobs[t] as number[]));
    return trajectory;
  });
  return collectedOf(trajectories, config);
}

const advantagesOf = (of: Collected) => learners[of.config.learning.learner].advantages(of).advantages;

/** A dialogue with a plan of one token and a reply of two tokens, with these log-probabilities. */
const pairOf = (group: number, end: number, logprobs: number[][]): Rollout => ({
  group,
  logprobs,
  turns: [
    { agent: 0, tokens: [11], earned: {} },
    { agent: 1, tokens: [12, 2], earned: { rightAnswer: end } },
  ],
});

function drawn(seed: number): Rollout[] {
  const draws = new Draws(seed, streams.control, 61);
  return Array.from({ length: 2 + draws.below(6) }, (_, i): Rollout => {
    const turns = Array.from({ length: 1 + draws.below(4) }, (_t, t): SpokenTurn => {
      const tokens = Array.from({ length: 1 + draws.below(4) }, () => 11 + draws.below(6));
      return { agent: t % 2, tokens, earned: { rewrite: draws.below(3) / 2, rightAnswer: draws.below(2) } };
    });
    const logprobs = turns.map(({ tokens }) => tokens.map(() => -3 * draws.next()));
    return { group: i % 3, turns, logprobs };
  });
}

describe('the gain of confidence', () => {
  it('is exp(−α·NLL̃) of the whole dialogue, by hand', () => {
    // The mean NLLs of the two units over three tokens are 1 and 2, so their normalised NLLs are −1/√2 and 1/√2 (apart
    // from the 10⁻⁶ that is added to the spread). The advantages are 1/√2 and −1/√2.
    const of = collected([pairOf(0, 1, [[-1], [-0.5, -1.5]]), pairOf(0, 0, [[-2], [-2.5, -1.5]])]);
    expect(Array.from(groupUnits(of).confidence?.meanNll ?? [])).toEqual([1, 2]);
    const found = [...new Set(advantagesOf(of))].filter((x) => x !== 0);
    const half = Math.SQRT1_2;
    expect(found[0]).toBeCloseTo(half * Math.exp(0.25 * half), 4);
    expect(found[1]).toBeCloseTo(-half * Math.exp(-0.25 * half), 4);
    expect(found[0]).toBeCloseTo(0.843855, 4);
  });

  it('reads what each agent said by itself where agents are compared', () => {
    const rollouts = [pairOf(0, 1, [[-1], [-4, -2]]), pairOf(0, 0, [[-3], [-1, -1]])];
    const units = groupUnits(collected(rollouts, { groupKey: 'problem+agent' }));
    expect(Array.from(units.confidence?.meanNll ?? [])).toEqual([1, 3, 3, 1]);
  });

  it('agrees with the formula written out on 100 collections of odd shapes, for every key', () => {
    for (let seed = 0; seed < 100; seed++) {
      const groupKey = (['problem', 'problem+agent', 'problem+agent+turn'] as const)[seed % 3] as GroupKeyName;
      const learner = seed % 2 === 0 ? ('grpo' as const) : ('rloo' as const);
      const alpha = 0.1 + (seed % 7) / 5;
      const rollouts = drawn(seed);
      const of = collected(rollouts, { alpha, groupKey, learner });
      const { unitOf, keys } = groupUnits(of);
      const plain = advantagesOf(collected(rollouts, { alpha: 0, groupKey, learner }));
      const first = keys.map((_, unit) => unitOf.indexOf(unit));
      // The mean over the tokens of a unit, computed directly from the rows.
      const nlls = keys.map((_, unit) => {
        const own = [...of.batch.oldLogprobs].filter((_l, at) => unitOf[at] === unit);
        return -own.reduce((a, b) => a + b, 0) / own.length;
      });
      const expected = referenceConfidence(
        first.map((at) => plain[at] as number),
        nlls,
        keys,
        alpha,
      );
      const got = advantagesOf(of);
      unitOf.forEach((unit, at) => {
        if (unit < 0) return expect(got[at]).toBe(0);
        const wanted = expected[unit] as number;
        expect(Math.abs((got[at] as number) - wanted), `seed ${seed}`).toBeLessThan(1e-5 * (1 + Math.abs(wanted)));
      });
    }
  });

  it('keeps signs, dead groups and lone members, and is told as the groups are', () => {
    for (let seed = 0; seed < 40; seed++) {
      const rollouts = drawn(seed);
      const plain = learners.grpo.advantages(collected(rollouts, { alpha: 0 }));
      const gained = learners.grpo.advantages(collected(rollouts, { alpha: 1 }));
      expect(gained.groups).toEqual(plain.groups);
      expect(Array.from(gained.advantages, Math.sign)).toEqual(Array.from(plain.advantages, Math.sign));
    }
    const alone = [pairOf(0, 1, [[-1], [-2, -1]]), pairOf(1, 1, [[-3], [-2, -2]])];
    expect(advantagesOf(collected(alone, { alpha: 1 }))).toEqual(advantagesOf(collected(alone, { alpha: 0 })));
  });

  it('turned off leaves every bit where it was, and equally sure members too', () => {
    for (let seed = 0; seed < 40; seed++) {
      const rollouts = drawn(seed);
      expect(groupUnits(collected(rollouts, { alpha: 0 }))).not.toHaveProperty('confidence');
      const even = rollouts.map((rollout) => ({
        ...rollout,
        logprobs: rollout.logprobs.map((row) => row.map(() => -1)),
      }));
      expect(advantagesOf(collected(even, { alpha: 1 }))).toEqual(advantagesOf(collected(even, { alpha: 0 })));
    }
  });
});

it.each(['grpo', 'rloo'] as const)(
  'the formula card of a learner with a gain of confidence puts the factor before what %s has, and adds up at every token',
  (learner) => {
    const of = collected([...drawn(7), ...drawn(8)], { learner, alpha: 0.6 });
    const formula = learnerFormulaOf(of.config, of) as LearnerFormula;
    expect(formula.advantage(of.config)[0]).toEqual({ term: 'confidence' });
    const { confidence, reward, groupMean, groupSpread, othersMean } = formula.terms(of) as Record<
      string,
      Float64Array
    >;
    const advantages = advantagesOf(of);
    let seen = 0;
    groupUnits(of).unitOf.forEach((unit, at) => {
      if (unit < 0 || Number.isNaN((groupMean ?? othersMean)?.[at])) return;
      const gap = (reward?.[at] as number) - ((groupMean ?? othersMean)?.[at] as number);
      const plain = groupSpread ? gap / ((groupSpread[at] as number) + 1e-6) : gap;
      expect(advantages[at]).toBeCloseTo((confidence?.[at] as number) * plain, 5);
      seen++;
    });
    expect(seen).toBeGreaterThan(0);
    const off = collected([...drawn(7), ...drawn(8)], { learner, alpha: 0 });
    expect(formula.advantage(off.config)).not.toContainEqual({ term: 'confidence' });
    expect(formula.terms(off)).not.toHaveProperty('confidence');
  },
);
