// Collects the exports of all carriers that the page can write from their folders, in the order in which the page lists
// them.
import { carrierFacts } from '../../records/carrierFacts.ts';
import type { Offer, Take, Taking } from './take.ts';

const takes = import.meta.glob<Take>('../../extensions/carriers/*/take.ts', { eager: true, import: 'take' });

export const offersOf = (taking: Taking): Offer[] =>
  carrierFacts.flatMap(({ name }) => takes[`../../extensions/carriers/${name}/take.ts`]?.(taking) ?? []);
