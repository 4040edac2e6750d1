// References that are renewed every `kl.refreshEvery` iterations. Where several networks started from one reference
// (exchanged roles, CORY, adapters), each has its own from the first renewal on: it is held to what it was itself, not to
// what another has become.
import { stage } from '../stages/stage.ts';
import { copyAsReference, disposeReference } from '../team/reference.ts';

/** Frees the references before. */
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
