// Renews the references every `kl.refreshEvery` iterations. At the start, several networks may have the same reference
// (if roles are exchanged, with CORY, and with adapters). From the first renewal on, each network has a separate
// reference, so that each network is compared with its own earlier state instead of the state of another network.
import { stage } from '../stages/stage.ts';
import { copyAsReference, disposeReference } from '../team/reference.ts';

/** The stage in which references are renewed. The previous references are freed. */
export const referenceRefreshStage = stage({
  name: 'reference refresh',
  phase: 'count',
  when: ({ kl }, iteration) => kl.refreshEvery > 0 && (iteration + 1) % kl.refreshEvery === 0,
  reads: [],
  run: async ({ networks, references: before, base }) => {
    const references = await Promise.all(networks.map(copyAsReference));
    for (const reference of before) disposeReference(reference, base);
    return { references };
  },
});
