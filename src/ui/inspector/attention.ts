// Reading an attention off its packed shares.
import type { AttentionLook } from '../../records/besides.ts';

/** Shares of one head of a layer; without a head the mean of all of them. Each adds up to 1. */
export function headShares({ heads, tokens, weights }: AttentionLook, layer: number, head: number | null): number[] {
  const of = (h: number) =>
    weights.subarray((layer * heads + h) * tokens.length, (layer * heads + h + 1) * tokens.length);
  const chosen = head === null ? Array.from({ length: heads }, (_, h) => of(h)) : [of(Math.min(head, heads - 1))];
  return tokens.map((_, t) => chosen.reduce((sum, shares) => sum + (shares[t] as number), 0) / chosen.length);
}

/** What was read, cut where another turn begins. */
export function readParts({ turns }: Pick<AttentionLook, 'turns'>): { turn: number; from: number; until: number }[] {
  const parts: { turn: number; from: number; until: number }[] = [];
  turns.forEach((turn, at) => {
    const last = parts.at(-1);
    if (last?.turn === turn) last.until = at + 1;
    else parts.push({ turn, from: at, until: at + 1 });
  });
  return parts;
}

/** The tokens with the largest shares, largest first. */
export function strongest(tokens: readonly string[], shares: readonly number[], count: number) {
  return shares
    .map((share, t) => ({ token: tokens[t] ?? '', share }))
    .sort((a, b) => b.share - a.share)
    .slice(0, count);
}
