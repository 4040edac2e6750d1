import type { CarrierFacts } from '../../../records/carrierFacts.ts';

export const facts = {
  name: 'archive',
  order: 10,
  remark: 'the default',
  ending: '.zip',
  options: { 'with-model': { says: 'includes the model on which the run is based in the archive' } },
} as const satisfies CarrierFacts;
