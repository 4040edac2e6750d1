// The GGUF file of a tiny language model with a chat template, as a visitor opens it.
import { ggufShapeOf, sampleGguf } from '../src/formats/gguf/testing/sampleGguf.ts';
import { sampleTemplate } from '../src/formats/llama/testing/sample.ts';

const shape = ggufShapeOf({ maxPositions: 512 });
const metadata = { 'tokenizer.chat_template': sampleTemplate, 'general.license': 'apache-2.0' };

/** The bytes of the file; `wish` changes what is in it. */
export const sampleModel = (wish = {}) => Buffer.from(sampleGguf({ shape, format: 'Q8_0', metadata, ...wish }));

/** These bytes as a file that is chosen in a form. */
export const modelFile = (name: string, buffer: Buffer = sampleModel()) => ({
  ...{ name, mimeType: 'application/octet-stream', buffer },
});
