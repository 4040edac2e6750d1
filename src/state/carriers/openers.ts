// The openers of all carriers, found by their folders.
import { carrierFacts } from '../../records/carrierFacts.ts';
import type { Opener } from './open.ts';

const found = import.meta.glob<Opener>('../../extensions/carriers/*/open.ts', { eager: true, import: 'opener' });

/** In the order of lists; the last one takes every file, so that its error says what was expected. */
const openers = carrierFacts.flatMap(({ name }) => found[`../../extensions/carriers/${name}/open.ts`] ?? []);

/** The opener of the first carrier that takes the file. */
export async function openerOf(file: File): Promise<Opener> {
  for (const opener of openers) if (await opener.takes(file)) return opener;
  return openers.at(-1) as Opener;
}
