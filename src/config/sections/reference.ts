// How long the frozen reference of the KL stays what it is.
import { whole } from '../field.ts';

export const referenceFields = {
  refreshEvery: whole(0, {
    label: 'Renew the reference every',
    help: 'After so many iterations the frozen reference of each network becomes a copy of the network as it is then. 0: it stays the warm start.',
    source: 'ReMA 2503.09501, ProRL 2505.24864',
    unit: 'iterations',
    min: 0,
    max: 1000,
    step: 1,
    isLive: true,
  }),
};
