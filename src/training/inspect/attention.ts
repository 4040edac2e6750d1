// What a network attended to when it chose a token: one forward pass over the row in which its agent said it, the packed
// projections of each layer read off on the way, and from these the shares of the one query that the token was drawn from.
// The pass is that of training; the shares are worked out anew in float64, as no kernel keeps them.
import * as tf from '@tensorflow/tfjs-core';
import { ConfigError } from '../../base/errors.ts';
import { spoken } from '../../base/spoken.ts';
import type { ModelShape } from '../../config/sizes.ts';
import { causalAttention } from '../../engine/ops/attention/causalAttention.ts';
import { hiddenStates, type Attend } from '../../model/network/llama.ts';
import { rotaryTables } from '../../model/network/positions.ts';
import type { AttentionLook } from '../../records/besides.ts';
import type { Trajectory } from '../../records/trajectory.ts';
import { vocabularyAt, viewRows } from '../../rollout/view.ts';
import { displayToken } from '../../text/tokenizer.ts';
import { rotationOf } from '../rows/forward.ts';
import type { Network } from '../team/network.ts';
import type { Team } from '../team/team.ts';

interface AttentionRequest {
  /** As it stood in the iteration. */
  team: Team;
  networks: readonly Network[];
  trajectory: Trajectory;
  turn: number;
  token: number;
}

/** Shares of every layer and head. Throws ConfigError for a token that was not said, or not in this dialogue. */
export async function attentionOf(request: AttentionRequest): Promise<Omit<AttentionLook, 'weightsAfter'>> {
  const { team, networks, trajectory, token } = request;
  const turn = trajectory.turns[request.turn];
  const rows = turn ? viewRows(trajectory, turn.agent, team.tokens) : [];
  const row = rows.find(({ turnIds }) => turnIds.includes(request.turn));
  const at = row && row.turnIds.indexOf(request.turn) + token;
  if (!turn || !row || at === undefined || row.turnIds[at] !== request.turn)
    throw new ConfigError(
      spoken`attention: turn ${request.turn + 1} of this dialogue has no token ${token + 1} of its own; choose one that it said.`,
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

/** [layers · heads · T] shares of the last position of a row. */
async function lastShares({ tree, shape }: Pick<Network, 'tree' | 'shape'>, ids: readonly number[]) {
  const { numHeads: heads, numKvHeads: keyHeads } = shape;
  const projections: tf.Tensor2D[] = [];
  tf.tidy(() => {
    const attend: Attend = (_, qkv) => {
      projections.push(tf.keep(tf.clone(qkv)));
      return causalAttention({ qkv, ...rotationOf(shape, ids.length), heads, keyHeads });
    };
    hiddenStates(tf.tensor1d([...ids], 'int32'), { tree, shape, attend });
  });
  try {
    const read = await Promise.all(projections.map((qkv) => qkv.data<'float32'>()));
    const weights = new Float32Array(read.length * heads * ids.length);
    read.forEach((qkv, layer) =>
      weights.set(sharesOfLast(qkv, { shape, length: ids.length }), layer * heads * ids.length),
    );
    return weights;
  } finally {
    tf.dispose(projections);
  }
}

/** [heads · T] softmax(q·k/√D) of the last position, of one layer's [T, (H + 2·KV)·D]. */
function sharesOfLast(qkv: Float32Array, { shape, length }: { shape: ModelShape; length: number }): Float64Array {
  const { numHeads, numKvHeads, headSize: size } = shape;
  const { cos, sin } = rotaryTables(length, shape);
  const width = (numHeads + 2 * numKvHeads) * size;
  /** A head of a position, turned by where it stands. */
  const turned = (position: number, head: number) => {
    const x = (d: number) => qkv[position * width + head * size + d] as number;
    const half = size / 2;
    return Float64Array.from({ length: size }, (_, d) => {
      const [c, s] = [cos[position * size + d] as number, sin[position * size + d] as number];
      return d < half ? x(d) * c - x(d + half) * s : x(d) * c + x(d - half) * s;
    });
  };
  const shares = new Float64Array(numHeads * length);
  for (let head = 0; head < numHeads; head++) {
    const query = turned(length - 1, head);
    const keyHead = numHeads + Math.floor((head * numKvHeads) / numHeads);
    const scores = Float64Array.from({ length }, (_, position) => {
      const key = turned(position, keyHead);
      return query.reduce((sum, q, d) => sum + q * (key[d] as number), 0) / Math.sqrt(size);
    });
    const top = Math.max(...scores);
    const powers = scores.map((score) => Math.exp(score - top));
    const total = powers.reduce((sum, power) => sum + power, 0);
    shares.set(
      powers.map((power) => power / total),
      head * length,
    );
  }
  return shares;
}
