// The slow copy of a mixing critic: trunk, head and mixer. Targets are computed with it, so that a critic does not chase
// its own newest step (DQN 1312.5602); it follows by a small share after each step.
import * as tf from '@tensorflow/tfjs-core';
import type { ModelShape } from '../../config/sizes.ts';
import { flatVariables } from '../../engine/flat.ts';
import { packArrays } from '../../model/network/packing.ts';
import {
  disposeTree,
  downloadTree,
  downloadVariable,
  treeOf,
  type ParameterTree,
} from '../../model/network/parameters.ts';
import type { NamedArray, NetworkState } from '../../records/checkpoint.ts';
import { parameterNames } from '../../records/parameters.ts';
import { softUpdate } from '../maths/mixing.ts';
import { variables, type Network } from '../team/network.ts';

export interface MixingTarget {
  shape: ModelShape;
  tree: ParameterTree;
  further: ReadonlyMap<string, tf.Variable>;
}

/** Equal to the critic, as at the start of a run. */
export function freshTarget({ weights, critic }: NetworkState): NamedArray[] {
  return [...weights, ...critic].map((array) => ({ ...array, values: array.values.slice() }));
}

/** The caller disposes it. Throws FormatError when the arrays do not fit the shape. */
export function uploadTarget(arrays: readonly NamedArray[], shape: ModelShape): MixingTarget {
  const trunk = parameterNames(shape).length;
  const packed = packArrays(arrays.slice(0, trunk), shape);
  const further = arrays.slice(trunk);
  const all = flatVariables([...packed, ...further]);
  return {
    shape,
    tree: treeOf(packed, all),
    further: new Map(further.map(({ name }, i) => [name, all[packed.length + i] as tf.Variable])),
  };
}

/** A copy of everything. */
export async function downloadTarget({ tree, further, shape }: MixingTarget): Promise<NamedArray[]> {
  const beside = [...further].map(([name, variable]) => downloadVariable(name, variable));
  return [...(await downloadTree(tree, shape)), ...(await Promise.all(beside))];
}

export function disposeTarget({ tree, further }: MixingTarget): void {
  tf.dispose([...further.values()]);
  disposeTree(tree);
}

/** Moves the slow copy towards the critic by `rate`, in place. */
export function follow(target: MixingTarget, critic: Network, rate: number): void {
  critic.replays
    .run(`follow ${rate}`, {}, () => {
      softUpdate(variables({ ...target, head: null }), variables(critic), rate);
      return [];
    })
    .release();
}
