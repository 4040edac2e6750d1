// Builds the formula card for losses other than the clipped policy loss: DPO (2305.18290) and imitation. The numbers
// are computed from the rows of the group with the weights after the update.
import * as tf from '@tensorflow/tfjs-core';
import { comparesWithReference } from '../../config/sections/imitation.ts';
import type { Config } from '../../config/schema.ts';
import { parts, type Formula, type FormulaLine, type FormulaPart, type TermName } from '../../records/formula.ts';
import type { TermColumns } from '../learners/formula.ts';
import { dpoLoss, goesByMean, type PreferenceOptions } from '../maths/dpoLoss.ts';
import { readOnce } from '../rows/forward.ts';
import { cutObjective, learnable, type Objective } from '../update/objectives.ts';
import { actionCount, selectRows, type RowBatch } from '../rows/rows.ts';
import { minibatchesOf } from '../update/update.ts';

const part: FormulaLine = { title: 'Part', left: 'part', right: parts`${'weight'} · ${'loss'}` };

/** The lines and constants of the formula card for a preference loss with these settings. */
export function preferenceFormula({ learning }: Config): Formula {
  const { learner, preferenceKind: kind, preferenceBeta: beta, preferenceSmoothing: smoothing } = learning;
  const { preferenceMargin: target } = learning;
  const scaled = parts`${'beta'} · ${'margin'}`;
  const isSmooth = smoothing > 0;
  const isSimpo = kind === 'simpo';
  const whole = parts` / (1 − 2 · ${'smoothing'})`;
  const beyond = parts`${'targetMargin'} − ${scaled}`;
  const doubt = isSmooth
    ? parts`((1 − ${'smoothing'}) · σ(−${scaled}) − ${'smoothing'} · σ(${scaled}))`
    : parts`σ(−${scaled})`;
  const toMeet = parts`(${'margin'} − 1 / (2 · ${'beta'}))²`;
  const pull = parts`2 · ${'side'} · (${'margin'} − 1 / (2 · ${'beta'}))`;
  const formulas: Record<typeof kind, { loss: FormulaPart[]; push: FormulaPart[] }> = {
    sigmoid: {
      loss: isSmooth
        ? parts`−(1 − ${'smoothing'}) · log σ(${scaled}) − ${'smoothing'} · log σ(−${scaled})`
        : parts`−log σ(${scaled})`,
      push: parts`−${'side'} · ${'beta'} · ${doubt}`,
    },
    robust: isSmooth
      ? {
          loss: parts`(−(1 − ${'smoothing'}) · log σ(${scaled}) + ${'smoothing'} · log σ(−${scaled}))${whole}`,
          push: parts`−${'side'} · ${'beta'} · ((1 − ${'smoothing'}) · σ(−${scaled}) + ${'smoothing'} · σ(${scaled}))${whole}`,
        }
      : { loss: parts`−log σ(${scaled})`, push: parts`−${'side'} · ${'beta'} · σ(−${scaled})` },
    simpo: {
      loss: parts`−log σ(${scaled} − ${'targetMargin'})`,
      push: parts`−${'side'} · ${'beta'} · σ(${beyond}) / tokens of the side`,
    },
    hinge: {
      loss: parts`max(0, 1 − ${scaled})`,
      push: parts`−${'side'} · ${'beta'}, 0 once ${scaled} reaches 1`,
    },
    ipo: { loss: toMeet, push: parts`${pull} / tokens of the side` },
    ipoOfSum: { loss: toMeet, push: pull },
  };
  const { loss, push } = formulas[kind];
  const gap = comparesWithReference(learning) ? ['log p − log p of the reference'] : parts`${'logp'}`;
  const lines: FormulaLine[] = [
    { title: 'Gap', left: 'gap', right: gap },
    { title: 'Margin', left: 'margin', right: parts`${'better'} − ${'worse'}` },
    { title: 'Loss', left: 'loss', right: loss },
    { title: 'Push', left: 'push', right: push },
    part,
  ];
  return {
    learner,
    loss: 'preference',
    lines,
    constants: { beta, ...(isSmooth && !isSimpo && { smoothing }), ...(isSimpo && { targetMargin: target }) },
  };
}

/** The formula card for imitation, either of the team's own messages or of demonstrations. */
export function imitationFormula({ learning }: Config): Formula {
  const lines: FormulaLine[] = [{ title: 'Loss', left: 'loss', right: parts`−${'logp'}` }, part];
  const loss = learning.imitate === 'own' ? 'imitation' : 'demonstration';
  return { learner: learning.learner, loss, lines, constants: {} };
}

/**
 * The losses of pairs with these margins Δ, and the derivatives of the losses with respect to Δ. The losses and
 * derivatives are computed with the loss function that the update uses.
 */
async function pairLosses(margins: readonly number[], options: PreferenceOptions) {
  if (margins.length === 0) return { losses: [], slopes: [] };
  const [losses, slopes] = tf.tidy(() => {
    const each = margins.map((margin) => tf.valueAndGrad((delta) => dpoLoss(delta, options))(tf.scalar(margin)));
    return [tf.stack(each.map(({ value }) => value)), tf.stack(each.map(({ grad }) => grad))] as const;
  });
  return { losses: await readOnce(losses), slopes: await readOnce(slopes) };
}

