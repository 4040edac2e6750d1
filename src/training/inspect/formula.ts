// Builds the formula card of a run's learner: the lines of the formula for the run's settings, and the numbers that the
// update used for every token.
import type { Surrogate } from '../../config/names.ts';
import type { Config } from '../../config/schema.ts';
import { whitenByAgent } from '../maths/advantage.ts';
import {
  parts,
  termSymbols,
  type Formula,
  type FormulaLine,
  type FormulaPart,
  type TermName,
} from '../../records/formula.ts';
import type { TermColumns } from '../learners/formula.ts';
import { learnerFormulaOf } from '../learners/formulas.ts';
import type { Collected } from '../learners/learner.ts';
import { learners } from '../learners/registry.ts';
import { lossWeights } from '../maths/loss.ts';
import type { Objective } from '../update/objectives.ts';
import { firstEpoch, imitationFormula, preferenceFormula } from './objectiveFormula.ts';
import { isArithmetic, meansOverSpans, tokenSpans } from '../maths/ratio.ts';
import { actionCount, masksOf, selectRows, type RowBatch } from '../rows/rows.ts';
import { sideLines } from './sideTerms.ts';
import type { Team } from '../team/team.ts';

/** The inputs of an update that are needed for the formula card, in addition to the rows of the update. */
export interface UpdateInputs {
  collected: Collected;
  /** [B·T] advantages before whitening. */
  raw: Float32Array;
  /** The numbers (indices) of the networks that learned. */
  learned: readonly number[];
  /** [B·T] targets of the networks' own critics; empty if there are none. */
  returns?: Float32Array;
  /** The objective that was used instead of the policy loss, if any. */
  objective?: Objective | undefined;
}

/** The lines and constants of the formula card for these settings; null for a learner without a card. */
export function formulaOf(config: Config, collected: Pick<Collected, 'mixed'>): Formula | null {
  const { learning } = config;
  const { loss, updates } = learners[learning.learner];
  const isSequential = updates === 'oneAfterAnother';
  if (loss !== 'policy') return loss === 'preference' ? preferenceFormula(config) : imitationFormula(config);
  const ofLearner = learnerFormulaOf(config, collected);
  if (!ofLearner) return null;
  // If the advantages of each agent are whitened separately, the tokens of a dialogue with several agents have
  // different advantages.
  const isUniform = ofLearner.isUniform(config) && !(learning.normAdv && learning.ratioLevel === 'dialogue');
  const isMean = !isUniform && learning.ratioLevel !== 'token';
  const ofAll = learning.normAdv ? 'whitened' : 'advantage';
  const own = isSequential ? 'sequential' : ofAll;
  const used = isMean ? 'used' : own;
  const span = learning.ratioLevel;
  const lines: (FormulaLine | false)[] = [
    ...(ofLearner.before?.(config) ?? []),
    { title: 'Advantage', left: 'advantage', right: ofLearner.advantage(config) },
    learning.normAdv && {
      title: 'Whitened',
      left: 'whitened',
      right: parts`(${'advantage'} − ${'advantageMean'}) / √(${'advantageSpread'}² + 10⁻⁸)`,
    },
    isSequential && { title: 'After others', left: 'sequential', right: parts`${ofAll} · ${'others'}` },
    isMean && {
      title: `Over the ${span}`,
      left: 'used',
      right: [`mean of ${termSymbols[own]} over the ${span}`],
    },
    learning.surrogate === 'gmpo' && { title: 'Bounded', left: 'logratio', right: ['mean of the bounded log-ratios'] },
    { title: 'Ratio', left: 'ratio', right: ratioParts(learning) },
    ...lossLines[learning.surrogate](used, learning),
    { title: 'Part', left: 'part', right: parts`${'weight'} · ${'loss'}` },
  ];
  const sides = sideLines(config);
  return {
    learner: learning.learner,
    lines: [...lines.filter((line) => line !== false), ...sides.lines],
    constants: {
      ...sides.constants,
      ...ofLearner.constants(config),
      clamp: learning.logratioClamp,
      ...lossConstants(learning),
    },
  };
}

