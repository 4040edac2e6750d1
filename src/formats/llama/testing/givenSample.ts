// The tiny Llama of sample.ts in the form in which a run may start from it.
import { digestOf, givenOf } from '../llamaModel.ts';
import { readLlama } from '../readLlama.ts';
import { sampleFiles, sampleShape } from './sample.ts';

/** The sample with room for a dialogue in its own chat template, and the name by which settings refer to it. */
export async function givenSample(shape = { ...sampleShape(), maxPositions: 512 }) {
  const model = await readLlama(sampleFiles({ shape }));
  return { name: `model-${digestOf(model)}`, given: givenOf(model, 'tiny') };
}
