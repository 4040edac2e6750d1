// The tiny Llama of sample.ts as a run may start from it.
import { digestOf, givenOf } from '../llamaModel.ts';
import { readLlama } from '../readLlama.ts';
import { sampleFiles, sampleShape } from './sample.ts';

/** With room for a talk in its own chat template; and the name that settings know it by. */
export async function givenSample(shape = { ...sampleShape(), maxPositions: 512 }) {
  const model = await readLlama(sampleFiles({ shape }));
  return { name: `model-${digestOf(model)}`, given: givenOf(model, 'tiny') };
}
