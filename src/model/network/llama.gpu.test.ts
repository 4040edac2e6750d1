// Tests that the results of the model on WebGPU are the same as on the CPU.
import '@tensorflow/tfjs-backend-cpu';
import '@tensorflow/tfjs-backend-webgpu';
import '@tensorflow/tfjs-core/dist/register_all_gradients.js';
import * as tf from '@tensorflow/tfjs-core';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import type { ModelShape } from '../../config/sizes.ts';
import { distance } from '../../engine/ops/testing/numbers.ts';
import { tokenLogprobs } from '../../engine/ops/tokens/tokenLogprobs.ts';
import { registerWebGpuKernels } from '../../engine/webgpuKernels.ts';
import { decodingPolicy } from '../decoding/decoder.ts';
import { logits, rowHiddenStates } from './llama.ts';
import { disposeTree, uploadTree, type ParameterTree } from './parameters.ts';
import { playRounds } from '../testing/playedRows.ts';
import { testRotations } from '../testing/rotations.ts';
import { livelyWeights, rowLogitsReference, testShapes } from '../testing/reference.ts';

const rows = [
  [1, 8, 16, 19, 13, 21, 11, 2, 4, 13, 21],
  [1, 6, 9, 20, 10, 20, 12, 2, 4, 9, 20],
  [1, 16, 19, 13, 21, 11, 2, 5, 30, 2, 4],
];

beforeAll(async () => {
  expect(await navigator.gpu.requestAdapter(), 'an adapter').not.toBeNull();
  tf.env().set('WEBGPU_CPU_FORWARD', false);
  registerWebGpuKernels();
});

describe.each(['micro', 'gemma'])('of shape %s', (named) => {
  const shape = testShapes[named] as ModelShape;
  const weights = livelyWeights(shape, 5);

  function rowLogits(tree: ParameterTree): tf.Tensor2D {
    const length = (rows[0] as number[]).length;
    const hidden = rowHiddenStates(tf.tensor2d(rows, [rows.length, length], 'int32'), {
      tree,
      shape,
      rotation: testRotations(shape, length),
    });
    return logits(hidden, tree, shape);
  }

  /** Uploads weights to one backend, and runs a function with them there. */
  async function on<T>(backend: string, run: (tree: ParameterTree) => Promise<T>): Promise<T> {
    expect(await tf.setBackend(backend), `backend ${backend} starts`).toBe(true);
    const tree = uploadTree(weights, shape);
    try {
      return await run(tree);
    } finally {
      disposeTree(tree);
    }
  }

  it('the logits on webgpu equal those of the float64 network to 1e-4', async () => {
    const onGpu = await on('webgpu', (tree) => tf.tidy(() => rowLogits(tree)).data<'float32'>());
    const expected = rows.flatMap((ids) => [...rowLogitsReference(shape, weights, ids)]);
    expect(distance(onGpu, expected)).toBeLessThan(1e-4);
  });

  it('every gradient of a cross-entropy on webgpu equals that on the CPU to 1e-4', async () => {
    const targets = rows.flatMap((ids) => [...ids.slice(1), 0]);
    const gradients = async (tree: ParameterTree) => {
      const { value, grads } = tf.variableGrads(() => {
        const { logprobs } = tokenLogprobs(rowLogits(tree), tf.tensor1d(targets, 'int32'), 1);
        return tf.neg(tf.mean(logprobs)) as tf.Scalar;
      }, [...tree.values()]);
      const read = await Promise.all(
        [...tree].map(async ([name, variable]) => ({
          name,
          values: await (grads[variable.name] as tf.Tensor).data<'float32'>(),
        })),
      );
      const [loss] = await value.data();
      tf.dispose([value, grads]);
      return { loss: loss as number, read };
    };
    const onCpu = await on('cpu', gradients);
    const onGpu = await on('webgpu', gradients);
    expect(onGpu.loss).toBeCloseTo(onCpu.loss, 4);
    onGpu.read.forEach(({ name, values }, i) => {
      expect(distance(values, onCpu.read[i]?.values ?? []), name).toBeLessThan(1e-4);
    });
  });

  it('a session on webgpu draws the tokens of the CPU, with one readback per turn and no tensors left', async () => {
    const rounds = [
      {
        window: 3,
        chunks: [{ tokens: [1, 8, 16, 19, 13, 2, 4] }, { tokens: [1, 9, 2, 4] }, { tokens: [1, 10, 2, 4] }],
      },
      { window: 2, chunks: [{ tokens: [5, 11, 2, 4], visible: [true, false, false, true] }, null, { tokens: [5] }] },
    ];
    const play = async (tree: ParameterTree) => {
      const before = tf.memory().numTensors;
      const played = await playRounds(decodingPolicy(tree, shape), rounds, {
        seed: 9,
        temperature: 0.8,
        endIds: [2, 3],
      });
      return { played, left: tf.memory().numTensors - before };
    };
    const onCpu = await on('cpu', play);
    const onGpu = await on('webgpu', async (tree) => {
      await play(tree); // makes the constants that stay
      const reads = vi.spyOn(tf.backend(), 'read');
      const result = await play(tree);
      expect(reads).toHaveBeenCalledTimes(rounds.length);
      reads.mockRestore();
      return result;
    });
    expect(onGpu.left).toBe(0);
    expect(onGpu.played.map(({ ids }) => ids)).toEqual(onCpu.played.map(({ ids }) => ids));
    const flat = ({ played }: typeof onGpu) => played.flatMap(({ logprobs }) => logprobs.map((x) => x ?? 0));
    flat(onGpu).forEach((logprob, i) => expect(Math.abs(logprob - (flat(onCpu)[i] as number))).toBeLessThan(1e-4));
  });
});
