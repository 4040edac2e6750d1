// A second implementation of ratio, policy loss, value loss and KL, which follows the formulas literally in float64: it
// uses nested arrays, a list of spans, and one loop for each mean. The code is deliberately slow. Tests compare the
// versions for tensors with this implementation.
import type { KlEstimator, RatioLevel } from '../../config/names.ts';
import type { PolicyOptions } from '../maths/loss.ts';

export type Matrix = number[][];
/** One minibatch. */
export type PolicyRows = {
  /** [B][T] log π of each token under the current policy, and when it was sampled. */
  logprobs: Matrix;
  oldLogprobs: Matrix;
  /** [B][T] the advantage of each token. */
  advantages: Matrix;
  /** [B][T] 1 for a token that the agent of the row has chosen, otherwise 0. */
  actionMask: Matrix;
  /** [B][T] the index of the token's turn in its dialogue. */
  turnIds: Matrix;
  /** [B] the dialogue of each row, and the agent that speaks in it. */
  trajectoryIds: number[];
  agentIds: number[];
};

export type ReferenceBatch = PolicyRows & {
  /** The log-probabilities from which the constant weights of CISPO are computed; `logprobs` if absent. */
  heldAt?: Matrix;
};
export type ReferenceParts = {
  loss: number;
  ratio: Matrix;
  won: Matrix;
  clipFraction: number;
  dualClipFraction: number;
  margin: number; // the smallest distance of a span from a point where the slope of the loss jumps
};

type Place = { row: number; column: number };
type Span = { places: Place[]; name: string; of: Record<RatioLevel, string> };

const average = (xs: number[]): number => xs.reduce((sum, x) => sum + x, 0) / xs.length;
const entry = (matrix: Matrix, { row, column }: Place): number => (matrix[row] as number[])[column] as number;
const ones = (matrix: Matrix, value: number): Matrix => matrix.map((row) => row.map(() => value));

function spansOf(batch: ReferenceBatch, level: RatioLevel): Span[] {
  const spans = new Map<string, Span>();
  batch.actionMask.forEach((cells, row) =>
    cells.forEach((mask, column) => {
      if (mask === 0) return;
      const trajectory = batch.trajectoryIds[row] as number;
      const turn = entry(batch.turnIds, { row, column });
      const of = {
        token: `${row}/${column}`,
        turn: `${trajectory}/${turn}`,
        trajectory: `${trajectory}/${batch.agentIds[row]}`,
        dialogue: `${trajectory}`,
      };
      const name = of[level];
      const span = spans.get(name) ?? { places: [], name, of };
      spans.set(name, span);
      span.places.push({ row, column });
    }),
  );
  return [...spans.values()];
}

/** The mean of all values with the same label, for each label. */
function meansBy(values: number[], labels: (number | string)[]): number[] {
  return [...new Set(labels)].map((label) => average(values.filter((_, i) => labels[i] === label)));
}

function aggregate(spans: Span[], losses: number[], options: PolicyOptions): number {
  const { aggregation, maxActionTokens } = options;
  if (losses.length === 0) return 0;
  if (aggregation === 'constant') {
    const parts = new Set(spans.map(({ of }) => of.trajectory)).size;
    return losses.reduce((sum, loss) => sum + loss, 0) / (parts * (maxActionTokens as number));
  }
  return average(
    meansBy(
      losses,
      spans.map(({ of }) => of[aggregation]),
    ),
  );
}

/** How GMPO bounds the log-ratios of a span, and the number at which the bound begins. */
function boundsOf(batch: ReferenceBatch, places: Place[], { clipLow, clipHigh }: PolicyOptions) {
  const isPositive = average(places.map((place) => entry(batch.advantages, place))) > 0;
  return {
    at: isPositive ? clipHigh : -clipLow,
    hold: (x: number) => (isPositive ? Math.min(x, clipHigh) : Math.max(x, -clipLow)),
  };
}

interface SpanRatio {
  ratio: number;
  /** For each token, whether GMPO has bounded its log-ratio. */
  isHeld: boolean[];
  /** The distance of the log-ratios from the bounds. */
  margin: number;
}

/** The ratio of each span in the order of `spansOf`. */
function spanRatios(batch: ReferenceBatch, spans: Span[], options: PolicyOptions): SpanRatio[] {
  const { ratioLevel, turnMean, logratioClamp: clamp } = options;
  return spans.map(({ places }) => {
    const logprobs = options.surrogate === 'cispo' ? (batch.heldAt ?? batch.logprobs) : batch.logprobs;
    const logratios = places.map((place) => entry(logprobs, place) - entry(batch.oldLogprobs, place));
    const isArithmetic = ratioLevel === 'turn' && turnMean === 'arithmetic' && options.surrogate !== 'gmpo';
    const inBand = options.surrogate === 'gmpo' ? boundsOf(batch, places, options) : null;
    const held = inBand ? logratios.map(inBand.hold) : logratios;
    const inputs = isArithmetic ? held : [average(held)];
    return {
      ratio: average(inputs.map((x) => Math.exp(Math.min(x, clamp)))),
      isHeld: logratios.map((x, i) => held[i] !== x),
      margin: Math.min(
        ...inputs.map((x) => Math.abs(x - clamp)),
        ...(inBand ? logratios.map((x) => Math.abs(x - inBand.at)) : []),
      ),
    };
  });
}

