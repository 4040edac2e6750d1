// The formula card where something else than the clipped policy loss is learned: the lines of DPO (2305.18290) and of
// imitation, and the numbers in them, from the rows of the group as they are after the update.
import type { Config } from '../../config/schema.ts';
import type { Formula, FormulaLine, FormulaPart, TermName } from '../../records/formula.ts';
import type { TermColumns } from '../learners/formulas.ts';
import { learnable, type Objective } from '../update/objectives.ts';
import { actionCount, selectRows, type RowBatch } from '../rows/rows.ts';
import { minibatchesOf } from '../update/update.ts';

const term = (name: TermName): FormulaPart => ({ term: name });

/** Lines and constants of a preference loss under these settings. */
export function preferenceFormula({ learning }: Config): Formula {
  const { learner, preferenceKind, preferenceBeta: beta, preferenceSmoothing: smoothing } = learning;
  const scaled: FormulaPart[] = [term('beta'), ' · ', term('margin')];
  const sigmoid: FormulaPart[] =
    smoothing > 0
      ? ['−(1 − ', term('smoothing'), ') · log σ(', ...scaled, ') − ', term('smoothing'), ' · log σ(−', ...scaled, ')']
      : ['−log σ(', ...scaled, ')'];
  const loss: Record<typeof preferenceKind, FormulaPart[]> = {
    sigmoid,
    hinge: ['max(0, 1 − ', ...scaled, ')'],
    ipo: ['(', term('margin'), ' − 1 / (2 · ', term('beta'), '))²'],
  };
  const doubt: FormulaPart[] = smoothing > 0 ? ['((1 − ', term('smoothing'), ') · σ(−', ...scaled, ') − ', term('smoothing'), ' · σ(', ...scaled, '))'] : ['σ(−', ...scaled, ')']; // prettier-ignore
  const slope: Record<typeof preferenceKind, FormulaPart[]> = {
    sigmoid: ['−', term('side'), ' · ', term('beta'), ' · ', ...doubt],
    hinge: ['−', term('side'), ' · ', term('beta'), ', 0 once ', ...scaled, ' reaches 1'],
    ipo: ['2 · ', term('side'), ' · (', term('margin'), ' − 1 / (2 · ', term('beta'), '))'],
  };
  const hasReference = learning.preferenceReference;
  const lines: FormulaLine[] = [
    { title: 'Gap', left: 'gap', right: hasReference ? ['log p − log p of the reference'] : [term('logp')] },
    { title: 'Margin', left: 'margin', right: [term('better'), ' − ', term('worse')] },
    { title: 'Loss', left: 'loss', right: loss[preferenceKind] },
    { title: 'Push', left: 'push', right: slope[preferenceKind] },
    { title: 'Part', left: 'part', right: [term('weight'), ' · ', term('loss')] },
  ];
  return { learner, loss: 'preference', lines, constants: { beta, ...(smoothing > 0 && { smoothing }) } };
}

/** Lines of imitation, of what was said or of demonstrations. */
export function imitationFormula({ learning }: Config): Formula {
  const lines: FormulaLine[] = [
    { title: 'Loss', left: 'loss', right: ['−', term('logp')] },
    { title: 'Part', left: 'part', right: [term('weight'), ' · ', term('loss')] },
  ];
  const loss = learning.imitate === 'own' ? 'imitation' : 'demonstration';
  return { learner: learning.learner, loss, lines, constants: {} };
}

/** Loss of one pair and its slope in Δ; float64 twin of `dpoLoss`. */
export function pairLoss(
  margin: number,
  { beta, kind, smoothing }: { beta: number; kind: Config['learning']['preferenceKind']; smoothing: number },
): { loss: number; slope: number } {
  const softplus = (x: number) => Math.max(x, 0) + Math.log1p(Math.exp(-Math.abs(x)));
  const sigmoid = (x: number) => 1 / (1 + Math.exp(-x));
  const x = beta * margin;
  if (kind === 'ipo') {
    const error = margin - 1 / (2 * beta);
    return { loss: error * error, slope: 2 * error };
  }
  if (kind === 'hinge') return { loss: Math.max(0, 1 - x), slope: x < 1 ? -beta : 0 };
  return {
    loss: (1 - smoothing) * softplus(-x) + smoothing * softplus(x),
    slope: beta * (smoothing * sigmoid(x) - (1 - smoothing) * sigmoid(-x)),
  };
}

/** What the card needs of the rows of one network. */
export interface ObjectiveRows {
  /** All rows of the iteration. */
  batch: RowBatch;
  /** Those of the network, and those of them that are shown. */
  own: readonly number[];
  shown: readonly number[];
  /** [shown · length] of the network after the update, and of its reference; null without one. */
  logprobs: ArrayLike<number>;
  reference: ArrayLike<number> | null;
  length: number;
}

/**
 * [shown · length] terms of every token; NaN in rows that nothing was learned from. Both sides of a shown pair must be
 * shown: pairs are of one group.
 */
export function objectiveTerms(
  objective: Objective,
  { batch, own, shown, logprobs, reference, length }: ObjectiveRows,
  at: { config: Config; iteration: number },
): TermColumns {
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
  for (const pair of new Set(learned.map((row) => objective.pairIds[row] as number))) {
    const rows = learned.filter((row) => objective.pairIds[row] === pair);
    const sides = { better: 0, worse: 0 };
    for (const row of rows) {
      const side = objective.sides[row] === 1 ? 'better' : 'worse';
      eachToken(row, (flat) => (sides[side] += (columns.gap as Float64Array)[flat] as number));
    }
    const margin = sides.better - sides.worse;
    const { loss, slope } = pairLoss(margin, objective.options);
    for (const row of rows) {
      const side = objective.sides[row] as number;
      const values = { ...sides, margin, loss, side, push: side * slope };
      eachToken(row, (flat) => {
        for (const [name, value] of Object.entries(values)) put(name as TermName, flat, value);
      });
    }
  }
  return columns;
}

/** What a token (imitation) or a pair (preference) of each learned row weighed in its minibatch of the first epoch. */
function rowWeights(
  objective: Objective,
  { batch, own }: Pick<ObjectiveRows, 'batch' | 'own'>,
  at: { config: Config; iteration: number },
): Map<number, number> {
  const cut = (from: ArrayLike<number>) => own.map((row) => from[row] as number);
  const ofOwn: Objective =
    objective.kind === 'imitation'
      ? { ...objective, isKept: cut(objective.isKept) }
      : { ...objective, pairIds: cut(objective.pairIds), sides: cut(objective.sides) };
  const { units, rows } = learnable(ofOwn, { trajectoryIds: Int32Array.from(cut(batch.trajectoryIds)) });
  const learned = (rows ?? []).map((i) => own[i] as number);
  const weights = new Map<number, number>();
  for (const members of learned.length > 0 ? minibatchesOf(units, at, 0) : []) {
    const inside = members.flat().map((i) => learned[i] as number);
    const weight =
      objective.kind === 'imitation' ? 1 / actionCount(selectRows(batch, inside, {}).batch) : 1 / members.length;
    for (const row of inside) weights.set(row, weight);
  }
  return weights;
}
