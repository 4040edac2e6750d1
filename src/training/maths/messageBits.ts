// Measures how much a message says about the part that only its sender sees: the mutual information of message and
// hidden part, in bits. An estimate from counts of pairs is too high on average, because pairs that occur by chance
// look like a dependence. The correction of Miller and Madow (1955) subtracts the expected bias. Shuffled messages
// contain no information about the hidden parts, so the estimate for shuffled messages shows the remaining bias.
import type { Draws } from '../../base/random.ts';
import { mean } from '../../base/stats.ts';

/** A message, and the hidden part that its sender saw. */
export type MessageSample = readonly [message: string, hidden: string];

/**
 * The entropy of counts in nats: the plug-in estimate, and the same estimate plus the correction (K − 1) / 2N of Miller
 * and Madow.
 */
function entropy(of: readonly string[]): { plain: number; corrected: number } {
  const counts = new Map<string, number>();
  for (const one of of) counts.set(one, (counts.get(one) ?? 0) + 1);
  let plain = 0;
  for (const count of counts.values()) plain -= (count / of.length) * Math.log(count / of.length);
  return { plain, corrected: plain + (counts.size - 1) / (2 * of.length) };
}

/**
 * The plug-in estimate in bits, which is never below 0, and the corrected estimate, which may be below 0 by chance.
 * Both are 0 if there are no pairs.
 */
export function mutualBits(pairs: readonly MessageSample[]): { plain: number; corrected: number } {
  if (pairs.length === 0) return { plain: 0, corrected: 0 };
  const messages = entropy(pairs.map(([message]) => message));
  const hidden = entropy(pairs.map(([, part]) => part));
  const both = entropy(pairs.map((pair) => JSON.stringify(pair)));
  const bits = (kind: 'plain' | 'corrected') => (messages[kind] + hidden[kind] - both[kind]) / Math.LN2;
  return { plain: bits('plain'), corrected: bits('corrected') };
}

const shuffles = 200;

/** The mean and the 95th percentile of the corrected estimates for randomly shuffled messages. */
export function shuffledBits(pairs: readonly MessageSample[], draws: Draws): { mean: number; high: number } {
  const found = Array.from({ length: shuffles }, () => {
    const messages = draws.shuffle(pairs.map(([message]) => message));
    return mutualBits(pairs.map(([, hidden], i): MessageSample => [messages[i] as string, hidden])).corrected;
  }).sort((a, b) => a - b);
  return { mean: mean(found), high: found[Math.ceil(0.95 * shuffles) - 1] ?? 0 };
}
