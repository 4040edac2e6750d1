// For tests. Provides the formula card of a short run, with the numbers of every token in the shown dialogues.
import type { ConfigInput } from '../../config/schema.ts';
import { termValues, type Formula, type TermName, type TermValues } from '../../records/formula.ts';
import type { GroupInspection, TurnInspection } from '../../records/inspection.ts';
import { startRun } from './microRun.ts';

export interface Shown {
  formula: Formula;
  shown: GroupInspection;
  /** The tokens of the shown group that were used in the update. */
  tokens: { turn: TurnInspection; i: number; values: TermValues }[];
  metrics: Record<string, unknown>;
}

/** Trains for some iterations. Returns the numbers of the formula card for all tokens of the shown group. */
export async function shownTokens(settings: ConfigInput, iterations = 2): Promise<Shown> {
  const { session, store } = await startRun(settings);
  await session.train(iterations);
  const stored = store.iterations[iterations - 1];
  const shown = stored?.shown as GroupInspection;
  await session.dispose();
  const formula = shown.formula as Formula;
  const tokens = shown.rollouts.flatMap(({ turns }) =>
    turns.flatMap((turn) =>
      turn.tokens.flatMap((_, i) => {
        const values = termValues(formula, turn, i);
        return values ? [{ turn, i, values }] : [];
      }),
    ),
  );
  return { formula, shown, tokens, metrics: stored?.metrics.values as unknown as Record<string, unknown> };
}

export const number = (values: TermValues, name: TermName) => values[name] as number;

/** For each kind of card, a function that computes the advantage from the terms of its line. */
export const advantageOf: Record<string, (v: (name: TermName) => number) => number> = {
  grpo: (v) => (v('reward') - v('groupMean')) / (v('groupSpread') + 1e-6),
  opo: (v) => v('reward') - v('lengthMean'),
  passAtKGradient: (v) => Math.max(0, v('reward') - v('othersBest')) / (v('groupSpread') + 1e-6),
  rloo: (v) => v('reward') - v('othersMean'),
  reinforcePlusPlus: (v) => (v('toGo') - v('batchMean')) / Math.sqrt(v('batchSpread') ** 2 + 1e-8),
  ppo: (v) => v('paid') + v('gamma') * v('nextValue') - v('value') + v('gamma') * v('lambda') * v('nextAdvantage'),
  mixed: (v) => (v('worth') - v('othersWorth')) / (v('comparedSpread') + 1e-6),
};
