// Runs gpt-tfjs 0.0.5 at the nearest size: a GPT with the same depth, width and heads (LayerNorm, GELU, learned
// positions, untied head), and one step as in its `train`.
import { createRequire } from 'node:module';
import type * as Tensorflow from '@tensorflow/tfjs';
import type * as GptTfjs from 'gpt-tfjs';
import { startBackend } from '../../shared/nodeBackend.ts';
import { submitClock } from '../../gpu/counts.ts';
import type { Engine } from '../contract.ts';
import { optimiser, type StepWork } from '../work.ts';

/** Loads the package from node_modules. No bundler accepts it, because an unused branch assigns to a constant. */
function load(): { tf: typeof Tensorflow; gpt: typeof GptTfjs } {
  const packages = createRequire(import.meta.url);
  return {
    tf: packages('@tensorflow/tfjs') as typeof Tensorflow,
    gpt: packages('gpt-tfjs') as typeof GptTfjs,
  };
}

/** Opens the workload on a backend of TensorFlow.js; its embeddings need a gradient that wasm lacks. */
export async function openGptTfjs({ shape, rows, length, ids, targets }: StepWork, backend: string): Promise<Engine> {
  const adapter = await startBackend(backend, { ours: false });
  const { tf, gpt } = load();
  const { optimizers } = gpt;
  const { model } = gpt.model.GPTLMHeadModel({
    vocabSize: shape.vocabSize,
    blockSize: length,
    nLayer: shape.numLayers,
    nHead: shape.numHeads,
    nEmbd: shape.hiddenSize,
    dropout: 0,
    embdDrop: 0,
    residDrop: 0,
  });
  const matrices = model.trainableWeights.filter(({ shape: size }) => size.length > 1).map(({ name }) => name);
  const adamW = new optimizers.AdamW({
    learningRate: optimiser.learningRate,
    beta1: optimiser.beta1,
    beta2: optimiser.beta2,
    epsilon: optimiser.eps,
    weightDecayRate: optimiser.weightDecay,
    includeInWeightDecay: matrices,
  });
  return {
    backend: tf.getBackend(),
    adapter,
    parameters: model.countParams(),
    note: 'its own GPT of the same depth, width and heads',
    step: async () => {
      const stop = submitClock(backend);
      const loss = tf.tidy(() => {
        const x = tf.tensor2d(ids, [rows, length], 'int32');
        const y = tf.oneHot(tf.tensor2d(targets, [rows, length], 'int32'), shape.vocabSize);
        const { value, grads } = adamW.computeGradients(
          () => tf.losses.softmaxCrossEntropy(y, model.apply(x) as Tensorflow.Tensor) as Tensorflow.Scalar,
        );
        adamW.applyGradients(optimizers.clipByGlobalNormObj(grads, optimiser.maxGradNorm));
        return value;
      });
      const reading = loss.data();
      const submitting = stop();
      const [read] = await reading;
      loss.dispose();
      return { loss: read as number, ...submitting };
    },
  };
}
