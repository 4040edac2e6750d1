import type { CarrierFacts } from '../../../../cli/stored/carrier.ts';

export const facts = {
  name: 'archive',
  order: 10,
  remark: 'the default',
  ending: '.zip',
  options: { 'with-model': { says: 'puts the model that the run stands on into the archive' } },
} as const satisfies CarrierFacts;
