// The workloads for a language model of real size: the shape of SmolLM2-135M with random weights, which generate
// nonsense and take as long as the real ones.
import type { ModelShape } from '../../src/config/sizes.ts';
import { type FrozenFormat, frozenRowBytes } from '../../src/engine/ops/frozen/frozenMatrix.ts';

export const modelName = 'SmolLM2-135M';
export const shape: ModelShape = {
  ...{ vocabSize: 49_152, hiddenSize: 576, intermediateSize: 1536, numLayers: 30, numHeads: 9, numKvHeads: 3 },
  ...{ headSize: 64, ropeTheta: 100_000, normEps: 1e-5, isTied: true, maxPositions: 320 },
};

/** Rank of the adapters, on every projection. */
export const adapterRank = 8;

/**
 * Rows read tokens, then each generates some, one after the other. `learned`: an adapter learns from the rows, from the
 * generated tokens or, if there are none, from all tokens; `perPass` of them at a time, with one AdamW step. `roles` do
 * all of that one after the other, and their rows are learned together.
 */
interface WorkSize {
  rows: number;
  heard: number;
  said: number;
  learned?: { perPass: number; roles: number };
}

export const works = {
  prefill: { rows: 1, heard: 256, said: 0 },
  decode1: { rows: 1, heard: 0, said: 12 },
  decode8: { rows: 8, heard: 0, said: 8 },
  loraStep: { rows: 8, heard: 84, said: 0, learned: { perPass: 8, roles: 1 } },
  iteration: { rows: 16, heard: 60, said: 24, learned: { perPass: 8, roles: 2 } },
} as const satisfies Record<string, WorkSize>;
export type Work = keyof typeof works;

/** Tokens of one forward call. */
export function tokensOf(work: Work): number {
  const { rows, heard, said, learned }: WorkSize = works[work];
  return rows * (heard + said) * (learned?.roles ?? 1);
}

/** This many tokens of an endless text, starting at an offset. */
export const tokensFrom = (place: number, count: number): number[] =>
  Array.from({ length: count }, (_, i) => ((place + i) * 7919) % 49_152);

/** The prompt tokens of a row. */
export const heardTokens = (count: number): number[] => tokensFrom(0, count);

/** Returns numbers within ±bound from a hash of their index. */
export function noise(count: number, bound: number): Float32Array {
  const values = new Float32Array(count);
  for (let i = 0; i < count; i++) values[i] = (Math.imul(i + 1, 0x9e3779b1) / 2 ** 31) * bound;
  return values;
}

/**
 * Returns a stored matrix, padded to whole words. Its bytes come from a hash of their index, except for scales, which
 * are small and positive.
 */
export function chanceBytes(format: FrozenFormat, rows: number, columns: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(Math.ceil((rows * frozenRowBytes({ format, columns })) / 4) * 4);
  for (let i = 0; i < bytes.length; i++) bytes[i] = Math.imul(i + 1, 0x9e3779b1) >>> 24;
  const blockBytes = (32 * frozenRowBytes({ format, columns })) / columns;
  for (let at = 0; at + blockBytes <= bytes.length; at += blockBytes) {
    if (format === 'f16')
      for (let i = 1; i < blockBytes; i += 2) bytes[at + i] = ((bytes[at + i] as number) & 0x83) | 0x24;
    else bytes[at + 1] = 0x10;
    if (format === 'q4_1') bytes[at + 3] = 0x90;
  }
  return bytes;
}
