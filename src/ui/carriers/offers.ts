// Collects the exports of all file formats (carriers) that the page can write. The exports are found by their folders,
// and are in the order in which the page lists them.
import { carrierFacts } from '../../records/carrierFacts.ts';
import type { Offer, Take, Taking } from './take.ts';

const takes = import.meta.glob<Take>('../../extensions/carriers/*/take.ts', { eager: true, import: 'take' });

export const offersOf = (taking: Taking): Offer[] =>
  carrierFacts.flatMap(({ name }) => takes[`../../extensions/carriers/${name}/take.ts`]?.(taking) ?? []);
