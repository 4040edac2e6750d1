// Adapters of low rank: what the agents have of their own where they share a frozen network.
import { whole } from '../field.ts';

export const adapterFields = {
  loraRank: whole(8, {
    label: 'Rank of the adapters',
    help: 'With LoRA, how many directions each matrix of an agent may learn. At most the width of the network.',
    source: 'LoRA 2106.09685',
    min: 1,
    max: 64,
    step: 1,
  }),
  loraAlpha: whole(16, {
    label: 'Weight of the adapters',
    help: 'With LoRA, α: what the adapters add is multiplied by α divided by their rank.',
    source: 'LoRA 2106.09685',
    min: 1,
    max: 256,
    step: 1,
  }),
};
