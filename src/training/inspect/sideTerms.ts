// The lines of the formula card for the terms that are added to the policy loss: value, entropy and KL, with the
// numbers of each token. The total loss is policyLoss + vfCoef·valueLoss − entCoef·entropy + klCoef·refKl
import { placesByKey } from '../../base/groups.ts';
import { criticOf } from '../../config/learners/registry.ts';
import type { Config } from '../../config/schema.ts';
import { parts, type FormulaLine, type TermValues } from '../../records/formula.ts';
import type { TermColumns } from '../learners/formula.ts';
import { klOf } from '../maths/kl.ts';
import { isBonusOfLiving, lives, tiedRows } from '../update/livingRows.ts';

const hasValues = (config: Config) => criticOf(config) === 'head';
const hasDistance = ({ kl }: Config) => kl.place === 'loss';

/**
 * The lines of the card for the terms that these settings use, and the constants of these terms. The constants are the
 * same for all tokens.
 */
export function sideLines(config: Config): { lines: FormulaLine[]; constants: TermValues } {
  const { learning, kl } = config;
  const lines: FormulaLine[] = [];
  const constants: TermValues = {};
  if (hasValues(config)) {
    const step = parts`${'valueBefore'} + clip(${'valueNow'} − ${'valueBefore'}, ±${'valueClip'})`;
    const right = parts`max((${'valueNow'} − ${'target'})², (${step} − ${'target'})²) / 2`;
    lines.push({ title: 'Value error', left: 'valueError', right });
    lines.push({ title: 'Value part', left: 'valuePart', right: parts`${'vfCoef'} · ${'valueError'} · ${'share'}` });
    Object.assign(constants, { vfCoef: learning.vfCoef, valueClip: learning.valueClip });
  }
  if (learning.entCoef > 0) {
    const bonus = parts`−${'entCoef'} · ${'entropyOf'} · ${'share'}`;
    lines.push({
      title: 'Entropy part',
      left: 'entropyPart',
      right: isBonusOfLiving(config) ? parts`${bonus} · ${'isLiving'}` : bonus,
    });
    constants.entCoef = learning.entCoef;
  }
  if (hasDistance(config)) {
    lines.push({ title: 'KL part', left: 'klPart', right: parts`${'klCoef'} · ${'distance'} · ${'share'}` });
    constants.klCoef = kl.coef;
  }
  const beside = lines.map(({ left }) => left).filter((left) => left !== 'valueError');
  if (beside.length > 0) {
    const right = beside.reduce((sum, name) => parts`${sum} + ${name}`, parts`${'part'}`);
    lines.push({ title: 'In total', left: 'total', right });
  }
  return { lines, constants };
}

/** [N] facts about tokens after the update. */
export interface Now {
  entropies: Float64Array;
  logprobs: Float64Array;
  /** Log-probabilities of the reference; null if there is none. */
  reference: ArrayLike<number> | null;
  /** The critic's values; null if there is no critic. */
  values: ArrayLike<number> | null;
  /** [B·T] the advantages, in rows of `length` tokens. */
  advantages: Float32Array;
  length: number;
  /** The trajectory of each row. */
  trajectoryIds: readonly number[];
  agentIds: readonly number[];
}

/** [N] the numbers in the lines of `sideLines` that are not inputs of the update. */
export function sideTerms(config: Config, now: Now): TermColumns {
  const { entropies, logprobs, reference, values } = now;
  const terms: TermColumns = {};
  if (config.learning.entCoef > 0) terms.entropyOf = entropies;
  if (isBonusOfLiving(config)) {
    const living = livingRows(config, now);
    terms.isLiving = Float64Array.from(entropies, (_, at) => (living[Math.floor(at / now.length)] ? 1 : 0));
  }
  if (hasDistance(config) && reference)
    terms.distance = logprobs.map((logp, at) => klOf((reference[at] as number) - logp, config.kl.estimator));
  if (hasValues(config) && values) terms.valueNow = Float64Array.from(values);
  return terms;
}

/**
 * Whether each row has an advantage other than 0. If several rows have a common ratio and one of these rows has such an
 * advantage, all of these rows count as living.
 */
function livingRows(config: Config, now: Now): boolean[] {
  const isAlive = now.trajectoryIds.map((_, row) => lives(now, row));
  for (const rows of tiedRows([...placesByKey(now.trajectoryIds).values()], now, config) ?? [])
    if (rows.some((row) => isAlive[row])) for (const row of rows) isAlive[row] = true;
  return isAlive;
}
