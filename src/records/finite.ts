// Whether the numbers of a checkpoint are numbers: one that is not spoils everything that is learned from it.
import type { Checkpoint, NamedArray, NetworkState } from './checkpoint.ts';

/** Where a checkpoint holds a number that is not finite, as `networks.0.m.3`; null where all are. */
export function spoiltPart({ networks, critics = [], base = [], mixing, verifier, klCoef }: Checkpoint): string | null {
  const parts: [string, NetworkState][] = [
    ...networks.map((network, n): [string, NetworkState] => [`networks.${n}`, network]),
    ...critics.map((network, n): [string, NetworkState] => [`critics.${n}`, network]),
  ];
  if (mixing) parts.push(['mixing.critic', mixing.critic]);
  if (verifier) parts.push(['verifier.network', verifier.network]);
  for (const [where, network] of parts) {
    const spoilt = spoiltOf(network);
    if (spoilt) return `${where}.${spoilt}`;
  }
  const arrays = [...base, ...(mixing?.target ?? [])];
  return spoiltName(arrays) ?? (Number.isFinite(klCoef) ? null : 'klCoef');
}

function spoiltOf({ weights, critic, m, v }: NetworkState): string | null {
  const moment = (name: string, arrays: readonly Float32Array[]) => {
    const at = arrays.findIndex(isSpoilt);
    return at < 0 ? null : `${name}.${at}`;
  };
  return spoiltName([...weights, ...critic]) ?? moment('m', m) ?? moment('v', v);
}

const spoiltName = (arrays: readonly NamedArray[]) => arrays.find(({ values }) => isSpoilt(values))?.name ?? null;

/** Zero times a finite number is zero, and times any other is NaN, which stays in the sum. */
function isSpoilt(values: Float32Array): boolean {
  let sum = 0;
  for (const value of values) sum += value * 0;
  return Number.isNaN(sum);
}
