// The part of gpt-tfjs that the bench uses; the package has no types.
declare module 'gpt-tfjs' {
  import type { LayersModel, NamedTensorMap, Optimizer } from '@tensorflow/tfjs';

  interface GptConfig {
    vocabSize: number;
    blockSize: number;
    nLayer: number;
    nHead: number;
    nEmbd: number;
    dropout: number;
    embdDrop: number;
    residDrop: number;
  }

  export const model: { GPTLMHeadModel: (config: GptConfig) => { model: LayersModel } };
  export const optimizers: {
    AdamW: new (options: {
      learningRate: number;
      beta1: number;
      beta2: number;
      epsilon: number;
      weightDecayRate: number;
      includeInWeightDecay: string[];
    }) => Optimizer;
    clipByGlobalNormObj: (grads: NamedTensorMap, norm: number) => NamedTensorMap;
  };
}
