// Renews the references every `kl.refreshEvery` iterations. Several networks may have started from one reference
// (exchanged roles, CORY, adapters). From the first renewal on, each network has a separate reference, so that it is
// compared with its own earlier state instead of that of another network.
import { stage } from '../stages/stage.ts';
import { copyAsReference, disposeReference } from '../team/reference.ts';

/** Frees the previous references. */
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
