// The openers of all carriers, collected from their folders.
import { carrierFacts } from '../../records/carrierFacts.ts';
import type { Opener } from './open.ts';

const found = import.meta.glob<Opener>('../../extensions/carriers/*/open.ts', { eager: true, import: 'opener' });

/**
 * The openers, in the order in which lists show the carriers. The last one accepts every file, so that its error
 * message appears for a file of an unknown kind.
 */
const openers = carrierFacts.flatMap(({ name }) => found[`../../extensions/carriers/${name}/open.ts`] ?? []);

/** The first opener that accepts the file. */
export async function openerOf(file: File): Promise<Opener> {
  for (const opener of openers) if (await opener.takes(file)) return opener;
  return openers.at(-1) as Opener;
}
