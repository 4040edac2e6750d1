// The frozen reference, renewed every so many iterations: a trust region that moves with the networks in steps.
// Where several networks started from one reference (exchanged roles, CORY, adapters), each has its own from the first
// renewal on: it is held to what it was itself, not to what another has become.
import { disposeTree, downloadTree, uploadTree, type ParameterTree } from '../../model/network/parameters.ts';
import type { NamedArray } from '../../records/checkpoint.ts';
import type { Network } from '../team/network.ts';
import type { Team } from '../team/team.ts';

interface Referred {
  networks: readonly Network[];
  /** Frozen reference of each network, or one for all. */
  references: ParameterTree[];
  /** What adapters stand on: a reference that is not ours to free. */
  base?: ParameterTree;
}

/** Renews the references when the iterations done are a multiple of the team's `kl.refreshEvery`; frees those before. */
export async function refreshReferences(trainState: Referred, { config }: Team, done: number): Promise<void> {
  const { networks, references, base } = trainState;
  const { refreshEvery } = config.kl;
  if (refreshEvery === 0 || done % refreshEvery !== 0) return;
  const now = await Promise.all(networks.map(({ tree, shape }) => downloadTree(tree, shape)));
  trainState.references = networks.map(({ shape }, n) => uploadTree(now[n] as NamedArray[], shape));
  for (const reference of references) if (reference !== base) disposeTree(reference);
}
