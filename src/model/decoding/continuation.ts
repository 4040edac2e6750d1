// Continues a text with one network, outside any dialogue. This is used to answer questions to a model that is served
// over HTTP, or to an imported model.
import { addressOf, streams } from '../../base/random.ts';
import type { ModelShape } from '../../config/sizes.ts';
import type { Policy, Stepwise, TokenLimits } from '../../records/policy.ts';

export interface ContinuationWish {
  context: readonly number[];
  /** The maximum number of tokens. Fewer tokens are sampled if the context becomes full. */
  tokens: number;
  /** The sampling temperature. At 0, the most likely token is always selected. */
  temperature: number;
  seed: number;
  /** The number of continuations, each of which is sampled independently. */
  count: number;
  /** Tokens that end a continuation. */
  endIds: readonly number[];
  /** Limits on the tokens that may be drawn; if absent, any token may be drawn. */
  limits?: TokenLimits;
  /** Called after each step with the token of each text. The result of the call can end single texts. */
  hear?: Stepwise['hear'];
}

export interface Continuation {
  /** The sampled tokens, including the end token if one was sampled. */
  ids: number[];
  /** Log-probability of each token over the whole vocabulary, at `measuredAt` of the sampling temperature. */
  logprobs: number[];
  isEnded: boolean;
}

/**
 * The lowest temperature at which tokens are sampled. With this temperature, the most likely token is nearly always
 * selected; another token is possible only if its probability is equal in the first four digits.
 */
export const coldest = 1e-4;
/**
 * The maximum number of positions in a chat with an imported model. The limit is needed because a cache for all
 * positions is allocated, and some models support a hundred thousand positions.
 */
const mostPositions = 1024;

/**
 * The temperature of the log-probabilities of a text. It is the sampling temperature, or 1 if the text was sampled at
 * temperature 0, because all other tokens would have the probability 0 there.
 */
export const measuredAt = (temperature: number): number => (temperature === 0 ? 1 : Math.max(coldest, temperature));

/** The shape of an imported model, with the number of positions limited for a chat. */
export const spokenShape = (shape: ModelShape): ModelShape => ({
  ...shape,
  maxPositions: Math.min(shape.maxPositions, mostPositions),
});

/** Continues a context. Throws ShapeError if the context leaves no room for another token. */
export async function goOn(policy: Policy, wish: ContinuationWish): Promise<Continuation[]> {
  const { context, count, endIds } = wish;
  const limits = wish.temperature === 0 ? { ...wish.limits, topK: 1 } : (wish.limits ?? {});
  const hear = wish.hear ?? (() => Promise.resolve(new Array<boolean>(count).fill(true)));
  const window = Math.min(wish.tokens, policy.maxPositions - context.length);
  const rows = Array.from({ length: count }, (_, row) => row);
  const session = policy.open(count);
  try {
    session.append(rows.map(() => ({ tokens: context })));
    const { ids, logprobs, lengths } = await session.sample({
      ...{ window, isActive: rows.map(() => true), endIds },
      addresses: Uint32Array.from(rows, (row) => addressOf(wish.seed, streams.control, row, 0)),
      temperature: measuredAt(wish.temperature),
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
