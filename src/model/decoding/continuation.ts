// Continues a text with one network, outside any dialogue: for questions to a served or an imported model.
import { addressOf, streams } from '../../base/random.ts';
import type { ModelShape } from '../../config/sizes.ts';
import type { Policy, Stepwise, TokenLimits } from '../../records/policy.ts';

export interface ContinuationWish {
  context: readonly number[];
  /** Tokens at most; fewer where the context is full. */
  tokens: number;
  temperature: number;
  seed: number;
  /** How many, each with draws of its own. */
  count: number;
  /** Tokens that end it. */
  endIds: readonly number[];
  /** Absent: any token may be drawn. */
  limits?: TokenLimits;
  /** Hears each token while it is said, and may end texts one by one. */
  hear?: Stepwise['hear'];
}

export interface Continuation {
  /** The ending with it, if it came. */
  ids: number[];
  /** Log-probability of each token at its sampling temperature, over the whole vocabulary. */
  logprobs: number[];
  isEnded: boolean;
}

/** For a temperature of 0: the likeliest token, but where others are as likely to the fourth digit. */
const coldest = 1e-4;
/**
 * Position limit of a talk with an imported model: some have a hundred thousand, and a cache is made for all of them.
 */
const mostPositions = 1024;

/** The shape that an imported model speaks with. */
export const spokenShape = (shape: ModelShape): ModelShape => ({
  ...shape,
  maxPositions: Math.min(shape.maxPositions, mostPositions),
});

/** Goes on from a context that leaves room for a token; throws ShapeError for another. */
export async function goOn(policy: Policy, wish: ContinuationWish): Promise<Continuation[]> {
  const { context, count, endIds, limits = {} } = wish;
  const hear = wish.hear ?? (() => Promise.resolve(new Array<boolean>(count).fill(true)));
  const window = Math.min(wish.tokens, policy.maxPositions - context.length);
  const rows = Array.from({ length: count }, (_, row) => row);
  const session = policy.open(count);
  try {
    session.append(rows.map(() => ({ tokens: context })));
    const { ids, logprobs, lengths } = await session.sample({
      ...{ window, isActive: rows.map(() => true), endIds },
      addresses: Uint32Array.from(rows, (row) => addressOf(wish.seed, streams.control, row, 0)),
      temperature: Math.max(coldest, wish.temperature),
      stepwise: { limits, hear },
    });
    return rows.map((row) => {
      const [from, to] = [row * window, row * window + (lengths[row] as number)];
      const own = [...ids.subarray(from, to)];
      return { ids: own, logprobs: [...logprobs.subarray(from, to)], isEnded: endIds.includes(own.at(-1) ?? -1) };
    });
  } finally {
    session.dispose();
  }
}
