// The openers of all carriers, collected from their folders.
import { carrierFacts } from '../../records/carrierFacts.ts';
import type { Opener } from './open.ts';

const found = import.meta.glob<Opener>('../../extensions/carriers/*/open.ts', { eager: true, import: 'opener' });

/**
 * The openers, in the order in which carriers are listed. The last opener accepts every file, so that a file of an
 * unknown kind leads to the error message of this opener.
 */
const openers = carrierFacts.flatMap(({ name }) => found[`../../extensions/carriers/${name}/open.ts`] ?? []);

/** The first opener that accepts the file. */
export async function openerOf(file: File): Promise<Opener> {
  for (const opener of openers) if (await opener.takes(file)) return opener;
  return openers.at(-1) as Opener;
}
