// Runs @genai-fi/nanogpt 1.3.0 at the nearest size: its GPT with RoPE, RMSNorm, GELU and a tied head, and one step as
// in its trainer. The package contains a copy of TensorFlow.js with its own kernels; all copies share one engine.
import * as tf from '@tensorflow/tfjs-core';
import type { Tensor } from '@tensorflow/tfjs-core';
import { provideWebGpu } from '../../shared/nodeBackend.ts';
import { processor } from '../../shared/runner.ts';
import { submitClock } from '../../gpu/counts.ts';
import type { Engine } from '../contract.ts';
import { optimiser, type StepWork } from '../work.ts';

/** Opens the workload on `cpu` or `webgpu`, for which it has kernels. */
export async function openNanoGpt({ shape, rows, length, ids, targets }: StepWork, backend: string): Promise<Engine> {
  const adapter = backend === 'webgpu' ? (await provideWebGpu()).info.description || 'Dawn' : processor;
  // In Node, the browser build would try to set up a Node platform from components that it does not include.
  tf.env().set('IS_BROWSER', true);
  const { models, TeachableLLM } = await import('@genai-fi/nanogpt');
  const { default: BasicTrainer } =
    await import('../../../node_modules/@genai-fi/nanogpt/dist/training/BasicTrainer.js');
  tf.env().set('IS_BROWSER', false);
  await TeachableLLM.selectBackend(backend as 'cpu' | 'webgpu');
  const model = new models.NanoGPTV1({
    modelType: 'GenAI_NanoGPT_v1',
    vocabSize: shape.vocabSize,
    blockSize: length,
    nLayer: shape.numLayers,
    nHead: shape.numHeads,
    nEmbed: shape.hiddenSize,
    mlpFactor: 4,
    useRope: true,
  });
  class Stepper extends BasicTrainer {
    update(batch: { xs: Tensor; ys: Tensor }): tf.Scalar {
      return this.trainStep({}, batch);
    }
  }
  const tokeniser = undefined as unknown as ConstructorParameters<typeof BasicTrainer>[1]; // a step needs none
  const trainer = new Stepper(model, tokeniser, {
    learningRate: optimiser.learningRate,
    beta1: optimiser.beta1,
    beta2: optimiser.beta2,
    epsilon: optimiser.eps,
    weightDecay: optimiser.weightDecay,
    ...(backend === 'webgpu' && { clipNorm: optimiser.maxGradNorm }), // it has no kernel for the norm on cpu
    warmupSteps: 0,
  });
  return {
    backend: tf.getBackend(),
    adapter,
    parameters: model.getNumParams(),
    note: `its own GPT of the same depth, width and heads${backend === 'cpu' ? ', no clip' : ''}`,
    step: async () => {
      const stop = submitClock(backend);
      const xs = tf.tensor2d(ids, [rows, length], 'int32');
      const ys = tf.tensor2d(targets, [rows, length], 'int32');
      const loss = trainer.update({ xs, ys });
      tf.dispose([xs, ys]);
      const reading = loss.data();
      const submitting = stop();
      const [read] = await reading;
      loss.dispose();
      return { loss: read as number, ...submitting };
    },
  };
}
