// The openers of all carriers, collected from their folders.
import { carrierFacts } from '../../records/carrierFacts.ts';
import type { Opener } from './open.ts';

const found = import.meta.glob<Opener>('../../extensions/carriers/*/open.ts', { eager: true, import: 'opener' });

/**
 * The openers, in the order in which lists show the carriers. The last one accepts every file, so its error says what
 * was expected.
 */
const openers = carrierFacts.flatMap(({ name }) => found[`../../extensions/carriers/${name}/open.ts`] ?? []);

/** The opener of the first carrier that accepts the file. */
export async function openerOf(file: File): Promise<Opener> {
  for (const opener of openers) if (await opener.takes(file)) return opener;
  return openers.at(-1) as Opener;
}
