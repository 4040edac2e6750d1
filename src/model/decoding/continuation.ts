// Continues a text with one network, outside any dialogue; used for questions to a served or an imported model.
import { addressOf, streams } from '../../base/random.ts';
import type { ModelShape } from '../../config/sizes.ts';
import type { Policy, Stepwise, TokenLimits } from '../../records/policy.ts';

export interface ContinuationWish {
  context: readonly number[];
  /** Maximum number of tokens; fewer if the context is full. */
  tokens: number;
  temperature: number;
  seed: number;
  /** The number of continuations, each of which is sampled independently. */
  count: number;
  /** Tokens that end a continuation. */
  endIds: readonly number[];
  /** Limits on the tokens that may be drawn; if absent, any token may be drawn. */
  limits?: TokenLimits;
  /** Called with each token as it is sampled; it can end texts one by one. */
  hear?: Stepwise['hear'];
}

export interface Continuation {
  /** The tokens, including the end token if it occurred. */
  ids: number[];
  /** Log-probability of each token at its sampling temperature, over the whole vocabulary. */
  logprobs: number[];
  isEnded: boolean;
}

/**
 * The temperature that is used for 0: it selects the most likely token, unless the probabilities of others agree with
 * it in the first four digits.
 */
const coldest = 1e-4;
/**
 * The number of positions to which a chat with an imported model is limited. Some models have a hundred thousand
 * positions, and a cache would be allocated for all of them.
 */
const mostPositions = 1024;

/** The shape of an imported model's network for chatting, with a limited number of positions. */
export const spokenShape = (shape: ModelShape): ModelShape => ({
  ...shape,
  maxPositions: Math.min(shape.maxPositions, mostPositions),
});

/** Continues a context. Throws ShapeError if the context leaves no room for another token. */
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
