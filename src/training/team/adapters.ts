// What a run with adapters begins with: one frozen base for all networks, and adapters for each that change nothing yet.
import type { Config } from '../../config/schema.ts';
import type { ModelShape } from '../../config/sizes.ts';
import { initialAdapters } from '../../model/network/adapter.ts';
import type { NamedArray, NetworkState } from '../../records/checkpoint.ts';
import { freshState } from './network.ts';

/** What adapters weigh: α/r. */
export const adapterScale = ({ agents }: Config) => agents.loraAlpha / agents.loraRank;

/** A network of fresh adapters, in the place of its number `n`. `critic`: the value head it begins with, when it has one. */
export function freshAdapters(
  config: Config,
  shape: ModelShape,
  { n, critic }: { n: number; critic?: readonly NamedArray[] },
): NetworkState {
  const adapters = initialAdapters(shape, { rank: config.agents.loraRank, seed: config.run.seed, network: n });
  const state = freshState(adapters, shape, critic !== undefined);
  const given = critic ?? [];
  return given.length === 0
    ? state
    : { ...state, critic: given.map((head) => ({ ...head, values: head.values.slice() })) };
}
