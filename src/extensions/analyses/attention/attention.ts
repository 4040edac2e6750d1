// The attention of a network when it sampled a token. A forward pass over all tokens that the agent has read records
// the packed queries, keys and values of each layer, and the attention weights of the token's query are computed from
// them. The pass is the same as in training. The attention weights are computed again on the device, because no kernel
// keeps them. For a large network, the recorded numbers are a hundred times as many as the attention weights, so only
// the latter are read from the device.
import * as tf from '@tensorflow/tfjs-core';
import { ConfigError } from '../../../base/errors.ts';
import { spoken } from '../../../base/spoken.ts';
import type { ModelShape } from '../../../config/sizes.ts';
import { causalAttention } from '../../../engine/ops/attention/causalAttention.ts';
import { rotate, type Rotation } from '../../../engine/ops/attention/rope.ts';
import { hiddenStates, type Attend } from '../../../model/network/llama.ts';
import type { Trajectory } from '../../../records/trajectory.ts';
import { vocabularyAt, viewRows } from '../../../rollout/view.ts';
import { displayToken } from '../../../text/tokenizer.ts';
import { readOnce, rotationOf } from '../../../training/rows/forward.ts';
import type { Network } from '../../../training/team/network.ts';
import type { Team } from '../../../training/team/team.ts';
import type { AttentionLook } from './records.ts';

interface AttentionRequest {
  /** The team as it was in the iteration of the dialogue. */
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
      spoken`attention: turn ${request.turn + 1} of this dialogue has no token ${token + 1}; choose a token of this turn.`,
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
  const { numHeads: heads, numKvHeads: keyHeads } = shape;
  const rotation = tf.tidy(() => {
    const { cos, sin } = rotationOf(shape, ids.length);
    return { cos: tf.clone(cos), sin: tf.clone(sin) };
  });
  const shares: tf.Tensor2D[] = [];
  try {
    const all = tf.tidy(() => {
      const attend: Attend = (_, qkv) => {
        shares.push(tf.keep(sharesOfLast(qkv, rotation, shape)));
        return causalAttention({ qkv, ...rotation, heads, keyHeads });
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
  { cos, sin }: Rotation,
  { numHeads: heads, numKvHeads: keyHeads, headSize: size }: ModelShape,
): tf.Tensor2D {
  const [length] = qkv.shape;
  return tf.tidy(() => {
    const [last, row]: [number, [number, number, number]] = [length - 1, [1, 1, size]];
    const ofLast = { cos: tf.slice(cos, [0, last, 0], row), sin: tf.slice(sin, [0, last, 0], row) };
    const query = rotate(tf.reshape(tf.slice(qkv, [last, 0], [1, heads * size]), [1, 1, heads, size]), ofLast);
    const stored = tf.slice(qkv, [0, heads * size], [length, keyHeads * size]);
    const keys = rotate(tf.reshape(stored, [1, length, keyHeads, size]), { cos, sin });
    const byHead = tf.transpose(tf.reshape(keys, [length, keyHeads, size]), [1, 0, 2]);
    const scores = tf.matMul(tf.reshape(query, [keyHeads, heads / keyHeads, size]), byHead, false, true);
    return tf.softmax(tf.mul(tf.reshape(scores, [heads, length]), 1 / Math.sqrt(size))) as tf.Tensor2D;
  });
}