/** The inputs of the card, from the rows of one network. */
export interface ObjectiveRows {
  /** All rows of the iteration. */
  batch: RowBatch;
  /** The indices in `batch` of the network's rows, and of the rows of the network that are shown. */
  own: readonly number[];
  shown: readonly number[];
  /**
   * [shown · length] log-probabilities under the network after the update, and under its reference; null if there is no
   * reference.
   */
  logprobs: ArrayLike<number>;
  reference: ArrayLike<number> | null;
  length: number;
}

/**
 * [shown · length] the terms of every token; NaN in rows from which nothing was learned. If one side of a pair is
 * shown, the other side must be shown too. This condition always holds, because both sides belong to the same group.
 */
export async function objectiveTerms(
  objective: Objective,
  { batch, own, shown, logprobs, reference, length }: ObjectiveRows,
  at: { config: Config; iteration: number },
): Promise<TermColumns> {
  const weights = rowWeights(objective, { batch, own }, at);
  const place = new Map(shown.map((row, i) => [row, i]));
  const eachToken = (row: number, use: (flat: number) => void) => {
    const from = place.get(row) as number;
    for (let t = 0; t < length; t++) if (batch.actionMask[row * batch.length + t] === 1) use(from * length + t);
  };
  const names: TermName[] = ['weight', 'logp', 'loss'];
  if (objective.kind === 'preference') names.push('gap', 'better', 'worse', 'margin', 'side', 'push');
  const columns: TermColumns = Object.fromEntries(
    names.map((name) => [name, new Float64Array(shown.length * length).fill(Number.NaN)]),
  );
  const put = (name: TermName, flat: number, value: number) => ((columns[name] as Float64Array)[flat] = value);
  const learned = shown.filter((row) => weights.has(row));
  for (const row of learned) {
    eachToken(row, (flat) => {
      const logp = logprobs[flat] as number;
      put('weight', flat, weights.get(row) as number);
      put('logp', flat, logp);
      if (objective.kind === 'imitation') put('loss', flat, -logp);
      else put('gap', flat, logp - (reference ? (reference[flat] as number) : 0));
    });
  }
  if (objective.kind === 'imitation') return columns;
  const sideOf = (row: number) => (objective.sides[row] === 1 ? 'better' : 'worse');
  const pairs = [...new Set(learned.map((row) => objective.pairIds[row] as number))].map((pair) => {
    const rows = learned.filter((row) => objective.pairIds[row] === pair);
    const sides = { better: 0, worse: 0 };
    const tokens = { better: 0, worse: 0 };
    for (const row of rows) {
      const side = sideOf(row);
      eachToken(row, (flat) => {
        sides[side] += (columns.gap as Float64Array)[flat] as number;
        tokens[side]++;
      });
    }
    const isMean = goesByMean(objective.options.kind);
    const { better, worse } = isMean
      ? { better: sides.better / tokens.better, worse: sides.worse / tokens.worse }
      : sides;
    const ofToken = isMean ? { better: 1 / tokens.better, worse: 1 / tokens.worse } : { better: 1, worse: 1 };
    return { rows, ofToken, terms: { better, worse, margin: better - worse } };
  });
  const { losses, slopes } = await pairLosses(
    pairs.map(({ terms }) => terms.margin),
    objective.options,
  );
  pairs.forEach(({ rows, ofToken, terms }, i) => {
    const loss = losses[i] as number;
    for (const row of rows) {
      const side = objective.sides[row] as number;
      const all = { ...terms, loss, side, push: side * (slopes[i] as number) * ofToken[sideOf(row)] };
      eachToken(row, (flat) => {
        for (const [name, value] of Object.entries(all)) put(name as TermName, flat, value);
      });
    }
  });
  return columns;
}

/**
 * For each row of the update, the weight in the first epoch: for imitation, the weight of a token in the minibatch that
 * contains the row; for preferences, the weight of a pair in this minibatch.
 */
function rowWeights(
  objective: Objective,
  { batch, own }: Pick<ObjectiveRows, 'batch' | 'own'>,
  at: { config: Config; iteration: number },
): Map<number, number> {
  const weights = new Map<number, number>();
  for (const units of firstEpoch(objective, { batch, own }, at)) {
    const rows = units.flat();
    const isImitation = objective.kind === 'imitation';
    const weight = 1 / (isImitation ? actionCount(selectRows(batch, rows, {}).batch) : units.length);
    for (const row of rows) weights.set(row, weight);
  }
  return weights;
}

/**
 * [minibatch][unit][row] the rows of one network in the minibatches of the first epoch, in the same order as in the
 * update.
 */
export function firstEpoch(
  objective: Objective | undefined,
  { batch, own }: Pick<ObjectiveRows, 'batch' | 'own'>,
  at: { config: Config; iteration: number },
): number[][][] {
  const trajectoryIds = Int32Array.from(own, (row) => batch.trajectoryIds[row] as number);
  const { units, rows } = learnable(objective && cutObjective(objective, own), { trajectoryIds });
  const learned = rows?.map((i) => own[i] as number) ?? own;
  return minibatchesOf(units, at, 0).map((members) => members.map((unit) => unit.map((i) => learned[i] as number)));
}
