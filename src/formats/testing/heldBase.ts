// Makes a Llama with random weights that is too large to be stored in checkpoints, as a GGUF file of a few megabytes,
// for tests.
import { ggufShapeOf, sampleGguf } from '../gguf/testing/sampleGguf.ts';
import { sampleTemplate } from '../llama/testing/sample.ts';
import { withSettings } from '../../config/parse.ts';
import { presetConfig } from '../../config/presets.ts';

const shape = ggufShapeOf({ hiddenSize: 512, intermediateSize: 1792, numLayers: 5, maxPositions: 512, numHeads: 8 });

/** The model has 17 million parameters of 4 bits each. */
export const heldGguf = (): Uint8Array<ArrayBuffer> =>
  sampleGguf({
    shape,
    format: 'Q4_0',
    metadata: { 'tokenizer.chat_template': sampleTemplate },
  }) as Uint8Array<ArrayBuffer>;

/** Settings with which a run ends within seconds. */
export const heldSettings: readonly [path: string, value: string | number | boolean][] = [
  ['agents.parameters', 'lora'],
  ['agents.inWords', false],
  ['agents.loraRank', 1],
  ['agents.roundLimit', 1],
  ['agents.metaWindow', 4],
  ['agents.reasonWindow', 4],
  ['agents.stopWhenTruncated', false],
  ['agents.maskUnfinished', false],
  ['warmStart.source', 'none'],
  ['learning.learner', 'grpo'],
  ['learning.problemsPerIteration', 1],
  ['learning.groupSize', 2],
  ['learning.numMinibatches', 1],
  ['learning.updateEpochs', 1],
  ['evaluation.every', 50],
  ['evaluation.problems', 8],
  ['run.iterations', 4],
  ['run.backend', 'cpu'],
  ['run.checkpointEvery', 1],
];

/** The configuration with the settings above, for a run that starts from the model with this name. */
export const heldConfig = (name: string) =>
  withSettings(presetConfig('micro'), { ...Object.fromEntries(heldSettings), 'agents.start': name });
