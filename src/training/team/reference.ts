// The frozen reference of a network. It is a copy of all weights or, for a network with adapters, a copy of only the
// adapters, which uses the shared base. Therefore, if the reference of a large model with adapters is renewed, no
// second copy of the base is needed.
import type { ModelShape } from '../../config/sizes.ts';
import { flatVariables } from '../../engine/flat.ts';
import {
  adapterOf,
  adaptedTree,
  areAdapters,
  downloadAdapters,
  expectAdapters,
  namedAdapters,
  type AdapterBase,
} from '../../model/network/adapter.ts';
import { downloadTree, ownTensors, uploadTree, type WeightTree } from '../../model/network/parameters.ts';
import type { NamedArray } from '../../records/stored/checkpoint.ts';
import type { Network } from './network.ts';

/**
 * Uploads a reference: either adapters, which need a base, or all weights. Throws FormatError if names or shapes do not
 * fit.
 */
export function uploadReference(arrays: readonly NamedArray[], shape: ModelShape, on?: AdapterBase): WeightTree {
  if (!on || !areAdapters(arrays)) return uploadTree(arrays, shape, { isFrozen: true });
  const frozen = flatVariables(expectAdapters(arrays, shape));
  for (const variable of frozen) variable.trainable = false;
  return adaptedTree(adapterOf(frozen, shape, on));
}

/** The frozen reference of a network: a separate reference, or the reference that all networks share. */
export function referenceOf({ references }: { references: readonly WeightTree[] }, network: number): WeightTree | null {
  return references[network] ?? references[0] ?? null;
}

/** A frozen copy of a network's current weights. */
export async function copyAsReference({ tree, shape, adapter }: Network): Promise<WeightTree> {
  return uploadReference(adapter ? await downloadAdapters(adapter) : await downloadTree(tree, shape), shape, adapter);
}

/** Copies of the adapters of a reference, or of all its weights if it has no adapters. */
export async function downloadReference(tree: WeightTree, shape: ModelShape): Promise<NamedArray[]> {
  return (await namedAdapters(tree)) ?? downloadTree(tree, shape);
}

/** Frees a reference, but not its base. */
export function disposeReference(tree: WeightTree, base?: WeightTree): void {
  for (const tensor of ownTensors(tree, base)) tensor.dispose();
}
