// An exported zip gives the logits of the app's own network if its safetensors file is read as specified and computed
// in float64 under the Hugging Face names. Its graphs in an ONNX runtime give the same logits, with and without a
// cache, and generate the same 64 likeliest tokens.
import { form as houseRule } from '../src/extensions/worlds/houseRule/form.ts';
import '@tensorflow/tfjs-backend-cpu';
import { readFile } from 'node:fs/promises';
import * as tf from '@tensorflow/tfjs-core';
import { strFromU8, unzipSync } from 'fflate';
import { InferenceSession, Tensor } from 'onnxruntime-web';
import { beforeAll, expect, it } from 'vitest';
import { presetConfig } from '../src/config/presets.ts';
import type { ModelShape } from '../src/config/sizes.ts';
import { distance } from '../src/engine/ops/testing/numbers.ts';
import { registerSimd, simdName } from '../src/engine/simd.ts';
import { llamaLogits, type LlamaConfigFile } from '../src/formats/reference/llama.ts';
import { readTensors } from '../src/formats/reference/safetensors.ts';
import { hasGraph } from '../src/formats/onnx/decoder.ts';
import { weightsZip } from '../src/formats/weightsZip.ts';
import { logits, rowHiddenStates } from '../src/model/network/llama.ts';
import { disposeTree, downloadTree, uploadTree } from '../src/model/network/parameters.ts';
import { rotaryTables } from '../src/model/network/positions.ts';
import { livelyWeights, testShapes } from '../src/model/testing/reference.ts';
import type { NamedArray } from '../src/records/stored/checkpoint.ts';
import { loadTokenizer, tokenizerJson } from '../src/tasks/testing/tokenizers.ts';

beforeAll(async () => {
  expect(await registerSimd(await readFile(new URL('../src/engine/simd/kernels.wasm', import.meta.url)))).toBe(true);
  await tf.setBackend(simdName);
});

const zipOf = (shape: ModelShape, weights: NamedArray[]) =>
  unzipSync(
    weightsZip({
      ...{ shape, weights },
      ...{ role: 'metaThinking', heard: ['reasoning'], sees: ['rule'], world: houseRule },
      tokenizerJson: JSON.stringify(tokenizerJson),
      runName: 'calm-otter',
      config: presetConfig('micro'),
    }),
  );

it('a zip of a family without a graph contains none, and its notes do not mention one', () => {
  const without = Object.values(testShapes).filter((shape) => !hasGraph(shape));
  expect(without).toEqual([testShapes.gemma]);
  for (const shape of without) {
    const zip = zipOf(shape, livelyWeights(shape, 13));
    expect(Object.keys(zip)).toContain('model.safetensors');
    expect(Object.keys(zip).filter((name) => name.endsWith('.onnx'))).toEqual([]);
    expect(strFromU8(zip['README.md'] as Uint8Array)).not.toMatch(/onnx/i);
  }
});

it.each(Object.entries<ModelShape>(testShapes).filter(([, shape]) => hasGraph(shape)))(
  'a zip of shape %s gives the logits of the app to 1e-5',
  async (_, shape) => {
    const ids = loadTokenizer().encode('<bos><rightToLeft>7+4*2<eot><meta>4*2<eot><reason>7+8<eot><meta>');
    const tree = uploadTree(livelyWeights(shape, 13), shape);
    const zip = zipOf(shape, await downloadTree(tree, shape));
    const ownLogits = (row: number[]) => {
      const { cos, sin } = rotaryTables(row.length, shape);
      const table = (values: Float32Array) => tf.tensor3d(values, [1, row.length, shape.headSize]);
      return tf.tidy(() => {
        const rotation = { cos: table(cos), sin: table(sin) };
        const hidden = rowHiddenStates(tf.tensor2d([row], undefined, 'int32'), { tree, shape, rotation });
        return logits(hidden, tree, shape).dataSync<'float32'>();
      });
    };
    const config = JSON.parse(strFromU8(zip['config.json'] as Uint8Array)) as LlamaConfigFile;
    const read = llamaLogits(config, readTensors(zip['model.safetensors'] as Uint8Array), ids);
    expect(distance(ownLogits(ids), read.flat())).toBeLessThan(1e-5);

    const whole = await opened(zip, 'model.onnx');
    const logitsOf = async (feeds: Feeds) => (await whole.run(feeds))['logits']?.data as Float32Array;
    const graph = await logitsOf(feedsOf(ids));
    expect(distance(graph, read.flat())).toBeLessThan(1e-5);
    // The row is padded on the left, as in a batch. Masked tokens change nothing.
    const padded = await logitsOf({
      ...feedsOf([0, 0, 0, ...ids]),
      attention_mask: wholes([0, 0, 0, ...ids.map(() => 1)]),
      position_ids: wholes([0, 0, 0, ...ids.keys()]),
    });
    expect(distance(padded.subarray(3 * shape.vocabSize), graph)).toBeLessThan(1e-6);

    const cached = await opened(zip, 'model_with_past.onnx');
    const none = (): Tensor => new Tensor('float32', [], [1, shape.numKvHeads, 0, shape.headSize]);
    let past = Object.fromEntries(cached.inputNames.filter((name) => /^past/.test(name)).map((name) => [name, none()]));
    const stepwise: number[] = [];
    const stepped = async (fed: readonly number[], from: number) => {
      const seen = wholes(Array.from({ length: from + fed.length }, () => 1));
      const step = await cached.run({ ...feedsOf(fed, from), attention_mask: seen, ...past });
      past = Object.fromEntries(
        Object.keys(past).map((name) => [name, step[name.replace('past_key_values', 'present')] as Tensor]),
      );
      return step['logits']?.data as Float32Array;
    };
    // The question is read in one call, and the continuation token by token.
    for (const [from, until] of [[0, 5], ...ids.slice(5).map((_, i) => [5 + i, 6 + i])] as [number, number][])
      stepwise.push(...(await stepped(ids.slice(from, until), from)));
    expect(distance(stepwise, graph)).toBeLessThan(1e-6);

    const [ours, theirs] = [[...ids], [...ids]];
    let next = stepwise.slice(-shape.vocabSize) as ArrayLike<number>;
    while (ours.length < ids.length + 64) {
      ours.push(likeliest(ownLogits(ours).subarray(-shape.vocabSize)));
      theirs.push(likeliest(next));
      next = await stepped(theirs.slice(-1), theirs.length - 1);
    }
    expect(theirs).toEqual(ours);
    disposeTree(tree);
  },
);

type Feeds = Record<string, Tensor>;

const likeliest = (values: ArrayLike<number>) => Array.from(values).indexOf(Math.max(...Array.from(values)));

const wholes = (values: readonly number[]) => new Tensor('int64', values.map(BigInt), [1, values.length]);

/** Returns the inputs of a graph for one row without masking. */
const feedsOf = (ids: readonly number[], first = 0): Feeds => ({
  input_ids: wholes(ids),
  attention_mask: wholes(ids.map(() => 1)),
  position_ids: wholes(ids.map((_, i) => first + i)),
});

const opened = (zip: Record<string, Uint8Array>, name: string) =>
  InferenceSession.create(zip[name] as Uint8Array, {
    executionProviders: ['wasm'],
    externalData: [{ path: 'model.safetensors', data: zip['model.safetensors'] as Uint8Array }],
  });
