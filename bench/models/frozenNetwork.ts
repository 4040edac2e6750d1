// A Llama whose matrices are frozen as GGUF stores them, decoding in place: what src/model/network/llama.ts does, over
// the engine's operations for such matrices.
import * as tf from '@tensorflow/tfjs-core';
import { rotaryTables } from '../../src/model/network/positions.ts';
import { cachedAttention } from '../../src/engine/ops/attention/cachedAttention.ts';
import { frozenEmbed, frozenLinear } from '../../src/engine/ops/frozen/frozenLinear.ts';
import type { FrozenFormat, FrozenMatrix } from '../../src/engine/ops/frozen/frozenMatrix.ts';
import { advance } from '../../src/engine/ops/inPlace/inPlace.ts';
import { addNorm, rmsNorm } from '../../src/engine/ops/norm/rmsNorm.ts';
import { swiGlu } from '../../src/engine/ops/swiGlu/swiGlu.ts';
import { sampleTokens } from '../../src/engine/ops/tokens/sampleTokens.ts';
import { chanceBytes, heardTokens, shape, type Work, works } from './work.ts';

/** Takes one go of a work. */
export function frozenNetwork(format: FrozenFormat): (work: Work) => Promise<void> {
  const { hiddenSize: width, intermediateSize, numHeads: heads, numKvHeads: keyHeads, headSize, normEps: eps } = shape;
  const gain = tf.keep(tf.ones<tf.Rank.R1>([width]));
  // The usual files keep the embeddings in eight bits where all else has four.
  const table = chanceMatrix(format === 'f16' ? 'f16' : 'q8_0', shape.vocabSize, width);
  const layers = Array.from({ length: shape.numLayers }, () => ({
    qkv: chanceMatrix(format, (heads + 2 * keyHeads) * headSize, width),
    out: chanceMatrix(format, width, heads * headSize),
    gateUp: chanceMatrix(format, 2 * intermediateSize, width),
    down: chanceMatrix(format, width, intermediateSize),
  }));
  const tables = rotaryTables(shape.maxPositions, shape);
  const [cos, sin] = [tables.cos, tables.sin].map((of) => tf.tensor2d(of, [shape.maxPositions, headSize])) as [
    tf.Tensor2D,
    tf.Tensor2D,
  ];

  return async (work) => {
    const { rows, heard, said } = works[work];
    const capacity = shape.maxPositions;
    const room = () => tf.zeros<tf.Rank.R3>([rows, capacity, keyHeads * headSize]);
    const caches = layers.map(() => ({ keys: room(), values: room() }));
    const [state, mask, uniforms] = [
      tf.zeros<tf.Rank.R1>([2], 'int32'),
      tf.ones<tf.Rank.R2>([rows, capacity]),
      tf.fill([rows], 0.5),
    ];
    let slot = 0;
    const feed = (ids: tf.Tensor1D, isNewest: boolean): tf.Tensor2D => {
      const steps = ids.size / rows;
      const positions = tf.tensor1d(
        Int32Array.from(ids.dataSync(), (_, i) => slot + (i % steps)),
        'int32',
      );
      let x = frozenEmbed(ids, table);
      let normed = rmsNorm(x, gain, eps);
      layers.forEach(({ qkv, out, gateUp, down }, layer) => {
        const isLast = layer === layers.length - 1;
        const cache = caches[layer] as (typeof caches)[number];
        const inputs = { ...cache, qkv: frozenLinear(normed, qkv), cos, sin, positions, mask, state };
        const isOne = isLast && isNewest;
        const mixed = cachedAttention(inputs, { heads, keyHeads, isNewest: isOne });
        const stream = isOne ? tf.slice(x, [ids.size - 1, 0], [1, width]) : x;
        const middle = addNorm({ x: stream, delta: frozenLinear(mixed, out), gain, eps });
        const delta = frozenLinear(swiGlu(frozenLinear(middle.normed, gateUp)), down);
        ({ sum: x, normed } = addNorm({ x: middle.sum, delta, gain, eps, isLast }));
      });
      slot += steps;
      advance(state, { slots: steps, steps: 0 });
      return normed;
    };
    const draw = (hidden: tf.Tensor2D) => sampleTokens(frozenLinear(hidden, table), uniforms as tf.Tensor1D, 1).ids;
    let ids = tf.tidy(() =>
      heard > 0 ? draw(feed(tf.tensor1d(heardTokens(heard), 'int32'), true)) : tf.tensor1d(heardTokens(rows), 'int32'),
    );
    for (let step = 0; step < said; step++) {
      const next = tf.tidy(() => draw(feed(ids, false)));
      ids.dispose();
      ids = next;
    }
    await ids.data();
    tf.dispose([ids, state, mask, uniforms, ...caches.flatMap(({ keys, values }) => [keys, values])]);
  };
}

function chanceMatrix(format: FrozenFormat, rows: number, columns: number): FrozenMatrix {
  const words = tf.tensor1d(new Int32Array(chanceBytes(format, rows, columns).buffer), 'int32');
  return { words, format, rows, columns };
}
