// Converts the tiny Llama of sample.ts to the form from which a run can start.
import { digestOf, givenOf } from '../llamaModel.ts';
import { readLlama } from '../readLlama.ts';
import { sampleFiles, sampleShape } from './sample.ts';

/**
 * The sample, with enough positions for a dialogue in its own chat template, and the name of the sample in settings.
 */
export async function givenSample(shape = { ...sampleShape(), maxPositions: 512 }) {
  const model = await readLlama(sampleFiles({ shape }));
  return { name: `model-${digestOf(model)}`, given: givenOf(model, 'tiny') };
}
