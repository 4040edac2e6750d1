import { describe, expect, it } from 'vitest';
import { termValues, type TermName } from '../../records/formula.ts';
import { formulaTerms } from '../../records/formulaTerms.ts';
import type { TurnInspection } from '../../records/inspection.ts';
import { onCpu } from '../testing/onCpu.ts';
import { advantageOf, number, shownTokens } from '../testing/shownTokens.ts';

onCpu();

const byTurn = { parameters: 'lora', adapterPer: 'turn', loraRank: 4 } as const;

describe('the formula card', () => {
  for (const learner of ['grpo', 'rloo', 'opo', 'passAtKGradient'] as const) {
    it(`of ${learner} shows outcome and step where they are compared apart`, async () => {
      const { tokens, formula } = await shownTokens({
        learning: { learner, outcomeShare: 0.6 },
        reward: { format: 0.5, length: 1 },
      });
      const differing = new Set<number>();
      for (const { values } of tokens) {
        const v = (name: TermName) => number(values, name);
        const step = (name: TermName) =>
          v(
            (
              {
                reward: 'stepReward',
                groupMean: 'stepMean',
                othersMean: 'stepMean',
                lengthMean: 'stepMean',
                othersBest: 'stepMean',
                groupSpread: 'stepSpread',
              } as const
            )[name as 'reward'],
          );
        // If no other rollout of the group has a turn at this position, the step cannot be compared.
        const ofStep = Number.isFinite(v('stepMean')) ? (advantageOf[learner]?.(step) ?? 0) : 0;
        expect(v('outcomeAdvantage')).toBeCloseTo(advantageOf[learner]?.(v) ?? 0, 6);
        expect(v('stepAdvantage')).toBeCloseTo(ofStep, 6);
        expect(0.6 * v('outcomeAdvantage') + 0.4 * v('stepAdvantage')).toBeCloseTo(v('advantage'), 5);
        differing.add(Math.round(1e4 * ofStep));
      }
      expect(formula.constants['outcomeShare']).toBe(0.6);
      expect(formula.lines.slice(0, 3).map(({ title }) => title)).toEqual(['Outcome', 'Step', 'Advantage']);
      expect(differing.size).toBeGreaterThan(2);
    });
  }

  for (const learner of ['grpo', 'ppo', 'happo'] as const) {
    it(`of ${learner} is filled in for each turn by what its own adapter was given`, async () => {
      const { tokens, shown } = await shownTokens({
        agents: byTurn,
        // There is only one minibatch, so that this test can calculate the weight of each turn.
        learning: {
          learner,
          ratioLevel: 'token',
          aggregation: 'token',
          numMinibatches: 1,
          problemsPerIteration: 1,
          groupSize: 8,
        },
      });
      expect(tokens).toHaveLength(shown.rollouts.flatMap(({ turns }) => turns.flatMap((turn) => turn.tokens)).length);
      const said = (turn: TurnInspection) => {
        const { trajectory, turns } = shown.rollouts.find((rollout) => rollout.turns.includes(turn)) ?? {};
        const { agent, round } = trajectory?.turns[turns?.indexOf(turn) ?? -1] ?? {};
        return `${agent} ${round}`;
      };
      const counts = new Map<string, number>();
      for (const { turn } of tokens) counts.set(said(turn), (counts.get(said(turn)) ?? 0) + 1);
      expect(counts.size).toBe(6);
      for (const { turn, i, values } of tokens) {
        const v = (name: TermName) => number(values, name);
        expect(v('weight')).toBeCloseTo(1 / (counts.get(said(turn)) as number), 7);
        expect(Math.exp(Math.min(v('logratio'), v('clamp')))).toBeCloseTo(v('ratio'), 4);
        const sidesOf = [v('unclipped'), v('clipped'), v('dual') * Math.abs(turn.advantage[i] as number)];
        expect(v('loss')).toBeCloseTo(sidesOf[turn.won[i] as number] as number, 5);
        expect(v('part')).toBeCloseTo(v('weight') * v('loss'), 7);
      }
    });
  }

  for (const learner of ['mappo', 'happo'] as const) {
    for (const normAdv of [false, true]) {
      it(`of ${learner} adds up over the turns of the whole team${normAdv ? ', whitened' : ''}`, async () => {
        const { tokens, shown, formula } = await shownTokens({
          agents: { parameters: 'separate' },
          learning: { learner, normAdv },
          reward: { gammaTurn: 0.9 },
        });
        expect(formula.lines.map(({ left }) => left)).toContain(learner === 'happo' ? 'sequential' : 'advantage');
        expect(tokens).toHaveLength(shown.rollouts.flatMap(({ turns }) => turns.flatMap((turn) => turn.tokens)).length);
        const changed = new Set<boolean>();
        for (const { turn, i, values } of tokens) {
          const v = (name: TermName) => number(values, name);
          expect(advantageOf['ppo']?.(v)).toBeCloseTo(v('advantage'), 5);
          const own = normAdv ? v('whitened') : v('advantage');
          if (normAdv)
            expect((v('advantage') - v('advantageMean')) / Math.sqrt(v('advantageSpread') ** 2 + 1e-8)).toBeCloseTo(
              own,
              5,
            );
          const used = learner === 'happo' ? v('sequential') : own;
          if (learner === 'happo') expect(own * v('others')).toBeCloseTo(used, 5);
          expect(used).toBe(turn.advantage[i]);
          expect(v('loss')).toBeCloseTo(
            [v('unclipped'), v('clipped'), v('dual') * Math.abs(used)][turn.won[i] as number] as number,
            5,
          );
          changed.add(learner === 'happo' && Math.abs(v('others') - 1) > 1e-6);
        }
        if (learner === 'happo') expect(changed).toEqual(new Set([true, false]));
      });
    }
  }

  for (const [kind, smoothing, hasReference] of [
    ['sigmoid', 0.1, true],
    ['robust', 0.2, true],
    ['robust', 0, true],
    ['simpo', 0, true],
    ['sigmoid', 0, false],
    ['hinge', 0, true],
    ['ipo', 0, true],
    ['ipoOfSum', 0, true],
  ] as const) {
    it(`of dpo adds up to the loss of its pairs (${kind}${hasReference ? '' : ', reference-free'})`, async () => {
      const beta = 0.5;
      const { tokens, shown, metrics, formula } = await shownTokens(
        {
          learning: {
            ...{ learner: 'dpo', preferenceKind: kind, preferenceBeta: beta, preferenceSmoothing: smoothing },
            ...{ preferenceReference: hasReference, problemsPerIteration: 1, groupSize: 6 },
            ...{ updateEpochs: 1, numMinibatches: 1 },
          },
          optimiser: { learningRate: 1e-6, warmupUpdates: 1000 },
        },
        1,
      );
      expect(formula.loss).toBe('preference');
      const pairs = new Map<string, number>();
      for (const { turn, i, values } of tokens) {
        const v = (name: TermName) => number(values, name);
        expect(v('margin')).toBeCloseTo(v('better') - v('worse'), 6);
        if (hasReference && kind !== 'simpo')
          expect(Math.exp(-v('gap')) + v('gap') - 1).toBeCloseTo(turn.kl[i] as number, 5);
        else expect(v('gap')).toBeCloseTo(Math.log(turn.p[i] as number), 5);
        const x = beta * v('margin');
        const log = (y: number) => Math.log(1 / (1 + Math.exp(-y)));
        const expected = {
          robust: (-(1 - smoothing) * log(x) + smoothing * log(-x)) / (1 - 2 * smoothing),
          simpo: -log(x - 1),
          sigmoid: -(1 - smoothing) * log(x) - smoothing * log(-x),
          hinge: Math.max(0, 1 - x),
          ipo: (v('margin') - 1 / (2 * beta)) ** 2,
          ipoOfSum: (v('margin') - 1 / (2 * beta)) ** 2,
        }[kind];
        expect(v('loss')).toBeCloseTo(expected, 6);
        expect(Math.sign(v('push'))).toBe(-v('side'));
        pairs.set(v('margin').toFixed(9), v('part'));
      }
      // All tokens of a pair have the same loss term, because it is computed from the sum or mean over the tokens of
      // each side.
      const total = [...pairs.values()].reduce((sum, part) => sum + part, 0);
      expect(total).toBeCloseTo(metrics['losses/policy_loss'] as number, 4);
      const sums = shown.rollouts.map(({ turns }) =>
        turns
          .flatMap((turn) => turn.tokens.map((_, i) => termValues(formula, turn, i)))
          .flatMap((values) => values ?? []),
      );
      for (const values of sums.filter(({ length }) => length > 0)) {
        const sum = values.reduce((all, { gap }) => all + (gap as number), 0);
        const own = kind === 'ipo' || kind === 'simpo' ? sum / values.length : sum;
        const push = kind === 'ipo' ? 1 / values.length : 1;
        if (kind.startsWith('ipo')) {
          const [{ side = 0, margin = 0, push: pushed } = {}] = values;
          expect(pushed).toBeCloseTo(2 * side * (margin - 1 / (2 * beta)) * push, 5);
        }
        expect(own).toBeCloseTo((values[0]?.side === 1 ? values[0].better : values[0]?.worse) as number, 5);
      }
    });
  }

  it('of sft sums to its loss, and is empty for dialogues that are not imitated', async () => {
    const { shown, tokens, metrics, formula } = await shownTokens(
      {
        learning: { learner: 'sft', problemsPerIteration: 1, groupSize: 32, updateEpochs: 1, numMinibatches: 1 },
        optimiser: { learningRate: 1e-6, warmupUpdates: 1000 },
        warmStart: { source: 'train', steps: 120, batchSize: 16 },
      },
      1,
    );
    expect(formula.loss).toBe('imitation');
    for (const { trajectory, turns } of shown.rollouts)
      for (const turn of turns) expect(termValues(formula, turn, 0) !== null).toBe(trajectory.isRight);
    for (const { turn, i, values } of tokens) expect(values.loss).toBeCloseTo(-Math.log(turn.p[i] as number), 6);
    const total = tokens.reduce((sum, { values }) => sum + number(values, 'part'), 0);
    expect(tokens.length).toBeGreaterThan(0);
    expect(total).toBeCloseTo(metrics['losses/policy_loss'] as number, 4);
  });

  it('counts value, entropy and KL beside the policy, and sums to the whole loss', async () => {
    const { tokens, metrics, formula } = await shownTokens(
      {
        learning: {
          ...{ learner: 'ppo', problemsPerIteration: 1, groupSize: 6, updateEpochs: 1, numMinibatches: 1 },
          ...{ vfCoef: 0.7, entCoef: 0.03 },
        },
        kl: { place: 'loss', coef: 0.5, estimator: 'mse' },
        // Two iterations are trained, so that policy and reference differ.
        optimiser: { learningRate: 1e-4, warmupUpdates: 0 },
      },
      2,
    );
    expect(formula.lines.map(({ left }) => left)).toEqual(
      expect.arrayContaining(['valueError', 'valuePart', 'entropyPart', 'klPart', 'total']),
    );
    const sum = (name: TermName) => tokens.reduce((all, { values }) => all + number(values, name), 0);
    const metric = (name: string) => metrics[`losses/${name}`] as number;
    const whole =
      metric('policy_loss') + 0.7 * metric('value_loss') - 0.03 * metric('entropy') + 0.5 * metric('ref_kl');
    // The metrics were computed before the optimiser step, and the card after the step, so the numbers agree only
    // approximately.
    expect(sum('valuePart')).toBeCloseTo(0.7 * metric('value_loss'), 2);
    expect(sum('entropyPart')).toBeCloseTo(-0.03 * metric('entropy'), 3);
    expect(sum('klPart')).toBeGreaterThan(0);
    expect(sum('total')).toBeCloseTo(sum('part') + sum('valuePart') + sum('entropyPart') + sum('klPart'), 9);
    expect(sum('total')).toBeCloseTo(whole, 2);
  });

  it('gives no bonus in a dead group where only living ones have it', async () => {
    const { tokens, formula } = await shownTokens({
      learning: { learner: 'grpo', problemsPerIteration: 1, groupSize: 4, entCoef: 0.03, livingEntropy: true },
    });
    const { right = [] } = formula.lines.find(({ left }) => left === 'entropyPart') ?? {};
    expect(right.at(-1)).toEqual({ term: 'isLiving' });
    for (const { values } of tokens) {
      expect(values.isLiving).toBe(values.advantage === 0 ? 0 : 1);
      const bonus = -0.03 * number(values, 'entropyOf') * number(values, 'share') * number(values, 'isLiving');
      expect(number(values, 'entropyPart')).toBeCloseTo(bonus, 12);
    }
  });

  it('gives the bonus to all of a dialogue that one ratio ties together, if one row of it has an advantage', async () => {
    const tied = { groupKey: 'problem+agent', ratioLevel: 'dialogue', aggregation: 'dialogue' } as const;
    const learning = { ...tied, problemsPerIteration: 2, groupSize: 2, entCoef: 0.03, livingEntropy: true };
    const { tokens, shown } = await shownTokens({ learning, reward: { across: 'own', format: 0.5 } }, 1);
    const dialogueOf = (turn: TurnInspection) => shown.rollouts.findIndex(({ turns }) => turns.includes(turn));
    const living = new Set(tokens.filter(({ values }) => values.advantage !== 0).map(({ turn }) => dialogueOf(turn)));
    const ofDead = tokens.filter(({ turn, values }) => living.has(dialogueOf(turn)) && values.advantage === 0);
    expect(ofDead.length).toBeGreaterThan(0);
    for (const { turn, values } of tokens) expect(values.isLiving).toBe(living.has(dialogueOf(turn)) ? 1 : 0);
  });

  it('shows whitening where it is on', async () => {
    const { tokens, formula } = await shownTokens({ learning: { learner: 'grpo', normAdv: true } });
    expect(formula.lines.map(({ left }) => left)).toContain('whitened');
    for (const { turn, i, values } of tokens) {
      const v = (name: TermName) => number(values, name);
      expect((v('advantage') - v('advantageMean')) / Math.sqrt(v('advantageSpread') ** 2 + 1e-8)).toBeCloseTo(
        v('whitened'),
        5,
      );
      expect(v('whitened')).toBe(turn.advantage[i]);
    }
  });

  it('is filled in only where something was learned', async () => {
    const learning = { learner: 'rloo', switchEvery: 1, startAgent: 0 } as const;
    const { shown, formula } = await shownTokens({ agents: { parameters: 'separate' }, learning });
    // Only agent 1 learns in the second iteration.
    for (const { trajectory, turns } of shown.rollouts)
      turns.forEach((turn, t) => {
        expect(termValues(formula, turn, 0) !== null).toBe(trajectory.turns[t]?.agent === 1);
      });
  });

  it('names only terms that it knows the worth of', async () => {
    const { formula, tokens } = await shownTokens({ learning: { learner: 'ppo', ratioLevel: 'turn' } });
    const named = formula.lines.flatMap(({ left, right }) => [
      left,
      ...right.flatMap((part) => (typeof part === 'string' ? [] : [part.term])),
    ]);
    expect(new Set(named).size).toBeGreaterThan(12);
    for (const name of named) {
      expect(formulaTerms[name].name).not.toBe('');
      expect(Number.isFinite(tokens[0]?.values[name])).toBe(true);
    }
  });
});