/** The loss of a span, the side that won, and the distance of the ratio from a point where the slope jumps. */
function spanLoss(
  { r, advantage, logprob }: { r: number; advantage: number; logprob: number },
  { clipLow, clipHigh, dualClip, surrogate = 'clipped', gatePositive = 1, gateNegative = 1 }: PolicyOptions,
): { loss: number; side: number; margin: number } {
  const [low, high] = [1 - clipLow, 1 + clipHigh];
  const cut = Math.min(Math.max(r, low), high);
  if (surrogate === 'cispo') return { loss: -advantage * cut * logprob, side: cut === r ? 0 : 1, margin: Infinity };
  if (surrogate === 'sapo') {
    const heat = advantage > 0 ? gatePositive : gateNegative;
    return { loss: (-advantage * 4) / (heat * (1 + Math.exp(-heat * (r - 1)))), side: 0, margin: Infinity };
  }
  if (surrogate === 'gmpo') return { loss: -advantage * r, side: 0, margin: Infinity };
  let [loss, side] = [-advantage * r, 0];
  let margin = advantage === 0 ? Infinity : Math.min(Math.abs(r - low), Math.abs(r - high));
  if (-advantage * cut > loss) [loss, side] = [-advantage * cut, 1];
  if (advantage < 0 && dualClip > 0) {
    margin = Math.min(margin, Math.abs(r - dualClip));
    if (loss > -dualClip * advantage) [loss, side] = [-dualClip * advantage, 2];
  }
  return { loss, side, margin };
}

export function referencePolicyLoss(batch: ReferenceBatch, options: PolicyOptions): ReferenceParts {
  const spans = spansOf(batch, options.ratioLevel);
  const ratios = spanRatios(batch, spans, options);
  const ratio = ones(batch.logprobs, 1);
  const won = ones(batch.logprobs, 0);
  const sides: number[][] = [];
  let margin = Infinity;
  const losses = spans.map((span, s) => {
    const { ratio: r, margin: toClamp, isHeld } = ratios[s] as SpanRatio;
    const advantage = average(span.places.map((place) => entry(batch.advantages, place)));
    const logprob = average(span.places.map((place) => entry(batch.logprobs, place)));
    const own = spanLoss({ r, advantage, logprob }, options);
    // If the advantage is 0, the loss is 0 for every ratio, so there is no kink.
    if (advantage !== 0 && options.surrogate !== 'cispo') margin = Math.min(margin, toClamp, Math.abs(advantage));
    margin = Math.min(margin, own.margin);
    const ofTokens = span.places.map((_, i) => (advantage !== 0 && isHeld[i] ? 1 : own.side));
    sides.push(ofTokens);
    span.places.forEach(({ row, column }, i) => {
      (ratio[row] as number[])[column] = r;
      (won[row] as number[])[column] = ofTokens[i] as number;
    });
    return own.loss;
  });
  const share = (ofTokens: number[], side: number) => average(ofTokens.map((s) => (s === side ? 1 : 0)));
  const fraction = (side: number) => (sides.length === 0 ? 0 : average(sides.map((of) => share(of, side))));
  const loss = aggregate(spans, losses, options);
  return { loss, ratio, won, clipFraction: fraction(1), dualClipFraction: fraction(2), margin };
}

export function referenceValueLoss(
  batch: { values: Matrix; oldValues: Matrix; returns: Matrix; actionMask: Matrix },
  valueClip: number,
): { loss: number; margin: number } {
  const losses: number[] = [];
  let margin = Infinity;
  batch.actionMask.forEach((cells, row) =>
    cells.forEach((mask, column) => {
      if (mask === 0) return;
      const [v, old, target] = [batch.values, batch.oldValues, batch.returns].map((m) => entry(m, { row, column })) as [
        number,
        number,
        number,
      ];
      const clipped = old + Math.max(-valueClip, Math.min(valueClip, v - old));
      const isOutside = Math.abs(v - old) > valueClip;
      margin = Math.min(margin, Math.abs(Math.abs(v - old) - valueClip));
      if (isOutside) margin = Math.min(margin, Math.abs((v - target) ** 2 - (clipped - target) ** 2));
      losses.push(Math.max((v - target) ** 2, (clipped - target) ** 2) / 2);
    }),
  );
  return { loss: losses.length === 0 ? 0 : average(losses), margin };
}

export function referenceKl(logprob: number, refLogprob: number, estimator: KlEstimator): number {
  const d = refLogprob - logprob;
  if (estimator === 'k1') return -d;
  if (estimator === 'abs') return Math.abs(d);
  if (estimator === 'mse') return (d * d) / 2;
  return Math.min(10, Math.exp(d) - d - 1);
}
