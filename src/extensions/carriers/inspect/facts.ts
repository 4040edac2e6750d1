import type { CarrierFacts } from '../../../records/carrierFacts.ts';
import { inspectLogName } from '../../../records/logName.ts';

export const facts = {
  name: 'inspect',
  order: 90,
  remark: 'the trajectories as a log of Inspect AI',
  fileName: inspectLogName,
} as const satisfies CarrierFacts;