/** The lines from the ratio to the loss of a token. `used` is the advantage that the update uses. */
const lossLines: Record<Surrogate, (used: TermName, learning: Config['learning']) => FormulaLine[]> = {
  clipped(used, { dualClip }) {
    const larger = parts`max(${'unclipped'}, ${'clipped'})`;
    return [
      { title: 'Unclipped', left: 'unclipped', right: parts`−${used} · ${'ratio'}` },
      { title: 'Clipped', left: 'clipped', right: parts`−${used} · clip(${'ratio'}, ${'low'}, ${'high'})` },
      { title: 'Loss', left: 'loss', right: dualClip > 0 ? parts`min(${larger}, ${'dual'} · |${used}|)` : larger },
    ];
  },
  cispo: (used) => [
    { title: 'Weight', left: 'cut', right: parts`clip(${'ratio'}, ${'low'}, ${'high'})` },
    { title: 'Loss', left: 'loss', right: parts`−${used} · ${'cut'} · ${'logp'}` },
  ],
  sapo: (used) => [
    { title: 'Gate', left: 'gate', right: parts`4 · sigmoid(${'heat'} · (${'ratio'} − 1)) / ${'heat'}` },
    { title: 'Loss', left: 'loss', right: parts`−${used} · ${'gate'}` },
  ],
  gmpo: (used) => [{ title: 'Loss', left: 'loss', right: parts`−${used} · ${'ratio'}` }],
};

function lossConstants(learning: Config['learning']): Formula['constants'] {
  const { surrogate, dualClip, gatePositive, gateNegative } = learning;
  if (surrogate === 'gmpo') return {};
  if (surrogate === 'sapo') return { heatPositive: gatePositive, heatNegative: gateNegative };
  const band = { low: 1 - learning.clipLow, high: 1 + learning.clipHigh };
  return { ...band, ...(surrogate === 'clipped' && dualClip > 0 && { dual: dualClip }) };
}

function ratioParts(learning: Config['learning']): FormulaPart[] {
  if (isArithmetic(learning, learning.surrogate)) return ['mean of the turn’s token ratios'];
  return parts`exp(min(${'logratio'}, ${'clamp'}))`;
}

/**
 * [B·T] the terms of the learner's own formula and of whitening. `used` contains the advantages that the update used.
 * The raw advantages are included if whitening or the updates of other agents change them.
 */
export function advantageTerms({ collected, raw, returns }: UpdateInputs, used: Float32Array): TermColumns {
  const { config, batch } = collected;
  const { learner, normAdv } = config.learning;
  const isSequential = learners[learner].updates === 'oneAfterAnother';
  const terms = { ...learnerFormulaOf(config, collected)?.terms(collected) };
  if (returns)
    Object.assign(terms, { target: Float64Array.from(returns), valueBefore: Float64Array.from(collected.values) });
  if (normAdv || isSequential) terms.advantage = Float64Array.from(raw);
  const whitened = normAdv ? whitenByAgent(raw, { ...batch, mask: batch.actionMask }) : null;
  if (whitened) Object.assign(terms, { advantageMean: whitened.centre, advantageSpread: whitened.spread });
  if (!isSequential) return terms;
  if (whitened) terms.whitened = whitened.values;
  const own = whitened?.values ?? Float64Array.from(raw);
  terms.others = own.map((x, at) => (x === 0 ? 1 : (used[at] as number) / x));
  return terms;
}

/**
 * [B·T] the weight and the share of each token in its minibatch in the first epoch. `rows` are the rows of one network.
 */
export function firstWeights(
  batch: RowBatch,
  rows: readonly number[],
  at: { team: Team; iteration: number },
): { weight: Float64Array; share: Float64Array } {
  const { config, maxActionTokens } = at.team;
  const [weights, shares] = [new Float64Array(batch.ids.length), new Float64Array(batch.ids.length)];
  for (const members of firstEpoch(undefined, { batch, own: rows }, { config, iteration: at.iteration })) {
    const own = members.flat();
    const cut = selectRows(batch, own, {}).batch;
    const { weight } = lossWeights(masksOf(cut), { ...config.learning, maxActionTokens });
    own.forEach((b, i) => weights.set(weight.subarray(i * cut.length, (i + 1) * cut.length), b * batch.length));
    const share = 1 / actionCount(cut);
    for (const b of own) shares.fill(share, b * batch.length, (b + 1) * batch.length);
  }
  return { weight: weights, share: shares };
}

/**
 * [B·T] the log-ratios whose mean is the ratio. GMPO bounds them beforehand: from above if the advantage `used` [B·T] is
 * positive, and from below otherwise.
 */
export function boundedLogratios(
  logratios: Float64Array,
  used: ArrayLike<number>,
  { learning: { surrogate, clipLow, clipHigh } }: Config,
): Float64Array {
  if (surrogate !== 'gmpo') return logratios;
  return logratios.map((x, at) => ((used[at] as number) > 0 ? Math.min(x, clipHigh) : Math.max(x, -clipLow)));
}

/**
 * [B·T] for each token, the mean of a column over the token's span; 0 outside spans. The spans are the tokens that have
 * a common ratio.
 */
export function spanMeans(column: ArrayLike<number>, batch: RowBatch, { learning }: Config): Float64Array {
  return meansOverSpans(column, tokenSpans(masksOf(batch), learning.ratioLevel));
}
