// The attention of a network when it sampled a token. A forward pass over all tokens that the agent has read records
// the packed queries, keys and values of each layer, and the attention weights of the token's query are computed from
// these numbers. The pass is the same as in training. The attention weights are computed again on the device, because
// no kernel stores them. For a large network, there are a hundred times as many recorded numbers as attention weights,
// so only the attention weights are read from the device.
import * as tf from '@tensorflow/tfjs-core';
import { ConfigError } from '../../../base/errors.ts';
import { spoken } from '../../../base/spoken.ts';
import { localAt, type LocalAttention, type ModelShape } from '../../../config/sizes.ts';
import { rotate, type Rotation } from '../../../engine/ops/attention/rope.ts';
import {
  hiddenStates,
  rotationAt,
  rowAttention,
  windowWithin,
  type Attend,
  type Rotations,
} from '../../../model/network/llama.ts';
import type { Trajectory } from '../../../records/trajectory.ts';
import { vocabularyAt, viewRows } from '../../../rollout/view.ts';
import { displayToken } from '../../../text/tokenizer.ts';
import { readOnce, rotationOf } from '../../../training/rows/forward.ts';
import type { Network } from '../../../training/team/network.ts';
import type { Team } from '../../../training/team/team.ts';
import type { AttentionLook } from './records.ts';

interface AttentionRequest {
  /** The team at the iteration of the dialogue. */
  team: Team;
  networks: readonly Network[];
  trajectory: Trajectory;
  turn: number;
  token: number;
}

/** The attention weights in every layer and head. Throws ConfigError if no agent sampled the token in this dialogue. */
export async function attentionOf(request: AttentionRequest): Promise<Omit<AttentionLook, 'weightsAfter'>> {
  const { team, networks, trajectory, token } = request;
  const turn = trajectory.turns[request.turn];
  const rows = turn ? viewRows(trajectory, turn.agent, team.tokens) : [];
  const row = rows.find(({ turnIds }) => turnIds.includes(request.turn));
  const at = row && row.turnIds.indexOf(request.turn) + token;
  if (!turn || !row || at === undefined || row.turnIds[at] !== request.turn)
    throw new ConfigError(
      spoken`attention: turn ${request.turn + 1} of this dialogue has no token ${token + 1}; choose one of the tokens of this turn.`,
    );
  const network = networks[team.networkOf[turn.agent]?.[turn.round] as number] as Network;
  const ids = row.ids.slice(0, at);
  const { tokenizer } = vocabularyAt(team.tokens, turn.agent);
  const { numLayers: layers, numHeads: heads } = network.shape;
  return {
    layers,
    heads,
    tokens: ids.map((id) => displayToken(tokenizer.token(id), team.world.signs)),
    turns: row.ofTurn.slice(0, at),
    weights: await lastShares(network, ids),
  };
}

/** [layers · heads · T] attention weights of the last position of a row. */
async function lastShares({ tree, shape }: Pick<Network, 'tree' | 'shape'>, ids: readonly number[]) {
  const rotation = tf.tidy(() => {
    const kept = ({ cos, sin }: Rotation) => ({ cos: tf.clone(cos), sin: tf.clone(sin) });
    const { local, ...whole } = rotationOf(shape, ids.length);
    return { ...kept(whole), ...(local && { local: kept(local) }) };
  });
  const shares: tf.Tensor2D[] = [];
  try {
    const all = tf.tidy(() => {
      const attend: Attend = (layer, qkv) => {
        shares.push(tf.keep(sharesOfLast(qkv, rotation, shape, localAt(shape, layer))));
        return rowAttention(layer, qkv, { shape, rotation });
      };
      hiddenStates(tf.tensor1d([...ids], 'int32'), { tree, shape, attend });
      return tf.concat(shares);
    });
    return (await readOnce(all)).slice();
  } finally {
    tf.dispose([shares, rotation]);
  }
}

/** [heads, T] softmax(q·k/√D) of the last position, computed from one layer's qkv [T, (H + 2·KV)·D]. */
function sharesOfLast(
  qkv: tf.Tensor2D,
  rotation: Rotations,
  { numHeads: heads, numKvHeads: keyHeads, headSize: size }: ModelShape,
  local: LocalAttention | undefined,
): tf.Tensor2D {
  const [length] = qkv.shape;
  const { cos, sin } = rotationAt(rotation, local !== undefined);
  const far = length - (windowWithin(local, length) ?? length);
  return tf.tidy(() => {
    const [last, row]: [number, [number, number, number]] = [length - 1, [1, 1, size]];
    const ofLast = { cos: tf.slice(cos, [0, last, 0], row), sin: tf.slice(sin, [0, last, 0], row) };
    const query = rotate(tf.reshape(tf.slice(qkv, [last, 0], [1, heads * size]), [1, 1, heads, size]), ofLast);
    const stored = tf.slice(qkv, [0, heads * size], [length, keyHeads * size]);
    const keys = rotate(tf.reshape(stored, [1, length, keyHeads, size]), { cos, sin });
    const byHead = tf.transpose(tf.reshape(keys, [length, keyHeads, size]), [1, 0, 2]);
    const scores = tf.matMul(tf.reshape(query, [keyHeads, heads / keyHeads, size]), byHead, false, true);
    // The first `far` keys are before the window of this layer.
    const near = tf.reshape(tf.slice(scores, [0, 0, far], [-1, -1, length - far]), [heads, length - far]);
    const seen = tf.softmax(tf.mul(near, 1 / Math.sqrt(size))) as tf.Tensor2D;
    return tf.pad(seen, [
      [0, 0],
      [far, 0],
    ]);
  });
}
