// An exported zip, read by the safetensors specification and computed in float64 from the Hugging Face names, gives
// the logits of the app's own network.
import { houseRule } from '../src/config/worlds/houseRule.ts';
import '@tensorflow/tfjs-backend-cpu';
import { readFile } from 'node:fs/promises';
import * as tf from '@tensorflow/tfjs-core';
import { strFromU8, unzipSync } from 'fflate';
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
    own.dispose();
    disposeTree(tree);
  },
);
