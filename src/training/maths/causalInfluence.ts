// How much a turn moved the one after it (Dr. MAMR 2511.02303): how much likelier the next turn is with it in view than
// with it masked from attention, positions kept. The two forward passes happen elsewhere; this is what is made of them.
import { ShapeError } from '../../base/errors.ts';
import { mean } from '../../base/stats.ts';

/** The tokens of one turn, log-probability each, twice: in their full context, and with the turn before it hidden. */
export interface SeenAndHidden {
  full: ArrayLike<number>;
  hidden: ArrayLike<number>;
}

/**
 * Influence of each turn in nats a token: mean over the next turn's tokens of log p(full) − log p(hidden). Above 0 the
 * turn made what followed likelier; 0 where it was ignored, at the last turn, and before an empty one.
 * next [K − 1]: entry t holds the tokens of turn t + 1, with turn t hidden. Returns [K].
 * Throws ShapeError when the two passes name different numbers of tokens.
 */
export function causalInfluence(next: readonly SeenAndHidden[]): Float64Array {
  const out = new Float64Array(next.length + 1);
  next.forEach(({ full, hidden }, turn) => {
    if (full.length !== hidden.length)
      throw new ShapeError(
        `causalInfluence: turn ${turn + 1} has ${full.length} tokens in full view and ${hidden.length} with turn ` +
          `${turn} hidden; score the same tokens twice.`,
      );
    out[turn] = mean(Float64Array.from(full, (logprob, i) => logprob - (hidden[i] as number)));
  });
  return out;
}
