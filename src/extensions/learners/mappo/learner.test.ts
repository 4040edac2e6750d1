import { describe, expect, it } from 'vitest';
import { ShapeError } from '../../../base/errors.ts';
import { parseConfig } from '../../../config/parse.ts';
import type { ConfigInput } from '../../../config/schema.ts';
import { collectedOf, trajectoryOf } from '../../../training/testing/spoken.ts';
import type { Collected } from '../../../training/learners/learner.ts';
import { learners } from '../../../training/learners/registry.ts';

/**
 * The three turns (of the planner, of the reasoner, and the one that finishes) have the rewards 1, 2 and 4, and the
 * critic's values 0.5, 0.25 and 1.
 */
function collected(settings: ConfigInput, charge = 0): Collected {
  const config = parseConfig({
    ...settings,
    learning: { learner: 'mappo', lambdaTurn: 0.5 },
    houseRule: { legalOperation: 1, rewrite: 2 },
    reward: { rightAnswer: 1, across: 'mean', gammaTurn: 0.9, ...settings.reward },
    agents: { ...settings.agents, maskUnfinished: false },
  });
  const trajectory = trajectoryOf([
    { agent: 0, tokens: [11, 2], earned: { legalOperation: 1 } },
    { agent: 1, tokens: [12, 13, 2], earned: { rewrite: 1 } },
    { agent: 0, tokens: [3], earned: { rightAnswer: 4 } },
  ]);
  const found = collectedOf([trajectory], config);
  const tokenCharge = found.batch.actionMask.map((is) => is * charge);
  return { ...found, tokenCharge, joint: { values: Float32Array.of(9, 0.5, 0.25, 9, 1), places: [[1, 2, 4]] } };
}
const of = (given: Collected) => learners[given.config.learning.learner].advantages(given);
const tokensOf = ({ batch }: Collected, advantages: Float32Array, turn: number) =>
  [...advantages].filter((_, at) => batch.actionMask[at] === 1 && batch.turnIds[at] === turn);

describe('mappo', () => {
  it('computes one estimate over all turns in time order, and every token gets that of its turn', () => {
    const given = collected({ reward: { over: 'dense' } });
    const { advantages, tracks } = of(given);
    // There are two agents, so the team's reward of a turn is half of the turn's reward: 0.5, 1 and 2.
    const third = 2 - 1;
    const second = 1 + 0.9 * 1 - 0.25 + 0.9 * 0.5 * third;
    const first = 0.5 + 0.9 * 0.25 - 0.5 + 0.9 * 0.5 * second;
    [first, second, third].forEach((expected, turn) => {
      const tokens = tokensOf(given, advantages, turn);
      expect(tokens).toHaveLength([2, 3, 1][turn] as number);
      tokens.forEach((token) => expect(token).toBeCloseTo(expected, 6));
    });
    expect(tracks).toEqual([{ places: [[1], [2], [4]], rewards: [0.5, 1, 2] }]);
    expect(advantages.filter((_, at) => given.batch.actionMask[at] === 0).every((x) => x === 0)).toBe(true);
  });

  it('is the same with dense and with accumulated rewards', () => {
    const [dense, accumulated] = (['dense', 'accumulated'] as const).map((over) => of(collected({ reward: { over } })));
    [...(dense?.advantages ?? [])].forEach((x, at) => expect(accumulated?.advantages[at]).toBeCloseTo(x, 6));
  });

  it('subtracts the charge for a turn’s tokens from the reward of this turn', () => {
    const [free, charged] = [0, 0.1].map((charge) => collected({ reward: { over: 'dense' } }, charge));
    const at = (given: Collected | undefined, turn: number) =>
      tokensOf(given as Collected, of(given as Collected).advantages, turn)[0] as number;
    expect(at(free, 2) - at(charged, 2)).toBeCloseTo(0.1, 6);
    expect(at(free, 1) - at(charged, 1)).toBeCloseTo(0.3 + 0.45 * 0.1, 6);
  });

  it('requires the values of a joint critic', () => {
    const { joint: _, ...without } = collected({});
    expect(() => of(without)).toThrow(ShapeError);
  });
});
