// Tests the formula card of every learner with a clipped loss. The terms of each line must give the result that the
// next line uses, the loss of a token must be the side that min() chose, and the losses of all tokens must add up to
// the loss of the update.
import { describe, expect, it } from 'vitest';
import { mean, std } from '../../base/stats.ts';
import type { ConfigInput } from '../../config/schema.ts';
import type { Formula, TermName } from '../../records/formula.ts';
import { onCpu } from '../testing/onCpu.ts';
import { advantageOf, number, shownTokens, type Shown } from '../testing/shownTokens.ts';

onCpu();

const separate = { parameters: 'separate' } as const;
const mixing = { teamRewardIterations: 1, mixingSteps: 2, mixingBatch: 8, replaySize: 40 } as const;
/**
 * Each learner with its settings, the number of iterations before the card is shown, and the kind of advantage on the
 * card.
 */
const cards: [title: string, settings: ConfigInput, iterations: number, advantage: string][] = [
  ['grpo', { learning: { learner: 'grpo' } }, 2, 'grpo'],
  ['grpo, CISPO', { learning: { learner: 'grpo', surrogate: 'cispo' } }, 2, 'grpo'],
  ['grpo, SAPO', { learning: { learner: 'grpo', surrogate: 'sapo' } }, 2, 'grpo'],
  ['grpo, GMPO', { learning: { learner: 'grpo', surrogate: 'gmpo' } }, 2, 'grpo'],
  ['rloo', { learning: { learner: 'rloo' } }, 2, 'rloo'],
  ['opo', { learning: { learner: 'opo' } }, 2, 'opo'],
  [
    'passAtKGradient',
    { learning: { learner: 'passAtKGradient' }, reward: { format: 0.5, length: 1 } },
    2,
    'passAtKGradient',
  ],
  ['reinforcePlusPlus', { learning: { learner: 'reinforcePlusPlus' } }, 2, 'reinforcePlusPlus'],
  ['ppo', { learning: { learner: 'ppo', gamma: 0.9 } }, 2, 'ppo'],
  ['vdn, while its critic only learns', { learning: { learner: 'vdn', ...mixing } }, 1, 'grpo'],
  ['vdn', { learning: { learner: 'vdn', ...mixing } }, 3, 'mixed'],
  ['qmix', { learning: { learner: 'qmix', ...mixing } }, 3, 'mixed'],
  ['cory', { agents: separate, learning: { learner: 'cory' } }, 2, 'grpo'],
  ['ippo', { agents: separate, learning: { learner: 'ippo' }, reward: { across: 'own' } }, 2, 'ppo'],
];
const levels = [
  ['token', 'token', 0.02],
  ['turn', 'turn', 0.02],
  // Ratios of whole dialogues differ less from 1 than ratios of tokens, so their tolerance is smaller.
  ['trajectory', 'trajectory', 0.002],
  ['dialogue', 'dialogue', 0.002],
] as const;

/** The names of the terms in a line, in order. */
const termsOf = ({ lines }: Formula, name: TermName): TermName[] =>
  lines
    .filter(({ left }) => left === name)
    .flatMap(({ right }) => right.flatMap((part) => (typeof part === 'string' ? [] : [part.term])));

/** Checks every line of every card, at every token. */
function expectLines({ tokens, shown, formula }: Shown, advantage: string): void {
  const isWhitened = formula.lines.some(({ left }) => left === 'whitened');
  const multiplied = termsOf(formula, 'unclipped');
  const left = new Set(formula.lines.map((line) => line.left));
  if (left.has('clipped')) expect(termsOf(formula, 'clipped')).toEqual([...multiplied, 'low', 'high']);
  const learned = shown.rollouts.flatMap(({ turns }) => turns.flatMap((turn) => turn.tokens));
  expect(tokens).toHaveLength(learned.length);
  const sides = new Set<number>();
  for (const { turn, i, values } of tokens) {
    const v = (name: TermName) => number(values, name);
    expect(v(isWhitened ? 'whitened' : 'advantage')).toBe(turn.advantage[i]);
    if (isWhitened)
      expect((v('advantage') - v('advantageMean')) / Math.sqrt(v('advantageSpread') ** 2 + 1e-8)).toBeCloseTo(
        v('whitened'),
        4,
      );
    expect(advantageOf[advantage]?.(v)).toBeCloseTo(v('advantage'), 5);
    expect(Math.exp(Math.min(v('logratio'), v('clamp')))).toBeCloseTo(v('ratio'), 4);
    expect(v('ratio')).toBe(turn.ratio[i]);
    expect(v('weight')).toBeGreaterThan(0);
    expect(v('part')).toBeCloseTo(v('weight') * v('loss'), 9);
    if (left.has('logratio')) {
      expect(v('loss')).toBeCloseTo(-v('used') * v('ratio'), 6);
      sides.add(turn.won[i] as number);
      continue;
    }
    if (left.has('cut') || left.has('gate')) {
      const cut = Math.min(Math.max(v('ratio'), v('low')), v('high'));
      if (left.has('cut')) expect(v('loss')).toBeCloseTo(-v('used') * cut * Math.log(turn.p[i] as number), 4);
      else {
        const heat = v('used') > 0 ? v('heatPositive') : v('heatNegative');
        expect(v('loss')).toBeCloseTo((-v('used') * 4) / heat / (1 + Math.exp(heat * (1 - v('ratio')))), 9);
      }
      sides.add(left.has('gate') ? 1 : (turn.won[i] as number));
      continue;
    }
    // The expected factors are the factors that the line contains. If tokens with a common ratio have different
    // advantages, `used` is the mean of these advantages.
    expect(v('unclipped')).toBeCloseTo(-multiplied.reduce((product, name) => product * v(name), 1), 5);
    expect(v('unclipped')).toBeCloseTo(-v('used') * v('ratio'), 9);
    expect(v('clipped')).toBeCloseTo(-v('used') * Math.min(Math.max(v('ratio'), v('low')), v('high')), 9);
    // The loss contains the side that min() chose.
    const won = turn.won[i] as number;
    const sidesOf = [v('unclipped'), v('clipped'), v('dual') * Math.abs(v('used'))];
    expect(v('loss')).toBeCloseTo(sidesOf[won] as number, 5);
    sides.add(won);
  }
  expect(Math.max(...sides)).toBeGreaterThan(0);
}

