// What the weights of a run are, in one line: two runs that agree in it go on alike.
import { Sha256 } from '../base/sha256.ts';
import type { Checkpoint } from './checkpoint.ts';

/** SHA-256 of the weights of all networks, in order. */
export function weightsDigest({ networks }: Pick<Checkpoint, 'networks'>): string {
  const digest = new Sha256();
  for (const { weights, critic } of networks)
    for (const { values } of [...weights, ...critic])
      digest.add(new Uint8Array(values.buffer, values.byteOffset, values.byteLength));
  return digest.hex();
}
