// A made-up Llama that is too large for checkpoints, in a GGUF file of a few megabytes; for tests only.
import { ggufShapeOf, sampleGguf } from '../../src/formats/gguf/testing/sampleGguf.ts';
import { sampleTemplate } from '../../src/formats/llama/testing/sample.ts';
import { microConfig } from '../../src/training/testing/microRun.ts';

const shape = ggufShapeOf({ hiddenSize: 512, intermediateSize: 1792, numLayers: 5, maxPositions: 512, numHeads: 8 });

/** 17 million parameters in 4 bits each. */
export const heldGguf = (): Uint8Array<ArrayBuffer> =>
  sampleGguf({ shape, format: 'Q4_0', metadata: { 'tokenizer.chat_template': sampleTemplate } }) as Uint8Array<ArrayBuffer>; // prettier-ignore

/** A run that stands on a model of this name, and is over in seconds. */
export const heldConfig = (name: string) =>
  microConfig({
    agents: { parameters: 'lora', loraRank: 1, roundLimit: 1, metaWindow: 4, reasonWindow: 4, start: name },
    learning: { learner: 'grpo', problemsPerIteration: 1, groupSize: 2, numMinibatches: 1, updateEpochs: 1 },
    evaluation: { every: 50, problems: 8 },
    run: { iterations: 4, backend: 'cpu', checkpointEvery: 1 },
  });