describe.each(cards)('the card of %s', (_, settings, iterations, advantage) => {
  const addsUp = async (level: (typeof levels)[number], normAdv: boolean) => {
    const [ratioLevel, aggregation, clip] = level;
    const of = { ratioLevel, aggregation, normAdv, clipLow: clip, clipHigh: clip, dualClip: 1.05 };
    const found = await shownTokens({ ...settings, learning: { ...settings.learning, ...of } }, iterations);
    expect(found.formula.learner).toBe(settings.learning?.learner);
    expectLines(found, advantage);
  };

  it.each(levels.map((level) => [level[0], level] as const))('adds up at every token, ratios by %s', (_, level) =>
    addsUp(level, false),
  );

  // Several agents share a network and take part in one dialogue, and the advantages of each agent are whitened
  // separately.
  it('adds up at every token, ratios by trajectory, whitened', () => addsUp(levels[2], true));

  it('has parts whose sum is the policy loss, whatever the ratios are by', async () => {
    const totals: number[] = [];
    for (const [ratioLevel, aggregation] of [...levels, ['token', 'constant']] as const) {
      // There is only one minibatch, which contains one group. The step is so small that the ratios after the step are
      // practically equal to the ratios in the update.
      const few = { problemsPerIteration: 1, groupSize: 6, updateEpochs: 1, numMinibatches: 1 };
      const learning = { ...settings.learning, ...few, ratioLevel, aggregation };
      const optimiser = { learningRate: 1e-6, warmupUpdates: 1000 };
      const { tokens, metrics } = await shownTokens({ ...settings, learning, optimiser }, iterations);
      const parts = tokens.map(({ values }) => number(values, 'part'));
      const total = parts.reduce((sum, part) => sum + part, 0);
      expect(parts.reduce((sum, part) => sum + Math.abs(part), 0)).toBeGreaterThan(
        aggregation === 'constant' ? 0.01 : 0.05,
      );
      // The metric is a mean over the updates of all networks, and each network is updated once.
      const updates = settings.agents?.parameters === 'separate' ? 2 : 1;
      expect(total / updates).toBeCloseTo(metrics['losses/policy_loss'] as number, 5);
      totals.push(Math.abs(total));
    }
    // If all tokens of a group have the same weight, the sum of their losses is 0. The weights differ only at some
    // levels of the ratio.
    expect(Math.max(...totals)).toBeGreaterThan(1e-3);
  });
});

it('the worth on the card of qmix is what the message added and the critic missed, the spread that of all that are compared', async () => {
  const learning = { learner: 'qmix', ...mixing, problemsPerIteration: 1, groupSize: 6 } as const;
  const { tokens } = await shownTokens({ learning }, 3);
  const firsts = tokens.filter(({ i }) => i === 0).map(({ values }) => values);
  for (const { values } of tokens) {
    const v = (name: TermName) => number(values, name);
    expect(v('worth')).toBeCloseTo(v('roundValue') - v('roundWithout') + v('missed'), 9);
  }
  const centred = firsts.map((values) => number(values, 'worth') - number(values, 'othersWorth'));
  // If a message cannot be compared with other messages, the difference from their mean is 0. For all other messages, a
  // difference of 0 is rare.
  const compared = centred.filter((x) => x !== 0);
  expect(compared.length).toBeGreaterThan(2);
  expect(std(compared)).toBeGreaterThan(0);
  for (const values of firsts) expect(number(values, 'comparedSpread')).toBeCloseTo(std(compared), 5);
});

it('the reward on the card of cory is one for both agents, compared with those of all dialogues', async () => {
  const learning = { learner: 'cory', problemsPerIteration: 1, groupSize: 6 } as const;
  const { shown, tokens } = await shownTokens({ agents: separate, learning });
  const rewards = shown.rollouts.map(({ turns }) => {
    const own = tokens.filter(({ turn }) => turns.includes(turn)).map(({ values }) => number(values, 'reward'));
    expect(new Set(own.map((reward) => reward.toFixed(6))).size).toBe(1);
    return own[0] as number;
  });
  expect(std(rewards)).toBeGreaterThan(0);
  for (const { values } of tokens) {
    expect(number(values, 'groupMean')).toBeCloseTo(mean(rewards), 5);
    expect(number(values, 'groupSpread')).toBeCloseTo(std(rewards), 5);
  }
});
