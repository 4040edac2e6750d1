// The request for a network's attention, and its result.
/** A network's attention when it sampled a token. */
export interface AttentionLook {
  /** The iteration whose checkpoint contains the network's weights. */
  weightsAfter: number;
  layers: number;
  heads: number;
  /** All tokens that the network had read when it sampled the token, in order, as the page displays them. */
  tokens: string[];
  /**
   * For each token, the turn in which the token was sampled, or whose message contains the token; −1 for tokens before
   * the first turn.
   */
  turns: number[];
  /** The attention weights, [layers · heads · tokens]; the weights of each head sum to 1. */
  weights: Float32Array;
}

/**
 * The attention weights of one head in a layer or, if `head` is null, their means over all heads. The weights in the
 * result sum to 1.
 */
export function headShares({ heads, tokens, weights }: AttentionLook, layer: number, head: number | null): number[] {
  const of = (h: number) =>
    weights.subarray((layer * heads + h) * tokens.length, (layer * heads + h + 1) * tokens.length);
  const chosen = head === null ? Array.from({ length: heads }, (_, h) => of(h)) : [of(Math.min(head, heads - 1))];
  return tokens.map((_, t) => chosen.reduce((sum, shares) => sum + (shares[t] as number), 0) / chosen.length);
}

/** The tokens that the network had read, divided into one part for each turn. */
export function readParts({ turns }: Pick<AttentionLook, 'turns'>): { turn: number; from: number; until: number }[] {
  const parts: { turn: number; from: number; until: number }[] = [];
  turns.forEach((turn, at) => {
    const last = parts.at(-1);
    if (last?.turn === turn) last.until = at + 1;
    else parts.push({ turn, from: at, until: at + 1 });
  });
  return parts;
}

/** The tokens with the largest attention weights, largest first. */
export function strongest(tokens: readonly string[], shares: readonly number[], count: number) {
  return shares
    .map((share, t) => ({ token: tokens[t] ?? '', share }))
    .sort((a, b) => b.share - a.share)
    .slice(0, count);
}

declare module '../../../records/looks.ts' {
  interface Looks {
    /** The attention of a network when it sampled a token. */
    attention: { at: TokenAt; answer: AttentionLook };
  }
}
