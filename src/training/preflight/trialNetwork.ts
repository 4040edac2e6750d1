// A copy of a network for trials, so that trying changes nothing of the run.
import * as tf from '@tensorflow/tfjs-core';
import { downloadNetwork, freshState, uploadNetwork, variables, type Network } from '../team/network.ts';
import type { Learning } from '../run/learning.ts';

/** Whether steps are recorded and keep their buffers. */
export const isOnDevice = () => tf.getBackend() === 'webgpu';

/** Rows below which padding says what a device needs, and a smaller trial would need as much. */
const wholeRows = 64;

/**
 * Of `units` of some rows each, those to try: half of them and all, or a quarter and a half where they may be many. On a
 * device few are tried as they are.
 */
export function trialUnits<T>(units: readonly T[], count: number, rowsOfOne: number): readonly [T[], T[]] {
  const first = (n: number) => Array.from({ length: n }, (_, i) => units[i % units.length] as T);
  const whole = first(Math.max(1, Math.floor(count)));
  if (isOnDevice() && whole.length * rowsOfOne < wholeRows) return [whole, whole];
  const few = Math.max(1, Math.round(count / (isOnDevice() ? 4 : 2)));
  return [first(few), first(Math.min(2 * few, whole.length))];
}

/** Trained numbers of a network. */
export const sizeOf = (network: Network) => variables(network).reduce((sum, { size }) => sum + size, 0);

/** A network of the run without a past; the caller disposes it. */
export async function freshCopy({ networks, team }: Pick<Learning, 'networks' | 'team'>, n: number): Promise<Network> {
  const network = networks[n] as Network;
  const { weights } = await downloadNetwork(network);
  const state = freshState(weights, network.shape, network.head !== null);
  return copyAt(network, uploadNetwork(state, network.shape, team.config.run.capture, network.adapter));
}

/** A copy takes as much at once as its original. */
export const copyAt = ({ roomBytes = Infinity }: Network, copy: Network): Network => Object.assign(copy, { roomBytes });
