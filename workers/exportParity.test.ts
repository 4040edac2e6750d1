// An exported zip, read by the safetensors specification and computed in float64 from the Hugging Face names, gives
// the logits of the app's own network; so do its graphs in an ONNX runtime, and with a cache as without.
import { houseRule } from '../src/config/worlds/houseRule.ts';
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
import { weightsZip } from '../src/formats/weightsZip.ts';
import { logits, rowHiddenStates } from '../src/model/network/llama.ts';
import { disposeTree, downloadTree, uploadTree } from '../src/model/network/parameters.ts';
import { rotaryTables } from '../src/model/network/positions.ts';
import { livelyWeights, testShapes } from '../src/model/testing/reference.ts';
import { loadTokenizer, tokenizerJson } from '../src/tasks/testing/tokenizers.ts';

beforeAll(async () => {
  expect(await registerSimd(await readFile(new URL('../src/engine/simd/kernels.wasm', import.meta.url)))).toBe(true);
  await tf.setBackend(simdName);
});

it.each(Object.entries(testShapes))(
  'a zip of shape %s gives the logits of the app to 1e-5',
  async (_, shape: ModelShape) => {
    const ids = loadTokenizer().encode('<bos><rightToLeft>7+4*2<eot><meta>4*2<eot><reason>7+8<eot><meta>');
    const tree = uploadTree(livelyWeights(shape, 13), shape);
    const zip = unzipSync(
      weightsZip({
        shape,
        weights: await downloadTree(tree, shape),
        ...{ role: 'metaThinking', heard: ['reasoning'], sees: ['rule'], world: houseRule },
        tokenizerJson: JSON.stringify(tokenizerJson),
        runName: 'calm-otter',
        config: presetConfig('micro'),
      }),
    );
    const { cos, sin } = rotaryTables(ids.length, shape.headSize, shape.ropeTheta);
    const table = (values: Float32Array) => tf.tensor3d(values, [1, ids.length, shape.headSize]);
    const own = tf.tidy(() => {
      const rotation = { cos: table(cos), sin: table(sin) };
      return logits(rowHiddenStates(tf.tensor2d([ids], undefined, 'int32'), { tree, shape, rotation }), tree, shape);
    });
    const config = JSON.parse(strFromU8(zip['config.json'] as Uint8Array)) as LlamaConfigFile;
    const read = llamaLogits(config, readTensors(zip['model.safetensors'] as Uint8Array), ids);
    expect(distance(await own.data<'float32'>(), read.flat())).toBeLessThan(1e-5);

    const whole = await opened(zip, 'model.onnx');
    const logitsOf = async (feeds: Feeds) => (await whole.run(feeds))['logits']?.data as Float32Array;
    const graph = await logitsOf(feedsOf(ids));
    expect(distance(graph, read.flat())).toBeLessThan(1e-5);
    // Padded on the left, as a batch is: what is masked changes nothing.
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
    // The question at once, what follows token by token.
    for (const [from, until] of [[0, 5], ...ids.slice(5).map((_, i) => [5 + i, 6 + i])] as [number, number][]) {
      const given = {
        ...feedsOf(ids.slice(from, until), from),
        attention_mask: wholes(ids.slice(0, until).map(() => 1)),
      };
      const step = await cached.run({ ...given, ...past });
      stepwise.push(...(step['logits']?.data as Float32Array));
      past = Object.fromEntries(
        Object.keys(past).map((name) => [name, step[name.replace('past_key_values', 'present')] as Tensor]),
      );
    }
    expect(distance(stepwise, graph)).toBeLessThan(1e-6);
    own.dispose();
    disposeTree(tree);
  },
);

type Feeds = Record<string, Tensor>;

const wholes = (values: readonly number[]) => new Tensor('int64', values.map(BigInt), [1, values.length]);

/** One row, nothing masked. */
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
