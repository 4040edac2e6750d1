// Continues a text with one network, outside any dialogue: for questions to a served or an imported model.
import { addressOf, streams } from '../../base/random.ts';
import type { ModelShape } from '../../config/sizes.ts';
import type { Policy, Stepwise, TokenLimits } from '../../records/policy.ts';

export interface ContinuationWish {
  context: readonly number[];
  /** Maximum number of tokens; fewer if the context is full. */
  tokens: number;
  temperature: number;
  seed: number;
  /** The number of continuations, each with separate draws. */
  count: number;
  /** Tokens that end it. */
  endIds: readonly number[];
  /** Absent: any token may be drawn. */
  limits?: TokenLimits;
  /** Is called with each token as it is sampled, and may end texts one by one. */
  hear?: Stepwise['hear'];
}

export interface Continuation {
  /** The tokens, including the end token if it occurred. */
  ids: number[];
  /** Log-probability of each token at its sampling temperature, over the whole vocabulary. */
  logprobs: number[];
  isEnded: boolean;
}

/** For a temperature of 0: the most likely token, unless others are equally likely to the fourth digit. */
const coldest = 1e-4;
/**
 * Position limit of a chat with an imported model: some models have a hundred thousand positions, and a cache is
 * allocated for all of them.
 */
const mostPositions = 1024;

/** The network shape that an imported model uses for chatting. */
export const spokenShape = (shape: ModelShape): ModelShape => ({
  ...shape,
  maxPositions: Math.min(shape.maxPositions, mostPositions),
});

/** Continues a context that leaves room for a token; throws ShapeError for a longer one. */
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
